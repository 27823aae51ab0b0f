// What one state of one machine says of every token, whatever called the machine (grammar.md 5.4):
// tokens that fit inside it, and places in tokens where it may end and its callers have to go on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "grammar/matcher/frontier_dfa.h"
#include "grammar/matcher/id_set.h"
#include "grammar/matcher/suffix_trie.h"

namespace sglrun::grammar {

// Suffix tries by their first byte, made when first asked for.
class ExitsByByte {
 public:
  template <class Make>
  const SuffixTrie& Get(std::uint8_t byte, Make make) const {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<const SuffixTrie>& trie = tries_[byte];
    if (!trie) trie = std::make_unique<const SuffixTrie>(make());
    return *trie;
  }
  std::size_t MemoryBytes() const;

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::uint8_t, std::unique_ptr<const SuffixTrie>> tries_;
};

// Nodes of a trie: listed, or as bits when they are many.
class NodeSet {
 public:
  NodeSet() = default;
  NodeSet(std::vector<std::int32_t> nodes, std::size_t trie_nodes);

  // `own` in order, and those nodes of `other` that lie in the ranges, which are in order and apart
  // from `own`.
  struct Range {
    std::int32_t begin, end;
  };
  static NodeSet Join(std::vector<std::int32_t> own, const NodeSet& other,
                      const std::vector<Range>& ranges, std::size_t trie_nodes);

  std::size_t size() const { return size_; }
  bool Contains(std::int32_t node) const {
    if (bits_.empty()) return std::binary_search(nodes_.begin(), nodes_.end(), node);
    return (bits_[static_cast<std::size_t>(node) / 64] >> (node % 64) & 1) != 0;
  }
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const std::int32_t node : nodes_) visit(node);
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      for (std::uint64_t word = bits_[w]; word != 0; word &= word - 1) {
        visit(static_cast<std::int32_t>(w * 64) + std::countr_zero(word));
      }
    }
  }
  std::size_t MemoryBytes() const {
    return nodes_.capacity() * sizeof(std::int32_t) + bits_.capacity() * sizeof(std::uint64_t);
  }

 private:
  std::size_t size_ = 0;
  std::vector<std::int32_t> nodes_;
  std::vector<std::uint64_t> bits_;
};

class StateMask {
 public:
  // nullptr when finding it takes more work than one mask may.
  static std::shared_ptr<const StateMask> Of(const Program& program, StateId state,
                                             const Vocabulary& vocabulary, const Limits& limits);
  // The same by the mask of `hub`, a state that nearly every token comes by: only tokens that do
  // not are looked at. Both states have residuals (HashOfResidual).
  static std::shared_ptr<const StateMask> Beside(const Program& program, StateId state, StateId hub,
                                                 std::shared_ptr<const StateMask> hub_mask,
                                                 const Vocabulary& vocabulary);

  // Sets the bits of tokens that fit, or end where the machine may end.
  void OrInto(std::span<std::uint32_t> words, const Vocabulary& vocabulary) const;
  // Nodes of the trie where the machine may end inside longer tokens.
  const NodeSet& exits() const { return exits_; }
  // Those tokens behind the exits whose next byte is `byte`.
  const SuffixTrie& ExitsBefore(std::uint8_t byte, const Vocabulary& vocabulary) const;
  std::size_t MemoryBytes() const;

 private:
  template <class Walk>
  void Collect(Walk& walk, std::int32_t start, const Vocabulary& vocabulary);

  // Tokens that fit: those of `base_` but for `removed_`, and `inside_`.
  IdSet inside_;
  std::shared_ptr<const StateMask> base_;
  std::vector<std::int32_t> removed_;
  NodeSet exits_;
  ExitsByByte by_byte_;
};

// The same for a state of a counted repetition's item, for every count at once: how many members a
// token needs. Only for items that are prefix codes.
class LoopMask {
 public:
  LoopMask(const Program& program, StateId state, const Vocabulary& vocabulary);

  // Tokens inside the repetition when it may still take `members`, the one under way included.
  void OrInto(std::int64_t members, std::span<std::uint32_t> words,
              const Vocabulary& vocabulary) const;
  // Tokens that have left the repetition behind some member, and go on with `byte`.
  const SuffixTrie& ExitsBefore(std::uint8_t byte, const Program& program, StateId state,
                                const Vocabulary& vocabulary) const;
  std::size_t MemoryBytes() const;

 private:
  IdSet all_;
  std::vector<std::int32_t> ids_;         // by members needed
  std::vector<std::size_t> needs_end_{};  // ids_[0, needs_end_[n]) need at most n
  ExitsByByte by_byte_;
};

}  // namespace sglrun::grammar
