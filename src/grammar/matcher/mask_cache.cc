#include "grammar/matcher/mask_cache.h"

#include <utility>

#include "grammar/matcher/shared_masks.h"

namespace sglrun::grammar {

MaskCache::MaskCache(const Program& program, std::shared_ptr<const Vocabulary> vocabulary,
                     const Limits& limits)
    : program_(program), vocabulary_(std::move(vocabulary)), limits_(limits) {}

template <class Mask, class Make>
std::shared_ptr<const Mask> MaskCache::Get(Map<Mask>& map, StateId state, Make make) {
  {
    const std::scoped_lock lock(mutex_);
    const auto at = map.find(state);
    if (at != map.end()) return at->second;
  }
  const Program::MachineInfo& machine =
      program_.machines[static_cast<std::size_t>(program_.state(state).machine)];
  const SharedMasks::Key key{machine.content, state - machine.start};
  std::shared_ptr<const Mask> mask =
      machine.plain ? vocabulary_->shared_masks().Get<Mask>(key, make) : make();
  if (!mask) return nullptr;
  const std::scoped_lock lock(mutex_);
  if (!machine.plain) bytes_ += mask->MemoryBytes();
  if (bytes_ > kMostBytes) {
    masks_.clear();
    loops_.clear();
    bytes_ = 0;
  }
  return map.emplace(state, std::move(mask)).first->second;
}

std::shared_ptr<const StateMask> MaskCache::MaskOf(StateId state) {
  return Get(masks_, state, [&] { return StateMask::Of(program_, state, *vocabulary_, limits_); });
}

std::shared_ptr<const LoopMask> MaskCache::LoopOf(StateId state) {
  return Get(loops_, state,
             [&] { return std::make_shared<const LoopMask>(program_, state, *vocabulary_); });
}

std::size_t MaskCache::MemoryBytes() const {
  std::size_t bytes = sizeof *this + rows_.MemoryBytes();
  const std::scoped_lock lock(mutex_);
  for (const auto& [state, mask] : masks_) {
    const bool shared =
        program_.machines[static_cast<std::size_t>(program_.state(state).machine)].plain;
    if (!shared) bytes += mask->MemoryBytes();
  }
  return bytes;
}

}  // namespace sglrun::grammar
