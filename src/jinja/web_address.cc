#include "jinja/web_address.h"

#include <algorithm>
#include <array>

#include "jinja/characters.h"
#include "jinja/text_search.h"

namespace sglrun::jinja {
namespace {

// The character in lower case as Python's re compares it without regard to case: besides the
// letters of ASCII there are i and I with and without their dots, the long s and the sign of
// Kelvin.
char32_t Folded(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + ('a' - 'A');
  if (c == 0x130 || c == 0x131) return 'i';
  if (c == 0x17F) return 's';
  return c == 0x212A ? U'k' : c;
}

bool IsLetterAToZ(char32_t c) {
  return Folded(c) >= 'a' && Folded(c) <= 'z';
}
bool IsDomainCharacter(char32_t c) {
  return IsWordCharacter(c) || c == '%' || c == '-';
}
bool IsCodedCharacter(char32_t c) {
  return IsWordCharacter(c) || c == '%';
}
bool IsDigitOfAnyScript(char32_t c) {
  return IsIn(kDecimals, c);
}
bool IsHexDigit(char32_t c) {
  return IsDigitOfAnyScript(c) || (Folded(c) >= 'a' && Folded(c) <= 'f');
}
bool IsMailCharacter(char32_t c) {
  return IsWordCharacter(c) || c == '.' || c == '-';
}

// A text that is read from its start.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  // `word` in lower case, read without regard to case.
  bool Skip(std::string_view word) {
    std::size_t at = 0;
    for (const char c : word) {
      if (at == rest_.size()) return false;
      if (Folded(NextCharacter(rest_, at)) != static_cast<char32_t>(c)) return false;
    }
    rest_.remove_prefix(at);
    return true;
  }

  // Between `least` and `most` characters of a kind; as many as there are.
  bool SkipSome(bool (*is_it)(char32_t), std::size_t least, std::size_t most) {
    std::size_t count = 0;
    for (std::size_t at = 0; count < most && at < rest_.size();) {
      const std::size_t begin = at;
      if (!is_it(NextCharacter(rest_, at))) {
        at = begin;
        break;
      }
      ++count;
      end_ = at;
    }
    if (count < least) return false;
    if (count > 0) rest_.remove_prefix(end_);
    return true;
  }

 private:
  std::string_view rest_;
  std::size_t end_ = 0;
};

constexpr std::size_t kAny = ~std::size_t{0};

bool IsAll(std::string_view text, bool (*is_it)(char32_t), std::size_t least, std::size_t most) {
  Scanner scanner(text);
  return scanner.SkipSome(is_it, least, most) && scanner.done();
}

// A port, and a path, query or fragment, each of which may be missing.
bool IsEndOfAddress(std::string_view text) {
  Scanner scanner(text);
  if (scanner.Skip(":") && !scanner.SkipSome(IsDigitOfAnyScript, 1, 5)) return false;
  return scanner.done() ||
         std::string_view("/?#").find(scanner.rest()[0]) != std::string_view::npos;
}

// The part before the port and the path. It is where the address ends at the latest, as nothing in
// a name may be one of these characters.
std::string_view HostOf(std::string_view text) {
  Meter::Bytes(text.size());
  return text.substr(0, text.find_first_of(":/?#"));
}

// Checks the labels of a host name, except for the last one.
bool LabelsPass(std::string_view labels, std::size_t least, std::size_t most) {
  while (!labels.empty()) {
    const std::size_t dot = labels.find('.');
    if (!IsAll(labels.substr(0, dot), IsDomainCharacter, least, most)) return false;
    labels.remove_prefix(dot + 1);
  }
  return true;
}

// Where the last name of a host begins.
std::size_t LastLabel(std::string_view host) {
  const std::size_t dot = FindLast(host, ".");
  return dot == TextSearch::kNone ? 0 : dot + 1;
}

bool IsNamedHost(std::string_view host) {
  const std::size_t last = LastLabel(host);
  if (!LabelsPass(host.substr(0, last), 1, kAny)) return false;
  if (IsAll(host.substr(last), IsLetterAToZ, 2, 63)) return true;
  Scanner coded(host.substr(last));
  return coded.Skip("xn--") && coded.SkipSome(IsCodedCharacter, 2, 59) && coded.done();
}

bool IsBasicDomain(std::string_view host) {
  static constexpr std::array<std::string_view, 8> kNames = {"com", "net", "int",  "edu",
                                                             "gov", "org", "info", "mil"};
  const std::size_t last = LastLabel(host);
  if (last == 0 || !LabelsPass(host.substr(0, last), 2, 63)) return false;
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    Scanner scanner(host.substr(last));
    return scanner.Skip(name) && scanner.done();
  });
}

bool IsIpv4(std::string_view host) {
  Scanner scanner(host);
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !scanner.Skip(".")) return false;
    if (!scanner.SkipSome(IsDigitOfAnyScript, 1, 3)) return false;
  }
  return scanner.done();
}

// Two groups of up to four digits with a colon each, then one to six groups of which each may have
// one.
bool SkipIpv6(Scanner& scanner) {
  if (!scanner.Skip("[")) return false;
  for (int group = 0; group < 2; ++group) {
    if (!scanner.SkipSome(IsHexDigit, 0, 4) || !scanner.Skip(":")) return false;
  }
  for (int group = 0; group < 6; ++group) {
    scanner.SkipSome(IsHexDigit, 0, 4);
    scanner.Skip(":");
  }
  return scanner.Skip("]");
}

bool IsAfterScheme(std::string_view text) {
  const std::string_view host = HostOf(text);
  if ((IsNamedHost(host) || IsIpv4(host)) && IsEndOfAddress(text.substr(host.size()))) return true;
  Scanner scanner(text);
  return SkipIpv6(scanner) && IsEndOfAddress(scanner.rest());
}

}  // namespace

bool IsWebAddress(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    Scanner scanner(text);
    if (scanner.Skip(scheme)) return IsAfterScheme(scanner.rest());
  }
  const std::string_view host = HostOf(text);
  if (!IsEndOfAddress(text.substr(host.size()))) return false;
  Scanner scanner(host);
  return (scanner.Skip("www.") && IsNamedHost(scanner.rest())) || IsBasicDomain(host);
}

bool IsMailAddress(std::string_view text) {
  const std::size_t at = FindLast(text, "@");
  if (at == TextSearch::kNone || at == 0) return false;
  const std::string_view domain = text.substr(at + 1);
  Scanner scanner(domain);
  if (!scanner.SkipSome(IsWordCharacter, 1, 1) || !scanner.SkipSome(IsMailCharacter, 0, kAny)) {
    return false;
  }
  const std::size_t last = LastLabel(domain);
  return scanner.done() && last > 0 && IsAll(domain.substr(last), IsWordCharacter, 1, kAny);
}

bool IsSchemePrefix(std::string_view text) {
  Scanner scanner(text);
  const auto is_part = [](char32_t c) { return IsMailCharacter(c) || c == '+'; };
  if (!scanner.SkipSome(is_part, 2, kAny) || !scanner.Skip(":")) return false;
  return scanner.rest().size() <= 2 &&
         scanner.rest() == std::string_view("//").substr(0, scanner.rest().size());
}

}  // namespace sglrun::jinja
