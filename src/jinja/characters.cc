#include "jinja/characters.h"

#include <algorithm>

#include "base/utf8.h"

namespace sglrun::jinja {
namespace {

constexpr char32_t kCapitalSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;

void AppendMapped(std::string& out, std::span<const CaseRow> table, char32_t c) {
  const auto row = std::lower_bound(table.begin(), table.end(), c,
                                    [](const CaseRow& r, char32_t x) { return r.from < x; });
  if (row == table.end() || row->from != c) {
    AppendUtf8(out, c);
    return;
  }
  for (const char32_t to : row->to) {
    if (to != 0) AppendUtf8(out, to);
  }
}

// A sigma is final if a cased letter precedes it and none follows it, ignoring marks and
// apostrophes in between.
bool IsFinalSigma(std::string_view text, std::size_t begin, std::size_t end) {
  bool before = false;
  for (std::size_t at = begin; at > 0 && !before;) {
    at = PreviousCharacter(text, at);
    std::size_t next = at;
    const char32_t c = NextCharacter(text, next);
    if (IsIn(kCaseIgnorable, c)) continue;
    if (!IsIn(kCased, c)) return false;
    before = true;
  }
  if (!before) return false;
  for (std::size_t at = end; at < text.size();) {
    const char32_t c = NextCharacter(text, at);
    if (!IsIn(kCaseIgnorable, c)) return !IsIn(kCased, c);
  }
  return true;
}

void AppendLower(std::string& out, std::string_view text, std::size_t begin, std::size_t end,
                 char32_t c) {
  if (c == kCapitalSigma) {
    AppendUtf8(out, IsFinalSigma(text, begin, end) ? kFinalSigma : kSmallSigma);
  } else {
    AppendMapped(out, kLowerMap, c);
  }
}

}  // namespace

bool IsIn(std::span<const unicode::CodePointRange> table, char32_t c) {
  const auto after = std::upper_bound(
      table.begin(), table.end(), c, [](char32_t x, const auto& range) { return x < range.first; });
  return after != table.begin() && c <= std::prev(after)->last;
}

bool IsSpace(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool IsLineBreak(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

bool IsWordCharacter(char32_t c) {
  return c == '_' || IsAlphanumeric(c);
}

std::string ToUpper(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) AppendMapped(out, kUpperMap, NextCharacter(text, at));
  return out;
}

std::string ToLower(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = NextCharacter(text, at);
    AppendLower(out, text, begin, at, c);
  }
  return out;
}

std::string ToTitle(std::string_view text) {
  std::string out;
  bool previous_cased = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = NextCharacter(text, at);
    if (previous_cased) {
      AppendLower(out, text, begin, at, c);
    } else {
      AppendMapped(out, kTitleMap, c);
    }
    previous_cased = IsIn(kCased, c);
  }
  return out;
}

std::string Capitalize(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = NextCharacter(text, at);
    if (begin == 0) {
      AppendMapped(out, kTitleMap, c);
    } else {
      AppendLower(out, text, begin, at, c);
    }
  }
  return out;
}

std::string SwapCase(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = NextCharacter(text, at);
    if (IsIn(kUppercase, c)) {
      AppendLower(out, text, begin, at, c);
    } else if (IsIn(kLowercase, c)) {
      AppendMapped(out, kUpperMap, c);
    } else {
      AppendUtf8(out, c);
    }
  }
  return out;
}

bool IsIdentifier(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto& table = at == 0 ? kIdStart : kIdContinue;
    if (!IsIn(table, NextCharacter(text, at))) return false;
  }
  return !text.empty();
}

std::size_t LeadingSpace(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    std::size_t next = end;
    if (!IsSpace(NextCharacter(text, next))) break;
    end = next;
  }
  return end;
}

std::size_t PreviousCharacter(std::string_view text, std::size_t end) {
  Meter::Characters(1);
  do {
    --end;
  } while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  return end;
}

std::size_t TrailingSpace(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0) {
    const std::size_t previous = PreviousCharacter(text, begin);
    std::size_t next = previous;
    if (!IsSpace(NextCharacter(text, next))) break;
    begin = previous;
  }
  return text.size() - begin;
}

}  // namespace sglrun::jinja
