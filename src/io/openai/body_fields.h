// The table of all fields of the body of an OpenAI line: those of /v1/chat/completions and
// /v1/completions, and those that vLLM and SGLang added. Reading, refusals, nearest-name hints,
// `sglrun fields` and the man page are made from it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "io/openai/reply.h"
#include "request/fields.h"
#include "request/record_error.h"

namespace sglrun::io::openai {

enum class Use : std::uint8_t {
  kSampling,  // a sampling parameter, under the name `target`
  kRead,      // looked at by body.cc
  kNoEffect,  // accepted: fields about accounts, caches and transport of a service
  kHint,      // accepted with a warning: sglrun has no corresponding feature
  kRefused,   // anything but null, an empty value or `target` (as JSON) is a record error
};

struct BodyField {
  std::string_view name;
  std::string_view endpoints;  // "chat", "completions", "both"
  Use use;
  std::string_view target;  // see Use
  // The type of the value; kAny if other code checks it: the parser of sampling parameters
  // (kSampling), the readers of structures.
  request::Kind kind;
  std::string_view summary;
  std::string_view words = {};  // of a string: "low|medium|high"; "" for all

  bool Of(Endpoint endpoint) const;
};

std::span<const BodyField> BodyFields();
const BodyField* FindBodyField(Endpoint endpoint, std::string_view name);

// Checks that a non-null value has the type of its field.
Result<void, RecordError> CheckKind(const BodyField& field, const Json& value);

// The same for members of a value; missing and null members are accepted. `prefix` precedes their
// names in error messages.
Result<void, RecordError> CheckMembers(
    const Json& object, const std::string& prefix,
    std::initializer_list<std::pair<std::string_view, request::Kind>> kinds);

// " (did you mean \"top_p\"?)", or "" when no known name is near.
std::string NearestBodyFieldHint(Endpoint endpoint, std::string_view name);

// The part of `sglrun fields` about them: one line a field.
std::string BodyFieldsTable();

}  // namespace sglrun::io::openai
