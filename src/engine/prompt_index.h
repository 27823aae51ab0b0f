// The prompts of the waiting sequences by adapter, then in lexicographic order, which is the order
// of a walk through the trie of their tokens. The sequence that shares the longest prefix with a given prompt is its
// neighbour in this order.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "engine/sequence.h"

namespace sglrun::engine {

class PromptIndex {
 public:
  // The tokens of a sequence must not change while it is in the index.
  void Add(Sequence& sequence) { sequences_.insert(&sequence); }
  void Remove(Sequence& sequence) { sequences_.erase(&sequence); }
  void Clear() { sequences_.clear(); }

  // What decides the pages of a sequence.
  struct Prompt {
    std::int32_t adapter;
    std::vector<std::int32_t> tokens;
  };
  struct Nearest {
    Sequence* sequence = nullptr;
    std::int64_t shared = 0;  // tokens at the beginning that are the same
  };
  // The sequence that shares the longest prefix with the prompt; if two neighbours do, the one that
  // was submitted first. None if the index is empty.
  Nearest Find(const Prompt& prompt) const;

 private:
  struct View {
    std::int32_t adapter;
    std::span<const std::int32_t> tokens;
  };
  static View ViewOf(const Sequence& sequence);
  static bool ComesBefore(const View& a, const View& b);
  static Nearest SharedWith(Sequence& sequence, const View& prompt);

  struct Less {
    using is_transparent = void;
    bool operator()(const Sequence* a, const Sequence* b) const;
    bool operator()(const Sequence* a, const View& b) const;
    bool operator()(const View& a, const Sequence* b) const;
  };

  std::set<Sequence*, Less> sequences_;
};

}  // namespace sglrun::engine
