#include "console/wrap.h"

#include <algorithm>

namespace sglrun::console {

std::string Wrap(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out, line;
  const auto flush = [&] {
    out += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '\n') {
      flush();
      ++at;
      continue;
    }
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) flush();
    if (!line.empty()) line += ' ';
    line += word;
    at = end;
  }
  if (!line.empty()) flush();
  return out;
}

}  // namespace sglrun::console
