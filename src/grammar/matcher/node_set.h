// A set of nodes of the vocabulary's trie: those where a machine may end inside longer tokens.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grammar/ir/vocabulary.h"

namespace sglrun::grammar {

// Nodes of a trie: listed, or as bits when they are many.
class NodeSet {
 public:
  NodeSet() = default;
  NodeSet(std::vector<std::int32_t> nodes, std::size_t trie_nodes);

  // Ranges are in order and apart.
  struct Range {
    std::int32_t begin, end;
  };
  // Those nodes in the ranges that have others below them.
  static NodeSet InnerNodes(const std::vector<Range>& ranges, const Vocabulary& vocabulary);
  // `own` in order, and those nodes of `other` that lie in the ranges, which are apart from `own`.
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
  void Count();

  std::size_t size_ = 0;
  std::vector<std::int32_t> nodes_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace sglrun::grammar
