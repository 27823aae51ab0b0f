#include "base/hash.h"

#include "base/xxh3.h"

namespace sglrun {

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

std::uint64_t MixSeeds(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a ^ ((b << 31) | (b >> 33)) ^ 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return (x ^ (x >> 31)) + b * 0x9E3779B97F4A7C15ull;
}

}  // namespace sglrun
