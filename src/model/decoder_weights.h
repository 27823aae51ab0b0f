// The weights of the shared decoder in their resident form: matrices packed by the backend, vectors
// as float32.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "kernels/backend.h"
#include "kernels/packed_weight.h"
#include "model/config.h"
#include "model/model.h"
#include "tensor/arena.h"
#include "tensor/buffer.h"
#include "tensor/tensor_view.h"

namespace sglrun::model {

// f32 [n], or empty when the model has none.
struct VectorWeight {
  std::int64_t n = 0;
  tensor::Buffer data;

  // From the host's values.
  void Fill(const float* values, std::int64_t count, std::int64_t first,
            const kernels::Backend& backend, kernels::KernelContext& context) {
    backend.table.upload(data.as<float>() + first, values,
                         static_cast<std::size_t>(count) * sizeof(float), context);
  }

  tensor::TensorView view() const {
    return n == 0 ? tensor::TensorView{} : tensor::MakeView(data.data(), tensor::DType::kF32, {n});
  }
};

struct LayerWeights {
  VectorWeight input_norm, post_attention_norm;
  VectorWeight q_norm, k_norm;
  // Rows of q, then k, then v; rows of gate, then up: one matrix each, so that an activation is
  // read once.
  kernels::PackedWeight qkv, output, gate_up, down;
  VectorWeight qkv_bias, output_bias, gate_up_bias, down_bias;
};

// The rows of the vocabulary are seen alone, as inputs and as logits: they are the last place to
// save bits at.
inline constexpr tensor::DType kVocabularyDTypeOfInt4 = tensor::DType::kI8;

struct DecoderWeights {
  DecoderWeights() = default;
  DecoderWeights(DecoderWeights&&) = default;
  DecoderWeights& operator=(DecoderWeights&&) = delete;  // memory would go before its buffers

  // Of the buffers below, on the host. First: it outlives them.
  std::unique_ptr<tensor::Arena> memory;
  kernels::PackedWeight embedding;
  kernels::PackedWeight head;  // n == 0 when the embedding serves as the head
  VectorWeight final_norm;
  std::vector<LayerWeights> layers;

  std::int64_t bytes() const;
};

// Allocates everything in the shapes of `config`, contents undefined. Refuses with the sizes when
// the memory is not there. `files`: where the weights will come from, which decides the form of
// quantised ones; nullptr for random ones.
Result<DecoderWeights> AllocateDecoderWeights(const ModelConfig& config, const LoadOptions& options,
                                              const ModelFiles* files);

// The bytes of all that, without allocating it.
std::int64_t DecoderWeightBytes(const ModelConfig& config, const LoadOptions& options,
                                const ModelFiles* files);

// Sets the form of every matrix where int8 or int4 arithmetic is asked for: a quantised source
// keeps its own integers, the others are quantised in the form that the matrix has before.
void ChooseQuantForms(const ModelFiles& files, DecoderWeights& weights);

// Fills the weights from `files`, dequantising and packing block by block on all threads, and lets
// go of the source pages behind it.
void FillDecoderWeights(const ModelFiles& files, const LoadOptions& options,
                        kernels::KernelContext& context, DecoderWeights& weights);

// Fills the weights with random numbers of the size that keeps activations near one.
void RandomiseDecoderWeights(const LoadOptions& options, kernels::KernelContext& context,
                             DecoderWeights& weights);

}  // namespace sglrun::model
