// The part of cuBLASLt that we call, declared by ourselves: the library is opened at run time, and
// builds without the toolkit must compile the calling code, too, which the simulated device tests.
// Names and values are those of cublasLt.h of CUDA 13; where the toolkit is, cublaslt_facts.cc
// compares them with it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sglrun::gpu::lt {

inline constexpr int kMajorVersion = 13;
inline constexpr const char* kLibraryName = "libcublasLt.so.13";

inline constexpr int kSuccess = 0;

// cudaDataType_t, cublasComputeType_t, cublasOperation_t
inline constexpr int kFloat32 = 0, kBFloat16 = 14;
inline constexpr int kComputeFloat32 = 68;
inline constexpr std::int32_t kNoTranspose = 0, kTranspose = 1;

// Attributes of a product, an epilogue, attributes of a preference.
inline constexpr int kDescTransposeA = 3, kDescTransposeB = 4, kDescEpilogue = 7,
                     kDescBiasPointer = 8;
inline constexpr std::uint32_t kEpilogueBias = 4;
inline constexpr int kPreferenceWorkspace = 1, kPreferenceAlignmentC = 7, kPreferenceAlignmentD = 8;

using Handle = void*;
using Desc = void*;
using Layout = void*;
using Preference = void*;

// Plain bytes, which may be kept and given to the same version again.
struct Algorithm {
  std::uint64_t data[8];
};
struct HeuristicResult {
  Algorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

// All that is called; cublaslt_library.cc fills it in. Matrices are column by column.
struct Api {
  std::size_t (*get_version)();
  const char* (*get_status_string)(int status);
  int (*create)(Handle* handle);
  int (*destroy)(Handle handle);
  int (*desc_create)(Desc* desc, int compute, int scale);
  int (*desc_destroy)(Desc desc);
  int (*desc_set)(Desc desc, int attribute, const void* value, std::size_t bytes);
  int (*layout_create)(Layout* layout, int type, std::uint64_t rows, std::uint64_t columns,
                       std::int64_t leading);
  int (*layout_destroy)(Layout layout);
  int (*preference_create)(Preference* preference);
  int (*preference_destroy)(Preference preference);
  int (*preference_set)(Preference preference, int attribute, const void* value, std::size_t bytes);
  int (*heuristic)(Handle handle, Desc desc, Layout a, Layout b, Layout c, Layout d,
                   Preference preference, int requested, HeuristicResult* results, int* returned);
  int (*check)(Handle handle, Desc desc, Layout a, Layout b, Layout c, Layout d,
               const Algorithm* algorithm, HeuristicResult* result);
  int (*matmul)(Handle handle, Desc desc, const void* alpha, const void* a, Layout a_layout,
                const void* b, Layout b_layout, const void* beta, const void* c, Layout c_layout,
                void* d, Layout d_layout, const Algorithm* algorithm, void* workspace,
                std::size_t workspace_bytes, void* stream);
};

}  // namespace sglrun::gpu::lt
