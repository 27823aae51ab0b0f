#include "grammar/automaton/spelling.h"

#include <algorithm>
#include <string_view>

namespace sglrun::grammar {
namespace {

// Bytes of one length: two characters of the same length whose ranges agree place by place.
Spelling Utf8OfBlock(char32_t first, char32_t last) {
  Spelling out;
  const auto put = [&](int shift, unsigned mask, unsigned mark) {
    out.Append(static_cast<int>(mark | (first >> shift & mask)),
               static_cast<int>(mark | (last >> shift & mask)));
  };
  if (last < 0x80) {
    put(0, 0x7F, 0);
    return out;
  }
  if (last < 0x800) {
    put(6, 0x1F, 0xC0);
  } else {
    if (last < 0x10000) {
      put(12, 0x0F, 0xE0);
    } else {
      put(18, 0x07, 0xF0);
      put(12, 0x3F, 0x80);
    }
    put(6, 0x3F, 0x80);
  }
  put(0, 0x3F, 0x80);
  return out;
}

// The letter of the short escape of a character, 0 when it has none or needs none.
char ShortEscape(char32_t c) {
  switch (c) {
    case '"':
    case '\\':
      return static_cast<char>(c);
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

void AppendControlEscape(char32_t c, std::vector<Spelling>& out) {
  constexpr std::string_view kLower = "0123456789abcdef", kUpper = "0123456789ABCDEF";
  const std::size_t digit = c & 0xF;
  for (const auto digits : {kLower, kUpper}) {
    if (digits == kUpper && digit < 10) break;
    Spelling& spelling = out.emplace_back();
    for (const char byte : {'\\', 'u', '0', '0', c < 0x10 ? '0' : '1', digits[digit]}) {
      spelling.Append(byte, byte);
    }
  }
}

}  // namespace

// Blocks that cover the range: within a block the places of the bytes vary independently of each
// other. Each cut makes one end round, so the depth is below ten.
void AppendUtf8Spellings(char32_t first, char32_t last, std::vector<Spelling>& out) {
  const auto cut_before = [&](char32_t middle) {
    AppendUtf8Spellings(first, middle - 1, out);
    AppendUtf8Spellings(middle, last, out);
  };
  for (const char32_t longer : {0x80, 0x800, 0x10000}) {
    if (first < longer && longer <= last) return cut_before(longer);
  }
  for (int bits = 6; bits <= 18 && last >= 0x80; bits += 6) {
    const char32_t low = (char32_t{1} << bits) - 1;
    if ((first & ~low) == (last & ~low)) break;
    if ((first & low) != 0) return cut_before((first | low) + 1);
    if ((last & low) != low) return cut_before(last & ~low);
  }
  out.push_back(Utf8OfBlock(first, last));
}

void AppendJsonSpellings(char32_t first, char32_t last, std::vector<Spelling>& out) {
  char32_t raw_from = first;  // raw characters wait until one that must be escaped
  const auto flush_before = [&](char32_t c) {
    if (raw_from < c) AppendUtf8Spellings(raw_from, c - 1, out);
    raw_from = c + 1;
  };
  for (char32_t c = first; c <= std::min<char32_t>(last, '\\'); ++c) {
    if (const char letter = ShortEscape(c); letter != 0) {
      flush_before(c);
      Spelling& spelling = out.emplace_back();
      spelling.Append('\\', '\\');
      spelling.Append(letter, letter);
    } else if (c < 0x20) {
      flush_before(c);
      AppendControlEscape(c, out);
    }
  }
  flush_before(last + 1);
}

}  // namespace sglrun::grammar
