#include "grammar/json_schema/wide_format_patterns.h"

#include <string_view>

namespace sglrun::grammar {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEFabcdef";

// One character: of ASCII's printable ones only those given, of others any.
std::string OneOfPrintable(std::string_view given) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string others;
  for (char c = ' '; c <= '~'; ++c) {
    if (given.find(c) == std::string_view::npos)
      others.append("\\x").append({kHex[c / 16], kHex[c % 16]});
  }
  return "[^" + others + "]";
}

std::string OneOfPrintable(std::initializer_list<std::string_view> given) {
  std::string all;
  for (const std::string_view some : given) all += some;
  return OneOfPrintable(all);
}

const char* const kYear = "\\s*[+\\-]?\\p{Nd}{4}";

}  // namespace

// Four digits of a year come first, and nothing looks like a time.
std::string WideDatePattern() {
  return kYear + std::string("[^:Tt]*");
}

std::string WideTimePattern() {
  return "\\s*[Tt]?\\p{Nd}{1,2}:[^]*";
}

std::string WideDateTimePattern() {
  return kYear + std::string("[^]*[:TtZz_\\s][^]*");
}

std::string WideDurationPattern() {
  return "\\s*[+\\-]?[Pp][^]*";
}

std::string WideEmailPattern() {
  return "[^]*@[^]*";
}

std::string WideHostnamePattern() {
  return OneOfPrintable(
             {"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "-._*"}) +
         "*";
}

// Old ways to write addresses use hexadecimal digits, but begin with 0x.
std::string WideIpv4Pattern() {
  const std::string any = OneOfPrintable({kHexDigits, "Xx./"}) + "*";
  return any + OneOfPrintable("0123456789") + any;
}

// A zone or the length of a prefix may follow, in brackets or not.
std::string WideIpv6Pattern() {
  const std::string part = OneOfPrintable({kHexDigits, ".["}) + "*";
  return part + ":" + part + ":" + OneOfPrintable({kHexDigits, ".[:"}) + "*(?:[%/\\]][^]*)?";
}

// In braces, without hyphens, or as a name of urn:uuid.
std::string WideUuidPattern() {
  return OneOfPrintable({kHexDigits, "-{}:urnidURNID"}) + "{32,}";
}

std::string WideUriPattern() {
  return "[\\x00-\\x20]*[A-Za-z][^:]*:[^]*";
}

std::string WideJsonPointerPattern() {
  return "(?:[/#][^]*)?";
}

std::string WideRelativeJsonPointerPattern() {
  return OneOfPrintable("0123456789") + "[^]*";
}

}  // namespace sglrun::grammar
