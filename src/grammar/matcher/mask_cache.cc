#include "grammar/matcher/mask_cache.h"

#include <algorithm>
#include <utility>

#include "grammar/matcher/residual.h"

namespace sglrun::grammar {

MaskCache::MaskCache(const Program& program, std::shared_ptr<const Vocabulary> vocabulary,
                     const Limits& limits)
    : program_(program), vocabulary_(std::move(vocabulary)), limits_(limits) {
  SharedMasks::Of(*vocabulary_).AddCache();
}

MaskCache::~MaskCache() {
  SharedMasks::Of(*vocabulary_).RemoveCache();
}

std::size_t MaskCache::MostBytes() const {
  constexpr std::size_t kMost = std::size_t{24} << 20;
  return std::min(kMost, SharedMasks::Of(*vocabulary_).ShareOfCache());
}

template <class Mask, class KeyOf, class Make>
std::shared_ptr<const Mask> MaskCache::Get(Map<Mask>& map, StateId state, KeyOf key_of, Make make) {
  {
    const std::scoped_lock lock(mutex_);
    const auto at = map.find(state);
    if (at != map.end()) return at->second.mask;
  }
  const std::optional<SharedMasks::Key> key = key_of();
  std::shared_ptr<const Mask> mask =
      key ? SharedMasks::Of(*vocabulary_).Get<Mask>(*key, make) : make();
  if (!mask) return nullptr;
  const std::size_t most = MostBytes();
  rows_.Bound(most / 3);
  const std::scoped_lock lock(mutex_);
  if (!key) bytes_ += mask->MemoryBytes();
  if (bytes_ > most / 3 * 2) {
    masks_.clear();
    loops_.clear();
    bytes_ = 0;
  }
  return map.emplace(state, Known<Mask>{std::move(mask), key.has_value()}).first->second.mask;
}

std::shared_ptr<const StateMask> MaskCache::MaskOf(StateId state) {
  const auto key = [&]() -> std::optional<SharedMasks::Key> {
    const std::optional<Hash128> residual = HashOfResidual(program_, state);
    if (residual) return SharedMasks::Key{*residual, SharedMasks::Key::kAlone};
    return KeyInMachine(state);
  };
  return Get(masks_, state, key, [&] { return MakeMask(state); });
}

std::shared_ptr<const StateMask> MaskCache::MakeMask(StateId state) {
  const std::optional<StateId> hub = HubOf(program_, state);
  if (hub && *hub != state && HashOfResidual(program_, state)) {
    std::shared_ptr<const StateMask> hub_mask = MaskOf(*hub);
    if (!hub_mask) return nullptr;
    return StateMask::Beside(program_, state, *hub, std::move(hub_mask), *vocabulary_);
  }
  return StateMask::Of(program_, state, *vocabulary_, limits_);
}

std::shared_ptr<const LoopMask> MaskCache::LoopOf(StateId state) {
  return Get(
      loops_, state, [&] { return KeyInMachine(state); },
      [&] { return std::make_shared<const LoopMask>(program_, state, *vocabulary_); });
}

std::optional<SharedMasks::Key> MaskCache::KeyInMachine(StateId state) const {
  const Program::MachineInfo& machine =
      program_.machines[static_cast<std::size_t>(program_.state(state).machine)];
  if (!machine.plain) return std::nullopt;
  return SharedMasks::Key{machine.content, state - machine.start};
}

std::size_t MaskCache::MemoryBytes() const {
  std::size_t bytes = sizeof *this + rows_.MemoryBytes();
  const std::scoped_lock lock(mutex_);
  for (const auto& [state, known] : masks_) bytes += known.shared ? 0 : known.mask->MemoryBytes();
  return bytes;
}

}  // namespace sglrun::grammar
