// From a record's constraint to a compiled grammar, and the store that shares them.
#include "grammar/compile/constraint.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "grammar/compile/warm_up.h"
#include "grammar/matcher/shared_masks.h"

namespace sglrun::grammar {
namespace {

std::shared_ptr<const Vocabulary> VocabularyOf(const std::vector<std::string>& texts) {
  return std::make_shared<const Vocabulary>(texts, static_cast<std::int64_t>(texts.size()));
}

std::shared_ptr<const Vocabulary> Bytes() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  return VocabularyOf(texts);
}

std::string VerdictOf(ConstraintKind kind, const std::string& text,
                      std::shared_ptr<const Vocabulary> vocabulary = nullptr) {
  const auto outcome = CompileConstraint({kind, text}, {}, vocabulary);
  return outcome.ok() ? "ok" : VerdictName(outcome.error().verdict);
}

TEST_CASE("each kind of constraint compiles, and each kind of verdict occurs") {
  CHECK(VerdictOf(ConstraintKind::kJsonSchema, R"({"type":"object"})") == "ok");
  CHECK(VerdictOf(ConstraintKind::kRegex, "a+") == "ok");
  CHECK(VerdictOf(ConstraintKind::kEbnf, "root ::= \"a\"") == "ok");
  CHECK(VerdictOf(ConstraintKind::kStructuralTag, R"({"format":{"type":"any_text"}})") == "ok");
  CHECK(VerdictOf(ConstraintKind::kRegex, "a(") == "invalid");
  CHECK(VerdictOf(ConstraintKind::kRegex, "a\\b") == "unsupported");
  CHECK(VerdictOf(ConstraintKind::kEbnf, "root ::= root") == "unsatisfiable");
  CHECK(VerdictOf(ConstraintKind::kRegex, "a{1000001}") == "too_large");
}

TEST_CASE("masks that nearly every schema needs are found beforehand, whatever the options") {
  for (const ClosingMode mode : {ClosingMode::kStrict, ClosingMode::kSpec}) {
    for (const WhitespacePolicy whitespace :
         {WhitespacePolicy::kFlexible, WhitespacePolicy::kCompact}) {
      GrammarOptions options;
      options.json_schema_mode = mode;
      options.whitespace = whitespace;
      const auto vocabulary = Bytes();
      CHECK(WarmUp(vocabulary, options));
      CHECK(SharedMasks::Of(*vocabulary).MemoryBytes() > 0);
    }
  }
}

TEST_CASE("a grammar is unreachable only when no tokens spell a member") {
  const auto few = VocabularyOf({"a", "b", "ab"});
  CHECK(VerdictOf(ConstraintKind::kRegex, "(ab)+", few) == "ok");
  CHECK(VerdictOf(ConstraintKind::kRegex, "ab*c|", few) == "ok");
  CHECK(VerdictOf(ConstraintKind::kRegex, "abc", few) == "unreachable");
  CHECK(VerdictOf(ConstraintKind::kRegex, "abc|bba", few) == "ok");
  CHECK(VerdictOf(ConstraintKind::kEbnf, "root ::= <[1]> \"a\"", few) == "ok");
  CHECK(VerdictOf(ConstraintKind::kEbnf, "root ::= <[1]> \"c\"", few) == "unreachable");
  CHECK(VerdictOf(ConstraintKind::kRegex, "abc", Bytes()) == "ok");
  // However many texts there are before the byte that is missing.
  CHECK(VerdictOf(ConstraintKind::kRegex, "[ab]{30}c[ab]*", few) == "unreachable");
  CHECK(VerdictOf(ConstraintKind::kRegex, "[ab]{30}(c|a)", few) == "ok");
  CHECK(VerdictOf(ConstraintKind::kEbnf, "root ::= \"a\" root \"c\" | <[2]> \"c\"", few) ==
        "unreachable");
}

TEST_CASE("rule options that cannot be enforced are dropped under relax, each with its place") {
  GrammarOptions relax;
  relax.relax_unsupported = true;
  const auto compile = [&](const char* ebnf) {
    return CompileConstraint({ConstraintKind::kEbnf, ebnf}, relax, Bytes());
  };
  const auto options = compile("root[lazy, temperature=0.5, max_chars=2] ::= [a-z]*");
  REQUIRE(options.ok());
  CHECK(options->report.relaxed ==
        std::vector<std::string>{"line 1, column 6: lazy", "line 1, column 12: temperature"});
  const auto bounds = compile("root[max_chars=5] ::= \"a\" root | \"b\"");
  REQUIRE(bounds.ok());
  CHECK(bounds->report.relaxed ==
        std::vector<std::string>{"line 1, column 6: the bounds of \"root\""});
  const auto only_lazy = compile("root[lazy] ::= \"a\"");
  CHECK(only_lazy.ok());
  CHECK(!compile("root[lazzy] ::= \"a\"").ok());
  CHECK(!compile("root[temperature=0.5 ::= \"a\"").ok());
}

TEST_CASE("equal constraints share one compile, and threads may ask at once") {
  ConstraintStore store({}, Bytes, {.threads = 2});
  std::vector<std::shared_ptr<const PendingConstraint>> wanted(40);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < wanted.size(); i += 4) {
          wanted[i] = store.Want({ConstraintKind::kRegex, "a{" + std::to_string(i % 10) + "}b"});
        }
      });
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i]->Wait();
    CHECK(wanted[i] == wanted[i % 10]);
    CHECK(wanted[i]->outcome().ok());
  }
  CHECK(store.size() == 10);
  // The kind is a part of what is equal.
  CHECK(store.Want({ConstraintKind::kEbnf, "a{1}b"}) != wanted[1]);
}

TEST_CASE("constraints that are no longer used are freed when memory is short") {
  ConstraintStore store({}, Bytes, {.threads = 1, .memory_bytes = 1});
  const auto held = store.Want({ConstraintKind::kRegex, "held"});
  held->Wait();
  for (int i = 0; i < 20; ++i) {
    store.Want({ConstraintKind::kRegex, "word" + std::to_string(i)})->Wait();
  }
  // The last ones may not be put away yet.
  store.Want({ConstraintKind::kRegex, "last"})->Wait();
  CHECK(store.size() <= 4);
  CHECK(store.Want({ConstraintKind::kRegex, "held"}) == held);
}

TEST_CASE("no more is compiled ahead than there is memory for, and what is given back makes room") {
  ConstraintStore store({}, Bytes, {.threads = 2, .memory_bytes = 1});
  std::vector<std::shared_ptr<const PendingConstraint>> wanted;
  for (int i = 0; i < 12; ++i) {
    wanted.push_back(store.Want({ConstraintKind::kRegex, "(word" + std::to_string(i) + "){3,9}"}));
  }
  std::size_t one = 0;
  for (auto& constraint : wanted) {
    while (!constraint->ready()) std::this_thread::yield();
    one = std::max(one, store.bytes());
    // Time for others to be compiled, if that were allowed.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(store.bytes() <= 2 * one);
    CHECK(constraint->outcome().ok());
    constraint.reset();
  }
  CHECK(store.bytes() <= one);
}

TEST_CASE("a constraint that is waited for is compiled though others hold all memory") {
  ConstraintStore store({}, Bytes, {.threads = 1, .memory_bytes = 1});
  std::vector<std::shared_ptr<const PendingConstraint>> wanted;
  for (int i = 0; i < 5; ++i) {
    wanted.push_back(store.Want({ConstraintKind::kRegex, "held" + std::to_string(i)}));
  }
  wanted.back()->Wait();
  CHECK(wanted.back()->ready());
}

TEST_CASE("a store can be destroyed while constraints wait to be compiled") {
  ConstraintStore store({}, Bytes, {.threads = 1});
  for (int i = 0; i < 200; ++i) {
    store.Want({ConstraintKind::kRegex, "([a-z]{" + std::to_string(i) + "}x)*"});
  }
}

}  // namespace
}  // namespace sglrun::grammar
