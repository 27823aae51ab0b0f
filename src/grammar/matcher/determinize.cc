#include "grammar/matcher/determinize.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/hash.h"

namespace sglrun::grammar {
namespace {

using Subset = std::vector<std::int32_t>;  // sorted, distinct

struct HashInts {
  std::size_t operator()(const std::vector<std::int32_t>& values) const {
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(std::int32_t));
    return static_cast<std::size_t>(HashBytes(bytes).low);
  }
};

void SortUnique(Subset& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Edges of a state in canonical order, neighbouring ranges to one target joined.
void JoinEdges(std::vector<Machine::Edge>& edges) {
  std::sort(edges.begin(), edges.end());
  std::vector<Machine::Edge> joined;
  for (const Machine::Edge& edge : edges) {
    Machine::Edge* before = joined.empty() ? nullptr : &joined.back();
    if (before != nullptr && *before == edge) continue;
    if (before != nullptr && edge.symbol.kind == Symbol::Kind::kBytes &&
        before->symbol.kind == Symbol::Kind::kBytes && before->target == edge.target &&
        before->symbol.last + 1 == edge.symbol.first) {
      before->symbol.last = edge.symbol.last;
      continue;
    }
    joined.push_back(edge);
  }
  edges = std::move(joined);
}

// What a state reaches without taking anything, itself included.
class Closures {
 public:
  explicit Closures(const Machine& sketch) : sketch_(sketch), seen_(sketch.states.size(), 0) {}

  void Append(std::int32_t state, Subset& out) {
    ++round_;
    const std::size_t begin = out.size();
    Reach(state, out);
    for (std::size_t i = begin; i < out.size(); ++i) {
      for (const Machine::Edge& edge : sketch_.states[static_cast<std::size_t>(out[i])].edges) {
        if (edge.symbol.kind == Symbol::Kind::kNothing) Reach(edge.target, out);
      }
    }
  }

 private:
  void Reach(std::int32_t state, Subset& out) {
    std::int64_t& seen = seen_[static_cast<std::size_t>(state)];
    if (seen == round_) return;
    seen = round_;
    out.push_back(state);
  }

  const Machine& sketch_;
  std::vector<std::int64_t> seen_;  // by state, the round that reached it last
  std::int64_t round_ = 0;
};

// The subset construction. Calls, counts and tokens are symbols like bytes.
class SubsetBuilder {
 public:
  SubsetBuilder(const Machine& sketch, Budget& budget)
      : sketch_(sketch), budget_(budget), closures_(sketch) {}

  // False when the result has more than `most` states.
  Result<bool, GrammarError> Run(std::size_t most) {
    subsets_.push_back(ClosureOf({0}));  // the start; not in ids_, so nothing leads back to it
    for (std::size_t i = 0; i < subsets_.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(budget_.Spend("making automata deterministic"));
      if (subsets_.size() > most) return false;
      Expand(i);
    }
    return true;
  }
  Machine Take() { return std::move(machine_); }

 private:
  Subset ClosureOf(const Subset& targets) {
    Subset all;
    for (const std::int32_t target : targets) closures_.Append(target, all);
    SortUnique(all);
    // States without edges of their own only pass on; leaving them out makes more subsets equal.
    std::erase_if(all, [&](std::int32_t s) { return !Matters(s); });
    return all;
  }
  bool Matters(std::int32_t s) const {
    const Machine::State& state = sketch_.states[static_cast<std::size_t>(s)];
    return state.accepting ||
           std::any_of(state.edges.begin(), state.edges.end(), [](const Machine::Edge& edge) {
             return edge.symbol.kind != Symbol::Kind::kNothing;
           });
  }

  std::int32_t IdOf(const Subset& targets) {
    Subset subset = ClosureOf(targets);
    const auto [at, is_new] =
        ids_.emplace(std::move(subset), static_cast<std::int32_t>(subsets_.size()));
    if (is_new) subsets_.push_back(at->first);
    return at->second;
  }

  void Expand(std::size_t index) {
    const Subset from = subsets_[index];
    Machine::State state;
    std::vector<Machine::Edge> bytes;
    std::map<Symbol, Subset> others;
    for (const std::int32_t s : from) {
      const Machine::State& sketched = sketch_.states[static_cast<std::size_t>(s)];
      state.accepting |= sketched.accepting && index != 0;
      for (const Machine::Edge& edge : sketched.edges) {
        if (edge.symbol.kind == Symbol::Kind::kBytes) bytes.push_back(edge);
        if (edge.symbol.kind > Symbol::Kind::kBytes && edge.symbol.kind < Symbol::Kind::kNothing) {
          others[edge.symbol].push_back(edge.target);
        }
      }
    }
    ExpandBytes(bytes, state);
    for (auto& [symbol, targets] : others) {
      SortUnique(targets);
      state.edges.push_back({symbol, IdOf(targets)});
    }
    JoinEdges(state.edges);
    machine_.states.resize(std::max(machine_.states.size(), index + 1));
    machine_.states[index] = std::move(state);
  }

  // Cuts the bytes into intervals in which the same edges apply.
  void ExpandBytes(const std::vector<Machine::Edge>& bytes, Machine::State& state) {
    std::array<bool, 257> begins{};
    for (const Machine::Edge& edge : bytes) {
      begins[edge.symbol.first] = begins[static_cast<std::size_t>(edge.symbol.last) + 1] = true;
    }
    for (std::size_t first = 0; first < 256 && !bytes.empty();) {
      std::size_t end = first + 1;
      while (end < 256 && !begins[end]) ++end;
      Subset targets;
      for (const Machine::Edge& edge : bytes) {
        if (edge.symbol.first <= first && first <= edge.symbol.last) {
          targets.push_back(edge.target);
        }
      }
      if (!targets.empty()) {
        SortUnique(targets);
        state.edges.push_back(
            {Symbol::Bytes(static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(end - 1)),
             IdOf(targets)});
      }
      first = end;
    }
  }

  const Machine& sketch_;
  Budget& budget_;
  Closures closures_;
  std::vector<Subset> subsets_;
  std::unordered_map<Subset, std::int32_t, HashInts> ids_;
  Machine machine_;
};

// The sketch without kNothing edges, its start split off: what is left when the subset construction
// needs too many states.
Machine WithoutNothing(const Machine& sketch) {
  const std::size_t count = sketch.states.size();
  Machine machine;
  machine.states.resize(count + 1);  // sketch state s is s + 1
  Closures closures(sketch);
  for (std::size_t s = 0; s < count; ++s) {
    Machine::State& state = machine.states[s + 1];
    Subset closure;
    closures.Append(static_cast<std::int32_t>(s), closure);
    for (const std::int32_t c : closure) {
      const Machine::State& reached = sketch.states[static_cast<std::size_t>(c)];
      state.accepting |= reached.accepting;
      for (const Machine::Edge& edge : reached.edges) {
        if (edge.symbol.kind == Symbol::Kind::kNothing) continue;
        state.edges.push_back({edge.symbol, edge.target + 1});
      }
    }
    JoinEdges(state.edges);
  }
  machine.states[0].edges = machine.states[1].edges;
  return machine;
}

// Drops states that lead nowhere or are not reached.
Machine Trim(const Machine& machine) {
  const std::size_t count = machine.states.size();
  std::vector<std::vector<std::int32_t>> before(count);
  Subset todo;
  std::vector<bool> alive(count, false);
  for (std::size_t s = 0; s < count; ++s) {
    for (const Machine::Edge& edge : machine.states[s].edges) {
      before[static_cast<std::size_t>(edge.target)].push_back(static_cast<std::int32_t>(s));
    }
    if (!machine.states[s].accepting) continue;
    alive[s] = true;
    todo.push_back(static_cast<std::int32_t>(s));
  }
  while (!todo.empty()) {
    const std::int32_t at = todo.back();
    todo.pop_back();
    for (const std::int32_t s : before[static_cast<std::size_t>(at)]) {
      if (alive[static_cast<std::size_t>(s)]) continue;
      alive[static_cast<std::size_t>(s)] = true;
      todo.push_back(s);
    }
  }
  Machine trimmed;
  std::vector<std::int32_t> ids(count, -1);
  Subset order{0};
  ids[0] = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Machine::State& from = machine.states[static_cast<std::size_t>(order[i])];
    Machine::State state{.edges = {}, .accepting = from.accepting};
    for (const Machine::Edge& edge : from.edges) {
      if (!alive[static_cast<std::size_t>(edge.target)]) continue;
      std::int32_t& id = ids[static_cast<std::size_t>(edge.target)];
      if (id < 0) {
        id = static_cast<std::int32_t>(order.size());
        order.push_back(edge.target);
      }
      state.edges.push_back({edge.symbol, id});
    }
    trimmed.states.resize(std::max(trimmed.states.size(), i + 1));
    trimmed.states[i] = std::move(state);
  }
  return trimmed;
}

// Follows edges to the classes of their targets.
Machine::State Signature(const Machine& machine, std::size_t s,
                         const std::vector<std::int32_t>& classes) {
  Machine::State signature = machine.states[s];
  for (Machine::Edge& edge : signature.edges) {
    edge.target = classes[static_cast<std::size_t>(edge.target)];
  }
  JoinEdges(signature.edges);
  return signature;
}

std::vector<std::int32_t> Flatten(const Machine::State& state) {
  std::vector<std::int32_t> key{state.accepting ? 1 : 0};
  for (const Machine::Edge& edge : state.edges) {
    key.push_back(static_cast<std::int32_t>(edge.symbol.kind) << 16 | edge.symbol.first << 8 |
                  edge.symbol.last);
    key.push_back(edge.symbol.id);
    key.push_back(edge.target);
  }
  return key;
}

Machine Quotient(const Machine& machine, const std::vector<std::int32_t>& classes) {
  // Classes are numbered anew in the order of states, so that the start stays state 0.
  std::vector<std::int32_t> numbers(machine.states.size(), -1), renamed(machine.states.size());
  std::int32_t count = 0;
  for (std::size_t s = 0; s < machine.states.size(); ++s) {
    std::int32_t& number = numbers[static_cast<std::size_t>(classes[s])];
    if (number < 0) number = count++;
    renamed[s] = number;
  }
  Machine result;
  result.states.resize(static_cast<std::size_t>(count));
  for (std::size_t s = 0; s < machine.states.size(); ++s) {
    result.states[static_cast<std::size_t>(renamed[s])] = Signature(machine, s, renamed);
  }
  return result;
}

// Moore's algorithm: splits classes until all states of each agree. The start is alone in its own.
Result<Machine, GrammarError> Refine(const Machine& machine, Budget& budget) {
  std::vector<std::int32_t> classes(machine.states.size(), 0);
  std::size_t count = 1;
  while (true) {
    std::unordered_map<std::vector<std::int32_t>, std::int32_t, HashInts> found;
    std::vector<std::int32_t> next(machine.states.size());
    for (std::size_t s = 0; s < machine.states.size(); ++s) {
      SGLRUN_RETURN_IF_ERROR(budget.Spend("minimising automata"));
      std::vector<std::int32_t> key = Flatten(Signature(machine, s, classes));
      key.push_back(s == 0 ? 1 : 0);
      next[s] =
          found.emplace(std::move(key), static_cast<std::int32_t>(found.size())).first->second;
    }
    classes = std::move(next);
    if (found.size() == count) return Quotient(machine, classes);
    count = found.size();
  }
}

// Merges states whose edges are equal, the last ones first: minimal where nothing loops (enums),
// and linear in any case.
Machine MergeFromTheEnd(const Machine& machine) {
  const std::size_t count = machine.states.size();
  std::vector<std::int32_t> classes(count, -1);
  std::unordered_map<std::vector<std::int32_t>, std::int32_t, HashInts> found;
  struct Visit {
    std::size_t state, edge;
  };
  std::vector<bool> entered(count, false);
  std::vector<std::int32_t> own(count);
  for (std::size_t s = 0; s < count; ++s) own[s] = static_cast<std::int32_t>(s);
  std::vector<Visit> path{{0, 0}};
  entered[0] = true;
  while (!path.empty()) {
    Visit& visit = path.back();
    const std::vector<Machine::Edge>& edges = machine.states[visit.state].edges;
    if (visit.edge < edges.size()) {
      const auto target = static_cast<std::size_t>(edges[visit.edge++].target);
      if (!entered[target]) {
        entered[target] = true;
        path.push_back({target, 0});
      }
      continue;
    }
    const std::size_t s = visit.state;
    path.pop_back();
    Machine::State signature = machine.states[s];
    bool loops = false;
    for (Machine::Edge& edge : signature.edges) {
      const std::int32_t known = classes[static_cast<std::size_t>(edge.target)];
      loops |= known < 0;  // still on the path
      edge.target = known;
    }
    if (loops || s == 0) {
      classes[s] = own[s];
      continue;
    }
    JoinEdges(signature.edges);
    classes[s] = found.emplace(Flatten(signature), own[s]).first->second;
  }
  return Quotient(machine, classes);
}

}  // namespace

Result<Machine, GrammarError> Determinize(const Machine& sketch, Budget& budget) {
  constexpr std::size_t kMoreStates = 2000, kRefinedStates = 300;
  SubsetBuilder builder(sketch, budget);
  SGLRUN_ASSIGN_OR_RETURN(const bool fits, builder.Run(2 * sketch.states.size() + kMoreStates));
  const Machine machine = MergeFromTheEnd(Trim(fits ? builder.Take() : WithoutNothing(sketch)));
  if (machine.states.size() <= kRefinedStates) return Refine(machine, budget);
  return machine;
}

Machine FromDfa(const Dfa& dfa) {
  Machine machine;
  machine.states.resize(dfa.states.size() + 1);  // state s of the automaton is s + 1
  for (std::size_t s = 0; s < dfa.states.size(); ++s) {
    Machine::State& state = machine.states[s + 1];
    state.accepting = dfa.states[s].accepting;
    for (const Dfa::Edge& edge : dfa.states[s].edges) {
      if (edge.first > 0xFF) continue;
      const std::uint32_t last = std::min<std::uint32_t>(edge.last, 0xFF);
      state.edges.push_back(
          {Symbol::Bytes(static_cast<std::uint8_t>(edge.first), static_cast<std::uint8_t>(last)),
           edge.target + 1});
    }
    JoinEdges(state.edges);
  }
  if (!dfa.states.empty()) machine.states[0].edges = machine.states[1].edges;
  return Trim(machine);  // without state 1 where nothing leads back to the start
}

}  // namespace sglrun::grammar
