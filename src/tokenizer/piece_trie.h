// All tokens that begin at a place of a text, found in one walk. A trie over bytes; the children of
// a node lie side by side, so that it needs two numbers a node and no pointers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace sglrun::tokenizer {

class PieceTrie {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNone = 0xFFFFFFFF;

  // Holds the texts of all tokens, empty ones left out.
  explicit PieceTrie(const Vocabulary& vocabulary);

  Node Child(Node node, char byte) const {
    const std::size_t begin = children_[node];
    const void* at = std::memchr(labels_.data() + begin, byte, children_[node + 1] - begin);
    return at == nullptr ? kNone : static_cast<Node>(static_cast<const char*>(at) - labels_.data());
  }
  // kNone when no token begins so.
  Node Descend(Node node, std::string_view text) const;
  // The token that ends here, or -1.
  TokenId TokenAt(Node node) const { return tokens_[node]; }

 private:
  std::string labels_;           // by node: the byte that leads to it
  std::vector<TokenId> tokens_;  // by node
  std::vector<std::uint32_t>
      children_;  // by node: its first child; they end where the next's begin
};

}  // namespace sglrun::tokenizer
