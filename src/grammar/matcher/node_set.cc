#include "grammar/matcher/node_set.h"

#include <span>
#include <utility>

namespace sglrun::grammar {
namespace {

std::vector<std::uint64_t> BitsIn(const std::vector<NodeSet::Range>& ranges,
                                  std::span<const std::uint64_t> bits) {
  const auto up_to = [](std::int32_t bit) {  // the bits below it in its word
    return (std::uint64_t{1} << (bit % 64)) - 1;
  };
  std::vector<std::uint64_t> out(bits.size(), 0);
  for (const NodeSet::Range& range : ranges) {
    const auto first = static_cast<std::size_t>(range.begin) / 64;
    const auto last = static_cast<std::size_t>(range.end) / 64;
    for (std::size_t w = first; w <= last && w < out.size(); ++w) {
      std::uint64_t word = bits[w];
      if (w == first) word &= ~up_to(range.begin);
      if (w == last) word &= up_to(range.end);
      out[w] |= word;
    }
  }
  return out;
}

}  // namespace

NodeSet::NodeSet(std::vector<std::int32_t> nodes, std::size_t trie_nodes) : size_(nodes.size()) {
  if (nodes.size() * 32 <= trie_nodes) {
    nodes.shrink_to_fit();
    nodes_ = std::move(nodes);
    return;
  }
  bits_.assign(trie_nodes / 64 + 1, 0);
  for (const std::int32_t node : nodes) {
    bits_[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << (node % 64);
  }
}

NodeSet NodeSet::Join(std::vector<std::int32_t> own, const NodeSet& other,
                      const std::vector<Range>& ranges, std::size_t trie_nodes) {
  if (other.bits_.empty()) {
    const auto own_end = static_cast<std::ptrdiff_t>(own.size());
    auto range = ranges.begin();
    for (const std::int32_t node : other.nodes_) {
      while (range != ranges.end() && range->end <= node) ++range;
      if (range != ranges.end() && range->begin <= node) own.push_back(node);
    }
    std::inplace_merge(own.begin(), own.begin() + own_end, own.end());
    return NodeSet(std::move(own), trie_nodes);
  }
  NodeSet all;
  all.bits_ = BitsIn(ranges, other.bits_);
  for (const std::int32_t node : own) {
    all.bits_[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << (node % 64);
  }
  all.Count();
  return all;
}

NodeSet NodeSet::InnerNodes(const std::vector<Range>& ranges, const Vocabulary& vocabulary) {
  const auto inner = vocabulary.inner_nodes();
  const std::size_t trie_nodes = vocabulary.nodes().size();
  std::size_t most = 0;
  for (const Range& range : ranges) most += static_cast<std::size_t>(range.end - range.begin);
  if (most * 32 > trie_nodes) {
    NodeSet all;
    all.bits_ = BitsIn(ranges, inner);
    all.Count();
    return all;
  }
  std::vector<std::int32_t> nodes;
  for (const Range& range : ranges) {
    for (std::int32_t n = range.begin; n < range.end; ++n) {
      if ((inner[static_cast<std::size_t>(n) / 64] >> (n % 64) & 1) != 0) nodes.push_back(n);
    }
  }
  return NodeSet(std::move(nodes), trie_nodes);
}

void NodeSet::Count() {
  size_ = 0;
  for (const std::uint64_t word : bits_) size_ += static_cast<std::size_t>(std::popcount(word));
}

}  // namespace sglrun::grammar
