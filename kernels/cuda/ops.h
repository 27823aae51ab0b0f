// The operations of the CUDA shelf as its backend calls them: one struct of parameters a kernel,
// all pointers in device memory, and one table of launchers a world. Launchers only enqueue: they
// neither allocate nor wait, and everything that changes from step to step is read from device
// arrays, so that a captured graph can be replayed. The contracts are those of kernels/*.h.
//
// Compiled by nvcc this is the GPU, by any C++ compiler the simulated device; this header names no
// type of either.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/activation.h"
#include "kernels/kv_cache.h"
#include "kernels/norm.h"

namespace sglrun::gpu {
struct StreamTag;
using Stream = StreamTag*;
}  // namespace sglrun::gpu

namespace sglrun::kernels::cuda {

enum class WeightType : std::uint8_t { kF32, kBF16, kF16, kI8, kI4 };

// A matrix [n, k] by rows; each row is filled with zeros up to PaddedK(k) elements. Quantised ones
// (kernels/packed_weight.h) are laid out as quant_weight.h says.
struct Weight {
  const void* data = nullptr;
  WeightType type = WeightType::kBF16;
  std::int64_t n = 0;
  std::int64_t k = 0;
  // Of kI8 and kI4.
  std::int32_t group = 32;
  bool wide_scales = false;
  bool minima = false;
};
constexpr bool IsQuantized(WeightType type) {
  return type == WeightType::kI8 || type == WeightType::kI4;
}

constexpr std::int64_t PaddedK(std::int64_t k) {
  return (k + 31) / 32 * 32;
}
std::size_t WeightBytes(const Weight& weight);
inline std::size_t WeightBytes(std::int64_t n, std::int64_t k, WeightType type) {
  return WeightBytes(Weight{nullptr, type, n, k});
}

// float32 rows `stride` elements apart.
struct Rows {
  float* data = nullptr;
  std::int64_t stride = 0;
};

// Not for quantised weights, which the host encodes (quant_weight.h).
struct PackRowsParams {
  Rows rows;  // [count, k]
  std::int64_t count = 0;
  std::int64_t first_row = 0;
  Weight weight;  // written
};

struct EmbedParams {
  const std::int32_t* ids = nullptr;  // [tokens]
  std::int64_t tokens = 0;
  Weight weight;
  Rows out;
  float scale = 1;
};

// out[i] = in[rows[i]]; out and in do not overlap.
struct GatherRowsParams {
  const std::int32_t* rows = nullptr;  // [count]
  std::int64_t count = 0;
  std::int64_t width = 0;
  Rows in, out;
};

struct NormParams {
  Rows x, add;  // add.data null: none
  const float* weight = nullptr;
  Rows y;
  std::int64_t tokens = 0, groups = 1, size = 0;
  float eps = 0;
  NormKind kind = NormKind::kRms;
  const float* bias = nullptr;  // or null
};

struct RopeParams {
  Rows x;
  std::int64_t tokens = 0, heads = 0, head_dim = 0;
  const std::int32_t* positions = nullptr;  // [tokens * positions_per_token]
  std::int32_t positions_per_token = 1;
  const std::uint8_t* axis = nullptr;  // [half] or null
  const float* cos_table = nullptr;
  const float* sin_table = nullptr;
  std::int64_t table_stride = 0, half = 0;
};

// A layer's pages: keys [kPageSize][heads][head_dim], then values, by page.
struct Cache {
  void* data = nullptr;
  bool is_bf16 = true;  // else float32
  std::int32_t heads = 0, head_dim = 0;
};
std::size_t PageBytes(std::int64_t heads, std::int64_t head_dim, bool is_bf16);

struct StoreKvParams {
  Rows k, v;
  const std::int32_t* slots = nullptr;  // [tokens]
  std::int64_t tokens = 0;
  Cache cache;
};

// The norm of rows or heads in front of something else, always kRms; weight null: none.
struct NormInput {
  const float* weight = nullptr;
  float eps = 0;
};

// The norms of q and k, their rope, and the keys and values into the cache. q is changed in place.
struct RotateAndStoreParams {
  RopeParams q;
  NormInput q_norm, k_norm;
  StoreKvParams store;
};

struct ActivationParams {
  Rows x, y;
  std::int64_t tokens = 0, size = 0;
  ActivationKind kind = ActivationKind::kSilu;
  bool gated = true;
  float cap = 1;
};

// How a product gets its x if x is not computed yet: from rows [m, k] by a norm, or from rows
// [m, 2 k] by silu(a) b.
enum class InputKind : std::uint8_t { kRows, kNormed, kGated };
struct ProductInput {
  InputKind kind = InputKind::kRows;
  NormInput norm;  // of kNormed
};

// Scratch of a gemm holds x in bf16 when it has more rows than kGemmSmallRows, or as the integers
// that quantised weights are multiplied with.
inline constexpr std::int64_t kGemmSmallRows = 8;
struct GemmParams {
  Rows x;
  ProductInput input;
  std::int64_t m = 0;
  Weight weight;
  const float* bias = nullptr;
  Rows y;
  bool accumulate = false;
  bool gates = false;  // y [m, n / 2] is silu(a) b of the product
  float alpha = 1;     // of the product and its bias
  void* scratch = nullptr;
};
// Whether the product's kernel can compute x itself, and whether silu(a) b can follow in it.
bool GemmTakes(InputKind kind, const GemmParams& params);
bool GemmGates(const GemmParams& params);
std::size_t GemmScratchBytes(std::int64_t m, const Weight& weight);

// Algorithms of cuBLASLt are timed with at most kMostTrialRows rows; larger products use the same.
inline constexpr std::int64_t kMostTrialRows = 2048;
// x as its products read it (library_products.h): bf16 [m, PaddedK(k)], zeros after k.
struct RoundRowsParams {
  Rows x;
  ProductInput input;
  std::int64_t m = 0, k = 0;
  void* rounded = nullptr;
};
// A block's tile of a product of many rows, and the tiles that are enough to keep a large GPU busy.
inline constexpr std::int64_t kTileOutputs = 128, kTileRows = 64, kEnoughTiles = 128;
// Among how many blocks the runs of K of a tile are divided: more when there are few tiles.
std::int64_t GemmShares(std::int64_t m, std::int64_t n);

// Keys of a split: a block's share of a sequence in decode. Depends on nothing, so a query's bits
// are the same however it came in.
inline constexpr std::int64_t kAttentionSplit = 256;
struct AttentionParams {
  Rows q, out;
  std::int64_t num_heads = 0;
  std::int64_t tokens = 0;                     // queries of all rows, query_start[R]
  std::int64_t rows = 0;                       // R
  const std::int32_t* query_start = nullptr;   // [R + 1]
  const std::int32_t* kv_len = nullptr;        // [R]
  const std::int32_t* block_tables = nullptr;  // [R, block_table_stride]
  std::int64_t block_table_stride = 0;
  Cache cache;
  float scale = 1;
  std::int64_t window = 0;
  float softcap = 0;  // 0: none
  // What the launch must cover, known to the host: more than needed only costs empty blocks. Rows
  // of one query take the decode form, the others the prefill form.
  std::int64_t max_splits = 0;   // of rows with one query: AttentionSplits(longest kv_len, window)
  std::int64_t max_queries = 0;  // the largest number of queries of a row
  // Scratch of the decode form: AttentionScratchBytes.
  float* partials = nullptr;
};
std::int64_t AttentionSplits(std::int64_t kv_len, std::int64_t window);
std::size_t AttentionScratchBytes(std::int64_t rows, std::int64_t num_heads, std::int64_t head_dim,
                                  std::int64_t max_splits);

struct LogitsProcessParams {
  Rows logits;
  std::int64_t rows = 0, width = 0;
  // Steps that no row takes have null arrays (see kernels/logits_process.h).
  const std::int32_t* count_begin = nullptr;
  const std::int32_t* count_ids = nullptr;
  const std::int32_t* counts = nullptr;
  const float* frequency_penalty = nullptr;
  const float* presence_penalty = nullptr;
  const float* repetition_penalty = nullptr;
  const std::int32_t* ban_begin = nullptr;
  const std::int32_t* ban_ids = nullptr;
  float* ban_saved = nullptr;  // scratch, as many as ban_ids
  const std::uint32_t* mask = nullptr;
  std::int64_t mask_stride = 0;
  const std::int32_t* mask_line = nullptr;
  const std::int32_t* bias_begin = nullptr;
  const std::int32_t* bias_ids = nullptr;
  const float* bias_values = nullptr;
  std::uint8_t* status = nullptr;  // RowStatus
};

struct SampleParams {
  Rows logits;
  std::int64_t rows = 0, width = 0;
  const float* temperature = nullptr;
  const std::int32_t* top_k = nullptr;
  const double* top_p = nullptr;
  const double* min_p = nullptr;
  const std::uint64_t* random = nullptr;
  const std::uint32_t* sampleable = nullptr;  // or null
  const std::uint8_t* active = nullptr;       // or null
  std::int32_t* tokens = nullptr;
};

// Best tokens of a row that are put in order in shared memory.
inline constexpr std::int64_t kLogprobsSharedTop = 1024;
struct LogprobsParams {
  Rows logits;
  std::int64_t rows = 0, width = 0;
  const float* temperature = nullptr;
  const std::uint8_t* active = nullptr;     // or null
  const std::int32_t* ask_begin = nullptr;  // or null
  const std::int32_t* ask_ids = nullptr;
  float* ask_logprobs = nullptr;
  const std::int32_t* top_begin = nullptr;  // or null
  std::int32_t* top_ids = nullptr;
  float* top_logprobs = nullptr;
  std::int64_t max_top = 0;          // the largest n of a row
  std::uint64_t* scratch = nullptr;  // LogprobsScratchBytes
};
// Entries a row that do not fit into shared memory: a power of two, or 0.
constexpr std::int64_t LogprobsScratchTop(std::int64_t max_top) {
  if (max_top <= kLogprobsSharedTop) return 0;
  std::int64_t size = 1;
  while (size < max_top) size *= 2;
  return size;
}
std::size_t LogprobsScratchBytes(std::int64_t rows, std::int64_t max_top);

// Between the operations of a draw (kernels/draw.h).
struct DrawParams {
  std::int64_t rows = 0;
  std::uint8_t* status = nullptr;       // of logits_process
  std::uint8_t* sampled = nullptr;      // `active` of sample
  std::int32_t* tokens = nullptr;       // of sample
  std::int32_t* kept_tokens = nullptr;  // or null
  std::uint8_t* told = nullptr;         // `active` of logprobs; null: no row has them
  const std::uint8_t* chosen = nullptr;
  const std::int32_t* ask_begin = nullptr;
  std::int32_t* ask_ids = nullptr;
};

struct FeedDrawnParams {
  std::int32_t* ids = nullptr;
  const std::int32_t* from = nullptr;
  const std::int32_t* drawn = nullptr;
  std::int64_t count = 0;
};

struct Ops {
  void (*pack_rows)(const PackRowsParams& params, gpu::Stream stream);
  void (*embed)(const EmbedParams& params, gpu::Stream stream);
  void (*gather_rows)(const GatherRowsParams& params, gpu::Stream stream);
  void (*gemm)(const GemmParams& params, gpu::Stream stream);
  void (*round_rows)(const RoundRowsParams& params, gpu::Stream stream);
  void (*norm)(const NormParams& params, gpu::Stream stream);
  void (*rope)(const RopeParams& params, gpu::Stream stream);
  void (*store_kv)(const StoreKvParams& params, gpu::Stream stream);
  void (*rotate_and_store)(const RotateAndStoreParams& params, gpu::Stream stream);
  void (*paged_attention)(const AttentionParams& params, gpu::Stream stream);
  void (*activation)(const ActivationParams& params, gpu::Stream stream);
  void (*logits_process)(const LogitsProcessParams& params, gpu::Stream stream);
  void (*sample)(const SampleParams& params, gpu::Stream stream);
  void (*logprobs)(const LogprobsParams& params, gpu::Stream stream);
  void (*admit_rows)(const DrawParams& params, gpu::Stream stream);
  void (*settle_rows)(const DrawParams& params, gpu::Stream stream);
  void (*feed_drawn)(const FeedDrawnParams& params, gpu::Stream stream);
};

}  // namespace sglrun::kernels::cuda

namespace sglrun::kernels::gpu_world {
const cuda::Ops& CudaOps();
}
namespace sglrun::kernels::sim_world {
const cuda::Ops& CudaOps();
}
