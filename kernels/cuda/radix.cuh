// Selection without a sort: a descent over the bits of a key, 11 at a time, that counts what lies
// in each of 2048 buckets and goes on in the bucket where the limit is crossed.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sglrun::kernels::CU_WORLD {

inline constexpr int kRadixBits = 11;
inline constexpr int kBuckets = 1 << kRadixBits;

// The order of floats as that of integers; both zeros are equal. No NaN.
__device__ __forceinline__ std::uint32_t OrderedBits(float z) {
  const std::uint32_t bits = cu::bits_of(z == 0.0f ? 0.0f : z);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// Logit descending, id ascending, as one number that descends.
__device__ __forceinline__ std::uint64_t RankKey(float z, std::uint32_t id) {
  return (std::uint64_t{OrderedBits(z)} << 32) | (0xffffffffu - id);
}

// Inclusive sum over the warp.
template <class T>
__device__ __forceinline__ T WarpScan(T value) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned lanes = 1; lanes < 32; lanes *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, value, lanes);
    if (lane >= lanes) value += other;
  }
  return value;
}

// The largest bucket b with counts[b] + counts[b + 1] + ... >= need, and how many of the need are
// left for it; by the first warp, for all after the caller's barrier. need >= 1 is within the
// total.
struct BucketHit {
  unsigned bucket, need, count;
};
__device__ __forceinline__ BucketHit FindBucket(const unsigned* counts, unsigned need) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  BucketHit hit{0, need, counts[0]};
  bool found = false;
  for (int top = kBuckets - 1; top > 0; top -= 32) {
    const unsigned mine = counts[top - lane], sum = WarpScan(mine);
    const unsigned over = __ballot_sync(0xffffffffu, static_cast<int>(!found && sum >= hit.need));
    if (over != 0) {
      const int first = __ffs(static_cast<int>(over)) - 1;
      hit.bucket = static_cast<unsigned>(top - first);
      hit.need -= __shfl_sync(0xffffffffu, sum - mine, first);
      hit.count = __shfl_sync(0xffffffffu, mine, first);
      found = true;
    } else if (!found) {
      hit.need -= __shfl_sync(0xffffffffu, sum, 31);
    }
    if (found) break;
  }
  return hit;
}

// The smallest key of the `need` largest among key(i), i < size; keys are distinct, 0 stands for
// "none". counts: kBuckets; hit: one. All threads of the block call it.
template <int kThreads, class Key>
__device__ __forceinline__ std::uint64_t SelectLargest(std::int64_t size, unsigned need,
                                                       unsigned* counts, BucketHit* hit,
                                                       const Key& key) {
  std::uint64_t prefix = 0;
  int shift = 64;
  while (shift > 0) {
    const int bits = shift < kRadixBits ? shift : kRadixBits;
    const std::uint64_t above = shift == 64 ? 0 : ~std::uint64_t{0} << shift;
    shift -= bits;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kBuckets; i += kThreads) counts[i] = 0;
    __syncthreads();
    for (std::int64_t i = threadIdx.x; i < size; i += kThreads) {
      const std::uint64_t k = key(i);
      if (k == 0 || (k & above) != prefix) continue;
      atomicAdd(&counts[(k >> shift) & ((1u << bits) - 1)], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
      const BucketHit found = FindBucket(counts, need);
      if (threadIdx.x == 0) *hit = found;
    }
    __syncthreads();
    prefix |= std::uint64_t{hit->bucket} << shift;
    need = hit->need;
    // The whole bucket is taken: lower bits decide nothing.
    if (hit->need == hit->count) break;
  }
  return prefix;
}

}  // namespace sglrun::kernels::CU_WORLD
