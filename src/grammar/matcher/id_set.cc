#include "grammar/matcher/id_set.h"

#include <utility>

namespace sglrun::grammar {

void OrAllBut(std::span<std::uint32_t> words, std::span<const std::uint32_t> bits,
              std::span<const std::int32_t> missing) {
  std::vector<std::int32_t> stay_clear;
  stay_clear.reserve(missing.size());
  for (const std::int32_t id : missing) {
    if (!GetBit(words, id)) stay_clear.push_back(id);
  }
  for (std::size_t w = 0; w < words.size(); ++w) words[w] |= bits[w];
  for (const std::int32_t id : stay_clear) ClearBit(words, id);
}

IdSet::Form IdSet::SmallestForm(std::size_t ids, const Vocabulary& vocabulary) {
  const auto words = static_cast<std::size_t>(vocabulary.words_per_mask());
  if (ids <= words) return Form::kListed;
  return vocabulary.sorted_ids().size() - ids <= words ? Form::kMissing : Form::kBits;
}

IdSet::IdSet(std::vector<std::int32_t> ids, const Vocabulary& vocabulary)
    : form_(SmallestForm(ids.size(), vocabulary)) {
  if (form_ == Form::kListed) {
    ids.shrink_to_fit();
    ids_ = std::move(ids);
    return;
  }
  bits_.assign(static_cast<std::size_t>(vocabulary.words_per_mask()), 0);
  for (const std::int32_t id : ids) SetBit(bits_, id);
  if (form_ == Form::kBits) return;
  ids_.reserve(vocabulary.sorted_ids().size() - ids.size());
  for (const std::int32_t id : vocabulary.sorted_ids()) {
    if (!GetBit(bits_, id)) ids_.push_back(id);
  }
  bits_ = {};
}

IdSet IdSet::OfRanges(std::span<const Range> ranges, const Vocabulary& vocabulary) {
  const auto ids = vocabulary.sorted_ids();
  const auto for_all = [&](auto visit) {
    for (const Range& range : ranges) {
      for (std::int32_t t = range.begin; t < range.end; ++t)
        visit(ids[static_cast<std::size_t>(t)]);
    }
  };
  const auto for_others = [&](auto visit) {
    std::size_t t = 0;
    for (const Range& range : ranges) {
      for (; t < static_cast<std::size_t>(range.begin); ++t) visit(ids[t]);
      t = static_cast<std::size_t>(range.end);
    }
    for (; t < ids.size(); ++t) visit(ids[t]);
  };
  std::size_t count = 0;
  for (const Range& range : ranges) count += static_cast<std::size_t>(range.end - range.begin);
  const std::size_t missing = ids.size() - count;
  const auto keep = [](auto& list) { return [&list](std::int32_t id) { list.push_back(id); }; };
  IdSet set;
  set.form_ = SmallestForm(count, vocabulary);
  if (set.form_ == Form::kListed) {
    set.ids_.reserve(count);
    for_all(keep(set.ids_));
  } else if (set.form_ == Form::kMissing) {
    set.ids_.reserve(missing);
    for_others(keep(set.ids_));
  } else if (count <= missing) {
    set.bits_.assign(static_cast<std::size_t>(vocabulary.words_per_mask()), 0);
    for_all([&](std::int32_t id) { SetBit(set.bits_, id); });
  } else {
    set.bits_.assign(vocabulary.text_mask().begin(), vocabulary.text_mask().end());
    for_others([&](std::int32_t id) { ClearBit(set.bits_, id); });
  }
  return set;
}

void IdSet::OrInto(std::span<std::uint32_t> words, const Vocabulary& vocabulary) const {
  switch (form_) {
    case Form::kListed:
      for (const std::int32_t id : ids_) SetBit(words, id);
      return;
    case Form::kMissing:
      return OrAllBut(words, vocabulary.text_mask(), ids_);
    case Form::kBits:
      for (std::size_t w = 0; w < words.size(); ++w) words[w] |= bits_[w];
  }
}

}  // namespace sglrun::grammar
