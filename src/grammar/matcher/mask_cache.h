// All masks computed so far for one grammar and one vocabulary. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "grammar/base/limits.h"
#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/program.h"
#include "grammar/matcher/row_cache.h"
#include "grammar/matcher/shared_masks.h"
#include "grammar/matcher/state_mask.h"

namespace sglrun::grammar {

class MaskCache {
 public:
  MaskCache(const Program& program, std::shared_ptr<const Vocabulary> vocabulary,
            const Limits& limits);
  ~MaskCache();
  MaskCache(const MaskCache&) = delete;
  MaskCache& operator=(const MaskCache&) = delete;

  const std::shared_ptr<const Vocabulary>& vocabulary() const { return vocabulary_; }
  RowCache& rows() { return rows_; }
  // nullptr when it takes too much work.
  std::shared_ptr<const StateMask> MaskOf(StateId state);
  std::shared_ptr<const LoopMask> LoopOf(StateId state);
  std::size_t MemoryBytes() const;  // without what is shared with other grammars

 private:
  // When its share of the vocabulary's memory limit is exceeded, all state masks are dropped; those
  // in use live until their users release them.
  std::size_t MostBytes() const;
  template <class Mask>
  struct Known {
    std::shared_ptr<const Mask> mask;
    bool shared = false;  // with other grammars
  };
  template <class Mask>
  using Map = std::unordered_map<StateId, Known<Mask>>;
  // `key_of`: the name of a mask that other grammars may use, none when they may not.
  template <class Mask, class KeyOf, class Make>
  std::shared_ptr<const Mask> Get(Map<Mask>& map, StateId state, KeyOf key_of, Make make);
  std::shared_ptr<const StateMask> MakeMask(StateId state);
  std::optional<SharedMasks::Key> KeyInMachine(StateId state) const;

  const Program& program_;
  const std::shared_ptr<const Vocabulary> vocabulary_;
  const Limits& limits_;
  RowCache rows_;
  mutable std::mutex mutex_;
  Map<StateMask> masks_;
  Map<LoopMask> loops_;
  std::size_t bytes_ = 0;  // of masks that are not shared, as they were when found
};

}  // namespace sglrun::grammar
