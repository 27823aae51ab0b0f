// sample: one block per row, no sort, all sums in integers (kernels/sample.h):
//   1. the best token, which is the answer of a greedy row;
//   2. weights by exp2_exact; a descent over their bits finds the smallest kept weight: in each
//      bucket the first token must still be within top_k and top_p. Where tokens of that weight are
//      kept only in part, a second descent finds the last one by (logit, id);
//   3. the draw, resolved in id order: warps own segments of the row, the segment that holds the
//      draw is then searched by the whole block.
#pragma once

#include "kernels/common/exp2_exact.h"
#include "kernels/cuda/radix.cuh"

namespace sglrun::kernels::CU_WORLD {

// Exp2Exact of common/exp2_exact.h step by step, none contracted.
__device__ __forceinline__ std::uint32_t WeightOf(float x) {
  if (!(x >= kLowestExponent)) return 0;
  const float n = cu::add_exact(cu::add_exact(x, kRoundMagic), -kRoundMagic);
  const float f = cu::add_exact(x, -n);
  float p = cu::mul_exact(kExp2C6, f);
  p = cu::mul_exact(cu::add_exact(p, kExp2C5), f);
  p = cu::mul_exact(cu::add_exact(p, kExp2C4), f);
  p = cu::mul_exact(cu::add_exact(p, kExp2C3), f);
  p = cu::mul_exact(cu::add_exact(p, kExp2C2), f);
  p = cu::mul_exact(cu::add_exact(p, kExp2C1), f);
  p = cu::add_exact(p, 1.0f);
  const auto exponent = static_cast<std::uint32_t>(static_cast<std::int32_t>(n) + 31 + 127);
  const float scaled = cu::mul_exact(p, cu::f32_of(exponent << 23));
  if (scaled >= kLargestWeight) return 0x80000000u;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(scaled));
}

// TopPLimit and MinPWeight of common/sample_limits.h.
__device__ __forceinline__ std::uint64_t TopPSum(double top_p, std::uint64_t total) {
  const auto whole = static_cast<double>(total);
  return static_cast<std::uint64_t>(
      cu::add_exact(cu::mul_exact(top_p, whole), cu::mul_exact(whole, 0x1p-20)));
}
__device__ __forceinline__ std::uint32_t LeastWeight(double min_p) {
  const auto weight = static_cast<std::uint32_t>(cu::mul_exact(min_p, 2147483648.0));
  return weight > 0 ? weight : 1;
}

// One row and how its tokens weigh.
struct SampledRow {
  const float* z;
  const std::uint32_t* sampleable;
  std::int64_t width;
  float max, scale;

  __device__ __forceinline__ bool IsSampleable(std::int64_t i) const {
    return sampleable == nullptr || ((sampleable[i / 32] >> (i % 32)) & 1u) != 0;
  }
  __device__ __forceinline__ std::uint32_t Weight(std::int64_t i) const {
    if (!IsSampleable(i)) return 0;
    // Equality keeps inf - inf out.
    return z[i] == max ? 0x80000000u : WeightOf(cu::mul_exact(cu::add_exact(z[i], -max), scale));
  }
};

struct KeptBucket;

// Shared memory of a row's block.
struct SampleShared {
  std::uint64_t* sums;    // [kBuckets]
  unsigned* counts;       // [kBuckets]
  std::uint64_t* warps;   // [32]
  unsigned* warp_counts;  // [32]
  unsigned* lowest;
  KeptBucket* bucket;
  BucketHit* hit;
};

// The kept tokens: weight > `weight`, or equal and rank key >= `rank`.
struct Cut {
  std::uint32_t weight;
  std::uint64_t rank;

  __device__ __forceinline__ std::uint32_t Kept(const SampledRow& row, std::int64_t i) const {
    const std::uint32_t w = row.Weight(i);
    if (w < weight) return 0;
    if (w > weight || rank == 0) return w;
    return RankKey(row.z[i], static_cast<std::uint32_t>(i)) >= rank ? w : 0;
  }
};

// The lowest bucket that holds tokens and whose first one is kept, given the tokens above all of
// them. All threads call it.
struct KeptBucket {
  unsigned bucket, before, count;  // tokens above it, its own tokens
  std::uint64_t before_sum;
};
template <int kThreads>
__device__ __forceinline__ KeptBucket FindKeptBucket(const SampleShared& s, const KeptBucket& above,
                                                     unsigned top_k, std::uint64_t limit) {
  using Owned = OwnedBuckets<kThreads>;
  const int top = Owned::Top();
  unsigned count = 0;
  std::uint64_t sum = 0;
#pragma unroll
  for (int i = 0; i < Owned::kOwned; ++i) {
    count += s.counts[top - i];
    sum += s.sums[top - i];
  }
  if (threadIdx.x == 0) *s.lowest = kBuckets;
  unsigned before = above.before + SumBefore<kThreads>(count, s.warp_counts);
  std::uint64_t before_sum = above.before_sum + SumBefore<kThreads>(sum, s.warps);
  KeptBucket hit{kBuckets, 0, 0, 0};
  for (int bucket = top; bucket > top - Owned::kOwned; --bucket) {
    if (before >= top_k || before_sum > limit) break;
    if (s.counts[bucket] > 0) {
      hit = {static_cast<unsigned>(bucket), before, s.counts[bucket], before_sum};
    }
    before += s.counts[bucket];
    before_sum += s.sums[bucket];
  }
  if (hit.bucket < kBuckets) atomicMin(s.lowest, hit.bucket);
  __syncthreads();
  if (hit.bucket == *s.lowest) *s.bucket = hit;
  __syncthreads();
  return *s.bucket;
}

// The cut of a row that is not greedy. At least the best token is kept.
template <int kThreads>
__device__ __forceinline__ Cut FindCut(const SampledRow& row, unsigned top_k, double top_p,
                                       double min_p, const SampleShared& s) {
  const std::uint32_t least = LeastWeight(min_p);
  const auto clear = [&] {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kBuckets; i += kThreads) {
      s.counts[i] = 0;
      s.sums[i] = 0;
    }
    __syncthreads();
  };
  // All weights are at most 2^31: 11 bits from bit 21 on, 11 from bit 10, the last 10.
  std::uint32_t prefix = 0, above = 0;
  std::uint64_t limit = 0;
  KeptBucket found{0, 0, 0, 0};
  for (int level = 0; level < 3; ++level) {
    const int shift = level == 0 ? 21 : level == 1 ? 10 : 0;
    const std::uint32_t digit = level < 2 ? kBuckets - 1 : kBuckets / 2 - 1;
    clear();
    std::uint64_t total = 0;
    // Unrolled, it takes more than the 64 registers that 1,024 threads leave each on sm_120.
#pragma unroll 1
    for (std::int64_t i = threadIdx.x; i < row.width; i += kThreads) {
      const std::uint32_t w = row.Weight(i);
      total += w;
      if (w < least || (w & above) != prefix) continue;
      atomicAdd(&s.counts[(w >> shift) & digit], 1u);
      atomicAdd(reinterpret_cast<unsigned long long*>(&s.sums[(w >> shift) & digit]),
                static_cast<unsigned long long>(w));
    }
    if (level == 0) {
      total = BlockReduce<kThreads>(total, Sum{}, s.warps);
      limit = TopPSum(top_p, total);
      // Nothing but min_p cuts.
      if (top_k >= row.width && limit >= total) return {least, 0};
    }
    __syncthreads();
    found = FindKeptBucket<kThreads>(s, found, top_k, limit);
    prefix |= found.bucket << shift;
    above |= digit << shift;
  }
  // Of the tokens of weight `prefix`, those within both limits.
  const std::uint64_t by_sum = (limit - found.before_sum) / prefix + 1;
  unsigned kept = top_k - found.before;
  if (by_sum < kept) kept = static_cast<unsigned>(by_sum);
  if (kept >= found.count) return {prefix, 0};
  const std::uint64_t rank =
      SelectLargest<kThreads>(row.width, kept, s.counts, s.warp_counts, s.hit, [&](std::int64_t i) {
        return row.Weight(i) == prefix ? RankKey(row.z[i], static_cast<std::uint32_t>(i))
                                       : std::uint64_t{0};
      });
  return {prefix, rank};
}

// The kept token, in id order, whose running sum first exceeds the draw.
template <int kThreads>
__device__ __forceinline__ void Draw(const SampledRow& row, const Cut& cut, std::uint64_t random,
                                     const SampleShared& s, std::int32_t* token) {
  constexpr int kWarps = kThreads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t segment = (row.width + kWarps - 1) / kWarps;
  const std::int64_t begin = warp * segment;
  const std::int64_t end = begin + segment < row.width ? begin + segment : row.width;
  std::uint64_t mass = 0;
  for (std::int64_t i = begin + lane; i < end; i += 32) mass += cut.Kept(row, i);
  mass = WarpReduce(mass, Sum{});
  __syncthreads();
  if (lane == 0) s.warps[warp] = mass;
  __syncthreads();
  std::uint64_t total = 0;
  for (int i = 0; i < kWarps; ++i) total += s.warps[i];
  std::uint64_t draw = __umul64hi(random, total);
  int chosen = 0;
  while (draw >= s.warps[chosen]) draw -= s.warps[chosen++];
  __syncthreads();

  // The chosen segment: every thread a run of neighbours.
  const std::int64_t first = chosen * segment;
  const std::int64_t last = first + segment < row.width ? first + segment : row.width;
  const std::int64_t run = (segment + kThreads - 1) / kThreads;
  const std::int64_t from = first + static_cast<std::int64_t>(threadIdx.x) * run;
  const std::int64_t to = from + run < last ? from + run : last;
  std::uint64_t mine = 0;
  for (std::int64_t i = from; i < to; ++i) mine += cut.Kept(row, i);
  std::uint64_t before = SumBefore<kThreads>(mine, s.warps);
  if (draw < before || draw >= before + mine) return;
  for (std::int64_t i = from; i < to; ++i) {
    before += cut.Kept(row, i);
    if (draw < before) {
      *token = static_cast<std::int32_t>(i);
      return;
    }
  }
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads) SampleKernel(cuda::SampleParams p) {
  CU_SHARED(std::uint64_t, sums, kBuckets);
  CU_SHARED(unsigned, counts, kBuckets);
  CU_SHARED(std::uint64_t, warps, 32);
  CU_SHARED(unsigned, warp_counts, 32);
  CU_SHARED(unsigned, lowest, 1);
  CU_SHARED(KeptBucket, bucket, 1);
  CU_SHARED(BucketHit, hit, 1);
  const std::int64_t r = blockIdx.x;
  if (p.active != nullptr && p.active[r] == 0) return;
  SampledRow row{p.logits.data + r * p.logits.stride, p.sampleable, p.width, 0, 0};

  std::uint64_t best = 0;
  for (std::int64_t i = threadIdx.x; i < row.width; i += kThreads) {
    if (!row.IsSampleable(i) || row.z[i] == -INFINITY) continue;
    const std::uint64_t key = RankKey(row.z[i], static_cast<std::uint32_t>(i));
    best = best < key ? key : best;
  }
  best = BlockReduce<kThreads>(best, Largest{}, warps);
  const auto best_id = static_cast<std::int32_t>(0xffffffffu - static_cast<std::uint32_t>(best));
  if (best == 0 || p.top_k[r] == 1) {
    if (threadIdx.x == 0) p.tokens[r] = best == 0 ? -1 : best_id;
    return;
  }

  row.max = row.z[best_id];
  // ExponentScale of common/exp2_exact.h.
  const float scale = kLog2E / p.temperature[r];
  row.scale = scale < 3.4028234663852886e38f ? scale : 3.4028234663852886e38f;
  const SampleShared shared{sums, counts, warps, warp_counts, lowest, bucket, hit};
  const Cut cut =
      FindCut<kThreads>(row, static_cast<unsigned>(p.top_k[r]), p.top_p[r], p.min_p[r], shared);
  Draw<kThreads>(row, cut, p.random[r], shared, p.tokens + r);
}

}  // namespace sglrun::kernels::CU_WORLD
