// Selection without a sort: a descent over the bits of a key, 11 at a time, that counts what lies
// in each of 2048 buckets and continues in the bucket where the limit is crossed.
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

// What the threads before this one sum up to; `warps` holds one value per warp and is free for the
// next use after a barrier.
template <int kThreads, class T>
__device__ __forceinline__ T SumBefore(T value, T* warps) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const T scan = WarpScan(value);
  if (threadIdx.x % 32 == 31) warps[warp] = scan;
  __syncthreads();
  T before = scan - value;
  for (int i = 0; i < warp; ++i) before += warps[i];
  return before;
}

// Buckets from the top: thread i owns kOwned of them from OwnedTop() downwards.
template <int kThreads>
struct OwnedBuckets {
  static constexpr int kOwned = kBuckets / kThreads;
  static __device__ __forceinline__ int Top() {
    return kBuckets - 1 - static_cast<int>(threadIdx.x) * kOwned;
  }
};

// The bucket b in which counts[kBuckets - 1] + ... + counts[b] reaches `need`, which lies in
// [1, total], how much of the need is left for it, and its own count. All threads call it.
struct BucketHit {
  unsigned bucket, need, count;
};
template <int kThreads>
__device__ __forceinline__ BucketHit FindBucket(const unsigned* counts, unsigned need,
                                                unsigned* warps, BucketHit* shared) {
  using Owned = OwnedBuckets<kThreads>;
  const int top = Owned::Top();
  unsigned mine = 0;
#pragma unroll
  for (int i = 0; i < Owned::kOwned; ++i) mine += counts[top - i];
  unsigned before = SumBefore<kThreads>(mine, warps);
  if (before < need && need <= before + mine) {
    int bucket = top;
    while (before + counts[bucket] < need) before += counts[bucket--];
    *shared = {static_cast<unsigned>(bucket), need - before, counts[bucket]};
  }
  __syncthreads();
  return *shared;
}

// The smallest key of the `need` largest among key(i), i < size; keys are distinct, 0 stands for
// "none". counts: kBuckets; hit: one. All threads of the block call it.
template <int kThreads, class Key>
__device__ __forceinline__ std::uint64_t SelectLargest(std::int64_t size, unsigned need,
                                                       unsigned* counts, unsigned* warps,
                                                       BucketHit* hit, const Key& key) {
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
    const BucketHit found = FindBucket<kThreads>(counts, need, warps, hit);
    prefix |= std::uint64_t{found.bucket} << shift;
    need = found.need;
    // The whole bucket is taken: lower bits decide nothing.
    if (found.need == found.count) break;
  }
  return prefix;
}

}  // namespace sglrun::kernels::CU_WORLD
