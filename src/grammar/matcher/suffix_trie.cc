#include "grammar/matcher/suffix_trie.h"

#include <algorithm>

namespace sglrun::grammar {
namespace {

class Merger {
 public:
  explicit Merger(const Vocabulary& vocabulary)
      : nodes_(vocabulary.nodes()), ids_(vocabulary.sorted_ids()) {}

  SuffixTrie Run(std::span<const SuffixTrie::Origin> origins) {
    out_.nodes.push_back({});
    std::vector<SuffixTrie::Origin> all(origins.begin(), origins.end());
    AddChildren(all, 1);
    out_.nodes[0].subtree_end = static_cast<std::int32_t>(out_.nodes.size());
    out_.nodes.push_back({.first_token = static_cast<std::int32_t>(out_.tokens.size())});
    return std::move(out_);
  }

 private:
  const Vocabulary::Node& NodeAt(std::int32_t i) const {
    return nodes_[static_cast<std::size_t>(i)];
  }

  // Recursion is as deep as the longest token, 255 bytes.
  void AddChildren(std::vector<SuffixTrie::Origin>& origins, int depth) {
    std::stable_sort(origins.begin(), origins.end(), [&](const auto& a, const auto& b) {
      return NodeAt(a.node).byte < NodeAt(b.node).byte;
    });
    for (std::size_t begin = 0; begin < origins.size();) {
      const std::uint8_t byte = NodeAt(origins[begin].node).byte;
      std::size_t end = begin;
      while (end < origins.size() && NodeAt(origins[end].node).byte == byte) ++end;
      const std::size_t node = out_.nodes.size();
      out_.nodes.push_back({.byte = byte,
                            .depth = static_cast<std::uint8_t>(depth),
                            .first_token = static_cast<std::int32_t>(out_.tokens.size())});
      std::vector<SuffixTrie::Origin> below;
      for (std::size_t i = begin; i < end; ++i) Take(origins[i], below);
      if (!below.empty()) AddChildren(below, depth + 1);
      out_.nodes[node].subtree_end = static_cast<std::int32_t>(out_.nodes.size());
      begin = end;
    }
  }

  void Take(const SuffixTrie::Origin& origin, std::vector<SuffixTrie::Origin>& below) {
    const Vocabulary::Node& node = NodeAt(origin.node);
    for (std::int32_t t = node.first_token; t < NodeAt(origin.node + 1).first_token; ++t) {
      out_.tokens.push_back({ids_[static_cast<std::size_t>(t)], origin.members});
    }
    for (std::int32_t child = origin.node + 1; child < node.subtree_end;
         child = NodeAt(child).subtree_end) {
      below.push_back({child, origin.members});
    }
  }

  std::span<const Vocabulary::Node> nodes_;
  std::span<const std::int32_t> ids_;
  SuffixTrie out_;
};

}  // namespace

SuffixTrie SuffixTrie::Of(std::span<const Origin> origins, const Vocabulary& vocabulary) {
  return Merger(vocabulary).Run(origins);
}

}  // namespace sglrun::grammar
