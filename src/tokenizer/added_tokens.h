// Added tokens, including special ones: texts that are found before the tokenizer's model runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/json_view.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::tokenizer {

struct AddedToken {
  std::string content;
  std::int64_t id = 0;
  bool special = false;
  bool single_word = false;  // not inside a word
  bool lstrip = false;       // takes blanks on its left
  bool rstrip = false;       // takes blanks on its right
  bool normalized = false;   // searched in the normalised text
};

// One entry of "added_tokens" in tokenizer.json.
Result<AddedToken> ParseAddedToken(const JsonView& json);

// A stretch of text between added tokens, or such a token.
struct Section {
  std::string_view text;
  std::optional<TokenId> id;
};

// Finds tokens in text: leftmost first, at one place the longest, never overlapping.
class AddedTokenFinder {
 public:
  // `text` is what to look for: the token's content, normalised if need be. Empty texts are
  // ignored.
  void Add(std::string_view text, const AddedToken& token);

  // Appends the sections of `text`, empty ones left out. Special tokens that reach into a `plain`
  // stretch are not found.
  void Split(std::string_view text, std::vector<Section>& out,
             std::span<const TextRange> plain = {}) const;

 private:
  struct Token {
    TokenId id;
    bool special, single_word, lstrip, rstrip;
  };
  // A trie over bytes; children sorted by byte.
  struct Node {
    std::vector<std::pair<unsigned char, int>> children;
    int token = -1;
  };
  struct Found {
    const Token* token = nullptr;
    std::size_t end = 0;
  };

  int Child(int node, unsigned char byte) const;
  int MakeChild(int node, unsigned char byte);
  Found LongestAt(std::string_view text, std::size_t pos) const;

  std::vector<Node> nodes_;
  std::vector<Token> tokens_;
  bool starts_[256] = {};  // bytes that begin a token
};

}  // namespace sglrun::tokenizer
