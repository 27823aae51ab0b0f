#include "grammar/matcher/expr_facts.h"

#include <algorithm>
#include <utility>

#include "grammar/matcher/reach.h"

namespace sglrun::grammar {
namespace {

constexpr std::int64_t kLightSize = 12;
constexpr std::int64_t kUnrolledSize = 32;
constexpr std::int64_t kUnrolledWideRounds = 4;
constexpr std::uint32_t kManyBytes = 16;
constexpr std::int64_t kHugeSize = std::int64_t{1} << 40;

template <class Visit>
void ForEachChild(const Grammar& grammar, const Expr& expr, Visit visit) {
  if (const auto* sequence = std::get_if<node::Sequence>(&expr)) {
    std::for_each(sequence->items.begin(), sequence->items.end(), visit);
  } else if (const auto* choice = std::get_if<node::Choice>(&expr)) {
    std::for_each(choice->items.begin(), choice->items.end(), visit);
  } else if (const auto* repeat = std::get_if<node::Repeat>(&expr)) {
    visit(repeat->item);
  } else if (const auto* limit = std::get_if<node::TokenLimit>(&expr)) {
    visit(limit->item);
  } else if (const auto* chars = std::get_if<node::CharLimit>(&expr)) {
    visit(chars->item);
  } else if (const auto* distinct = std::get_if<node::Distinct>(&expr)) {
    visit(distinct->item);
  } else if (const auto* element = std::get_if<node::Element>(&expr)) {
    visit(element->item);
  } else if (const auto* call = std::get_if<node::Call>(&expr)) {
    visit(grammar.rule(call->rule).body);
  } else if (const auto* net = std::get_if<node::Net>(&expr)) {
    for (const Network::ExprEdge& edge : net->network->exprs) visit(edge.expr);
  }
}

std::uint32_t Breadth(const Dfa::State& state) {
  std::uint32_t bytes = 0;
  for (const Dfa::Edge& edge : state.edges) bytes += edge.last - edge.first + 1;
  return bytes;
}

}  // namespace

// Facts only ever turn from false to true (and sizes grow with `regular`), so evaluating an
// expression again whenever one that it uses changed ends in the least solution.
class ExprFacts::Finder {
 public:
  Finder(const Grammar& grammar, std::vector<Fact>& facts) : grammar_(grammar), facts_(facts) {}

  Result<void, GrammarError> Run(Budget& budget) {
    FindUsers();
    // Items come before what holds them, so one pass settles all but recursion.
    std::vector<ExprId> todo(facts_.size());
    for (std::size_t i = 0; i < todo.size(); ++i)
      todo[i] = static_cast<ExprId>(todo.size() - 1 - i);
    std::vector<bool> waits(facts_.size(), true);
    while (!todo.empty()) {
      SGLRUN_RETURN_IF_ERROR(budget.Spend("looking at the rules"));
      const ExprId e = todo.back();
      todo.pop_back();
      waits[static_cast<std::size_t>(e)] = false;
      const Fact fact = std::visit(*this, grammar_.expr(e));
      if (fact == At(e)) continue;
      facts_[static_cast<std::size_t>(e)] = fact;
      for (std::size_t i = begin_[static_cast<std::size_t>(e)];
           i < begin_[static_cast<std::size_t>(e) + 1]; ++i) {
        if (waits[static_cast<std::size_t>(users_[i])]) continue;
        waits[static_cast<std::size_t>(users_[i])] = true;
        todo.push_back(users_[i]);
      }
    }
    return {};
  }

  Fact operator()(const node::Never&) const { return {.regular = true}; }
  Fact operator()(const node::Bytes& e) const {
    const bool empty = e.bytes.empty();
    return {.nullable = empty,
            .spells = true,
            .non_empty = !empty,
            .regular = true,
            .size = static_cast<std::int64_t>(e.bytes.size())};
  }
  Fact operator()(const node::Chars& e) const {
    const bool some = !e.chars.empty();
    // Ranges of characters above ASCII need states between their bytes.
    std::int64_t size = 1;
    for (const CharRange& range : e.chars.ranges()) size += range.last > 0x7F ? 4 : 0;
    return {.spells = some,
            .non_empty = some,
            .regular = true,
            .many_bytes = e.chars.size() >= kManyBytes,
            .size = size};
  }
  Fact operator()(const node::Regular& e) {
    Fact fact{.regular = true, .size = static_cast<std::int64_t>(e.dfa->states.size())};
    if (e.dfa->states.empty()) return fact;
    for (const Dfa::State& state : e.dfa->states) fact.wide |= Breadth(state) >= kManyBytes;
    fact.many_bytes = Breadth(e.dfa->states[0]) >= kManyBytes;
    Take(reach_.Of(*e.dfa), fact);
    return fact;
  }
  Fact operator()(const node::Sequence& e) const {
    Fact fact{.nullable = true, .spells = true, .regular = true, .size = 0};
    bool leading = true;
    for (const ExprId item : e.items) {
      const Fact& f = At(item);
      fact.nullable &= f.nullable;
      fact.spells &= f.spells;
      fact.non_empty |= f.non_empty;
      fact.regular &= f.regular;
      fact.wide |= f.wide;
      fact.many_bytes |= leading && f.many_bytes;
      leading = leading && f.nullable;
      fact.size = std::min(kHugeSize, fact.size + f.size);
    }
    fact.non_empty &= fact.spells;
    return fact;
  }
  Fact operator()(const node::Choice& e) const {
    Fact fact{.regular = true, .size = 0};
    for (const ExprId item : e.items) {
      const Fact& f = At(item);
      fact.nullable |= f.nullable;
      fact.spells |= f.spells;
      fact.non_empty |= f.non_empty;
      fact.regular &= f.regular;
      fact.wide |= f.wide;
      fact.many_bytes |= f.many_bytes;
      fact.size = std::min(kHugeSize, fact.size + f.size);
    }
    return fact;
  }
  Fact operator()(const node::Repeat& e) const {
    const Fact& f = At(e.item);
    const bool sensible = e.max == kUnbounded || e.min <= e.max;
    const bool some = sensible && (e.min == 0 || f.spells);
    Fact fact{.nullable = sensible && (e.min == 0 || f.nullable),
              .spells = some,
              .non_empty = some && e.max != 0 && f.non_empty,
              .many_bytes = f.many_bytes};
    const RepeatForm form = FormFor(f, e);
    fact.regular = f.regular && form != RepeatForm::kCounted;
    fact.wide = f.wide || (f.many_bytes && form == RepeatForm::kUnrolled);
    if (form == RepeatForm::kUnrolled) {
      const std::int64_t rounds = e.max == kUnbounded ? e.min + 1 : e.max;
      fact.size = std::min(kHugeSize, rounds * f.size);
    }
    return fact;
  }
  Fact operator()(const node::Call& e) const {
    const Fact& f = At(grammar_.rule(e.rule).body);
    Fact fact = f;
    if (!IsLight(f)) {
      fact.regular = fact.wide = false;
      fact.size = 1;
    }
    return fact;
  }
  Fact operator()(const node::Tokens& e) const {
    const bool some = e.excluded || !e.ids.empty();
    return {.spells = some, .non_empty = some, .regular = true};
  }
  Fact operator()(const node::TokenLimit& e) const { return OfMachine(e.item); }
  Fact operator()(const node::Distinct& e) const { return OfMachine(e.item); }
  Fact operator()(const node::Element& e) const { return OfMachine(e.item); }
  Fact operator()(const node::CharLimit& e) const {
    const Fact& f = At(e.item);
    return {.nullable = e.empty,
            .spells = e.empty || e.others,
            .non_empty = e.others,
            .many_bytes = f.many_bytes};
  }
  Fact operator()(const node::Net& e) {
    const Network& net = *e.network;
    Fact fact{.regular = true, .size = net.states};
    breadth_.assign(static_cast<std::size_t>(net.states), 0);
    for (const Network::ByteEdge& edge : net.bytes) {
      breadth_[static_cast<std::size_t>(edge.from)] +=
          static_cast<std::uint32_t>(edge.last - edge.first + 1);
    }
    for (const std::uint32_t bytes : breadth_) fact.wide |= bytes >= kManyBytes;
    fact.many_bytes = breadth_[0] >= kManyBytes;
    for (const Network::ExprEdge& edge : net.exprs) {
      const Fact& f = At(edge.expr);
      fact.regular &= f.regular;
      fact.wide |= f.wide;
      fact.size = std::min(kHugeSize, fact.size + f.size);
    }
    Take(reach_.Of(net,
                   [&](ExprId id) {
                     return Reach::Texts{At(id).nullable, At(id).non_empty};
                   }),
         fact);
    return fact;
  }

  // Of an item that is a machine of its own.
  Fact OfMachine(ExprId item) const {
    const Fact& f = At(item);
    return {.nullable = f.nullable,
            .spells = f.spells,
            .non_empty = f.non_empty,
            .many_bytes = f.many_bytes};
  }

  static bool IsLight(const Fact& f) { return f.regular && !f.wide && f.size <= kLightSize; }

  static RepeatForm FormFor(const Fact& item, const node::Repeat& e) {
    if (!item.non_empty || e.max == 0) return RepeatForm::kNothing;
    const std::int64_t min = item.nullable ? 0 : e.min;
    const std::int64_t rounds = e.max == kUnbounded ? min + 1 : e.max;
    if (rounds <= 1) return RepeatForm::kUnrolled;
    if ((item.many_bytes || item.wide) && rounds > kUnrolledWideRounds) {
      return RepeatForm::kCounted;
    }
    const bool small = rounds <= kUnrolledSize && rounds * item.size <= kUnrolledSize;
    return small ? RepeatForm::kUnrolled : RepeatForm::kCounted;
  }

 private:
  const Fact& At(ExprId e) const { return facts_[static_cast<std::size_t>(e)]; }

  void FindUsers() {
    begin_.assign(facts_.size() + 2, 0);
    const auto for_all = [&](auto visit) {
      for (std::size_t e = 0; e < facts_.size(); ++e) {
        ForEachChild(grammar_, grammar_.expr(static_cast<ExprId>(e)),
                     [&](ExprId child) { visit(static_cast<std::size_t>(child), e); });
      }
    };
    for_all([&](std::size_t child, std::size_t) { ++begin_[child + 2]; });
    for (std::size_t i = 2; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    users_.resize(begin_.back());
    for_all([&](std::size_t child, std::size_t e) {
      users_[begin_[child + 1]++] = static_cast<ExprId>(e);
    });
  }

  static void Take(const Reach::Texts& texts, Fact& fact) {
    fact.nullable = texts.empty;
    fact.non_empty = texts.others;
    fact.spells = texts.empty || texts.others;
  }

  const Grammar& grammar_;
  std::vector<Fact>& facts_;
  std::vector<std::size_t> begin_;  // users of e: users_[begin_[e], begin_[e + 1])
  std::vector<ExprId> users_;
  std::vector<std::uint32_t> breadth_;  // of one network at a time
  Reach reach_;
};

Result<ExprFacts, GrammarError> ExprFacts::Of(const Grammar& grammar, Budget& budget) {
  ExprFacts result;
  result.facts_.resize(static_cast<std::size_t>(grammar.expr_count()));
  SGLRUN_RETURN_IF_ERROR(Finder(grammar, result.facts_).Run(budget));
  return result;
}

bool ExprFacts::Light(ExprId e) const {
  return Finder::IsLight(At(e));
}

RepeatForm ExprFacts::FormOf(const node::Repeat& e) const {
  return Finder::FormFor(At(e.item), e);
}

}  // namespace sglrun::grammar
