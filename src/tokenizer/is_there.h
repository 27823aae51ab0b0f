// Whether a file of a tokenizer's folder is there.
#pragma once

#include <filesystem>
#include <system_error>

namespace sglrun::tokenizer {

// Also where it cannot be looked at, a link to itself or behind a locked door: reading it then says
// what is wrong.
inline bool IsThere(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() != std::filesystem::file_type::not_found;
}

}  // namespace sglrun::tokenizer
