// The rests of many tokens after the places where a machine has ended in them, merged: the
// tokens `."}` and `!"}` both have the suffix `"}`, which the machine's caller has to take only
// once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/ir/vocabulary.h"

namespace sglrun::grammar {

struct SuffixTrie {
  // A token, and how many members of a counted repetition it has finished before the suffix.
  struct Token {
    std::int32_t id = 0;
    std::int32_t members = 0;
  };
  // The suffix starts with the byte of `node`, a node of the vocabulary's trie.
  struct Origin {
    std::int32_t node = 0;
    std::int32_t members = 0;
  };

  std::vector<Vocabulary::Node> nodes;  // as in Vocabulary; the root is the place of the end
  std::vector<Token> tokens;            // by first_token of nodes

  static SuffixTrie Of(std::span<const Origin> origins, const Vocabulary& vocabulary);
  std::size_t MemoryBytes() const {
    return nodes.capacity() * sizeof(Vocabulary::Node) + tokens.capacity() * sizeof(Token);
  }
};

}  // namespace sglrun::grammar
