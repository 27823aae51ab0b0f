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

}  // namespace

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
