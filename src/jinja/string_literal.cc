#include "jinja/string_literal.h"
#include "jinja/characters.h"

#include <array>
#include <cstdio>

#include "base/utf8.h"

namespace sglrun::jinja {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsOctal(char c) {
  return c >= '0' && c <= '7';
}

char SimpleEscape(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
      return c;
    default:
      return 0;
  }
}

Try<void> AppendCodePoint(std::string& out, char32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    return Fault{FaultKind::kSyntax, "illegal Unicode character in a quoted text"};
  }
  AppendUtf8(out, code);
  return {};
}

// \xHH, \uHHHH, \UHHHHHHHH; `at` is after the letter.
Try<void> AppendHex(std::string& out, std::string_view body, std::size_t& at, std::size_t digits) {
  char32_t code = 0;
  for (std::size_t i = 0; i < digits; ++i, ++at) {
    const int digit = at < body.size() ? HexValue(body[at]) : -1;
    if (digit < 0) return Fault{FaultKind::kSyntax, "truncated escape in a quoted text"};
    code = code * 16 + static_cast<char32_t>(digit);
  }
  return AppendCodePoint(out, code);
}

void AppendOctal(std::string& out, std::string_view body, std::size_t& at) {
  char32_t code = 0;
  for (int i = 0; i < 3 && at < body.size() && IsOctal(body[at]); ++i, ++at) {
    code = code * 8 + static_cast<char32_t>(body[at] - '0');
  }
  AppendUtf8(out, code);
}

// The reference spells characters outside ASCII as escapes before it reads escapes, so a backslash
// in front of one escapes that spelling's own backslash.
void AppendSpelled(std::string& out, char32_t c) {
  std::array<char, 12> buffer;
  std::snprintf(buffer.data(), buffer.size(),
                c < 0x100     ? "\\x%02x"
                : c < 0x10000 ? "\\u%04x"
                              : "\\U%08x",
                static_cast<unsigned>(c));
  out += buffer.data();
}

Try<void> AppendEscape(std::string& out, std::string_view body, std::size_t& at) {
  const char c = body[at];
  if (static_cast<unsigned char>(c) >= 0x80) {
    AppendSpelled(out, NextCharacter(body, at));
    return {};
  }
  if (IsOctal(c)) {
    AppendOctal(out, body, at);
    return {};
  }
  ++at;
  if (c == '\n') return {};
  if (c == 'x') return AppendHex(out, body, at, 2);
  if (c == 'u') return AppendHex(out, body, at, 4);
  if (c == 'U') return AppendHex(out, body, at, 8);
  if (c == 'N') {
    return Fault{FaultKind::kSyntax, "characters by name (\\N{...}) are not supported"};
  }
  if (const char simple = SimpleEscape(c)) {
    out += simple;
  } else {
    out += '\\';
    out += c;
  }
  return {};
}

}  // namespace

Try<std::string> UnescapeLiteral(std::string_view body) {
  std::string out;
  for (std::size_t at = 0; at < body.size();) {
    if (body[at] != '\\') {
      out += body[at++];
      continue;
    }
    ++at;
    SGLRUN_RETURN_IF_ERROR(AppendEscape(out, body, at));
  }
  return out;
}

}  // namespace sglrun::jinja
