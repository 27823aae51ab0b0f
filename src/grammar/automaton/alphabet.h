// Labels of edges (sets of symbols) and the coarsest partition of the symbols into classes that no
// label distinguishes. Automata are computed over classes: \p{L} has hundreds of ranges, but in one
// pattern it is one class or a few.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grammar/automaton/sequence_pool.h"
#include "grammar/automaton/work.h"

namespace sglrun::grammar {

struct SymbolRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // inclusive
};

using LabelId = std::int32_t;
using ClassId = std::int32_t;

class Labels {
 public:
  // Sorted, disjoint ranges. Touching ranges are the same label as one range.
  LabelId Intern(std::span<const SymbolRange> ranges);
  std::int32_t size() const { return pool_.size(); }
  void AppendRanges(LabelId label, std::vector<SymbolRange>& out) const;

 private:
  SequencePool pool_;  // first, last, first, last, ...
  std::vector<std::int32_t> scratch_;
};

class Alphabet {
 public:
  static std::optional<Alphabet> Of(const Labels& labels, Work& work);

  // Numbered in the order of their least symbols.
  std::int32_t class_count() const { return static_cast<std::int32_t>(ranges_begin_.size()) - 1; }
  std::span<const SymbolRange> RangesOf(ClassId symbol_class) const {
    return Slice(ranges_, ranges_begin_, symbol_class);
  }
  std::span<const ClassId> ClassesOf(LabelId label) const {  // ascending
    return Slice(classes_, classes_begin_, label);
  }

 private:
  Alphabet() = default;

  template <class T>
  static std::span<const T> Slice(const std::vector<T>& values,
                                  const std::vector<std::size_t>& begin, std::int32_t index) {
    const auto i = static_cast<std::size_t>(index);
    return std::span(values).subspan(begin[i], begin[i + 1] - begin[i]);
  }

  void TakeClasses(std::span<const std::uint32_t> begins, std::span<const ClassId> class_of,
                   std::int32_t count);

  std::vector<SymbolRange> ranges_;
  std::vector<std::size_t> ranges_begin_{0};
  std::vector<ClassId> classes_;
  std::vector<std::size_t> classes_begin_{0};
};

}  // namespace sglrun::grammar
