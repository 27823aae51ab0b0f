#include "base/printable.h"

#include <algorithm>
#include <cstdio>
#include <span>

#include "base/utf8.h"

namespace sglrun {
namespace {

struct CharacterRange {
  char32_t first, last;
};

// Never shown: controls; line separators, embeddings and overrides; isolates and deprecated format
// characters; annotations.
constexpr CharacterRange kObeyed[] = {
    {0x00, 0x1F}, {0x7F, 0x9F}, {0x2028, 0x202E}, {0x2066, 0x206F}, {0xFFF9, 0xFFFB}};

// Characters that are useful in texts but could hide something in a name: soft hyphen and joiners;
// marks of direction; Hangul fillers; Mongolian separator; zero widths; invisible operators; the
// byte order mark; shorthand and musical format characters; tags.
constexpr CharacterRange kUnseen[] = {
    {0xAD, 0xAD},     {0x034F, 0x034F},   {0x061C, 0x061C},   {0x115F, 0x1160},  {0x17B4, 0x17B5},
    {0x180E, 0x180E}, {0x200B, 0x200F},   {0x2060, 0x2065},   {0x3164, 0x3164},  {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

bool IsIn(std::span<const CharacterRange> ranges, char32_t c) {
  return std::ranges::any_of(
      ranges, [c](const CharacterRange& range) { return range.first <= c && c <= range.last; });
}

template <class IsHidden>
std::string Escaped(std::string_view text, const IsHidden& is_hidden) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = DecodeUtf8(text, at);
    if (!is_hidden(c)) {
      AppendUtf8(out, c);
      continue;
    }
    char escaped[16];
    std::snprintf(escaped, sizeof escaped, "\\u{%X}", static_cast<unsigned>(c));
    out += escaped;
  }
  return out;
}

}  // namespace

std::string Printable(std::string_view text) {
  return Escaped(text, [](char32_t c) { return IsIn(kObeyed, c) || IsIn(kUnseen, c); });
}

std::string PrintableText(std::string_view text) {
  return Escaped(text, [](char32_t c) { return c != U'\n' && c != U'\t' && IsIn(kObeyed, c); });
}

}  // namespace sglrun
