#include "grammar/matcher/sketch.h"

#include <unordered_map>
#include <utility>

#include "grammar/matcher/determinize.h"
#include "text/utf8_ranges.h"

namespace sglrun::grammar {
namespace {

// Deeper expressions become machines of their own, so that no text makes us recurse without bound.
constexpr int kMaxDepth = 64;
// A regular expression up to this size is one automaton; of larger ones only the light parts are
// drawn in place, for the same reason as elsewhere: equal parts share their masks.
constexpr std::int64_t kWholeSize = 400;
// A larger regular choice (an enum) is a machine of its own.
constexpr std::int64_t kInlineChoiceSize = 64;

class Sketcher {
 public:
  Sketcher(const Grammar& grammar, const ExprFacts& facts, Budget& budget)
      : grammar_(grammar), facts_(facts), budget_(budget) {}

  MachinesResult Run() {
    const ExprId root = grammar_.rule(grammar_.root()).body;
    result_.empty_text = facts_.Nullable(root);
    if (facts_.NonEmpty(root)) result_.root = MachineFor(root);
    std::int64_t states = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(budget_.Spend("building automata"));
      SGLRUN_ASSIGN_OR_RETURN(Machine machine, BuildOne(bodies_[i]));
      states += static_cast<std::int64_t>(machine.state_count());
      if (states > budget_.limits().nodes) {
        return GrammarError{Verdict::kTooLarge, "the automata of the grammar have more than " +
                                                    std::to_string(budget_.limits().nodes) +
                                                    " states"};
      }
      bytes += machine.edges.size() * sizeof(Machine::Edge);
      if (bytes > budget_.limits().program_bytes) {
        return GrammarError{Verdict::kTooLarge, "the automata of the grammar take more than " +
                                                    std::to_string(budget_.limits().program_bytes) +
                                                    " bytes"};
      }
      result_.machines.push_back(std::move(machine));
    }
    return std::move(result_);
  }

 private:
  Result<Machine, GrammarError> BuildOne(ExprId body) {
    if (const auto* regular = std::get_if<node::Regular>(&grammar_.expr(body))) {
      return FromDfa(*regular->dfa);
    }
    sketch_.Clear();
    const std::int32_t end = sketch_.AddState();
    sketch_.accepting.push_back(end);
    whole_ = facts_.Regular(body) && facts_.Size(body) <= kWholeSize;
    EmitBody(body, 0, end, 0);
    return determinizer_.Run(sketch_, budget_);
  }

  MachineId MachineFor(ExprId e) {
    // A rule that only calls another is the other.
    while (const auto* call = std::get_if<node::Call>(&grammar_.expr(e))) {
      e = grammar_.rule(call->rule).body;
    }
    const auto [at, is_new] = ids_.emplace(e, static_cast<MachineId>(bodies_.size()));
    if (is_new) bodies_.push_back(e);
    return at->second;
  }

  void Nothing(std::int32_t from, std::int32_t to) { sketch_.AddEdge(from, Symbol{}, to); }

  void EmitCall(ExprId e, std::int32_t from, std::int32_t to) {
    if (facts_.NonEmpty(e)) {
      sketch_.AddEdge(from, Symbol::Of(Symbol::Kind::kCall, MachineFor(e)), to);
    }
    if (facts_.Nullable(e)) Nothing(from, to);
  }

  // Draws e between two states, or a call of it.
  void Emit(ExprId e, std::int32_t from, std::int32_t to, int depth) {
    if (!facts_.Spells(e)) return;
    if (depth > kMaxDepth || (!whole_ && BelongsAlone(e))) return EmitCall(e, from, to);
    EmitBody(e, from, to, depth);
  }
  bool BelongsAlone(ExprId e) const {
    const Expr& expr = grammar_.expr(e);
    if (std::holds_alternative<node::Regular>(expr) || std::holds_alternative<node::Net>(expr)) {
      return !facts_.Light(e);
    }
    if (std::holds_alternative<node::Repeat>(expr)) return facts_.Regular(e) && !facts_.Light(e);
    return std::holds_alternative<node::Choice>(expr) && facts_.Regular(e) &&
           facts_.Size(e) > kInlineChoiceSize;
  }

  void EmitBody(ExprId e, std::int32_t from, std::int32_t to, int depth) {
    std::visit([&](const auto& node) { EmitNode(e, node, from, to, depth); }, grammar_.expr(e));
  }

  void EmitNode(ExprId, const node::Never&, std::int32_t, std::int32_t, int) {}

  void EmitNode(ExprId, const node::Bytes& e, std::int32_t from, std::int32_t to, int) {
    for (const char c : e.bytes) {
      const std::int32_t next = sketch_.AddState();
      const auto byte = static_cast<std::uint8_t>(c);
      sketch_.AddEdge(from, Symbol::Bytes(byte, byte), next);
      from = next;
    }
    Nothing(from, to);
  }

  void EmitNode(ExprId, const node::Chars& e, std::int32_t from, std::int32_t to, int) {
    for (const CharRange& range : e.chars.ranges()) {
      for (const ByteRanges& ranges : Utf8Ranges(range)) {
        std::int32_t at = from;
        for (int i = 0; i < ranges.length; ++i) {
          const std::int32_t next = i + 1 == ranges.length ? to : sketch_.AddState();
          const auto& bytes = ranges.bytes[static_cast<std::size_t>(i)];
          sketch_.AddEdge(at, Symbol::Bytes(bytes.first, bytes.last), next);
          at = next;
        }
      }
    }
  }

  void EmitNode(ExprId, const node::Regular& e, std::int32_t from, std::int32_t to, int) {
    const std::int32_t base = sketch_.AddStates(e.dfa->states.size());
    Nothing(from, base);
    for (std::size_t s = 0; s < e.dfa->states.size(); ++s) {
      const std::int32_t at = base + static_cast<std::int32_t>(s);
      for (const Dfa::Edge& edge : e.dfa->states[s].edges) {
        if (edge.first > 0xFF) continue;
        const auto last = static_cast<std::uint8_t>(edge.last < 0xFF ? edge.last : 0xFF);
        sketch_.AddEdge(at, Symbol::Bytes(static_cast<std::uint8_t>(edge.first), last),
                        base + edge.target);
      }
      if (e.dfa->states[s].accepting) Nothing(at, to);
    }
  }

  void EmitNode(ExprId, const node::Sequence& e, std::int32_t from, std::int32_t to, int depth) {
    for (const ExprId item : e.items) {
      const std::int32_t next = sketch_.AddState();
      Emit(item, from, next, depth + 1);
      from = next;
    }
    Nothing(from, to);
  }

  void EmitNode(ExprId, const node::Choice& e, std::int32_t from, std::int32_t to, int depth) {
    for (const ExprId item : e.items) Emit(item, from, to, depth + 1);
  }

  void EmitNode(ExprId self, const node::Repeat& e, std::int32_t from, std::int32_t to, int depth) {
    // An empty item makes up for any round that is missing.
    const std::int64_t min = facts_.Nullable(e.item) ? 0 : e.min;
    if (facts_.Nullable(self)) Nothing(from, to);
    switch (facts_.FormOf(e)) {
      case RepeatForm::kNothing:
        return;
      case RepeatForm::kUnrolled:
        return EmitUnrolled(e, min, from, to, depth);
      case RepeatForm::kCounted: {
        const Count count{MachineFor(e.item), min > 0 ? min : 1, e.max};
        sketch_.AddEdge(from, Symbol::Of(Symbol::Kind::kCount, result_.Intern(count)), to);
      }
    }
  }

  void EmitUnrolled(const node::Repeat& e, std::int64_t min, std::int32_t from, std::int32_t to,
                    int depth) {
    std::int32_t at = sketch_.AddState();
    Nothing(from, at);
    std::int64_t round = 0;
    for (; round < min; ++round) {
      const std::int32_t next = sketch_.AddState();
      Emit(e.item, at, next, depth + 1);
      at = next;
    }
    Nothing(at, to);
    if (e.max == kUnbounded) return Emit(e.item, at, at, depth + 1);
    for (; round < e.max; ++round) {
      const std::int32_t next = sketch_.AddState();
      Emit(e.item, at, next, depth + 1);
      Nothing(next, to);
      at = next;
    }
  }

  void EmitNode(ExprId, const node::Call& e, std::int32_t from, std::int32_t to, int depth) {
    const ExprId body = grammar_.rule(e.rule).body;
    if (facts_.Light(body)) {
      Emit(body, from, to, depth + 1);
    } else {
      EmitCall(body, from, to);
    }
  }

  void EmitNode(ExprId self, const node::Tokens&, std::int32_t from, std::int32_t to, int) {
    sketch_.AddEdge(from, Symbol::Of(Symbol::Kind::kTokens, self), to);
  }

  void EmitNode(ExprId, const node::TokenLimit& e, std::int32_t from, std::int32_t to, int) {
    if (facts_.Nullable(e.item)) Nothing(from, to);
    if (!facts_.NonEmpty(e.item)) return;
    const Count count{MachineFor(e.item), 1, e.tokens, Count::Of::kTokens};
    sketch_.AddEdge(from, Symbol::Of(Symbol::Kind::kCount, result_.Intern(count)), to);
  }

  void EmitNode(ExprId, const node::CharLimit& e, std::int32_t from, std::int32_t to, int) {
    if (e.empty) Nothing(from, to);
    if (!e.others) return;
    const Count count{MachineFor(e.item), e.min, e.max, Count::Of::kChars};
    sketch_.AddEdge(from, Symbol::Of(Symbol::Kind::kCount, result_.Intern(count)), to);
  }

  void EmitNode(ExprId, const node::Distinct& e, std::int32_t from, std::int32_t to, int) {
    EmitOne(e.item, Count::Of::kDistinct, from, to);
  }
  void EmitNode(ExprId, const node::Element& e, std::int32_t from, std::int32_t to, int) {
    EmitOne(e.item, Count::Of::kElements, from, to);
  }
  void EmitOne(ExprId item, Count::Of what, std::int32_t from, std::int32_t to) {
    if (facts_.Nullable(item)) Nothing(from, to);
    if (!facts_.NonEmpty(item)) return;
    const Count one{MachineFor(item), 1, 1, what};
    sketch_.AddEdge(from, Symbol::Of(Symbol::Kind::kCount, result_.Intern(one)), to);
  }

  void EmitNode(ExprId, const node::Net& e, std::int32_t from, std::int32_t to, int depth) {
    const Network& net = *e.network;
    const std::int32_t base = sketch_.AddStates(static_cast<std::size_t>(net.states));
    Nothing(from, base);
    for (const Network::ByteEdge& edge : net.bytes) {
      if (edge.first > edge.last) continue;
      sketch_.AddEdge(base + edge.from, Symbol::Bytes(edge.first, edge.last), base + edge.to);
    }
    for (const Network::ExprEdge& edge : net.exprs) {
      Emit(edge.expr, base + edge.from, base + edge.to, depth + 1);
    }
    for (const std::int32_t state : net.accepting) Nothing(base + state, to);
  }

  const Grammar& grammar_;
  const ExprFacts& facts_;
  Budget& budget_;
  Machines result_;
  Sketch sketch_;
  Determinizer determinizer_;
  bool whole_ = false;          // the machine being drawn is one regular automaton
  std::vector<ExprId> bodies_;  // by MachineId
  std::unordered_map<ExprId, MachineId> ids_;
};

}  // namespace

MachinesResult BuildMachines(const Grammar& grammar, const ExprFacts& facts, Budget& budget) {
  return Sketcher(grammar, facts, budget).Run();
}

}  // namespace sglrun::grammar
