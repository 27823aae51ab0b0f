// Masks of machines that call nothing (strings, numbers, white space, free text), shared by all
// grammars over one vocabulary: schemas repeat them, and finding one walks most of the trie.
#pragma once

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "base/hash.h"
#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/state_mask.h"

namespace sglrun::grammar {

class SharedMasks {
 public:
  // Those of a vocabulary.
  static SharedMasks& Of(const Vocabulary& vocabulary) {
    return vocabulary.Companion<SharedMasks>();
  }

  struct Key {
    static constexpr std::int32_t kAlone = -1;

    Hash128 content;  // of a machine, or of what can be walked from a state alone
    std::int32_t state = kAlone;

    auto operator<=>(const Key&) const = default;
  };

  template <class Mask, class Make>
  std::shared_ptr<const Mask> Get(const Key& key, Make make) {
    if (auto known = Find<Mask>(key)) return known;
    // Made without the lock: a lost race makes it twice.
    std::shared_ptr<const Mask> made = make();
    if (made) Add<Mask>(key, made);
    return made;
  }
  std::size_t MemoryBytes() const;

  // The grammars of a run share the room for masks of their own, so that many of them take no more
  // than a few do.
  void AddCache() { ++caches_; }
  void RemoveCache() { --caches_; }
  std::size_t ShareOfCache() const {
    constexpr std::size_t kRoom = std::size_t{256} << 20, kLeast = std::size_t{512} << 10;
    return std::max(kLeast, kRoom / std::max<std::size_t>(caches_, 1));
  }

 private:
  // Above this size all masks are dropped; those in use live until their users release them.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  template <class Mask>
  using Map = std::map<Key, std::shared_ptr<const Mask>>;
  template <class Mask>
  Map<Mask>& MapOf();

  template <class Mask>
  std::shared_ptr<const Mask> Find(const Key& key) {
    const std::scoped_lock lock(mutex_);
    const auto at = MapOf<Mask>().find(key);
    return at == MapOf<Mask>().end() ? nullptr : at->second;
  }
  template <class Mask>
  void Add(const Key& key, const std::shared_ptr<const Mask>& mask) {
    const std::scoped_lock lock(mutex_);
    bytes_ += mask->MemoryBytes();
    if (bytes_ > kMostBytes) {
      states_.clear();
      loops_.clear();
      bytes_ = mask->MemoryBytes();
    }
    MapOf<Mask>().emplace(key, mask);
  }

  std::atomic<std::size_t> caches_ = 0;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;  // as they were when added
  Map<StateMask> states_;
  Map<LoopMask> loops_;
};

template <>
inline SharedMasks::Map<StateMask>& SharedMasks::MapOf<StateMask>() {
  return states_;
}
template <>
inline SharedMasks::Map<LoopMask>& SharedMasks::MapOf<LoopMask>() {
  return loops_;
}

inline std::size_t SharedMasks::MemoryBytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace sglrun::grammar
