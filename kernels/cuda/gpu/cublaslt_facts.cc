// That cublaslt_api.h says what the toolkit's header says.
#include <cublasLt.h>

#include <type_traits>

#include "kernels/cuda/gpu/cublaslt_api.h"

namespace sglrun::gpu::lt {

static_assert(CUBLAS_VER_MAJOR == kMajorVersion);
static_assert(CUBLAS_STATUS_SUCCESS == kSuccess);
static_assert(CUDA_R_32F == kFloat32 && CUDA_R_16BF == kBFloat16);
static_assert(CUBLAS_COMPUTE_32F == kComputeFloat32);
static_assert(CUBLAS_OP_N == kNoTranspose && CUBLAS_OP_T == kTranspose);
static_assert(CUBLASLT_MATMUL_DESC_TRANSA == kDescTransposeA &&
              CUBLASLT_MATMUL_DESC_TRANSB == kDescTransposeB &&
              CUBLASLT_MATMUL_DESC_EPILOGUE == kDescEpilogue &&
              CUBLASLT_MATMUL_DESC_BIAS_POINTER == kDescBiasPointer);
static_assert(CUBLASLT_EPILOGUE_BIAS == kEpilogueBias);
static_assert(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES == kPreferenceWorkspace &&
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES == kPreferenceAlignmentC &&
              CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES == kPreferenceAlignmentD);
static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(Algorithm));
static_assert(sizeof(cublasLtMatmulHeuristicResult_t) == sizeof(HeuristicResult) &&
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) ==
                  offsetof(HeuristicResult, workspace) &&
              offsetof(cublasLtMatmulHeuristicResult_t, state) == offsetof(HeuristicResult, state));

// Enumerations and handles pass as int and pointers; the number and order of the arguments is what
// could be wrong.
template <class T>
struct Plain {
  using Type = T;
};
template <class T>
requires std::is_enum_v<T>
struct Plain<T> {
  using Type = int;
};
template <class T>
struct Plain<T*> {
  using Type = void*;
};
template <class Function>
struct Signature;
template <class R, class... Args>
struct Signature<R (*)(Args...)> {
  using Type = typename Plain<R>::Type (*)(typename Plain<Args>::Type...);
};
template <auto kTheirs, class Ours>
constexpr bool kFits =
    std::is_same_v<typename Signature<decltype(kTheirs)>::Type, typename Signature<Ours>::Type>;

static_assert(kFits<&cublasLtGetVersion, decltype(Api::get_version)>);
static_assert(kFits<&cublasLtGetStatusString, decltype(Api::get_status_string)>);
static_assert(kFits<&cublasLtCreate, decltype(Api::create)>);
static_assert(kFits<&cublasLtDestroy, decltype(Api::destroy)>);
static_assert(kFits<&cublasLtMatmulDescCreate, decltype(Api::desc_create)>);
static_assert(kFits<&cublasLtMatmulDescDestroy, decltype(Api::desc_destroy)>);
static_assert(kFits<&cublasLtMatmulDescSetAttribute, decltype(Api::desc_set)>);
static_assert(kFits<&cublasLtMatrixLayoutCreate, decltype(Api::layout_create)>);
static_assert(kFits<&cublasLtMatrixLayoutDestroy, decltype(Api::layout_destroy)>);
static_assert(kFits<&cublasLtMatmulPreferenceCreate, decltype(Api::preference_create)>);
static_assert(kFits<&cublasLtMatmulPreferenceDestroy, decltype(Api::preference_destroy)>);
static_assert(kFits<&cublasLtMatmulPreferenceSetAttribute, decltype(Api::preference_set)>);
static_assert(kFits<&cublasLtMatmulAlgoGetHeuristic, decltype(Api::heuristic)>);
static_assert(kFits<&cublasLtMatmulAlgoCheck, decltype(Api::check)>);
static_assert(kFits<&cublasLtMatmul, decltype(Api::matmul)>);

}  // namespace sglrun::gpu::lt
