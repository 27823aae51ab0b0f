// The tokens that one state of one machine allows, independent of the callers of the machine:
// tokens that fit inside it, and places in tokens where it may end and its callers have to
// continue.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "grammar/matcher/frontier_dfa.h"
#include "grammar/matcher/id_set.h"
#include "grammar/matcher/node_set.h"
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

class StateMask {
 public:
  // nullptr if computing it takes more work than allowed for one mask.
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
  // Those tokens after the exits whose next byte is `byte`.
  const SuffixTrie& ExitsBefore(std::uint8_t byte, const Vocabulary& vocabulary) const;
  // The steps of finding it, those of the mask that it was found by included.
  std::int64_t work() const { return work_; }
  std::size_t MemoryBytes() const;

 private:
  template <class Walk>
  void Collect(Walk& walk, std::int32_t start, const Vocabulary& vocabulary);

  // Tokens that fit: those of `base_` except for `removed_`, and `inside_`.
  IdSet inside_;
  std::shared_ptr<const StateMask> base_;
  std::vector<std::int32_t> removed_;
  NodeSet exits_;
  std::int64_t work_ = 0;
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
  // Tokens that have left the repetition after some member, and continue with `byte`.
  const SuffixTrie& ExitsBefore(std::uint8_t byte, const Program& program, StateId state,
                                const Vocabulary& vocabulary) const;
  std::int64_t work() const { return work_; }  // the steps of finding it
  std::size_t MemoryBytes() const;

 private:
  IdSet all_;
  std::vector<std::int32_t> ids_;         // by members needed
  std::vector<std::size_t> needs_end_{};  // ids_[0, needs_end_[n]) need at most n
  std::int64_t work_ = 0;
  ExitsByByte by_byte_;
};

}  // namespace sglrun::grammar
