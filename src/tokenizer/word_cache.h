// Words that a BPE model has merged lately, and their ids. Text repeats its words, so that most of
// them cost one look into memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary.h"

namespace sglrun::tokenizer {

// A fixed number of places; a word takes the place of another one. For one thread at a time.
class WordCache {
 public:
  WordCache() : entries_(std::size_t{1} << kBits), long_words_(kLongBytes, '\0') {}

  // Appends the ids of the word and says so, if it is known.
  bool Repeat(std::string_view word, std::vector<TokenId>& out) const {
    if (word.empty() || word.size() > kMaxBytes) return false;
    const Key key = KeyOf(word);
    const Entry& entry = entries_[PlaceOf(key)];
    if (!Holds(entry, key, word)) return false;
    if (entry.count == 1) {
      out.push_back(entry.ids[0]);
    } else {
      out.insert(out.end(), entry.ids.begin(), entry.ids.begin() + entry.count);
    }
    return true;
  }

  // Words that are too long, or have too many ids, are not kept.
  void Remember(std::string_view word, std::span<const TokenId> ids) {
    if (word.empty() || word.size() > kMaxBytes || ids.size() > kMaxIds) return;
    const Key key = KeyOf(word);
    Entry& entry = entries_[PlaceOf(key)];
    entry.key = key;
    entry.bytes = static_cast<std::uint8_t>(word.size());
    entry.count = static_cast<std::uint8_t>(ids.size());
    std::copy(ids.begin(), ids.end(), entry.ids.begin());
    if (word.size() > kShortBytes) entry.key.third = Append(word);
  }

 private:
  static constexpr int kBits = 14;
  static constexpr std::size_t kShortBytes = 24;
  static constexpr std::size_t kMaxBytes = 255;
  static constexpr std::size_t kMaxIds = 9;
  static constexpr std::size_t kLongBytes = std::size_t{1} << 17;

  // Of a short word its bytes, some of them twice: with the length they tell it from all others. Of
  // a long one a hash; an entry says in `third` where the bytes are.
  struct Key {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
  };
  struct alignas(64) Entry {  // a cache line
    Key key = {};
    std::uint8_t bytes = 0;
    std::uint8_t count = 0;
    std::array<TokenId, kMaxIds> ids = {};
  };

  static std::uint64_t Load(const char* at, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, bytes);
    return word;
  }

  static Key KeyOf(std::string_view word) {
    const char* const begin = word.data();
    const std::size_t bytes = word.size();
    const char* const end = begin + bytes;
    if (bytes > kShortBytes) return {HashText(word), 0, 0};
    if (bytes > 16) return {Load(begin, 8), Load(begin + 8, 8), Load(end - 8, 8)};
    if (bytes >= 8) return {Load(begin, 8), Load(end - 8, 8), 0};
    if (bytes >= 4) return {Load(begin, 4) | Load(end - 4, 4) << 32, 0, 0};
    return {Load(begin, 1) | Load(begin + bytes / 2, 1) << 8 | Load(end - 1, 1) << 16, 0, 0};
  }

  static std::size_t PlaceOf(const Key& key) {
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ull;
    const auto mix = [](std::uint64_t h) { return (h ^ (h >> 32)) * kMultiplier; };
    std::uint64_t hash = mix(key.first);
    if (key.second != 0) hash = mix(mix(hash ^ key.second) ^ key.third);
    return hash >> (64 - kBits);
  }

  bool Holds(const Entry& entry, const Key& key, std::string_view word) const {
    if (entry.bytes != word.size() || entry.key.first != key.first ||
        entry.key.second != key.second) {
      return false;
    }
    if (word.size() <= kShortBytes) return entry.key.third == key.third;
    const std::uint64_t at = entry.key.third;
    return at + kLongBytes >= written_ &&
           std::memcmp(long_words_.data() + at % kLongBytes, word.data(), word.size()) == 0;
  }

  // Writes over the oldest words. Gives the place, counted from the first byte ever written.
  std::uint64_t Append(std::string_view word) {
    const std::size_t left = kLongBytes - written_ % kLongBytes;
    if (left < word.size()) written_ += left;
    const std::uint64_t at = written_;
    std::memcpy(long_words_.data() + at % kLongBytes, word.data(), word.size());
    written_ += word.size();
    return at;
  }

  std::vector<Entry> entries_;
  std::string long_words_;
  std::uint64_t written_ = 0;  // bytes of long words, ever
};

// Lends caches to threads: as many as encode at the same time, whatever the number of texts.
class WordCachePool {
 public:
  std::unique_ptr<WordCache> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<WordCache> cache = std::move(idle_.back());
        idle_.pop_back();
        return cache;
      }
    }
    return std::make_unique<WordCache>();
  }
  void GiveBack(std::unique_ptr<WordCache> cache) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(cache));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<WordCache>> idle_;
};

}  // namespace sglrun::tokenizer
