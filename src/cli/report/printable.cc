#include "cli/report/printable.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/utf8.h"

namespace sglrun::cli::report {
namespace {

struct CharacterRange {
  char32_t first, last;
};

// Controls; soft hyphen; zero widths and direction marks; line separators and embeddings;
// invisible operators and isolates; the byte order mark; tags.
constexpr CharacterRange kHidden[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},
                                      {0x061C, 0x061C}, {0x200B, 0x200F}, {0x2028, 0x202E},
                                      {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xE0000, 0xE007F}};

bool IsHidden(char32_t c) {
  return std::any_of(std::begin(kHidden), std::end(kHidden), [c](const CharacterRange& range) {
    return range.first <= c && c <= range.last;
  });
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = DecodeUtf8(text, at);
    if (!IsHidden(c)) {
      AppendUtf8(out, c);
      continue;
    }
    char escaped[16];
    std::snprintf(escaped, sizeof escaped, "\\u{%X}", static_cast<unsigned>(c));
    out += escaped;
  }
  return out;
}

std::string Html(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace sglrun::cli::report
