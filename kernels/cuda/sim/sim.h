// cu.h without nvcc: CUDA's execution model on the host. Every CUDA thread is a fiber (fiber.h),
// the threads of a block take turns on one thread of the system and change only inside the
// collective calls below. Device memory is heap.h's, the rules that are checked are machine.h's.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "kernels/cuda/sim/machine.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

struct uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

#define threadIdx (::sglrun::sim::current->thread)
#define blockIdx (::sglrun::sim::current->block)
#define blockDim (::sglrun::sim::current->block_size)
#define gridDim (::sglrun::sim::current->grid_size)

#define CU_SMEM(T, name) T* name = static_cast<T*>(::sglrun::sim::DynamicShared())
#define CU_SHARED(T, name, n) T* const name = ::sglrun::sim::StaticShared<T>(n, [] {})

// The place of the caller, for messages.
#define CU_AT const char *cu_file = __builtin_FILE(), int cu_line = __builtin_LINE()
#define CU_HERE(op)      \
  ::sglrun::sim::Site {  \
    cu_file, cu_line, op \
  }

inline void __syncthreads(CU_AT) {
  sglrun::sim::Barrier(CU_HERE("__syncthreads"));
}
inline int __syncthreads_count(int p, CU_AT) {
  return sglrun::sim::Barrier(CU_HERE("__syncthreads_count"), p != 0).count;
}
inline int __syncthreads_and(int p, CU_AT) {
  return sglrun::sim::Barrier(CU_HERE("__syncthreads_and"), p != 0).all;
}
inline int __syncthreads_or(int p, CU_AT) {
  return sglrun::sim::Barrier(CU_HERE("__syncthreads_or"), p != 0).any;
}
inline void __syncwarp(unsigned mask = 0xffffffffu, CU_AT) {
  sglrun::sim::WarpExchange(mask, 0, CU_HERE("__syncwarp"), sglrun::sim::Memory::kOrdered);
}

namespace sglrun::sim {

// One shuffle: what the lane `source` of this lane's section gave; `own` when there is none.
template <class T>
T Shuffle(unsigned mask, T value, unsigned source, bool is_inside, Site site) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  const std::uint64_t* lanes = WarpExchange(mask, bits, site, Memory::kUnordered);
  if (!is_inside) return value;
  RequireLane(mask, source, site);
  std::memcpy(&value, &lanes[source], sizeof value);
  return value;
}

}  // namespace sglrun::sim

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, CU_AT) {
  const unsigned section = sglrun::sim::current->lane & ~unsigned(width - 1);
  return sglrun::sim::Shuffle(mask, value, section | (unsigned(source) & unsigned(width - 1)), true,
                              CU_HERE("__shfl_sync"));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, CU_AT) {
  const unsigned lane = sglrun::sim::current->lane;
  const unsigned source = lane ^ unsigned(lanes);
  const unsigned section = ~unsigned(width - 1);
  return sglrun::sim::Shuffle(mask, value, source & 31u, (source & section) <= (lane & section),
                              CU_HERE("__shfl_xor_sync"));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned lanes, int width = 32, CU_AT) {
  const unsigned lane = sglrun::sim::current->lane;
  return sglrun::sim::Shuffle(mask, value, lane - lanes, (lane & unsigned(width - 1)) >= lanes,
                              CU_HERE("__shfl_up_sync"));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned lanes, int width = 32, CU_AT) {
  const unsigned lane = sglrun::sim::current->lane;
  return sglrun::sim::Shuffle(mask, value, lane + lanes,
                              (lane & unsigned(width - 1)) + lanes < unsigned(width),
                              CU_HERE("__shfl_down_sync"));
}
inline unsigned __ballot_sync(unsigned mask, int p, CU_AT) {
  const std::uint64_t* lanes = sglrun::sim::WarpExchange(mask, p != 0, CU_HERE("__ballot_sync"),
                                                         sglrun::sim::Memory::kUnordered);
  unsigned bits = 0;
  for (unsigned i = 0; i < 32; ++i) {
    if (((mask >> i) & 1u) != 0 && lanes[i] != 0) bits |= 1u << i;
  }
  return bits & sglrun::sim::WarpLanes();
}

inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>((Wide{a} * b) >> 64);
}
inline unsigned __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned, x);
}
inline float __uint_as_float(unsigned x) {
  return __builtin_bit_cast(float, x);
}
inline float rsqrtf(float x) {
  return 1.0f / std::sqrt(x);
}
inline int min(int a, int b) {
  return a < b ? a : b;
}
inline int max(int a, int b) {
  return a > b ? a : b;
}
inline unsigned min(unsigned a, unsigned b) {
  return a < b ? a : b;
}
inline unsigned max(unsigned a, unsigned b) {
  return a > b ? a : b;
}

// The fibers of a block never run at once, so a plain read and write is atomic; the checker is
// told.
template <class T, class Change>
__forceinline__ T sim_atomic(T* p, Change change) {
  sglrun::sim::NoteAtomic(p, sizeof(T));
  T old;
  sglrun::sim::CopyUnseen(&old, p, sizeof old);
  const T changed = change(old);
  sglrun::sim::CopyUnseen(p, &changed, sizeof changed);
  return old;
}
template <class T>
T atomicAdd(T* p, T value) {
  return sim_atomic(p, [&](T old) { return static_cast<T>(old + value); });
}
template <class T>
T atomicExch(T* p, T value) {
  return sim_atomic(p, [&](T) { return value; });
}
template <class T>
T atomicMin(T* p, T value) {
  return sim_atomic(p, [&](T old) { return value < old ? value : old; });
}

namespace sglrun::cu {
inline namespace sim_world {

namespace detail {
typedef unsigned Vector16 __attribute__((vector_size(16), may_alias));
}
// One access of 16 bytes, so that the checker sees it as one.
__forceinline__ uint4 ld16(const void* p) {
  return __builtin_bit_cast(uint4, *static_cast<const detail::Vector16*>(p));
}
__forceinline__ uint4 ld16_stream(const void* p) {
  return ld16(p);
}
__forceinline__ void st16(void* p, uint4 v) {
  *static_cast<detail::Vector16*>(p) = __builtin_bit_cast(detail::Vector16, v);
}

// Done at the wait: a forgotten wait reads NaN.
inline void cp_async16(void* shared, const void* global) {
  sim::CopyAsync(shared, global);
}
inline void cp_async_commit() {
  sim::CopyAsyncCommit();
}
template <int kKeep>
void cp_async_wait() {
  sim::CopyAsyncWait(kKeep);
}

inline void mma_bf16_16816(float d[4], const std::uint32_t a[4], const std::uint32_t b[2], CU_AT) {
  sim::Mma16816(d, a, b, sim::Half::kBF16, CU_HERE("mma"));
}
inline void mma_f16_16816(float d[4], const std::uint32_t a[4], const std::uint32_t b[2], CU_AT) {
  sim::Mma16816(d, a, b, sim::Half::kF16, CU_HERE("mma"));
}
inline void mma_s8_16832(int d[4], const std::uint32_t a[4], const std::uint32_t b[2], CU_AT) {
  sim::Mma16832(d, a, b, CU_HERE("mma"));
}
inline void ldmatrix_x4(std::uint32_t r[4], const void* shared, CU_AT) {
  sim::LdMatrix(r, shared, sim::Transposed::kNo, CU_HERE("ldmatrix"));
}
inline void ldmatrix_x4_trans(std::uint32_t r[4], const void* shared, CU_AT) {
  sim::LdMatrix(r, shared, sim::Transposed::kYes, CU_HERE("ldmatrix"));
}

// This world is compiled with -ffp-contract=off.
__forceinline__ float mul_exact(float a, float b) {
  return a * b;
}
__forceinline__ float add_exact(float a, float b) {
  return a + b;
}
__forceinline__ double mul_exact(double a, double b) {
  return a * b;
}
__forceinline__ double add_exact(double a, double b) {
  return a + b;
}

// On the null stream at once, else when the stream comes to it.
template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t smem, gpu::Stream stream,
            A... args) {
  sim::Launch(
      {grid, block, smem}, stream,
      [kernel, bound = std::tuple<P...>(static_cast<P>(args)...)] { std::apply(kernel, bound); });
}

}  // namespace sim_world
}  // namespace sglrun::cu
