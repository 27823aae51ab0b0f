// The methods of texts and containers that a template may call.
#pragma once

#include <string>
#include <string_view>

#include "jinja/callable.h"

namespace sglrun::jinja {

struct MethodEntry {
  const char* name;
  Method method;
};

// nullptr: the class has no such method.
const MethodEntry* FindStringMethod(std::string_view name);
const MethodEntry* FindContainerMethod(Kind kind, std::string_view name);
const MethodEntry* FindNumberMethod(Kind kind, std::string_view name);
// Methods that change their object, which the sandbox hides.
bool IsMutatingMethod(Kind kind, std::string_view name);

// Used by several methods and filters.
Try<Value> StripText(const Value& text, const Value& characters, bool left, bool right);
Value ReplaceText(const Value& text, const Value& from, const Value& to, std::int64_t count);
std::vector<Value> SplitLines(const String& text, bool keep_ends);
Value JoinTexts(const Value& separator, const std::vector<Value>& parts);

}  // namespace sglrun::jinja
