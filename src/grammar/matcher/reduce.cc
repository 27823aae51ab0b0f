#include "grammar/matcher/reduce.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "grammar/automaton/sequence_pool.h"
#include "grammar/automaton/unsigned_index.h"

namespace sglrun::grammar {
namespace {

using Edge = Machine::Edge;

// States with a way to acceptance.
std::vector<std::uint8_t> AliveStates(const Machine& machine) {
  const std::size_t count = machine.state_count();
  std::vector<std::uint32_t> into(count + 1, 0);
  for (const Edge& edge : machine.edges) ++into[U(edge.target) + 1];
  std::partial_sum(into.begin(), into.end(), into.begin());
  std::vector<std::int32_t> before(machine.edges.size());
  for (std::size_t s = 0; s < count; ++s) {
    // Filled from the front, so into[t] ends where the states before t end.
    for (const Edge& edge : machine.EdgesOf(s)) {
      before[into[U(edge.target)]++] = static_cast<std::int32_t>(s);
    }
  }
  std::vector<std::uint8_t> alive = machine.accepting;
  std::vector<std::int32_t> todo;
  for (std::size_t s = 0; s < count; ++s) {
    if (alive[s] != 0) todo.push_back(static_cast<std::int32_t>(s));
  }
  while (!todo.empty()) {
    const std::size_t at = U(todo.back());
    todo.pop_back();
    for (std::size_t i = at == 0 ? 0 : into[at - 1]; i < into[at]; ++i) {
      if (std::exchange(alive[U(before[i])], std::uint8_t{1}) == 0) todo.push_back(before[i]);
    }
  }
  return alive;
}

// What a state says once targets are replaced by their classes: equal for states to be merged.
class Signature {
 public:
  // False when a target has no class yet.
  bool Take(const Machine& machine, std::size_t state, std::span<const std::int32_t> classes) {
    numbers_.assign(1, machine.accepting[state]);
    bool known = true;
    Edge open;  // a range that the next one may prolong
    bool is_open = false;
    for (const Edge& edge : machine.EdgesOf(state)) {
      const std::int32_t target = classes[U(edge.target)];
      known &= target >= 0;
      const bool byte = edge.symbol.kind == Symbol::Kind::kBytes;
      if (is_open && byte && target == open.target && open.symbol.last + 1 == edge.symbol.first) {
        open.symbol.last = edge.symbol.last;
        continue;
      }
      if (is_open) Put(open);
      open = {edge.symbol, target};
      is_open = byte;
      if (!byte) Put(open);
    }
    if (is_open) Put(open);
    // A nondeterministic state may have several edges on one symbol, now in another order.
    SortEdges();
    return known;
  }
  // Classes of different rounds or states that must stay apart.
  void Mark(std::int32_t mark) { numbers_.push_back(mark); }
  std::span<const std::int32_t> numbers() const { return numbers_; }

 private:
  static constexpr std::size_t kEdgeNumbers = 3;

  void Put(const Edge& edge) {
    const Symbol& symbol = edge.symbol;
    numbers_.push_back(static_cast<std::int32_t>(symbol.kind) << 16 | symbol.first << 8 |
                       symbol.last);
    numbers_.push_back(symbol.id);
    numbers_.push_back(edge.target);
  }
  void SortEdges() {
    const auto key = [&](std::size_t at) {
      return std::tie(numbers_[at], numbers_[at + 1], numbers_[at + 2]);
    };
    for (std::size_t at = 1 + kEdgeNumbers; at < numbers_.size(); at += kEdgeNumbers) {
      for (std::size_t i = at; i > 1 && key(i) < key(i - kEdgeNumbers); i -= kEdgeNumbers) {
        std::swap_ranges(numbers_.begin() + static_cast<std::ptrdiff_t>(i),
                         numbers_.begin() + static_cast<std::ptrdiff_t>(i + kEdgeNumbers),
                         numbers_.begin() + static_cast<std::ptrdiff_t>(i - kEdgeNumbers));
      }
    }
  }

  std::vector<std::int32_t> numbers_;
};

// One state a class, in the order of first members, so that the start stays state 0. Turns
// `classes` into the numbers of the new states.
Machine Quotient(const Machine& machine, std::vector<std::int32_t>& classes,
                 std::size_t class_count) {
  std::vector<std::int32_t> numbers(class_count, -1);
  std::vector<std::size_t> firsts;
  for (std::size_t s = 0; s < machine.state_count(); ++s) {
    std::int32_t& number = numbers[U(classes[s])];
    if (number < 0) {
      number = static_cast<std::int32_t>(firsts.size());
      firsts.push_back(s);
    }
    classes[s] = number;
  }
  Machine result;
  result.edges.reserve(machine.edges.size());
  for (const std::size_t s : firsts) {
    const std::size_t from = result.edges.size();
    for (const Edge& edge : machine.EdgesOf(s)) {
      result.edges.push_back({edge.symbol, classes[U(edge.target)]});
    }
    JoinFrom(from, result.edges);
    result.EndState(machine.accepting[s] != 0);
  }
  return result;
}

// The symbols that a state takes, wherever they lead, as a hash.
std::uint64_t HashOfSymbols(const Machine& machine, std::size_t state) {
  std::uint64_t hash = machine.accepting[state];
  int open = -1;  // where the bytes before end
  for (const Edge& edge : machine.EdgesOf(state)) {
    const Symbol& symbol = edge.symbol;
    if (symbol.kind != Symbol::Kind::kBytes) {
      hash = MixSeeds(hash, static_cast<std::uint64_t>(symbol.kind) << 32 |
                                static_cast<std::uint32_t>(symbol.id));
      continue;
    }
    if (open + 1 != symbol.first || open < 0) {
      hash = MixSeeds(
          hash, std::uint64_t{1} << 40 | static_cast<std::uint64_t>(open + 1) << 8 | symbol.first);
    }
    open = symbol.last;
  }
  return MixSeeds(hash, static_cast<std::uint64_t>(open + 1));
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
  if (order.size() == count && std::is_sorted(order.begin(), order.end())) return machine;
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

Machine MergeFromTheEnd(Machine machine, std::vector<std::int32_t>& loops) {
  constexpr std::int32_t kUnknown = -1, kAlone = -2;
  const std::size_t count = machine.state_count();
  std::vector<std::int32_t> classes(count, kUnknown);
  SequencePool found;
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

bool MayMergeLoops(const Machine& machine, std::span<const std::int32_t> loops) {
  std::vector<std::uint64_t> looping;
  for (const std::int32_t state : loops) looping.push_back(HashOfSymbols(machine, U(state)));
  std::sort(looping.begin(), looping.end());
  if (std::adjacent_find(looping.begin(), looping.end()) != looping.end()) return true;
  std::size_t alike = 0;
  for (std::size_t s = 1; s < machine.state_count(); ++s) {
    if (std::binary_search(looping.begin(), looping.end(), HashOfSymbols(machine, s))) ++alike;
  }
  return alike > looping.size();  // each is like itself
}

// Moore's algorithm: classes are split until all states of each agree. A state that is alone in its
// class has nobody left to differ from and is not looked at again.
Machine MergeLoops(Machine machine) {
  constexpr int kMostRounds = 100;
  const std::size_t count = machine.state_count();
  std::vector<std::int32_t> classes(count, 0), next(count), members;
  std::vector<std::size_t> open(count - 1);  // all but the start, which stays alone
  std::iota(open.begin(), open.end(), std::size_t{1});
  classes[0] = 1;
  std::int32_t used = 2;         // class numbers, over all rounds
  std::size_t open_classes = 1;  // of the states in `open`
  Signature signature;
  SequencePool found;
  for (int round = 0; !open.empty(); ++round) {
    if (round == kMostRounds) return machine;
    found.Clear();
    members.clear();
    for (const std::size_t s : open) {
      signature.Take(machine, s, classes);
      signature.Mark(classes[s]);
      const std::int32_t id = found.Intern(signature.numbers());
      if (U(id) == members.size()) members.push_back(0);
      ++members[U(id)];
      next[s] = id;
    }
    const bool settled = members.size() == open_classes;
    for (const std::size_t s : open) classes[s] = used + next[s];
    used += found.size();
    if (settled) break;
    std::erase_if(open, [&](std::size_t s) { return members[U(next[s])] == 1; });
    open_classes = static_cast<std::size_t>(
        std::count_if(members.begin(), members.end(), [](std::int32_t n) { return n > 1; }));
  }
  if (open.empty()) return machine;
  return Quotient(machine, classes, U(used));
}

}  // namespace sglrun::grammar
