// Token texts and their ids, both ways. Ids may be sparse: real files have gaps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::tokenizer {

// No vocabulary comes near it; bounds what a hostile id can make us allocate.
inline constexpr std::int64_t kMaxTokenId = (std::int64_t{1} << 22) - 1;

// All texts lie in one arena; an open-addressing table leads from a text to its id.
class Vocabulary {
 public:
  void Reserve(std::size_t tokens);

  // Refused, in a sentence, when the id is out of range or taken or the text has an id already.
  Status Add(std::string_view text, std::int64_t id);

  std::optional<TokenId> Find(std::string_view text) const;

  std::string_view Text(TokenId id) const;  // "" for ids without a token
  bool IsToken(TokenId id) const;
  TokenId size() const { return static_cast<TokenId>(entries_.size()); }  // largest id + 1
  std::size_t count() const { return count_; }                            // tokens

 private:
  struct Entry {
    std::uint32_t offset = 0;
    std::uint32_t length = kNoToken;
  };
  struct Slot {
    std::uint32_t tag = 0;  // upper bits of the hash: most wrong slots are passed without the text
    TokenId id = -1;
  };
  static constexpr std::uint32_t kNoToken = 0xFFFFFFFF;

  void Rehash(std::size_t slots);
  Slot& FreeSlot(std::uint64_t hash);

  std::string arena_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace sglrun::tokenizer
