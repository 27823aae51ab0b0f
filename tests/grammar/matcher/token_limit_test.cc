// Texts that a bounded number of tokens may have a part in (max_tokens), against a reading of
// the words themselves: every sequence of tokens is tried, and every way to part its text.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "compile.h"
#include "ebnf/helpers.h"
#include "grammar/matcher/matcher.h"

namespace sglrun::grammar {
namespace {

using Ids = std::vector<std::int32_t>;

std::shared_ptr<const Vocabulary> Tokens(std::vector<std::string> texts) {
  const auto count = static_cast<std::int64_t>(texts.size());
  return std::make_shared<const Vocabulary>(texts, count);
}

std::shared_ptr<const CompiledGrammar> CompiledEbnf(std::string_view text) {
  const Front front = Read(AppendEbnf, text);
  REQUIRE_MESSAGE(front.ok(), (front.ok() ? "" : front.error->message));
  auto compiled = Compile(front.grammar);
  REQUIRE(compiled.ok());
  return *compiled;
}

// before, then a limited text, then after; each a set of words given by a predicate.
struct Shape {
  std::string grammar;
  std::function<bool(std::string_view)> before, limited, after;
  std::int64_t tokens;
};

// The tokens that have a part in [begin, end) of the text stay within the limit; past it, the part
// was over at the first place where it could be.
bool Within(const Shape& shape, const std::string& text, const std::vector<std::size_t>& ends,
            std::size_t begin, std::size_t end) {
  std::int64_t used = 0;
  std::size_t start = 0;
  for (const std::size_t token_end : ends) {
    const bool has_part = start < end && token_end > begin;
    start = token_end;
    if (!has_part || ++used < shape.tokens) continue;
    for (std::size_t at = std::min(token_end, end); at < end; ++at) {
      if (shape.limited(text.substr(begin, at - begin))) return false;
    }
    return true;
  }
  return true;
}

bool IsMember(const Shape& shape, const Vocabulary& vocabulary, const Ids& ids) {
  std::string text;
  std::vector<std::size_t> ends;
  for (const std::int32_t id : ids) {
    text += vocabulary.Text(id);
    ends.push_back(text.size());
  }
  for (std::size_t begin = 0; begin <= text.size(); ++begin) {
    for (std::size_t end = begin; end <= text.size(); ++end) {
      if (shape.before(text.substr(0, begin)) && shape.after(text.substr(end)) &&
          shape.limited(text.substr(begin, end - begin)) &&
          (begin == end || Within(shape, text, ends, begin, end))) {
        return true;
      }
    }
  }
  return false;
}

// Compares acceptance and masks of all sequences of up to `length` tokens; the number of members.
int CheckAll(const Shape& shape, const std::shared_ptr<const Vocabulary>& vocabulary, int length) {
  int members = 0;
  const std::function<void(const Matcher&, Ids&)> visit = [&](const Matcher& at, Ids& ids) {
    CAPTURE(ids);
    const bool expected = IsMember(shape, *vocabulary, ids);
    CHECK(at.IsComplete() == expected);
    members += expected ? 1 : 0;
    Matcher here = at;
    std::vector<std::uint32_t> fast(static_cast<std::size_t>(vocabulary->words_per_mask())),
        slow = fast;
    here.FillMask(fast);
    here.FillMaskSlowly(slow);
    CHECK(fast == slow);
    if (static_cast<int>(ids.size()) == length) return;
    for (std::int32_t id = 0; id < vocabulary->logit_width(); ++id) {
      Matcher next = here;
      const bool taken = next.AcceptToken(id);
      CHECK(taken == ((fast[static_cast<std::size_t>(id / 32)] >> (id % 32) & 1) != 0));
      if (!taken) continue;
      ids.push_back(id);
      visit(next, ids);
      ids.pop_back();
    }
  };
  Ids ids;
  visit(Matcher(CompiledEbnf(shape.grammar), vocabulary), ids);
  return members;
}

const auto kNothing = [](std::string_view text) { return text.empty(); };
const auto kAs = [](std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == 'a'; });
};

TEST_CASE("a rule takes no more tokens than it may, wherever tokens begin and end") {
  const auto vocabulary = Tokens({"a", "aa", "b", "ab", "ba", "bab", "aba"});
  for (std::int64_t tokens = 1; tokens <= 3; ++tokens) {
    CAPTURE(tokens);
    const std::string option = "[max_tokens=" + std::to_string(tokens) + "] ::= ";
    CHECK(CheckAll({"root" + option + "\"a\"*", kNothing, kAs, kNothing, tokens}, vocabulary, 4) >
          2);
    CHECK(CheckAll({"root ::= \"b\" w \"b\"\nw" + option + "\"a\"*",
                    [](auto text) { return text == "b"; }, kAs,
                    [](auto text) { return text == "b"; }, tokens},
                   vocabulary, 5) > 2);
    // The text may go on with what the rule could have held as well.
    CHECK(CheckAll({"root ::= w \"a\"* \"b\"?\nw" + option + "\"a\"* | \"b\"", kNothing,
                    [](auto text) { return kAs(text) || text == "b"; },
                    [](auto text) {
                      return kAs(text.ends_with('b') ? text.substr(0, text.size() - 1) : text);
                    },
                    tokens},
                   vocabulary, 4) > 2);
  }
}

TEST_CASE("a rule that cannot end where its tokens are used up ends as soon as it can") {
  const auto vocabulary = Tokens({"a", "b", "ab", "ba", "abab", "x", "bx"});
  const auto pairs = [](std::string_view text) {
    for (; text.starts_with("ab"); text.remove_prefix(2)) {
    }
    return text.empty();
  };
  const auto some_pairs = [&](std::string_view text) { return !text.empty() && pairs(text); };
  for (std::int64_t tokens = 1; tokens <= 3; ++tokens) {
    CAPTURE(tokens);
    const std::string option = "[max_tokens=" + std::to_string(tokens) + "] ::= ";
    CHECK(CheckAll({"root ::= w \"x\"\nw" + option + "\"ab\"+", kNothing, some_pairs,
                    [](auto text) { return text == "x"; }, tokens},
                   vocabulary, 6) > 2);
  }
}

TEST_CASE("each member of a repetition has tokens of its own") {
  const auto vocabulary = Tokens({"a", "aa", ",", "a,", ",a"});
  const auto compiled = CompiledEbnf("root ::= (w \",\")* \nw[max_tokens=2] ::= \"a\"+");
  const auto accepts = [&](const Ids& ids) {
    Matcher matcher(compiled, vocabulary);
    for (const std::int32_t id : ids) {
      if (!matcher.AcceptToken(id)) return false;
    }
    return matcher.IsComplete();
  };
  CHECK(accepts({0, 0, 2, 1, 1, 2}));
  CHECK_FALSE(accepts({0, 0, 0, 2}));
  CHECK(accepts({0, 3, 0, 3}));
  CHECK(accepts({0, 3, 0, 0, 2}));
  CHECK(accepts({0, 2, 0, 0, 2}));
  CHECK(accepts({0, 2, 3}));
  CHECK_FALSE(accepts({0, 4, 0, 0, 2}));  // ",a" is the first token of the second
}

TEST_CASE("max_tokens of free text in a tag counts tokens, and leaves the end") {
  const auto vocabulary = Tokens({"a", "<", "/", ">", "a<", "</>", "<b>"});
  const Front front = Read(
      AppendStructuralTag,
      R"({"format":{"type":"tag","begin":"<b>","end":"</>","content":{"type":"any_text","max_tokens":2}}})");
  REQUIRE(front.ok());
  auto compiled = Compile(front.grammar);
  REQUIRE(compiled.ok());
  const auto accepts = [&](const Ids& ids) {
    Matcher matcher(*compiled, vocabulary);
    for (const std::int32_t id : ids) {
      if (!matcher.AcceptToken(id)) return false;
    }
    return matcher.IsComplete();
  };
  CHECK(accepts({6, 0, 0, 5}));
  CHECK_FALSE(accepts({6, 0, 0, 0, 5}));
  CHECK(accepts({6, 0, 4, 2, 3}));     // its < begins the end
  CHECK_FALSE(accepts({6, 0, 4, 0}));  // or is the last of the text
  CHECK(accepts({6, 4, 0, 5}));
}

}  // namespace
}  // namespace sglrun::grammar
