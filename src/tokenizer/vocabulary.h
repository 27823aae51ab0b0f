// Token texts and their ids, both ways. Ids may be sparse: real files have gaps.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::tokenizer {

// No vocabulary comes near it; bounds what a hostile id can make us allocate.
inline constexpr std::int64_t kMaxTokenId = (std::int64_t{1} << 22) - 1;

// Texts here are short and looked up once a word, so the hash is inlined and reads eight bytes a
// step.
inline std::uint64_t HashText(std::string_view text) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ull;
  const auto mix = [](std::uint64_t h) { return (h ^ (h >> 32)) * kMultiplier; };
  std::uint64_t hash = text.size() * kMultiplier;
  std::uint64_t word = 0;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::memcpy(&word, text.data(), 8);
    hash = mix(hash ^ word);
  }
  word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return mix(mix(hash ^ word));
}

// All texts lie in one arena; an open-addressing table leads from a text to its id.
class Vocabulary {
 public:
  void Reserve(std::size_t tokens);

  // Refused, in a sentence, when the id is out of range or taken or the text has an id already.
  Status Add(std::string_view text, std::int64_t id);

  std::optional<TokenId> Find(std::string_view text) const {
    const TokenId id = slots_.empty() ? -1 : slots_[PlaceOf(text, HashText(text))].id;
    return id < 0 ? std::nullopt : std::optional<TokenId>(id);
  }

  std::string_view Text(TokenId id) const {  // "" for ids without a token
    if (!IsToken(id)) return {};
    const Entry& entry = entries_[static_cast<std::size_t>(id)];
    return {arena_.data() + entry.offset, entry.length};
  }
  bool IsToken(TokenId id) const {
    return id >= 0 && static_cast<std::size_t>(id) < entries_.size() &&
           entries_[static_cast<std::size_t>(id)].length != kNoToken;
  }
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
    Entry entry;  // repeated here: one look into memory less
  };
  static constexpr std::uint32_t kNoToken = 0xFFFFFFFF;

  static std::uint32_t Tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  // Of the text's slot, or of the free one where it would stand.
  std::size_t PlaceOf(std::string_view text, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at].id >= 0; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.tag == Tag(hash) && slot.entry.length == text.size() &&
          std::memcmp(arena_.data() + slot.entry.offset, text.data(), text.size()) == 0) {
        break;
      }
    }
    return at;
  }
  void Rehash(std::size_t slots);

  std::string arena_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace sglrun::tokenizer
