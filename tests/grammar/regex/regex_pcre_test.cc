// Our reading of patterns against PCRE2's.
#include "grammar/regex/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "automaton/helpers.h"
#include "regex/random_regex.h"

namespace sglrun::grammar {
namespace {

// PCRE2 set to our dialect: [] and [^] as in ECMA-262, $ only at the very end.
class Pcre {
 public:
  Pcre(std::string pattern, std::uint32_t more_options) {
    // It takes no notice of a quantifier on the bare [].
    for (std::size_t at = 0; (at = pattern.find("[]", at)) != std::string::npos; at += 6) {
      pattern.replace(at, 2, "(?:[])");
    }
    int error = 0;
    PCRE2_SIZE offset = 0;
    code_.reset(
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                      PCRE2_UTF | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_DOLLAR_ENDONLY | more_options,
                      &error, &offset, nullptr));
    REQUIRE_MESSAGE(code_ != nullptr, pattern);
    data_.reset(pcre2_match_data_create(1, nullptr));
  }
  // Nothing where PCRE2 gives up: it backtracks.
  std::optional<bool> Matches(const std::string& text) const {
    const int rc = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                               0, 0, data_.get(), nullptr);
    if (rc == PCRE2_ERROR_MATCHLIMIT) return std::nullopt;
    REQUIRE((rc >= 0 || rc == PCRE2_ERROR_NOMATCH));
    return rc >= 0;
  }

 private:
  struct FreeCode {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  };
  struct FreeData {
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  };
  std::unique_ptr<pcre2_code, FreeCode> code_;
  std::unique_ptr<pcre2_match_data, FreeData> data_;
};

// Characters on whose class all engines agree.
constexpr char32_t kLetters[] = {U'a', U'b', U'A', U'B', U'c', U'0', U'-', U' ', U'\n', 0xE9, 0xC9};

std::string Encode(const std::u32string& text) {
  std::string out;
  for (const char32_t c : text) AppendUtf8(out, c);
  return out;
}

std::u32string Mutate(std::u32string text, RandomRegex& random) {
  const auto size = static_cast<std::uint32_t>(text.size());
  const char32_t c = kLetters[random.Below(std::size(kLetters))];
  const std::size_t at = random.Below(size + 1);
  switch (random.Below(3)) {
    case 0:
      text.insert(at, 1, c);
      break;
    case 1:
      text.erase(std::min<std::size_t>(at, size), 1);
      break;
    default:
      if (at < size) text[at] = c;
      break;
  }
  return text;
}

bool IsPlain(const std::u32string& text) {
  return std::ranges::all_of(
      text, [](char32_t c) { return std::ranges::find(kLetters, c) != std::end(kLetters); });
}

// A dot of ECMA-262 stops at four line ends, one of PCRE2 at the first of them.
bool HasOtherLineEnds(const std::u32string& text) {
  return text.find_first_of(U"\r\u2028\u2029") != std::u32string::npos;
}

// A negative look-ahead refuses what it matches in any engine, and they differ about what lies
// beyond ASCII, about line ends, and about whether \p{Lu} without regard to case holds small letters.
bool IsDoubtful(const std::string& pattern, const std::u32string& text) {
  if (pattern.find("(?!") == std::string::npos) return false;
  const auto differs = [](char32_t c) { return c >= 0x80 || c == U'\n' || c == U'\r'; };
  const bool caseless = pattern.find("(?i") != std::string::npos;
  return (caseless && pattern.find("\\p{") != std::string::npos) ||
         std::ranges::any_of(text, differs);
}

void Compare(RegexMatch match, std::uint32_t options, unsigned seed) {
  RandomRegex random(seed);
  const Limits limits;
  int empty = 0, members = 0, refused = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string pattern = random.Pattern();
    CAPTURE(pattern);
    Budget budget(limits);
    const auto dfa = RegexDfa(pattern, match, {}, budget);
    if (!dfa.ok()) {  // a few explode
      REQUIRE(dfa.error().verdict == Verdict::kTooLarge);
      ++refused;
      continue;
    }
    const Pcre pcre(pattern, options);
    std::vector<std::u32string> texts{U"", U"a", U"ab", U"b\n", U"aab-0", U"A\u00E9"};
    if (dfa->states.empty()) ++empty;
    for (int i = 0; i < 8 && !dfa->states.empty(); ++i) {
      const std::u32string member = random.Member(*dfa);
      const std::string text = Encode(member);
      CAPTURE(text);
      if (AcceptsText(*dfa, text) && !HasOtherLineEnds(member))
        REQUIRE(pcre.Matches(text) != false);
      ++members;
      texts.push_back(member);
      texts.push_back(Mutate(member, random));
      texts.push_back(Mutate(texts.back(), random));
    }
    for (const std::u32string& plain : texts) {
      if (!IsPlain(plain)) continue;
      const std::string text = Encode(plain);
      CAPTURE(text);
      const std::optional<bool> expected = pcre.Matches(text);
      if (!expected) continue;
      if (IsDoubtful(pattern, plain)) {
        if (AcceptsText(*dfa, text)) REQUIRE(*expected);
      } else {
        REQUIRE(AcceptsText(*dfa, text) == *expected);
      }
    }
  }
  CHECK(refused < 30);
  CHECK(empty < 800);
  CHECK(members > 5000);
}

TEST_CASE("random patterns match whole texts exactly where PCRE2 does") {
  Compare(RegexMatch::kFull, PCRE2_ANCHORED | PCRE2_ENDANCHORED, 21);
}

TEST_CASE("random patterns are found in texts exactly where PCRE2 finds them") {
  Compare(RegexMatch::kSearch, 0, 22);
}

}  // namespace
}  // namespace sglrun::grammar
