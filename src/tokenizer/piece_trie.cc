#include "tokenizer/piece_trie.h"

#include <algorithm>

namespace sglrun::tokenizer {
namespace {

// The texts below one node: a stretch of the sorted list that shares `depth` bytes.
struct Stretch {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t depth;
};

std::vector<TokenId> SortedByText(const Vocabulary& vocabulary) {
  std::vector<TokenId> ids;
  ids.reserve(vocabulary.count());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Text(id).empty()) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(),
            [&](TokenId a, TokenId b) { return vocabulary.Text(a) < vocabulary.Text(b); });
  return ids;
}

}  // namespace

// Breadth first: nodes are numbered in the order in which they are met, so the children of a node
// follow those of the node before.
PieceTrie::PieceTrie(const Vocabulary& vocabulary) {
  const std::vector<TokenId> ids = SortedByText(vocabulary);
  std::vector<Stretch> stretches = {{0, static_cast<std::uint32_t>(ids.size()), 0}};
  labels_.push_back('\0');
  for (std::size_t node = 0; node < stretches.size(); ++node) {
    Stretch rest = stretches[node];
    children_.push_back(static_cast<std::uint32_t>(stretches.size()));
    const bool ends =
        rest.begin < rest.end && vocabulary.Text(ids[rest.begin]).size() == rest.depth;
    tokens_.push_back(ends ? ids[rest.begin++] : -1);
    while (rest.begin < rest.end) {
      const char label = vocabulary.Text(ids[rest.begin])[rest.depth];
      std::uint32_t end = rest.begin + 1;
      while (end < rest.end && vocabulary.Text(ids[end])[rest.depth] == label) ++end;
      stretches.push_back({rest.begin, end, rest.depth + 1});
      labels_.push_back(label);
      rest.begin = end;
    }
  }
  children_.push_back(static_cast<std::uint32_t>(stretches.size()));
}

PieceTrie::Node PieceTrie::Descend(Node node, std::string_view text) const {
  for (std::size_t i = 0; i < text.size() && node != kNone; ++i) node = Child(node, text[i]);
  return node;
}

}  // namespace sglrun::tokenizer
