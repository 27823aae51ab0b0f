#include "tokenizer/ascii_automaton.h"

#include <map>
#include <string>
#include <utility>

namespace sglrun::tokenizer {
namespace {

// Patterns of real files need less than half.
constexpr std::size_t kMaxPlaces = 1024;
constexpr std::size_t kMaxStates = 512;

}  // namespace

class AsciiAutomaton::Builder {
 public:
  std::unique_ptr<AsciiAutomaton> Run(const RegexNode& tree) {
    places_.push_back({});
    const int start = Write(tree, 0);
    if (too_large_) return nullptr;
    auto out = std::make_unique<AsciiAutomaton>();
    AssignColumns(*out);
    Row first;
    Enter(start, first);
    RowNumber(first.places);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (rows_.size() > kMaxStates) return nullptr;
      const std::vector<int> places = rows_[row];  // rows_ grows
      for (int column = 0; column < columns_; ++column) AppendEntry(places, column, *out);
    }
    Finish(*out);
    return out;
  }

 private:
  // A place in the pattern, as an instruction of Pike's machine.
  struct Place {
    enum class Does { kMatches, kReads, kNotAhead, kForks };
    Does does = Does::kMatches;
    AsciiSet set;
    int next = 0;   // kForks: the better way
    int other = 0;  // kForks
  };
  // The places of a state, in order, while they are gathered.
  struct Row {
    std::vector<int> places;
    std::vector<bool> seen;
    bool matches = false;  // then what comes later has no say
  };
  static constexpr int kDead = -1, kDunno = -2;

  int Add(Place place) {
    if (places_.size() >= kMaxPlaces) {
      too_large_ = true;
      return 0;
    }
    places_.push_back(place);
    return static_cast<int>(places_.size()) - 1;
  }

  // Writes the instructions of `node`, which continue at `next`, and returns their start.
  int Write(const RegexNode& node, int next) {
    using enum RegexNode::Kind;
    switch (node.kind) {
      case kSet:
        return Add({Place::Does::kReads, node.set, next});
      case kNotAhead:
        return Add({Place::Does::kNotAhead, node.set, next});
      case kSequence:
        for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
          next = Write(*child, next);
        }
        return next;
      case kChoice:
        return WriteChoice(node, next);
      case kRepeat:
        return WriteRepeat(node, next);
    }
    return next;
  }

  int WriteChoice(const RegexNode& node, int next) {
    int begin = Write(node.children.back(), next);
    for (std::size_t i = node.children.size() - 1; i-- > 0;) {
      begin = Fork(Write(node.children[i], next), begin);
    }
    return begin;
  }

  int Fork(int better, int other) { return Add({Place::Does::kForks, {}, better, other}); }

  int WriteRepeat(const RegexNode& node, int next) {
    const RegexNode& child = node.children[0];
    const auto fork = [&](int again) { return node.lazy ? Fork(next, again) : Fork(again, next); };
    int begin = next;
    if (node.max == RegexNode::kUnbounded) {
      begin = fork(next);
      const int again = Write(child, begin);
      (node.lazy ? places_[begin].other : places_[begin].next) = again;
    }
    for (int i = node.min; i < node.max && !too_large_; ++i) begin = fork(Write(child, begin));
    for (int i = 0; i < node.min && !too_large_; ++i) begin = Write(child, begin);
    return begin;
  }

  // Characters that are in the same sets share a column.
  void AssignColumns(AsciiAutomaton& out) {
    std::map<std::string, int> known;
    out.columns_.fill(kBeyondAscii);
    columns_ = kFirstSet;
    for (std::size_t c = 0; c < 128; ++c) {
      std::string membership;
      for (const Place& place : places_) membership += place.set[c] ? '1' : '0';
      const auto [at, fresh] = known.try_emplace(std::move(membership), columns_);
      if (fresh) {
        ++columns_;
        samples_.push_back(c);
      }
      out.columns_[c] = static_cast<std::uint8_t>(at->second);
    }
  }

  // The number of the row of these places.
  int RowNumber(const std::vector<int>& places) {
    const auto [at, fresh] = row_numbers_.try_emplace(places, static_cast<int>(rows_.size()));
    if (fresh) rows_.push_back(places);
    return at->second;
  }

  // Adds `place`, or where it leads without a character.
  void Enter(int place, Row& row) {
    row.seen.resize(places_.size());
    if (row.matches || row.seen[place]) return;
    row.seen[place] = true;
    if (places_[place].does == Place::Does::kForks) {
      Enter(places_[place].next, row);
      Enter(places_[place].other, row);
      return;
    }
    row.matches = places_[place].does == Place::Does::kMatches;
    row.places.push_back(place);
  }

  // Advances the places by the character of a column. True if the text before it matches: then
  // later places are not considered.
  bool Read(const std::vector<int>& places, int column, Row& next) {
    const auto holds = [&](const AsciiSet& set) {
      return column >= static_cast<int>(kFirstSet) && set[samples_[column - kFirstSet]];
    };
    for (const int at : places) {
      if (read_[at]) continue;
      read_[at] = true;
      const Place& place = places_[at];
      if (place.does == Place::Does::kMatches) return true;
      if (place.does == Place::Does::kReads) {
        if (holds(place.set)) Enter(place.next, next);
      } else if (!holds(place.set)) {  // kNotAhead: continues before the same character
        Row here;
        Enter(place.next, here);
        if (Read(here.places, column, next)) return true;
      }
    }
    return false;
  }

  void AppendEntry(const std::vector<int>& places, int column, AsciiAutomaton& out) {
    Row next;
    read_.assign(places_.size(), false);
    const bool beyond = column == static_cast<int>(kBeyondAscii);
    // If no place reads a character, the character does not matter.
    const bool matters = places.empty() || places_[places[0]].does != Place::Does::kMatches;
    const bool matches = !(beyond && matters) && Read(places, column, next);
    const int row = beyond && matters     ? kDunno
                    : next.places.empty() ? kDead
                                          : RowNumber(next.places);
    targets_.push_back(row);
    out.table_.push_back(matches ? kMatchesBefore : 0);
  }

  void Finish(AsciiAutomaton& out) {
    out.dead_ = static_cast<std::uint32_t>(out.table_.size());
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const std::uint32_t to = targets_[i] == kDead ? out.dead_
                               : targets_[i] == kDunno
                                   ? out.dead_ + 1
                                   : static_cast<std::uint32_t>(targets_[i] * columns_);
      out.table_[i] |= to << kFlagBits;
    }
    for (std::size_t c = 0; c < out.starts_.size(); ++c) {
      const std::uint32_t first = out.table_[out.columns_[c]];
      out.starts_[c] = first != out.dead_ << kFlagBits;
    }
  }

  std::vector<Place> places_;  // the first: the pattern has matched
  bool too_large_ = false;
  std::vector<std::size_t> samples_;  // by column of a set: a character of it
  int columns_ = 0;
  std::map<std::vector<int>, int> row_numbers_;
  std::vector<std::vector<int>> rows_;
  std::vector<bool> read_;    // by place: it has had the character
  std::vector<int> targets_;  // by entry: the row it leads to
};

std::unique_ptr<AsciiAutomaton> AsciiAutomaton::Build(const RegexNode& tree) {
  return Builder().Run(tree);
}

}  // namespace sglrun::tokenizer
