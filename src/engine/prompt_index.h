// The prompts of the waiting sequences in lexicographic order, which is the order of a walk through
// the trie of their tokens. The sequence that shares the longest prefix with a given prompt is its
// neighbour in this order.
#pragma once

#include <cstdint>
#include <set>
#include <span>

#include "engine/sequence.h"

namespace sglrun::engine {

class PromptIndex {
 public:
  // The tokens of a sequence must not change while it is in the index.
  void Add(Sequence& sequence) { sequences_.insert(&sequence); }
  void Remove(Sequence& sequence) { sequences_.erase(&sequence); }
  void Clear() { sequences_.clear(); }

  struct Nearest {
    Sequence* sequence = nullptr;
    std::int64_t shared = 0;  // tokens at the beginning that are the same
  };
  // The sequence that shares the longest prefix with `tokens`; if two neighbours do, the one that
  // was submitted first. None if the index is empty.
  Nearest Find(std::span<const std::int32_t> tokens) const;

 private:
  using Tokens = std::span<const std::int32_t>;

  struct Less {
    using is_transparent = void;
    bool operator()(const Sequence* a, const Sequence* b) const;
    bool operator()(const Sequence* a, Tokens b) const;
    bool operator()(Tokens a, const Sequence* b) const;
  };

  std::set<Sequence*, Less> sequences_;
};

}  // namespace sglrun::engine
