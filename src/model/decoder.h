// The decoder that all families share: norm, attention, norm, gated MLP, over a ragged batch.
// Activations are float32 in buffers that are kept from step to step.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/backend.h"
#include "model/config.h"
#include "model/decoder_weights.h"
#include "model/kv_cache.h"
#include "model/model.h"
#include "model/rope_table.h"

namespace sglrun::model {

// A float32 matrix that grows and never shrinks.
class Activation {
 public:
  tensor::TensorView Resize(tensor::Allocator& allocator, std::int64_t rows, std::int64_t columns);
  // Room for so much; false when there is no memory for it.
  bool Reserve(tensor::Allocator& allocator, std::int64_t rows, std::int64_t columns);

 private:
  tensor::Buffer buffer_;
};

class Decoder {
 public:
  Decoder(const ModelConfig& config, DecoderWeights weights, const kernels::Backend& backend,
          kernels::KernelContext& context);

  void Forward(const ForwardBatch& host, KvCache& cache, tensor::TensorView hidden);
  void Logits(tensor::TensorView hidden, tensor::TensorView logits);
  void Embed(std::span<const std::int32_t> ids, tensor::TensorView out);

  std::int64_t weight_bytes() const { return weights_.bytes(); }

  // The activations of a step of so many tokens, which are kept from then on.
  static std::int64_t ActivationBytes(const ModelConfig& config, std::int64_t tokens);
  Status Reserve(std::int64_t tokens);
  // The angles of so many positions; false when there is no memory for them.
  bool ReservePositions(std::int64_t positions) {
    return rope_.Reserve(positions, *backend_, *context_);
  }

 private:
  // Views of this step's activations.
  struct Step {
    tensor::TensorView x;          // [T, H] the residual stream
    tensor::TensorView normed;     // [T, H]
    tensor::TensorView qkv;        // [T, (Hq + 2 Hkv) * D]
    tensor::TensorView attention;  // [T, Hq * D]
    tensor::TensorView gate_up;    // [T, 2 I]
    tensor::TensorView inner;      // [T, I]
  };

  Step Prepare(std::int64_t tokens);
  // All layers of a batch whose arrays are in the backend's memory.
  void RunLayers(const ForwardBatch& batch, const KvCache& cache, tensor::TensorView hidden);
  void Measure(const ForwardBatch& batch);
  void EmbedTokens(const ForwardBatch& batch, tensor::TensorView x);
  // The rows of `tokens` alone, in buffers of their own.
  Step KeepRows(const Step& step, std::span<const std::int32_t> tokens);
  // The arguments of operations. Norms of heads are in place.
  kernels::RmsNormArgs NormOf(tensor::TensorView x, const VectorWeight& weight,
                              tensor::TensorView y) const;
  kernels::RmsNormArgs HeadNormOf(tensor::TensorView x, const VectorWeight& weight,
                                  std::int64_t heads) const;
  kernels::RopeArgs RopeOf(tensor::TensorView x, std::int64_t heads,
                           const ForwardBatch& batch) const;
  // Queries, keys and values of the step; keys and values go to the cache.
  void ProjectQkv(const LayerWeights& layer, const ForwardBatch& batch,
                  const kernels::KvCacheView& cache, Step& step);
  void Attend(std::size_t layer, const ForwardBatch& batch, const kernels::KvCacheView& cache,
              Step& step);
  // The output projection and the MLP, each added to the residual.
  void Finish(const LayerWeights& layer, Step& step);

  ModelConfig config_;
  DecoderWeights weights_;
  const kernels::Backend* backend_;
  kernels::KernelContext* context_;
  RopeTable rope_;
  Activation x_, normed_, qkv_, attention_, gate_up_, inner_;
  Activation kept_x_, kept_attention_;
  std::int64_t most_keys_ = 0, most_queries_ = 0;  // of the step's rows
};

}  // namespace sglrun::model
