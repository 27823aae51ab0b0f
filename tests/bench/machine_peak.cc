#include "bench/machine_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tensor/buffer.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sglrun::bench {
namespace {

// Chains that are independent of each other: more than a unit's latency times its rate.
constexpr int kChains = 16;
constexpr std::int64_t kTurns = 4'000'000;

// Keeps a result that nobody reads.
template <class T>
void Keep(const T& value) {
  __asm__ volatile("" : : "m"(value) : "memory");
}

#if defined(__x86_64__)

__attribute__((target("avx512f"))) double FloatChains512() {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(0.5f);
  const __m512 x = _mm512_set1_ps(0.999f);
  for (std::int64_t i = 0; i < kTurns; ++i) {
#pragma GCC unroll 16
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, x, x);
  }
  Keep(sums);
  return 2.0 * 16 * kChains * kTurns;
}

__attribute__((target("avx2,fma"))) double FloatChains256() {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(0.5f);
  const __m256 x = _mm256_set1_ps(0.999f);
  for (std::int64_t i = 0; i < kTurns; ++i) {
#pragma GCC unroll 16
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, x, x);
  }
  Keep(sums);
  return 2.0 * 8 * kChains * kTurns;
}

__attribute__((target("avx512f,avx512vnni"))) double Int8Chains() {
  __m512i sums[kChains];
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  const __m512i x = _mm512_set1_epi32(0x01010101);
  for (std::int64_t i = 0; i < kTurns; ++i) {
#pragma GCC unroll 16
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, x, x);
  }
  Keep(sums);
  return 2.0 * 64 * kChains * kTurns;
}

#endif

double NoChains() {
  return 0;
}

using Chains = double (*)();  // operations done

Chains FloatChains() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return FloatChains512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return FloatChains256;
#endif
  return NoChains;
}

Chains IntegerChains() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vnni")) return Int8Chains;
#endif
  return NoChains;
}

// Units of work a nanosecond, best of five; fn gives the units that a thread has done.
template <class Fn>
double Rate(ThreadPool& pool, const Fn& fn) {
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    std::vector<double> units(static_cast<std::size_t>(pool.threads()));
    const auto start = std::chrono::steady_clock::now();
    pool.Run([&](int thread, int threads) {
      units[static_cast<std::size_t>(thread)] = fn(thread, threads);
    });
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    double all = 0;
    for (const double part : units) all += part;
    best = std::max(best, all / time.count());
  }
  return best;
}

// Four lines a step, with the loads that the plain build has.
double ReadAll(const std::uint64_t* words, std::size_t count) {
  typedef std::uint64_t Line __attribute__((vector_size(64)));
  Line sums[4] = {};
  for (std::size_t i = 0; i + 32 <= count; i += 32) {
    Line lines[4];
    std::memcpy(lines, words + i, sizeof lines);
    for (int j = 0; j < 4; ++j) sums[j] ^= lines[j];
  }
  Keep(sums);
  return static_cast<double>(count * sizeof(std::uint64_t));
}

double ReadRate(ThreadPool& pool) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  const tensor::Buffer buffer(tensor::HostAllocator(), kBytes);
  if (!buffer.ok()) return 0;
  auto* words = static_cast<std::uint64_t*>(buffer.data());
  constexpr std::size_t kWords = kBytes / sizeof(std::uint64_t);
  std::fill(words, words + kWords, 1);
  return Rate(pool, [&](int thread, int threads) {
    const auto part = kWords / static_cast<std::size_t>(threads);
    return ReadAll(words + part * static_cast<std::size_t>(thread), part);
  });
}

}  // namespace

MachinePeak MeasurePeak(ThreadPool& pool) {
  const auto rate_of = [&](Chains chains) {
    return Rate(pool, [chains](int, int) { return chains(); });
  };
  return {rate_of(FloatChains()), rate_of(IntegerChains()), ReadRate(pool)};
}

}  // namespace sglrun::bench
