#include "grammar/json_schema/number_language.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "grammar/json_schema/number_reader.h"

namespace sglrun::grammar {
namespace {

constexpr std::int64_t kUsualDigits = 64;
constexpr std::int64_t kFewDigits = 20;  // an int64 has 19
constexpr std::int64_t kMostDigits = 1000;
// Digits beyond those of the constraints, so that every set of values has a member in reach: one
// for what lies between two bounds, the rest to get past excluded values (a text holds fewer than
// 10^7 of them).
constexpr std::int64_t kSpareDigits = 8;
// States that counting digits before the point may cost.
constexpr std::int64_t kCountedStates = 6'000;

// Beyond this many states (a step with a large coefficient) merging equal ones gains little and
// may take longer than a product is allowed to.
constexpr std::size_t kMinimizedStates = 20'000;

// Without the states that lead to no member.
Dfa Trim(Dfa dfa) {
  std::vector<std::vector<std::int32_t>> sources(dfa.states.size());
  std::vector<std::int32_t> alive;
  std::vector<std::int32_t> ids(dfa.states.size(), -1);
  for (std::size_t i = 0; i < dfa.states.size(); ++i) {
    const auto state = static_cast<std::int32_t>(i);
    for (const Dfa::Edge& edge : dfa.states[i].edges) {
      sources[static_cast<std::size_t>(edge.target)].push_back(state);
    }
    if (dfa.states[i].accepting) {
      alive.push_back(state);
      ids[i] = 0;
    }
  }
  for (std::size_t i = 0; i < alive.size(); ++i) {
    for (const std::int32_t source : sources[static_cast<std::size_t>(alive[i])]) {
      std::int32_t& id = ids[static_cast<std::size_t>(source)];
      if (id < 0) alive.push_back(source);
      id = 0;
    }
  }
  Dfa trimmed;
  if (ids[0] < 0) return trimmed;
  std::sort(alive.begin(), alive.end());
  for (std::size_t i = 0; i < alive.size(); ++i) {
    ids[static_cast<std::size_t>(alive[i])] = static_cast<std::int32_t>(i);
  }
  for (const std::int32_t state : alive) {
    Dfa::State& kept =
        trimmed.states.emplace_back(std::move(dfa.states[static_cast<std::size_t>(state)]));
    std::erase_if(kept.edges, [&](const Dfa::Edge& edge) {
      return ids[static_cast<std::size_t>(edge.target)] < 0;
    });
    for (Dfa::Edge& edge : kept.edges) edge.target = ids[static_cast<std::size_t>(edge.target)];
  }
  return trimmed;
}

DfaResult Build(const NumberReader& reader, Budget& budget) {
  static constexpr std::string_view kSymbols = "+-.0123456789Ee";  // in order
  Dfa dfa;
  std::vector<NumberReader::State> states;
  std::unordered_map<std::uint64_t, std::int32_t> ids;
  const auto id_of = [&](const NumberReader::State& state) {
    const auto [at, is_new] =
        ids.try_emplace(state.Key(), static_cast<std::int32_t>(states.size()));
    if (is_new) {
      states.push_back(state);
      dfa.states.push_back({{}, reader.Accepts(state)});
    }
    return at->second;
  };
  id_of({});
  for (std::size_t i = 0; i < states.size(); ++i) {
    SGLRUN_RETURN_IF_ERROR(budget.Spend("building a number"));
    if (static_cast<std::int64_t>(states.size()) > budget.limits().automaton_states) {
      return GrammarError{Verdict::kTooLarge, "bounds and multipleOf of a number need more than " +
                                                  std::to_string(budget.limits().automaton_states) +
                                                  " states"};
    }
    std::vector<Dfa::Edge> edges;
    for (const char c : kSymbols) {
      const auto next = reader.Next(states[i], c);
      if (!next) continue;
      const auto symbol = static_cast<std::uint32_t>(c);
      const std::int32_t target = id_of(*next);
      if (!edges.empty() && edges.back().last + 1 == symbol && edges.back().target == target) {
        edges.back().last = symbol;
      } else {
        edges.push_back({symbol, symbol, target});
      }
    }
    dfa.states[i].edges = std::move(edges);
  }
  if (dfa.states.size() > kMinimizedStates) return Trim(std::move(dfa));
  return Minimize(dfa, budget);
}

struct Digits {
  std::int64_t before = 0, after = 0;

  void Cover(const Decimal& value) {
    before = std::max(before, value.IntegerDigits());
    after = std::max(after, value.FractionDigits());
  }
  void Cover(const Step& step) {
    before = std::max(before, 6 + step.exponent);
    after = std::max(after, -step.exponent);
  }
  std::int64_t CapBefore() const { return std::max(kUsualDigits, before + kSpareDigits); }
};

struct Plan {
  NumberRange range;
  DigitCaps caps;
};

Result<Plan, GrammarError> MakePlan(const NumberConstraints& constraints) {
  Plan plan;
  NumberRange& range = plan.range;
  range.integer = constraints.integer;
  std::vector<Step> steps = constraints.multiple_of;
  if (!steps.empty()) {
    if (constraints.integer) steps.push_back(Step{});
    SGLRUN_ASSIGN_OR_RETURN(range.step, LeastCommonMultiple(steps));
  }
  Digits digits;
  for (const Step& step : steps) digits.Cover(step);
  for (const Step& step : constraints.not_multiple_of) digits.Cover(step);
  for (const Decimal& value : constraints.excluded) digits.Cover(value);
  if (range.step) digits.Cover(*range.step);
  // A bound towards zero must be in reach. One away from it says nothing when its digits are more
  // than a number may have (1.8e308, the largest double, is a popular maximum).
  const auto toward_zero = [](const NumberBound& bound, bool is_min) {
    return bound.value.is_zero() || bound.value.is_negative() != is_min;
  };
  if (constraints.min && toward_zero(*constraints.min, true)) digits.Cover(constraints.min->value);
  if (constraints.max && toward_zero(*constraints.max, false)) digits.Cover(constraints.max->value);
  const std::int64_t reach = digits.CapBefore();
  for (const bool is_min : {true, false}) {
    const auto& bound = is_min ? constraints.min : constraints.max;
    if (!bound) continue;
    if (!toward_zero(*bound, is_min) && bound->value.IntegerDigits() > reach) continue;
    digits.Cover(bound->value);
    (is_min ? range.min : range.max) = bound;
  }
  if (digits.before > kMostDigits || digits.after > kMostDigits) {
    return GrammarError{Verdict::kTooLarge, "a bound or step of a number has more than " +
                                                std::to_string(kMostDigits) + " digits"};
  }
  std::int64_t before = digits.CapBefore();
  const std::int64_t remainders = range.step ? range.step->coefficient : 1;
  if (remainders * before > kCountedStates)
    before = std::max(kFewDigits, digits.before + kSpareDigits);
  plan.caps = {.before_point = static_cast<int>(before),
               .after_point = static_cast<int>(std::max(kUsualDigits, digits.after + kSpareDigits)),
               .count_before_point = remainders * before <= kCountedStates};
  return plan;
}

}  // namespace

DfaResult NumberLanguage(const NumberConstraints& constraints, Budget& budget) {
  if (constraints == NumberConstraints{}) {
    return Build(NumberReader({.exponents = true}, DigitCaps{}), budget);
  }
  SGLRUN_ASSIGN_OR_RETURN(const Plan plan, MakePlan(constraints));
  SGLRUN_ASSIGN_OR_RETURN(Dfa language, Build(NumberReader(plan.range, plan.caps), budget));
  // What is removed must hold every spelling that the language may have, so it is not capped
  // before the point (and its values bound it anyway).
  DigitCaps caps = plan.caps;
  caps.count_before_point = false;
  const auto take_away = [&](const NumberRange& range) -> Result<void, GrammarError> {
    SGLRUN_ASSIGN_OR_RETURN(const Dfa values, Build(NumberReader(range, caps), budget));
    SGLRUN_ASSIGN_OR_RETURN(language, Subtract(language, values, budget));
    return {};
  };
  if (constraints.not_integer) SGLRUN_RETURN_IF_ERROR(take_away({.step = Step{}}));
  for (const Step& step : constraints.not_multiple_of) {
    SGLRUN_RETURN_IF_ERROR(take_away({.step = step}));
  }
  for (const Decimal& value : constraints.excluded) {
    const NumberBound bound{value, false};
    SGLRUN_RETURN_IF_ERROR(take_away({.min = bound, .max = bound}));
  }
  return language;
}

}  // namespace sglrun::grammar
