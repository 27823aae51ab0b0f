#include "formats/foreign_file.h"

#include <algorithm>
#include <cctype>

namespace sglrun::formats {
namespace {

bool StartsWithIgnoringCase(std::string_view text, std::string_view lower_prefix) {
  return text.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

}  // namespace

std::string DescribeForeignFile(std::string_view bytes) {
  if (bytes.empty()) return "is empty: download it again";
  if (bytes.starts_with("version https://git-lfs")) {
    return "is a Git LFS pointer, not the weights: run `git lfs pull` in its repository";
  }
  if (bytes.starts_with("GGUF")) return "is a GGUF file: give its name to -m directly";
  if (bytes.starts_with("PK\x03\x04")) {
    return "is a zip archive, as PyTorch writes its pickles: convert it to safetensors";
  }
  std::string_view text = bytes.substr(0, 256);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  if (StartsWithIgnoringCase(text, "<!doctype") || StartsWithIgnoringCase(text, "<html")) {
    return "is an HTML page, as a failed download leaves it: download it again";
  }
  return "";
}

}  // namespace sglrun::formats
