#include "base/hash.h"

#include <new>

#include "base/stream_hash.h"

#include <xxhash.h>
// Available if the library was built with run-time dispatch to the widest instructions.
#if __has_include(<xxh_x86dispatch.h>)
#define XXH_DISPATCH_DISABLE_REPLACE
#include <xxh_x86dispatch.h>
#define SGLRUN_WIDE_HASH
#endif

namespace sglrun {
namespace {

#ifdef SGLRUN_WIDE_HASH
__attribute__((target("avx"))) void ClearUpperHalves() {
  __builtin_ia32_vzeroupper();
}
// Without dispatch the hash is the same. The dispatched code leaves the upper halves of wide
// registers in use, which slows down later code that was compiled for narrow ones: compiling
// constraints took 15 to 25 % longer. Texts that are hashed in one call are short and gain nothing
// from wide instructions.
void Update(XXH3_state_t* state, std::string_view bytes) {
  XXH3_128bits_update_dispatch(state, bytes.data(), bytes.size());
  if (__builtin_cpu_supports("avx")) ClearUpperHalves();
}
#else
void Update(XXH3_state_t* state, std::string_view bytes) {
  XXH3_128bits_update(state, bytes.data(), bytes.size());
}
#endif

}  // namespace

std::string Hash128::ToHex() const {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out(32, '0');
  for (int i = 0; i < 16; ++i) {
    out[15 - i] = kHex[(high >> (4 * i)) & 15];
    out[31 - i] = kHex[(low >> (4 * i)) & 15];
  }
  return out;
}

Hash128 HashBytes(std::string_view bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.high64, hash.low64};
}

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
  Update(state_->xxh, bytes);
}

Hash128 StreamHash::Finish() {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  XXH3_128bits_reset(state_->xxh);
  return {hash.high64, hash.low64};
}

std::uint64_t MixSeeds(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a ^ ((b << 31) | (b >> 33)) ^ 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return (x ^ (x >> 31)) + b * 0x9E3779B97F4A7C15ull;
}

}  // namespace sglrun
