// The character map of SentencePiece models (normalizer "Precompiled"): a trie of texts, each with
// its replacement.
//
// Form: the trie's size in bytes (32 bits, little-endian), the trie as a double array of 32-bit
// units (the layout of the darts-clone library), replacements that end with NUL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sglrun::tokenizer {

class Charsmap {
 public:
  // Refuses a trie with a cycle, or one that points outside.
  static Result<Charsmap> Parse(std::string_view bytes);

  // As in the reference: a user-perceived character of fewer than six bytes is replaced as a whole
  // if any prefix of it is in the map; otherwise each of its code points is replaced.
  std::string Normalize(std::string_view text) const;

 private:
  // The replacement of the shortest prefix of `text` that has one. SentencePiece takes the longest,
  // but the reference (tokenizers) takes the shortest.
  std::optional<std::string_view> Replacement(std::string_view text) const;
  void AppendGrapheme(std::string_view grapheme, std::string& out) const;
  std::string_view TextAt(std::uint32_t unit) const;
  Status CheckTrie() const;
  Status CheckLeaf(std::size_t base) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace sglrun::tokenizer
