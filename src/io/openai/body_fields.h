// The one table of what the body of an OpenAI line may say: the fields of /v1/chat/completions and
// /v1/completions, and those that vLLM and SGLang added to them. Reading, refusals, nearest-name
// hints, `sglrun fields` and the man page are made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/openai/reply.h"

namespace sglrun::io::openai {

enum class Use : std::uint8_t {
  kSampling,  // a sampling parameter, under the name `target`
  kRead,      // looked at by read_body.cc
  kNoEffect,  // accepted: accounts, caches and transport of a service
  kHint,      // accepted with a warning: it asks for something that has no counterpart here
  kRefused,   // anything but null, an empty value or `target` (as JSON) is a record error
};

struct BodyField {
  std::string_view name;
  std::string_view endpoints;  // "chat", "completions", "both"
  Use use;
  std::string_view target;  // see Use
  std::string_view summary;

  bool Of(Endpoint endpoint) const;
};

std::span<const BodyField> BodyFields();
const BodyField* FindBodyField(Endpoint endpoint, std::string_view name);

// " (did you mean \"top_p\"?)", or "" when no known name is near.
std::string NearestBodyFieldHint(Endpoint endpoint, std::string_view name);

// The part of `sglrun fields` about them: one line a field.
std::string BodyFieldsTable();

}  // namespace sglrun::io::openai
