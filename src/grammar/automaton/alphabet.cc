#include "grammar/automaton/alphabet.h"

#include <algorithm>
#include <numeric>

namespace sglrun::grammar {
namespace {

constexpr std::int32_t kNone = -1;

// The symbols between two neighbouring ends of ranges: what no label cuts.
struct Atoms {
  std::vector<std::uint32_t> begins;  // the last one closes the list
  std::vector<std::int32_t> class_of;

  std::size_t count() const { return class_of.size(); }
  std::size_t At(std::uint32_t begin) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(begins, begin) - begins.begin());
  }
};

Atoms Cut(const std::vector<SymbolRange>& ranges) {
  Atoms atoms;
  atoms.begins.reserve(2 * ranges.size());
  for (const SymbolRange& range : ranges) {
    atoms.begins.push_back(range.first);
    atoms.begins.push_back(range.last + 1);
  }
  std::ranges::sort(atoms.begins);
  atoms.begins.erase(std::unique(atoms.begins.begin(), atoms.begins.end()), atoms.begins.end());
  atoms.class_of.assign(atoms.begins.empty() ? 0 : atoms.begins.size() - 1, kNone);
  return atoms;
}

// Splits every class into its part inside the label and its part outside.
class Splitter {
 public:
  Splitter(Atoms& atoms, Work& work) : atoms_(atoms), work_(work) {}

  bool Split(std::int32_t label, std::span<const SymbolRange> ranges) {
    for (const SymbolRange& range : ranges) {
      for (std::size_t i = atoms_.At(range.first); atoms_.begins[i] <= range.last; ++i) {
        atoms_.class_of[i] = Inside(atoms_.class_of[i], label);
        if (!work_.Step()) return false;
      }
    }
    return work_.HasMemoryFor(parts_.size());
  }

 private:
  struct Part {
    std::int32_t label = kNone;  // that split last
    std::int32_t inside = kNone;
  };

  std::int32_t Inside(std::int32_t old_class, std::int32_t label) {
    Part& part = parts_[static_cast<std::size_t>(old_class + 1)];
    if (part.label == label) return part.inside;
    const auto inside = static_cast<std::int32_t>(parts_.size()) - 1;
    part = {label, inside};
    parts_.emplace_back();
    return inside;
  }

  Atoms& atoms_;
  Work& work_;
  std::vector<Part> parts_ = std::vector<Part>(1);  // by class + 1: kNone has a part too
};

// Renumbers the classes in the order of their first atoms; returns how many there are.
std::int32_t NumberInOrder(Atoms& atoms) {
  std::int32_t highest = kNone;
  for (const std::int32_t c : atoms.class_of) highest = std::max(highest, c);
  std::vector<std::int32_t> number(static_cast<std::size_t>(highest + 1), kNone);
  std::int32_t count = 0;
  for (std::int32_t& c : atoms.class_of) {
    if (c == kNone) continue;
    std::int32_t& n = number[static_cast<std::size_t>(c)];
    if (n == kNone) n = count++;
    c = n;
  }
  return count;
}

}  // namespace

LabelId Labels::Intern(std::span<const SymbolRange> ranges) {
  scratch_.clear();
  for (const SymbolRange& range : ranges) {
    const auto last = static_cast<std::int32_t>(range.last);
    if (!scratch_.empty() && scratch_.back() + 1 == static_cast<std::int32_t>(range.first)) {
      scratch_.back() = last;
    } else {
      scratch_.push_back(static_cast<std::int32_t>(range.first));
      scratch_.push_back(last);
    }
  }
  return pool_.Intern(scratch_);
}

void Labels::AppendRanges(LabelId label, std::vector<SymbolRange>& out) const {
  const auto ends = pool_[label];
  for (std::size_t i = 0; i < ends.size(); i += 2) {
    out.push_back({static_cast<std::uint32_t>(ends[i]), static_cast<std::uint32_t>(ends[i + 1])});
  }
}

std::optional<Alphabet> Alphabet::Of(const Labels& labels, Work& work) {
  std::vector<SymbolRange> all;
  std::vector<std::size_t> begin{0};
  for (LabelId label = 0; label < labels.size(); ++label) {
    labels.AppendRanges(label, all);
    begin.push_back(all.size());
  }
  Atoms atoms = Cut(all);
  Splitter splitter(atoms, work);
  for (LabelId label = 0; label < labels.size(); ++label) {
    if (!splitter.Split(label, Slice(all, begin, label))) return std::nullopt;
  }

  Alphabet alphabet;
  const std::int32_t count = NumberInOrder(atoms);
  alphabet.TakeClasses(atoms.begins, atoms.class_of, count);
  std::vector<LabelId> seen_in(static_cast<std::size_t>(alphabet.class_count()), kNone);
  for (LabelId label = 0; label < labels.size(); ++label) {
    const std::size_t first = alphabet.classes_.size();
    for (const SymbolRange& range : Slice(all, begin, label)) {
      for (std::size_t i = atoms.At(range.first); atoms.begins[i] <= range.last; ++i) {
        const ClassId c = atoms.class_of[i];
        if (!work.Step()) return std::nullopt;
        if (seen_in[static_cast<std::size_t>(c)] == label) continue;
        seen_in[static_cast<std::size_t>(c)] = label;
        alphabet.classes_.push_back(c);
      }
    }
    std::sort(alphabet.classes_.begin() + static_cast<std::ptrdiff_t>(first),
              alphabet.classes_.end());
    alphabet.classes_begin_.push_back(alphabet.classes_.size());
    if (!work.HasMemoryFor(alphabet.classes_.size())) return std::nullopt;
  }
  return alphabet;
}

// Sorts the atoms by class; within a class they stay in order.
void Alphabet::TakeClasses(std::span<const std::uint32_t> begins, std::span<const ClassId> class_of,
                           std::int32_t count) {
  ranges_begin_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const ClassId c : class_of) {
    if (c != kNone) ++ranges_begin_[static_cast<std::size_t>(c) + 1];
  }
  std::partial_sum(ranges_begin_.begin(), ranges_begin_.end(), ranges_begin_.begin());
  ranges_.resize(ranges_begin_.back());
  std::vector<std::size_t> next = ranges_begin_;
  for (std::size_t i = 0; i < class_of.size(); ++i) {
    if (class_of[i] == kNone) continue;
    ranges_[next[static_cast<std::size_t>(class_of[i])]++] = {begins[i], begins[i + 1] - 1};
  }
}

}  // namespace sglrun::grammar
