// One step of a model as flat arrays; nothing here knows requests.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/tensor_view.h"

namespace sglrun::model {

// Row r owns the tokens [query_start[r], query_start[r + 1]), the last ones of its kv_len[r] cached
// positions.
struct ForwardBatch {
  std::span<const std::int32_t> token_ids;    // [T]
  std::span<const std::int32_t> positions;    // [T * positions_per_token]
  int positions_per_token = 1;                // 1, or 3 for multimodal rope
  std::span<const std::int32_t> query_start;  // [R + 1]
  std::span<const std::int32_t> kv_len;       // [R], this step's tokens included
  // The adapter of each row, kNoAdapter (model/blocks/adapter.h) without one; empty: no row has one.
  // Always on the host.
  std::span<const std::int32_t> adapters = {};  // [R] or empty
  const std::int32_t* block_tables = nullptr;   // [R, block_table_stride] page numbers
  std::int64_t block_table_stride = 0;
  std::span<const std::int32_t> slots;  // [T] cache slot of each token
  // Tokens whose final hidden state is wanted, ascending indices into T.
  std::span<const std::int32_t> output_tokens;  // [J]
  // Rows that replace the embedding lookup (input_embeds): token t takes row embed_row[t] of
  // input_embeds unless that is -1. Both empty when no token has one.
  std::span<const std::int32_t> embed_row;  // [T] or empty
  tensor::TensorView input_embeds;          // f32 [E, H] or empty
  // Tokens that a draw has left in the backend's memory (kernels/draw.h): token t is
  // drawn[from_drawn[t]] unless that is -1. Empty when all are in token_ids.
  std::span<const std::int32_t> from_drawn;  // [T] or empty
  const std::int32_t* drawn = nullptr;
  // A step of one token per row whose outputs are all wanted, of a size that recurs: a device keeps
  // it as a graph. `hidden` and the cache are then the same ones, too.
  bool repeats = false;
};

}  // namespace sglrun::model
