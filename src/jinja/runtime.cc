#include "jinja/runtime.h"

#include <string>

#include "base/hash.h"

namespace sglrun::jinja {

std::size_t Runtime::Draw(std::size_t count) {
  if (!draws_) {
    std::uint64_t seed = 0;
    for (const Given& one : given_) {
      const std::string value = one.value.Dump();
      Meter::Bytes(8 * value.size());
      seed = MixSeeds(MixSeeds(seed, HashBytes(one.name).low), HashBytes(value).low);
    }
    draws_ = seed;
  }
  draws_ = MixSeeds(*draws_, 1);
  return static_cast<std::size_t>(*draws_ % count);
}

Try<void> Runtime::Depth::Check() const {
  if (runtime_.depth_ <= runtime_.max_depth_) return {};
  return LimitFault("macros and recursive loops are nested more than " +
                    std::to_string(runtime_.max_depth_) + " levels deep");
}

}  // namespace sglrun::jinja
