// A loaded model: weights packed by the backend, and the forward pass over a ragged, paged batch.
//
//   SGLRUN_ASSIGN_OR_RETURN(ModelFiles files, ModelFiles::Open(path));  // headers only, verified
//   SGLRUN_ASSIGN_OR_RETURN(auto model, Model::Load(files, options, context));
//   model->Forward(batch, cache, hidden);  model->Logits(hidden, logits);
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/hash.h"
#include "base/result.h"
#include "kernels/backend.h"
#include "model/config.h"
#include "model/kv_cache.h"
#include "model/model_files.h"
#include "tensor/tensor_view.h"

namespace sglrun::model {

// One step as flat arrays; nothing here knows requests. Row r owns the tokens
// [query_start[r], query_start[r + 1]), the last ones of its kv_len[r] cached positions.
struct ForwardBatch {
  std::span<const std::int32_t> token_ids;     // [T]
  std::span<const std::int32_t> positions;     // [T * positions_per_token]
  int positions_per_token = 1;                 // 1, or 3 for multimodal rope
  std::span<const std::int32_t> query_start;   // [R + 1]
  std::span<const std::int32_t> kv_len;        // [R], this step's tokens included
  const std::int32_t* block_tables = nullptr;  // [R, block_table_stride] page numbers
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
  // A step of one token a row, all of them wanted, of a size that comes again: a device keeps it as
  // a graph. `hidden` and the cache are then the same ones, too.
  bool repeats = false;
};

struct LoadOptions {
  // Arithmetic form of the weights. kI8 and kI4 leave quantised tensors their own integers and
  // quantise the others.
  tensor::DType dtype = tensor::DType::kBF16;
  const kernels::Backend* backend = nullptr;
  // If it is there, it becomes ModelFiles::Fingerprint: packing reads every byte anyway.
  Hash128* fingerprint = nullptr;
  // Once it is set the rest is left out: nobody wants the model.
  const std::atomic<bool>* stop = nullptr;
};

class Model {
 public:
  static Result<std::unique_ptr<Model>> Load(const ModelFiles& files, const LoadOptions& options,
                                             kernels::KernelContext& context);
  // Random weights in the shapes of `config` (for benchmarks without a download).
  static Result<std::unique_ptr<Model>> Synthetic(const ModelConfig& config,
                                                  const LoadOptions& options,
                                                  kernels::KernelContext& context);
  ~Model();

  // For a plan, nothing is read or allocated: bytes of the weights of `files`, and of the
  // activations of a step of so many tokens.
  static std::int64_t WeightBytes(const ModelFiles& files, const LoadOptions& options);
  static std::int64_t ActivationBytes(const ModelConfig& config, std::int64_t tokens);

  // Allocates the activations of the largest step now, so that no step has to.
  Status Reserve(std::int64_t tokens);
  // What a sequence of so many tokens needs beside its keys and values; false when there is no
  // memory for it.
  bool ReservePositions(std::int64_t positions);

  const ModelConfig& config() const;
  const kernels::Backend& backend() const;
  std::int64_t weight_bytes() const;  // resident bytes of the packed weights

  // Runs the decoder over the batch, writes keys and values into `cache`, and gives the states
  // after the final norm of batch.output_tokens: hidden f32 [J, H]. Results of a token depend on
  // its own row only.
  void Forward(const ForwardBatch& batch, KvCache& cache, tensor::TensorView hidden);

  // logits[j, :] = head(hidden[j, :]), f32 [J, V].
  void Logits(tensor::TensorView hidden, tensor::TensorView logits);

  // Embedding rows, as input_embeds would give them: out f32 [ids, H].
  void Embed(std::span<const std::int32_t> ids, tensor::TensorView out);

 private:
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sglrun::model
