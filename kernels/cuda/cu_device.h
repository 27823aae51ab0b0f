// cu.h as nvcc sees it: intrinsics and PTX.
#pragma once

#include <cuda_runtime.h>

// Dynamic shared memory of the block; one a kernel.
#define CU_SMEM(T, name)                                    \
  extern __shared__ __align__(16) unsigned char cu_smem_[]; \
  T* name = reinterpret_cast<T*>(cu_smem_)
// A static shared array of n elements.
#define CU_SHARED(T, name, n) __shared__ __align__(16) T name[n]

namespace sglrun::cu {

// Stops the program: a launch that cannot start is our mistake or a lost device.
[[noreturn]] void fail_launch(int error);

inline namespace gpu_world {

template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t smem, gpu::Stream stream,
            A... args) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = smem;
  config.stream = reinterpret_cast<cudaStream_t>(stream);
  cudaError_t error = cudaSuccess;
  if (smem > 48 * 1024) {
    error =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(smem));
  }
  if (error == cudaSuccess) error = cudaLaunchKernelEx(&config, kernel, static_cast<P>(args)...);
  if (error != cudaSuccess) fail_launch(static_cast<int>(error));
}

__device__ __forceinline__ uint4 ld16(const void* p) {
  return *static_cast<const uint4*>(p);
}
__device__ __forceinline__ void st16(void* p, uint4 v) {
  *static_cast<uint4*>(p) = v;
}

// Read once: not kept in the first-level cache.
__device__ __forceinline__ uint4 ld16_stream(const void* p) {
  uint4 r;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3},[%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "l"(p));
  return r;
}

// 16 bytes from device to shared memory without passing through registers. A thread waits for its
// own groups; others see the bytes after a barrier that follows the wait.
__device__ __forceinline__ void cp_async16(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))),
               "l"(global)
               : "memory");
}
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Until at most `kKeep` of the thread's groups are under way.
template <int kKeep>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kKeep) : "memory");
}

// d(16x8, f32) += a(16x16, bf16, by rows) * b(16x8, bf16, by columns); fragments as in the PTX
// manual.
__device__ __forceinline__ void mma_bf16_16816(float d[4], const std::uint32_t a[4],
                                               const std::uint32_t b[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma_f16_16816(float d[4], const std::uint32_t a[4],
                                              const std::uint32_t b[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// d(16x8, int32) += a(16x32, signed bytes, by rows) * b(32x8, signed bytes, by columns).
__device__ __forceinline__ void mma_s8_16832(int d[4], const std::uint32_t a[4],
                                             const std::uint32_t b[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Four 8x8 matrices of 16-bit elements; lane i gives the address of row i % 8 of matrix i / 8.
__device__ __forceinline__ void ldmatrix_x4(std::uint32_t r[4], const void* shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared)))
               : "memory");
}
__device__ __forceinline__ void ldmatrix_x4_trans(std::uint32_t r[4], const void* shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared)))
               : "memory");
}

// For results with the same bits everywhere: each step is rounded, no two are contracted.
__device__ __forceinline__ float mul_exact(float a, float b) {
  return __fmul_rn(a, b);
}
__device__ __forceinline__ float add_exact(float a, float b) {
  return __fadd_rn(a, b);
}
__device__ __forceinline__ double mul_exact(double a, double b) {
  return __dmul_rn(a, b);
}
__device__ __forceinline__ double add_exact(double a, double b) {
  return __dadd_rn(a, b);
}

}  // namespace gpu_world
}  // namespace sglrun::cu
