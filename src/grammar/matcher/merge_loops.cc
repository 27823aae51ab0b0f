#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "grammar/automaton/sequence_pool.h"
#include "grammar/matcher/reduce.h"
#include "grammar/matcher/state_classes.h"

namespace sglrun::grammar {
namespace {

// Classes of states that are split until all states of each agree. Only those that lead to a part
// split off from a class can begin to differ from others of their own.
class LoopClasses {
 public:
  explicit LoopClasses(const Machine& machine)
      : machine_(machine),
        before_(machine),
        classes_(machine.state_count(), 0),
        sizes_{static_cast<std::int32_t>(machine.state_count()) - 1, 1},
        seen_(machine.state_count(), 0) {
    classes_[0] = 1;  // the start stays alone
    open_.resize(machine.state_count() - 1);
    std::iota(open_.begin(), open_.end(), 1);
  }

  bool settled() const { return open_.empty(); }
  std::size_t open() const { return open_.size(); }
  std::size_t size() const { return sizes_.size(); }
  std::vector<std::int32_t>& of_states() { return classes_; }

  void Split() {
    std::sort(open_.begin(), open_.end(), [&](std::int32_t a, std::int32_t b) {
      return std::tie(classes_[U(a)], a) < std::tie(classes_[U(b)], b);
    });
    moved_.clear();
    for (std::size_t begin = 0; begin < open_.size();) {
      std::size_t end = begin;
      while (end < open_.size() && classes_[U(open_[end])] == classes_[U(open_[begin])]) ++end;
      SplitClass(std::span(open_).subspan(begin, end - begin));
      begin = end;
    }
    for (const Move& move : moved_) classes_[U(move.state)] = move.to;
    OpenThoseBefore();
  }

 private:
  struct Move {
    std::int32_t state, to;
  };

  // Members that may differ from the others of their class and from each other.
  void SplitClass(std::span<const std::int32_t> members) {
    const std::int32_t of = classes_[U(members.front())];
    if (sizes_[U(of)] == 1) return;
    parts_.Clear();
    part_of_.clear();
    part_sizes_.clear();
    for (const std::int32_t state : members) {
      signature_.Take(machine_, U(state), classes_);
      const std::int32_t part = parts_.Intern(signature_.numbers());
      if (U(part) == part_sizes_.size()) part_sizes_.push_back(0);
      ++part_sizes_[U(part)];
      part_of_.push_back(part);
    }
    // The others keep the number of the class, or else the largest part.
    std::ptrdiff_t keeps = -1;
    if (U(sizes_[U(of)]) == members.size()) {
      keeps = std::max_element(part_sizes_.begin(), part_sizes_.end()) - part_sizes_.begin();
    }
    std::vector<std::int32_t> numbers;
    for (std::size_t part = 0; part < part_sizes_.size(); ++part) {
      if (static_cast<std::ptrdiff_t>(part) == keeps) {
        numbers.push_back(of);
        continue;
      }
      numbers.push_back(static_cast<std::int32_t>(sizes_.size()));
      sizes_[U(of)] -= part_sizes_[part];
      sizes_.push_back(part_sizes_[part]);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::int32_t number = numbers[U(part_of_[i])];
      if (number != of) moved_.push_back({members[i], number});
    }
  }

  void OpenThoseBefore() {
    ++round_;
    open_.clear();
    for (const Move& move : moved_) {
      for (const std::int32_t state : before_.Of(U(move.state))) {
        if (state == 0 || std::exchange(seen_[U(state)], round_) == round_) continue;
        open_.push_back(state);
      }
    }
  }

  const Machine& machine_;
  const StatesBefore before_;
  std::vector<std::int32_t> classes_;  // by state
  std::vector<std::int32_t> sizes_;    // by class
  std::vector<std::int32_t> open_;     // states to look at
  std::vector<Move> moved_;            // of this round, after which they hold
  std::vector<std::int32_t> seen_;     // by state, the round that opened it last
  std::int32_t round_ = 0;
  Signature signature_;
  SequencePool parts_;
  std::vector<std::int32_t> part_of_, part_sizes_;
};

// The symbols that a state takes, wherever they lead, as a hash.
std::uint64_t HashOfSymbols(const Machine& machine, std::size_t state) {
  std::uint64_t hash = machine.accepting[state];
  int open = -1;  // where the bytes before end
  for (const Machine::Edge& edge : machine.EdgesOf(state)) {
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

// Tells states apart that differ soon: two spell the same unless some text leads to two of which
// one takes a symbol that the other does not. Goes deep first: names differ where they end.
class PairTest {
 public:
  explicit PairTest(const Machine& machine)
      : machine_(machine), steps_left_(kMostSteps * machine.state_count()) {}

  bool MayBeEqual(std::int32_t a, std::int32_t b) {
    pairs_.assign(1, std::minmax(a, b));
    todo_ = pairs_;
    while (!todo_.empty()) {
      if (pairs_.size() > kMostPairs || steps_left_-- == 0) return true;
      const auto [first, second] = todo_.back();
      todo_.pop_back();
      if (!AddTargets(U(first), U(second))) return false;
    }
    return true;
  }

 private:
  // Those found together, and looks a state in all: more would cost more than they save.
  static constexpr std::size_t kMostPairs = 200, kMostSteps = 4;

  static bool IsByte(std::span<const Machine::Edge> edges) {
    return !edges.empty() && edges.front().symbol.kind == Symbol::Kind::kBytes;
  }

  // False where the two differ.
  bool AddTargets(std::size_t a, std::size_t b) {
    if (machine_.accepting[a] != machine_.accepting[b]) return false;
    auto of_a = machine_.EdgesOf(a), of_b = machine_.EdgesOf(b);
    for (int taken = -1; IsByte(of_a) && IsByte(of_b);) {  // bytes up to here
      const int first = std::max<int>(of_a.front().symbol.first, taken + 1);
      if (first != std::max<int>(of_b.front().symbol.first, taken + 1)) return false;
      taken = std::min(of_a.front().symbol.last, of_b.front().symbol.last);
      Add(of_a.front().target, of_b.front().target);
      if (of_a.front().symbol.last == taken) of_a = of_a.subspan(1);
      if (of_b.front().symbol.last == taken) of_b = of_b.subspan(1);
    }
    if (of_a.size() != of_b.size()) return false;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      if (of_a[i].symbol != of_b[i].symbol) return false;
      Add(of_a[i].target, of_b[i].target);
    }
    return true;
  }

  void Add(std::int32_t a, std::int32_t b) {
    const std::pair<std::int32_t, std::int32_t> pair = std::minmax(a, b);
    if (a == b || std::find(pairs_.begin(), pairs_.end(), pair) != pairs_.end()) return;
    pairs_.push_back(pair);
    todo_.push_back(pair);
  }

  const Machine& machine_;
  std::size_t steps_left_;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs_, todo_;
};

}  // namespace

bool MayMergeLoops(const Machine& machine, std::span<const std::int32_t> loops) {
  if (loops.empty()) return false;
  std::vector<std::uint64_t> looping;
  for (const std::int32_t state : loops) looping.push_back(HashOfSymbols(machine, U(state)));
  std::vector<std::uint64_t> sorted = looping;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::pair<std::uint64_t, std::int32_t>> alike;
  for (std::size_t s = 1; s < machine.state_count(); ++s) {
    const std::uint64_t hash = HashOfSymbols(machine, s);
    if (!std::binary_search(sorted.begin(), sorted.end(), hash)) continue;
    alike.emplace_back(hash, static_cast<std::int32_t>(s));
  }
  std::sort(alike.begin(), alike.end());
  PairTest test(machine);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    auto at = std::lower_bound(alike.begin(), alike.end(), std::pair{looping[i], std::int32_t{0}});
    for (; at != alike.end() && at->first == looping[i]; ++at) {
      if (at->second == loops[i]) continue;
      if (test.MayBeEqual(loops[i], at->second)) return true;
    }
  }
  return false;
}

Machine MergeLoops(Machine machine) {
  constexpr std::size_t kMostLooks = 100;  // at a state, in the mean
  LoopClasses classes(machine);
  std::size_t looks = 0;
  while (!classes.settled()) {
    looks += classes.open();
    if (looks > kMostLooks * machine.state_count()) return machine;
    classes.Split();
  }
  if (classes.size() == machine.state_count()) return machine;
  return Quotient(machine, classes.of_states(), classes.size());
}

}  // namespace sglrun::grammar
