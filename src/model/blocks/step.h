// What the blocks of a model are handed during a forward pass.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/backend.h"
#include "model/blocks/adapter.h"
#include "model/blocks/forward_batch.h"
#include "model/blocks/rope_table.h"
#include "model/blocks/scratch.h"
#include "tensor/tensor_view.h"

namespace sglrun::model {

class Norm;

struct Step {
  const ForwardBatch& batch;  // its arrays are in the backend's memory
  Scratch& scratch;
  std::span<const RopeTable> ropes;
  const kernels::KernelTable& table;
  kernels::KernelContext& context;
  // Of the rows that the blocks are called with: the tokens of the batch, or those that are wanted.
  std::span<const AdapterRows> adapters;
  AdapterThreads& adapter_threads;
  // How far attention must reach: the longest row and the most new tokens of one.
  std::int64_t most_keys = 0, most_queries = 0;

  std::int64_t tokens() const { return static_cast<std::int64_t>(batch.token_ids.size()); }
  AdapterStep adapted() const { return {adapters, scratch, adapter_threads, table, context}; }
};

// Rows of the residual stream and the norm that the block puts in front of its products, so that a
// backend can make both one operation. An absent norm passes the rows on.
struct BlockInput {
  tensor::TensorView x;  // f32 [T, H]
  const Norm& norm;
};

struct BlockOutput {
  tensor::TensorView y;     // f32 [T, H], may be the input's x
  bool accumulate = false;  // add to what y holds
  float scale = 1;          // factor of the block's output
};

}  // namespace sglrun::model
