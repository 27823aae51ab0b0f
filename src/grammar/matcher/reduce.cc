#include "grammar/matcher/reduce.h"

#include <algorithm>
#include <utility>

#include "grammar/automaton/sequence_pool.h"
#include "grammar/automaton/unsigned_index.h"
#include "grammar/matcher/state_classes.h"

namespace sglrun::grammar {
namespace {

using Edge = Machine::Edge;

// States with a way to acceptance.
std::vector<std::uint8_t> AliveStates(const Machine& machine) {
  std::vector<std::uint8_t> alive = machine.accepting;
  // Most edges lead to later states: one look from the end finds nearly all.
  std::size_t found = 0;
  for (std::size_t s = machine.state_count(); s-- > 0;) {
    const auto edges = machine.EdgesOf(s);
    for (std::size_t i = 0; i < edges.size() && alive[s] == 0; ++i) {
      alive[s] = alive[U(edges[i].target)];
    }
    found += alive[s];
  }
  if (found == machine.state_count()) return alive;
  const StatesBefore before(machine);
  std::vector<std::size_t> todo;
  for (std::size_t s = 0; s < machine.state_count(); ++s) {
    if (alive[s] != 0) todo.push_back(s);
  }
  while (!todo.empty()) {
    const std::size_t at = todo.back();
    todo.pop_back();
    for (const std::int32_t state : before.Of(at)) {
      if (std::exchange(alive[U(state)], std::uint8_t{1}) == 0) todo.push_back(U(state));
    }
  }
  return alive;
}

// Whether a breadth-first walk meets the states in the order of their numbers, and all of them.
bool IsInOrder(const Machine& machine) {
  std::size_t met = 1;
  for (std::size_t s = 0; s < met; ++s) {
    for (const Edge& edge : machine.EdgesOf(s)) {
      if (U(edge.target) > met) return false;
      if (U(edge.target) == met) ++met;
    }
  }
  return met == machine.state_count();
}

}  // namespace

void JoinFrom(std::size_t from, std::vector<Edge>& edges) {
  const auto begin = edges.begin() + static_cast<std::ptrdiff_t>(from);
  if (!std::is_sorted(begin, edges.end())) std::sort(begin, edges.end());
  std::size_t kept = from;
  for (std::size_t i = from; i < edges.size(); ++i) {
    const Edge edge = edges[i];
    Edge* const before = kept > from ? &edges[kept - 1] : nullptr;
    if (before != nullptr && *before == edge) continue;
    if (before != nullptr && edge.symbol.kind == Symbol::Kind::kBytes &&
        before->symbol.kind == Symbol::Kind::kBytes && before->target == edge.target &&
        before->symbol.last + 1 == edge.symbol.first) {
      before->symbol.last = edge.symbol.last;
      continue;
    }
    edges[kept++] = edge;
  }
  edges.resize(kept);
}

Machine Trim(Machine machine) {
  const std::vector<std::uint8_t> alive = AliveStates(machine);
  const bool all = std::find(alive.begin(), alive.end(), 0) == alive.end();
  if (all && IsInOrder(machine)) return machine;
  const std::size_t count = machine.state_count();
  std::vector<std::int32_t> ids(count, -1), order{0};
  ids[0] = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Edge& edge : machine.EdgesOf(U(order[i]))) {
      if (alive[U(edge.target)] == 0 || ids[U(edge.target)] >= 0) continue;
      ids[U(edge.target)] = static_cast<std::int32_t>(order.size());
      order.push_back(edge.target);
    }
  }
  Machine trimmed;
  trimmed.edges.reserve(machine.edges.size());
  trimmed.begin.reserve(order.size() + 1);
  trimmed.accepting.reserve(order.size());
  for (const std::int32_t state : order) {
    const std::size_t from = trimmed.edges.size();
    for (const Edge& edge : machine.EdgesOf(U(state))) {
      if (alive[U(edge.target)] != 0) trimmed.edges.push_back({edge.symbol, ids[U(edge.target)]});
    }
    JoinFrom(from, trimmed.edges);
    trimmed.EndState(machine.accepting[U(state)] != 0);
  }
  return trimmed;
}

Machine MergeFromTheEnd(Machine machine, std::vector<std::int32_t>& loops, SequencePool& found) {
  constexpr std::int32_t kUnknown = -1, kAlone = -2;
  const std::size_t count = machine.state_count();
  std::vector<std::int32_t> classes(count, kUnknown);
  found.Clear();
  Signature signature;
  struct Visit {
    std::size_t state, edge;
  };
  std::vector<std::uint8_t> entered(count, 0);
  std::vector<Visit> path{{0, machine.begin[0]}};
  entered[0] = 1;
  loops.clear();
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.edge < machine.begin[visit.state + 1]) {
      const std::size_t target = U(machine.edges[visit.edge++].target);
      if (std::exchange(entered[target], std::uint8_t{1}) == 0) {
        path.push_back({target, machine.begin[target]});
      }
      continue;
    }
    const std::size_t s = visit.state;
    path.pop_back();
    const bool known = signature.Take(machine, s, classes);  // else a target is on the path
    if (!known) loops.push_back(static_cast<std::int32_t>(s));
    if (!known || s == 0) {
      const std::int32_t alone[] = {kAlone, static_cast<std::int32_t>(s)};
      classes[s] = found.Intern(alone);
    } else {
      classes[s] = found.Intern(signature.numbers());
    }
  }
  const auto class_count = static_cast<std::size_t>(found.size());
  if (class_count == count) return machine;
  Machine merged = Quotient(machine, classes, class_count);
  for (std::int32_t& state : loops) state = classes[U(state)];
  return merged;
}

}  // namespace sglrun::grammar
