// Base64 (RFC 4648, section 4), in which tokenizer files write bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sglrun::tokenizer {

// Nothing unless `text` is whole, padded base64 without blanks.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace sglrun::tokenizer
