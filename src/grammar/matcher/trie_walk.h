// Pieces of walks over the trie of a vocabulary: the automata that walk, what they collect, and
// which subtrees they need not enter.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grammar/ir/byte_classes.h"
#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/id_set.h"
#include "grammar/matcher/program.h"

namespace sglrun::grammar {

// Collects the tokens of trie nodes that are met in preorder. Neighbours are one range, so that
// states which take nearly everything cost little.
class TokenRanges {
 public:
  explicit TokenRanges(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary), nodes_(vocabulary.nodes()) {}

  void Add(std::int32_t node) { Add(node, node + 1); }
  // The nodes [first, last).
  void Add(std::int32_t first, std::int32_t last) {
    const std::int32_t begin = nodes_[static_cast<std::size_t>(first)].first_token;
    const std::int32_t end = nodes_[static_cast<std::size_t>(last)].first_token;
    if (begin != open_.end) {
      Flush();
      open_.begin = begin;
    }
    open_.end = end;
  }
  std::vector<std::int32_t> Ids() {
    Flush();
    const auto ids = vocabulary_.sorted_ids();
    std::vector<std::int32_t> all;
    for (const IdSet::Range& range : ranges_) {
      all.insert(all.end(), ids.begin() + range.begin, ids.begin() + range.end);
    }
    return all;
  }
  IdSet Set() {
    Flush();
    return IdSet::OfRanges(ranges_, vocabulary_);
  }

 private:
  void Flush() {
    if (open_.begin < open_.end) ranges_.push_back(open_);
    open_ = {0, 0};
  }

  const Vocabulary& vocabulary_;
  std::span<const Vocabulary::Node> nodes_;
  IdSet::Range open_{0, 0};
  std::vector<IdSet::Range> ranges_;
};

// A deterministic machine of bytes. The edges of a string's characters are many: states that a walk
// often comes by get a row for all bytes.
class Table {
 public:
  static constexpr std::int32_t kDead = -1;

  // States are numbered from the start of the machine of `state`.
  Table(const Program& program, StateId state);

  std::int32_t Index(StateId state) const { return state - first_; }
  bool Accepting(std::int32_t index) const { return program_.state(first_ + index).accepting; }
  std::int32_t Next(std::int32_t index, std::uint8_t byte) {
    const std::int32_t row = rows_[static_cast<std::size_t>(index)];
    return row >= 0 ? next_[static_cast<std::size_t>(row) + byte] : Search(index, byte);
  }

 private:
  // A row that is not there yet: the visits after which it will be, below 0.
  static constexpr std::int32_t kOften = 8;
  static constexpr std::size_t kMostRows = 2048;

  std::int32_t Search(std::int32_t index, std::uint8_t byte);
  void AddRow(std::int32_t index);

  const Program& program_;
  StateId first_;
  std::vector<std::int32_t> rows_;  // by index: where its row begins
  std::vector<std::int32_t> next_;  // 256 a row
};

// The states of a plain machine as those of a FrontierDfa.
struct TableWalk {
  static constexpr std::int32_t kDead = Table::kDead;
  static constexpr bool kStepsAreCheap = true;

  std::int32_t Next(std::int32_t from, std::uint8_t byte) { return table.Next(from, byte); }
  bool Left(std::int32_t at) const { return table.Accepting(at); }

  Table table;
};

// Texts that cannot lead from a state to one that differs from it in what is asked of a walk:
// whether it lives on, and whether the machine may end. Subtrees of such texts need not be entered.
struct AlikeTexts {
  ByteClasses classes = 0;   // all those made of these bytes that
  int bytes = 0;             // have at most this number, or
  ByteClasses lacking = 0;   // lack one of these, or
  ByteClasses harmless = 0;  // are made of these

  bool Hold(ByteClasses bytes_below, int height) const {
    return (bytes_below & ~classes) == 0 &&
           (height <= bytes || (lacking & ~bytes_below) != 0 || (bytes_below & ~harmless) == 0);
  }
};

// Found for states that a walk often comes by.
class AlikeTable {
 public:
  template <class Walk>
  AlikeTexts Of(std::int32_t state, Walk& walk) {
    constexpr int kOften = 32;
    State& known = At(state);
    if (known.visits >= kOften || ++known.visits < kOften) return known.texts;
    AlikeTexts texts;
    if constexpr (Walk::kStepsAreCheap) {
      texts = Explore(state, walk);
    } else {
      texts = Stay(state, walk);
    }
    return At(state).texts = texts;
  }

 private:
  static constexpr int kAnyNumber = 255;  // longer texts are no tokens

  struct State {
    AlikeTexts texts;
    int visits = 0;
    bool has_bytes = false;
    ByteClasses bytes = 0;  // that lead to where nothing differs yet
  };

  State& At(std::int32_t state) {
    const auto s = static_cast<std::size_t>(state);
    if (s >= states_.size()) states_.resize(std::max(s + 1, states_.size() * 2));
    return states_[s];
  }
  template <class Walk>
  static AlikeTexts Stay(std::int32_t state, Walk& walk) {
    return {ClassesWhere([&](std::uint8_t byte) { return walk.Next(state, byte) == state; }),
            kAnyNumber};
  }
  // Places met from a state on, and the steps between them and to where something differs.
  static constexpr std::size_t kMostPlaces = 64;
  static constexpr std::size_t kDifferent = ~std::size_t{0};
  struct Surroundings {
    struct Step {
      std::size_t from, to;
      ByteClasses byte;
    };
    std::vector<std::int32_t> places;
    std::vector<Step> steps;
  };
  template <class Walk>
  AlikeTexts Explore(std::int32_t state, Walk& walk);
  template <class Walk>
  void AddSteps(std::size_t place, ByteClasses classes, Walk& walk, Surroundings& around);
  static ByteClasses InAllThatDiffer(const Surroundings& around);
  static ByteClasses LastBytes(const Surroundings& around);
  template <class Walk>
  ByteClasses BytesAlike(std::int32_t state, Walk& walk);

  // Those all of whose bytes are good.
  template <class IsGood>
  static ByteClasses ClassesWhere(IsGood is_good) {
    ByteClasses classes = ~ByteClasses{0};
    for (int byte = 0; byte < 256; ++byte) {
      const auto b = static_cast<std::uint8_t>(byte);
      if ((classes & ClassesOf(b)) != 0 && !is_good(b)) classes &= ~ClassesOf(b);
    }
    return classes;
  }

  std::vector<State> states_;
};

template <class Walk>
ByteClasses AlikeTable::BytesAlike(std::int32_t state, Walk& walk) {
  if (!At(state).has_bytes) {
    const bool left = walk.Left(state);
    const ByteClasses bytes = ClassesWhere([&](std::uint8_t byte) {
      const std::int32_t next = walk.Next(state, byte);
      return next != Walk::kDead && walk.Left(next) == left;
    });
    At(state).bytes = bytes;
    At(state).has_bytes = true;
  }
  return At(state).bytes;
}

// First the bytes: those that lead on, and not to where most of the others end; then how far they
// can, and what the texts that lead to a difference have in common.
template <class Walk>
AlikeTexts AlikeTable::Explore(std::int32_t state, Walk& walk) {
  const ByteClasses at_once = BytesAlike(state, walk);
  ByteClasses classes =
      at_once & ClassesWhere([&](std::uint8_t byte) {
        if ((at_once & ClassesOf(byte)) == 0) return true;
        const std::int32_t next = walk.Next(state, byte);
        return next == state ||
               std::popcount(at_once & BytesAlike(next, walk)) * 2 > std::popcount(at_once);
      });
  if (std::popcount(classes) * 2 < std::popcount(at_once)) classes = at_once;
  Surroundings around;
  around.places.push_back(state);
  int bytes = kAnyNumber;
  std::size_t level_end = 1;
  for (std::size_t p = 0, level = 0; p < around.places.size(); ++p) {
    if (p == level_end) {
      ++level;
      level_end = around.places.size();
    }
    if (around.places.size() > kMostPlaces) return {classes, std::min<int>(bytes, level)};
    if ((classes & ~BytesAlike(around.places[p], walk)) != 0) bytes = std::min<int>(bytes, level);
    AddSteps(p, classes, walk, around);
  }
  if (bytes == kAnyNumber) return {classes, bytes};
  return {classes, bytes, InAllThatDiffer(around), classes & ~LastBytes(around)};
}

template <class Walk>
void AlikeTable::AddSteps(std::size_t place, ByteClasses classes, Walk& walk,
                          Surroundings& around) {
  const std::int32_t from = around.places[place];
  const ByteClasses alike = BytesAlike(from, walk);
  const bool left = walk.Left(from);
  std::int32_t last = from;
  std::size_t last_index = place;
  for (int byte = 0; byte < 256; ++byte) {
    const auto b = static_cast<std::uint8_t>(byte);
    if ((classes & ClassesOf(b)) == 0) continue;
    const std::int32_t next = walk.Next(from, b);
    if ((alike & ClassesOf(b)) == 0 && (next == Walk::kDead || walk.Left(next) != left)) {
      around.steps.push_back({place, kDifferent, ClassesOf(b)});
      continue;
    }
    if (next != last) {
      last = next;
      const auto at = std::find(around.places.begin(), around.places.end(), next);
      last_index = static_cast<std::size_t>(at - around.places.begin());
      if (at == around.places.end()) around.places.push_back(next);
    }
    if (last_index != place) around.steps.push_back({place, last_index, ClassesOf(b)});
  }
}

// Texts through the members of a prefix code, from a state of it on.
class MemberWalk {
 public:
  struct Place {
    std::int32_t state = Table::kDead;
    std::int32_t members = 0;  // finished
  };

  MemberWalk(const Program& program, StateId state)
      : table_(program, state), begin_{table_.Index(state), 0} {}

  Place begin() const { return begin_; }
  // Dead when the byte does not fit; at the start again after a member.
  Place Next(Place from, std::uint8_t byte) {
    const std::int32_t next = table_.Next(from.state, byte);
    if (next == Table::kDead) return {};
    if (table_.Accepting(next)) return {kStart, from.members + 1};
    return {next, from.members};
  }
  static bool Dead(Place place) { return place.state == Table::kDead; }
  // Only for places after a byte: nothing leads back to a start otherwise.
  static bool AtStart(Place place) { return place.state == kStart; }

 private:
  static constexpr std::int32_t kStart = 0;

  Table table_;
  Place begin_;
};

}  // namespace sglrun::grammar
