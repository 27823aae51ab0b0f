// A byte of flags, then a pattern. Whatever it says, reading it ends in a verdict or in automata
// that are minimal, speak of characters alone, and agree with each other.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "grammar/regex/regex.h"

namespace {

using namespace sglrun::grammar;

// Small enough for thousands of patterns a second.
GrammarOptions SmallOptions() {
  GrammarOptions options;
  options.limits.regex_bytes = 2'000;
  options.limits.automaton_states = 500;
  options.limits.expanded_states = 500;
  options.limits.product_steps = 2'000'000;
  options.limits.compile_steps = 10'000'000;
  return options;
}

void CheckVerdict(const GrammarError& error) {
  CHECK(!error.message.empty());
  CHECK(error.verdict == Verdict::kInvalid || error.verdict == Verdict::kUnsupported ||
        error.verdict == Verdict::kTooLarge)
      << VerdictName(error.verdict);
}

void CheckCharacters(const Dfa& dfa) {
  for (const Dfa::State& state : dfa.states) {
    for (const Dfa::Edge& edge : state.edges) {
      CHECK(edge.first <= edge.last && edge.last <= 0x10FFFF);
      CHECK(edge.last < 0xD800 || edge.first > 0xDFFF);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const GrammarOptions options = SmallOptions();
  const RegexFlags flags{(data[0] & 1) != 0, (data[0] & 2) != 0, (data[0] & 4) != 0};
  const std::string_view pattern(reinterpret_cast<const char*>(data) + 1, size - 1);

  Budget budget(options.limits);
  const DfaResult full = RegexDfa(pattern, RegexMatch::kFull, flags, budget);
  const DfaResult found = RegexDfa(pattern, RegexMatch::kSearch, flags, budget);
  for (const DfaResult* result : {&full, &found}) {
    if (!result->ok()) {
      CheckVerdict(result->error());
      continue;
    }
    CheckCharacters(**result);
    const DfaResult again = Minimize(**result, budget);
    CHECK(!again.ok() || *again == **result);
  }
  if (full.ok() && found.ok()) {
    const DfaResult both = Intersect(*full, *found, budget);
    CHECK(!both.ok() || *both == *full) << "a whole match was not found by searching";
  }

  Grammar grammar;
  GrammarReport report;
  Budget fresh(options.limits);
  FrontEnd front{grammar, options, nullptr, fresh, report};
  const ExprResult expr = AppendRegex(front, pattern, flags);
  if (!expr.ok()) CheckVerdict(expr.error());
  return 0;
}
