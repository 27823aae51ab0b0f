#include "engine/prompt_index.h"

#include <algorithm>
#include <iterator>

namespace sglrun::engine {

PromptIndex::View PromptIndex::ViewOf(const Sequence& sequence) {
  return {sequence.request().adapter, sequence.tokens()};
}

bool PromptIndex::ComesBefore(const View& a, const View& b) {
  if (a.adapter != b.adapter) return a.adapter < b.adapter;
  return std::lexicographical_compare(a.tokens.begin(), a.tokens.end(), b.tokens.begin(),
                                      b.tokens.end());
}

PromptIndex::Nearest PromptIndex::SharedWith(Sequence& sequence, const View& prompt) {
  const View other = ViewOf(sequence);
  if (other.adapter != prompt.adapter) return {&sequence, 0};
  const auto ends = std::mismatch(prompt.tokens.begin(), prompt.tokens.end(), other.tokens.begin(),
                                  other.tokens.end());
  return {&sequence, ends.first - prompt.tokens.begin()};
}

bool PromptIndex::Less::operator()(const Sequence* a, const Sequence* b) const {
  const View of_a = ViewOf(*a), of_b = ViewOf(*b);
  if (ComesBefore(of_a, of_b)) return true;
  return !ComesBefore(of_b, of_a) && a->cache.order < b->cache.order;
}
bool PromptIndex::Less::operator()(const Sequence* a, const View& b) const {
  return ComesBefore(ViewOf(*a), b);
}
bool PromptIndex::Less::operator()(const View& a, const Sequence* b) const {
  return ComesBefore(a, ViewOf(*b));
}

PromptIndex::Nearest PromptIndex::Find(const Prompt& prompt) const {
  const View view{prompt.adapter, prompt.tokens};
  const auto next = sequences_.lower_bound(view);
  Nearest nearest;
  if (next != sequences_.end()) nearest = SharedWith(**next, view);
  if (next == sequences_.begin()) return nearest;
  const Nearest before = SharedWith(**std::prev(next), view);
  const bool takes_before = nearest.sequence == nullptr || before.shared > nearest.shared ||
                            (before.shared == nearest.shared &&
                             before.sequence->cache.order < nearest.sequence->cache.order);
  return takes_before ? before : nearest;
}

}  // namespace sglrun::engine
