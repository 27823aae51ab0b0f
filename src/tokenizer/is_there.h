// Whether a file of a tokenizer's folder exists.
#pragma once

#include <filesystem>
#include <system_error>

namespace sglrun::tokenizer {

// Also true if its existence cannot be determined (a circular link, a folder without permission):
// reading the file then reports the error.
inline bool IsThere(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() != std::filesystem::file_type::not_found;
}

}  // namespace sglrun::tokenizer
