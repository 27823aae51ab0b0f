#include <algorithm>
#include <array>

#include "grammar/automaton/class_table.h"
#include "grammar/automaton/dfa.h"
#include "grammar/automaton/nfa.h"

namespace sglrun::grammar {
namespace {

using Cell = ClassTable::Cell;
constexpr std::int32_t kDead = -1;
constexpr char kIntersecting[] = "an intersection of texts";

// Which pairs of a product continue, and which accept. A dead side is a text that left its
// language.
enum class Product : std::uint8_t { kBoth, kEither, kFirstOnly };

bool GoesOn(Product product, std::int32_t a, std::int32_t b) {
  switch (product) {
    case Product::kBoth:
      return a != kDead && b != kDead;
    case Product::kEither:
      return a != kDead || b != kDead;
    case Product::kFirstOnly:
      return a != kDead;
  }
  return false;
}

bool Accepts(Product product, bool a, bool b) {
  switch (product) {
    case Product::kBoth:
      return a && b;
    case Product::kEither:
      return a || b;
    case Product::kFirstOnly:
      return a && !b;
  }
  return false;
}

// Pairs of states of two tables, from the start pair on.
class Pairs {
 public:
  Pairs(Product product, const ClassTable& a, const ClassTable& b, Work& work)
      : product_(product), a_(a), b_(b), work_(work) {}

  std::optional<ClassTable> Run() {
    ClassTable table;
    const std::array start{Start(a_), Start(b_)};
    if (!GoesOn(product_, start[0], start[1])) return table;
    pairs_.Intern(start);
    for (std::int32_t pair = 0; pair < pairs_.size(); ++pair) {
      const std::int32_t a = pairs_[pair][0], b = pairs_[pair][1];
      Merge(Row(a_, a), Row(b_, b), table.cells);
      table.EndRow(Accepts(product_, AcceptsIn(a_, a), AcceptsIn(b_, b)));
      if (!work_.Step(1 + table.cells.size() - table.begin[table.begin.size() - 2]) ||
          !work_.HasRoomFor(static_cast<std::size_t>(pairs_.size())) ||
          !work_.HasMemoryFor(table.cells.size())) {
        return std::nullopt;
      }
    }
    return table;
  }

 private:
  static std::int32_t Start(const ClassTable& table) { return table.state_count() > 0 ? 0 : kDead; }
  static std::span<const Cell> Row(const ClassTable& table, std::int32_t state) {
    if (state == kDead) return {};
    return table.Row(static_cast<std::size_t>(state));
  }
  static bool AcceptsIn(const ClassTable& table, std::int32_t state) {
    return state != kDead && table.accepting[static_cast<std::size_t>(state)];
  }

  void Merge(std::span<const Cell> a, std::span<const Cell> b, std::vector<Cell>& out) {
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      const bool take_a = j == b.size() || (i < a.size() && a[i].symbol <= b[j].symbol);
      const bool take_b = i == a.size() || (j < b.size() && b[j].symbol <= a[i].symbol);
      const ClassId symbol = take_a ? a[i].symbol : b[j].symbol;
      const std::array pair{take_a ? a[i++].target : kDead, take_b ? b[j++].target : kDead};
      if (GoesOn(product_, pair[0], pair[1])) out.push_back({symbol, pairs_.Intern(pair)});
    }
  }

  Product product_;
  const ClassTable& a_;
  const ClassTable& b_;
  Work& work_;
  SequencePool pairs_;
};

DfaResult Multiply(Product product, const Dfa& a, const Dfa& b, Budget& budget, const char* doing) {
  Work work(budget, doing);
  Labels labels;
  const LabelledDfa labelled_a = Label(a, labels), labelled_b = Label(b, labels);
  const auto alphabet = Alphabet::Of(labels, work);
  if (!alphabet) return work.error();
  const auto table_a = Tabulate(labelled_a, *alphabet, work);
  if (!table_a) return work.error();
  const auto table_b = Tabulate(labelled_b, *alphabet, work);
  if (!table_b) return work.error();
  const auto table = Pairs(product, *table_a, *table_b, work).Run();
  if (!table) return work.error();
  return ToMinimalDfa(*table, *alphabet, work);
}

GrammarError TooManyCopies(const Dfa& a, std::int64_t copies, const Limits& limits) {
  return {Verdict::kTooLarge, std::to_string(copies) + " repetitions of an automaton of " +
                                  std::to_string(a.states.size()) + " states need more than " +
                                  std::to_string(limits.expanded_states) + " states"};
}

}  // namespace

DfaResult Intersect(const Dfa& a, const Dfa& b, Budget& budget) {
  const Dfa any = AnyText();
  if (a == any || b == any) {
    SGLRUN_RETURN_IF_ERROR(budget.Spend(kIntersecting));
    return a == any ? b : a;
  }
  return Multiply(Product::kBoth, a, b, budget, kIntersecting);
}

DfaResult Unite(const Dfa& a, const Dfa& b, Budget& budget) {
  return Multiply(Product::kEither, a, b, budget, "a union of texts");
}

DfaResult Subtract(const Dfa& a, const Dfa& b, Budget& budget) {
  if (a == AnyText()) return ComplementText(b, budget);
  return Multiply(Product::kFirstOnly, a, b, budget, "an exclusion of texts");
}

DfaResult Concatenate(const Dfa& a, const Dfa& b, Budget& budget) {
  Nfa nfa;
  const Nfa::State between = nfa.AddState(), end = nfa.AddState();
  nfa.AddDfa(0, between, a);
  nfa.AddDfa(between, end, b);
  nfa.Accept(end);
  return Determinize(nfa, budget, "a concatenation of texts");
}

DfaResult Repeat(const Dfa& a, std::int64_t min, std::optional<std::int64_t> max, Budget& budget) {
  min = std::max<std::int64_t>(min, 0);
  if (max && *max < min) return NoText();
  const std::int64_t copies = max ? *max : min;
  const Limits& limits = budget.limits();
  const auto states = std::max<std::int64_t>(1, static_cast<std::int64_t>(a.states.size()));
  if (copies > limits.expanded_states / states) return TooManyCopies(a, copies, limits);

  Nfa nfa;
  Nfa::State join = 0;
  const Nfa::State end = nfa.AddState();
  for (std::int64_t i = 0; i < copies; ++i) {
    if (i >= min) nfa.AddEpsilon(join, end);
    const Nfa::State next = nfa.AddState();
    nfa.AddDfa(join, next, a);
    join = next;
  }
  if (!max) {
    const Nfa::State loop = nfa.AddState();
    nfa.AddEpsilon(join, loop);
    nfa.AddDfa(loop, loop, a);
    join = loop;
  }
  nfa.AddEpsilon(join, end);
  nfa.Accept(end);
  return Determinize(nfa, budget, "a repetition of texts");
}

DfaResult Minimize(const Dfa& a, Budget& budget) {
  Work work(budget, "an automaton");
  if (auto minimal = MinimizeWithoutLoops(a, work)) return *std::move(minimal);
  Labels labels;
  const LabelledDfa labelled = Label(a, labels);
  const auto alphabet = Alphabet::Of(labels, work);
  if (!alphabet) return work.error();
  const auto table = Tabulate(labelled, *alphabet, work);
  if (!table) return work.error();
  return ToMinimalDfa(*table, *alphabet, work);
}

}  // namespace sglrun::grammar
