#include "base/stream_hash.h"

#include <new>

#include "base/xxh3.h"

namespace sglrun {

struct StreamHash::State {
  State() : xxh(XXH3_createState()) {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }

  XXH3_state_t* xxh;
};

StreamHash::StreamHash() : state_(std::make_unique<State>()) {}
StreamHash::~StreamHash() = default;

void StreamHash::Add(std::string_view bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

Hash128 StreamHash::Finish() {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  XXH3_128bits_reset(state_->xxh);
  return {hash.high64, hash.low64};
}

}  // namespace sglrun
