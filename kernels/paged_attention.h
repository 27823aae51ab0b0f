// paged_attention: causal attention of this step's queries over the cached keys and values, which
// already hold this step's tokens (store_kv runs first).
//   o = sum_j softmax_j(c(scale * q . k_j)) v_j over the keys j that the query at position i may
//   see: j <= i, and j > i - window when a window is set. Query head h reads kv head h / (Hq / Hkv).
//   c(s) is s, or softcap * tanh(s / softcap) where a soft cap is set.
// Prefill chunks and decode rows are the same call: row r has query_start[r+1] - query_start[r]
// queries at the last positions of its kv_len[r] keys (Milakov and Gimelshein 2018,
// arXiv:1805.02867, for the online softmax; pages after Kwon et al. 2023, arXiv:2309.06180).
//
// A query's result depends on its own row's keys alone, in blocks of whole pages from the first
// visible page on: not on the other rows, the chunking of the prompt, or the threads.
//
// With a bf16 cache, q and the softmax weights may be rounded to bf16 before their products; sums
// and the softmax are float32. Error on unit-variance inputs: 1e-5 with a float32 cache. With bf16,
// rounding q moves a score, and rounding a weight moves it, by 2^-9 / sqrt(3) of itself, so outputs
// are off by 1.2e-3 on average; 1e-2, eight times that, bounds a single element. An int8 cache
// stands for its integers times their scale, in products of float32: 1e-5 from those values.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/context.h"
#include "kernels/kv_cache.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct PagedAttentionArgs {
  tensor::TensorView q;                        // f32 [T, Hq * D], row stride free
  tensor::TensorView out;                      // f32 [T, Hq * D]
  std::int64_t num_heads = 0;                  // Hq, a multiple of Hkv
  std::span<const std::int32_t> query_start;   // [R + 1], query_start[R] == T
  std::span<const std::int32_t> kv_len;        // [R], >= number of the row's queries
  const std::int32_t* block_tables = nullptr;  // [R, block_table_stride] page numbers
  std::int64_t block_table_stride = 0;
  KvCacheView cache;
  float scale = 1.0f;
  std::int64_t window = 0;  // 0: none
  float softcap = 0.0f;     // 0: none
  // Bounds of kv_len and of a row's queries, for a backend whose host cannot read the arrays.
  std::int64_t most_keys = 0;
  std::int64_t most_queries = 0;
};

std::string Check(const PagedAttentionArgs& args);

}  // namespace sglrun::kernels
