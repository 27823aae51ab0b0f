// The texts of an automaton whose length is within bounds. A general product with a counting
// automaton would give the same result. This implementation works layer by layer: forward to find
// the states that texts of each length reach, and backward to build them. Since there are no loops,
// merging states with equal edges gives the minimal automaton, and a result that is too large is
// detected before it is built.
#include <algorithm>
#include <utility>

#include "grammar/automaton/class_table.h"
#include "grammar/automaton/dfa.h"
#include "grammar/automaton/sequence_pool.h"

namespace sglrun::grammar {
namespace {

using State = std::int32_t;

class Layers {
 public:
  Layers(const ClassTable& table, std::int64_t min, std::int64_t max, Work& work)
      : table_(table), min_(min), max_(max), work_(work) {}

  // The minimal table, its start last; no states when no text is left.
  std::optional<ClassTable> Run() {
    if (!Forward()) return std::nullopt;
    std::vector<State> after(table_.state_count(), kNone), here = after;
    ClassTable out;
    for (std::size_t length = begin_.size() - 1; length-- > 0;) {
      for (std::size_t i = begin_[length]; i < begin_[length + 1]; ++i) {
        const State state = reached_[i];
        const bool accepts =
            table_.accepting[U(state)] && static_cast<std::int64_t>(length) >= min_;
        here[U(state)] = Build(state, accepts, after, out);
        if (!work_.Step(key_.size()) || !work_.HasMemoryFor(out.cells.size())) {
          return std::nullopt;
        }
      }
      after.swap(
          here);  // edges lead from one layer to the next, whose states all have their number
    }
    if (after[0] == kNone) return ClassTable{};
    return out;
  }

 private:
  static constexpr State kNone = -1;

  static std::size_t U(State state) { return static_cast<std::size_t>(state); }

  // reached_[begin_[n], begin_[n + 1]): the states after texts of n characters.
  bool Forward() {
    std::vector<std::int64_t> seen(table_.state_count(), -1);
    reached_ = {0};
    begin_ = {0, 1};
    for (std::int64_t length = 1; length <= max_; ++length) {
      const std::size_t from = begin_[begin_.size() - 2], to = reached_.size();
      for (std::size_t i = from; i < to; ++i) {
        const auto row = table_.Row(U(reached_[i]));
        if (!work_.Step(1 + row.size())) return false;
        for (const ClassTable::Cell& cell : row) {
          if (std::exchange(seen[U(cell.target)], length) != length) {
            reached_.push_back(cell.target);
          }
        }
      }
      if (reached_.size() == to) break;
      if (!work_.HasRoomFor(reached_.size())) return false;
      begin_.push_back(reached_.size());
    }
    return true;
  }

  State Build(State state, bool accepts, const std::vector<State>& after, ClassTable& out) {
    key_.assign(1, accepts ? 1 : 0);
    for (const ClassTable::Cell& cell : table_.Row(U(state))) {
      const State target = after[U(cell.target)];
      if (target == kNone) continue;
      key_.push_back(cell.symbol);
      key_.push_back(target);
    }
    if (key_.size() == 1 && !accepts) return kNone;
    const State known = keys_.Intern(key_);
    if (U(known) < out.state_count()) return known;
    for (std::size_t i = 1; i < key_.size(); i += 2) out.cells.push_back({key_[i], key_[i + 1]});
    out.EndRow(accepts);
    return known;
  }

  const ClassTable& table_;
  std::int64_t min_, max_;
  Work& work_;
  std::vector<State> reached_;
  std::vector<std::size_t> begin_;
  SequencePool keys_;
  std::vector<State> key_;
};

}  // namespace

DfaResult BoundLength(const Dfa& a, std::int64_t min, std::optional<std::int64_t> max,
                      Budget& budget) {
  min = std::max<std::int64_t>(min, 0);
  if (a.states.empty() || (max && *max < min)) return NoText();
  if (!max) {
    SGLRUN_ASSIGN_OR_RETURN(const Dfa lengths, LengthBetween(min, max, budget));
    return Intersect(a, lengths, budget);
  }
  Work work(budget, "a bound on the length of texts");
  Labels labels;
  const LabelledDfa labelled = Label(a, labels);
  const auto alphabet = Alphabet::Of(labels, work);
  if (!alphabet) return work.error();
  const auto table = Tabulate(labelled, *alphabet, work);
  if (!table) return work.error();
  const auto bounded = Layers(*table, min, *max, work).Run();
  if (!bounded) return work.error();
  if (bounded->state_count() == 0) return NoText();
  return ToDfa(*bounded, static_cast<std::int32_t>(bounded->state_count()) - 1, *alphabet, work);
}

}  // namespace sglrun::grammar
