// Python's str() and repr().
#pragma once

#include <string>

#include "jinja/text.h"
#include "jinja/value.h"

namespace sglrun::jinja {

std::string FloatRepr(double value);
std::string IntText(const Value& integer, int base = 10);
// 'text' with quotes and escapes.
void AppendRepr(TextBuilder& out, const String& text);
void AppendRepr(TextBuilder& out, const Value& value, int depth = 0);
void AppendStr(TextBuilder& out, const Value& value);
// A string is returned unchanged, even an escaped one (soft_str).
Value ToStr(const Value& value);
std::string Repr(const Value& value);
std::string QuotedText(std::string_view text);  // 'text' for error sentences

}  // namespace sglrun::jinja
