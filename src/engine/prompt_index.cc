#include "engine/prompt_index.h"

#include <algorithm>
#include <iterator>

namespace sglrun::engine {
namespace {

bool ComesBefore(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

PromptIndex::Nearest SharedWith(Sequence& sequence, std::span<const std::int32_t> tokens) {
  const std::span<const std::int32_t> other = sequence.tokens();
  const auto ends = std::mismatch(tokens.begin(), tokens.end(), other.begin(), other.end());
  return {&sequence, ends.first - tokens.begin()};
}

}  // namespace

bool PromptIndex::Less::operator()(const Sequence* a, const Sequence* b) const {
  if (ComesBefore(a->tokens(), b->tokens())) return true;
  return !ComesBefore(b->tokens(), a->tokens()) && a->cache.order < b->cache.order;
}
bool PromptIndex::Less::operator()(const Sequence* a, Tokens b) const {
  return ComesBefore(a->tokens(), b);
}
bool PromptIndex::Less::operator()(Tokens a, const Sequence* b) const {
  return ComesBefore(a, b->tokens());
}

PromptIndex::Nearest PromptIndex::Find(std::span<const std::int32_t> tokens) const {
  const auto next = sequences_.lower_bound(tokens);
  Nearest nearest;
  if (next != sequences_.end()) nearest = SharedWith(**next, tokens);
  if (next == sequences_.begin()) return nearest;
  const Nearest before = SharedWith(**std::prev(next), tokens);
  const bool takes_before = nearest.sequence == nullptr || before.shared > nearest.shared ||
                            (before.shared == nearest.shared &&
                             before.sequence->cache.order < nearest.sequence->cache.order);
  return takes_before ? before : nearest;
}

}  // namespace sglrun::engine
