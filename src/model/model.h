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
#include "model/blocks/forward_batch.h"
#include "model/files/config.h"
#include "model/files/model_files.h"
#include "model/kv_cache.h"
#include "model/spec/model_spec.h"
#include "model/weights/load_options.h"
#include "tensor/tensor_view.h"

namespace sglrun::model {

class Model {
 public:
  static Result<std::unique_ptr<Model>> Load(const ModelFiles& files, const LoadOptions& options,
                                             kernels::KernelContext& context);
  // Random weights in the shapes of `spec` (for benchmarks without a download).
  static Result<std::unique_ptr<Model>> Synthetic(const ModelSpec& spec, const LoadOptions& options,
                                                  kernels::KernelContext& context);
  ~Model();

  // For a plan, nothing is read or allocated: bytes of the weights of `files` and of the adapters,
  // and of the
  // activations of a step of that number of tokens.
  static std::int64_t WeightBytes(const ModelFiles& files, const LoadOptions& options);
  static std::int64_t ActivationBytes(const ModelSpec& spec, std::int64_t tokens);

  // Allocates the activations of the largest step now, so that no step has to.
  Status Reserve(std::int64_t tokens);
  // Makes room for what a sequence of that length needs beside its keys and values; false if there
  // is no
  // memory for it.
  bool ReservePositions(std::int64_t positions);

  const ModelSpec& spec() const;
  const SpecialTokens& special_tokens() const;  // none of a synthetic model
  const kernels::Backend& backend() const;
  std::int64_t weight_bytes() const;  // resident bytes of the packed weights

  // Runs the decoder over the batch, writes keys and values into `cache`, and gives the states
  // after the final norm of batch.output_tokens: hidden f32 [J, H]. Results of a token depend on
  // its own row only.
  void Forward(const ForwardBatch& batch, KvCache& cache, tensor::TensorView hidden);

  // logits[j, :] = head(hidden[j, :]), f32 [J, V]. adapters: of each row, as in ForwardBatch, or
  // empty.
  void Logits(tensor::TensorView hidden, std::span<const std::int32_t> adapters,
              tensor::TensorView logits);

  // Embedding rows, as input_embeds would give them: out f32 [ids, H].
  void Embed(std::span<const std::int32_t> ids, tensor::TensorView out);

 private:
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sglrun::model
