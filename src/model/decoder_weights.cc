#include "model/decoder_weights.h"

#include "base/strings.h"
#include "kernels/cpu/form_of_floats.h"
#include "model/available_memory.h"

namespace sglrun::model {
namespace {

// Calls matrix(weight, rows, columns) and vector(weight, size) for every weight of the decoder:
// the one list of shapes behind sizing, allocating and counting.
template <class MatrixFn, class VectorFn>
void ForEachWeight(const ModelConfig& c, DecoderWeights& weights, MatrixFn matrix,
                   VectorFn vector) {
  const std::int64_t q = c.num_attention_heads * c.head_dim;
  const std::int64_t kv = c.num_key_value_heads * c.head_dim;
  const std::int64_t h = c.hidden_size, inner = c.intermediate_size;
  matrix(weights.embedding, c.vocab_size, h);
  if (!c.tie_word_embeddings) matrix(weights.head, c.vocab_size, h);
  vector(weights.final_norm, h);
  for (LayerWeights& layer : weights.layers) {
    vector(layer.input_norm, h);
    vector(layer.post_attention_norm, h);
    if (c.qk_norm) {
      vector(layer.q_norm, c.head_dim);
      vector(layer.k_norm, c.head_dim);
    }
    matrix(layer.qkv, q + 2 * kv, h);
    matrix(layer.output, h, q);
    matrix(layer.gate_up, 2 * inner, h);
    matrix(layer.down, h, inner);
    if (c.qkv_bias) vector(layer.qkv_bias, q + 2 * kv);
    if (c.output_bias) vector(layer.output_bias, h);
    if (c.mlp_bias) {
      vector(layer.gate_up_bias, 2 * inner);
      vector(layer.down_bias, h);
    }
  }
}

Error NoMemory(std::int64_t needed, const LoadOptions& options, std::int64_t available) {
  const bool is_smallest = options.dtype == tensor::DType::kI4;
  return Error{"the weights need " + FormatByteSize(needed) + " of memory in " +
               tensor::DTypeName(options.dtype) + ", " + FormatByteSize(available) +
               " are available" + (options.backend->device != nullptr ? " on the device" : "") +
               (is_smallest ? ": int4 is the smallest --dtype, take a smaller model"
                            : ": a smaller --dtype, int8 or int4, may fit")};
}

void SetForm(kernels::PackedWeight& weight, const kernels::WeightForm& form) {
  weight.dtype = form.dtype;
  weight.quant = form.quant;
}

// Every matrix with the form that it will have, nothing allocated.
DecoderWeights InTheirForms(const ModelConfig& config, const LoadOptions& options,
                            const ModelFiles* files) {
  DecoderWeights weights;
  weights.layers.resize(static_cast<std::size_t>(config.num_hidden_layers));
  ForEachWeight(
      config, weights,
      [&](kernels::PackedWeight& weight, std::int64_t, std::int64_t k) {
        SetForm(weight, kernels::FormOfFloats(*options.backend, options.dtype, k));
      },
      [](VectorWeight&, std::int64_t) {});
  if (options.dtype == tensor::DType::kI4) {
    SetForm(weights.embedding, kVocabularyDTypeOfInt4);
    SetForm(weights.head, kVocabularyDTypeOfInt4);
  }
  if (files != nullptr && kernels::WeightForm(options.dtype).quantized()) {
    ChooseQuantForms(*files, weights);
  }
  return weights;
}

// The sum of size(bytes) over all weights.
template <class SizeFn>
std::int64_t TotalBytes(const ModelConfig& config, const LoadOptions& options,
                        DecoderWeights& weights, SizeFn size) {
  std::size_t total = 0;
  ForEachWeight(
      config, weights,
      [&](kernels::PackedWeight& weight, std::int64_t n, std::int64_t k) {
        total += size(options.backend->table.packed_weight_bytes(n, k, weight.form()));
      },
      [&](VectorWeight&, std::int64_t n) { total += size(static_cast<std::size_t>(n) * 4); });
  return static_cast<std::int64_t>(total);
}

std::int64_t TotalBytes(const ModelConfig& config, const LoadOptions& options,
                        DecoderWeights& weights) {
  return TotalBytes(config, options, weights, [](std::size_t bytes) { return bytes; });
}

}  // namespace

std::int64_t DecoderWeights::bytes() const {
  std::size_t total = embedding.data.bytes() + head.data.bytes() + final_norm.data.bytes();
  for (const LayerWeights& layer : layers) {
    for (const kernels::PackedWeight* matrix :
         {&layer.qkv, &layer.output, &layer.gate_up, &layer.down}) {
      total += matrix->data.bytes();
    }
    for (const VectorWeight* vector :
         {&layer.input_norm, &layer.post_attention_norm, &layer.q_norm, &layer.k_norm,
          &layer.qkv_bias, &layer.output_bias, &layer.gate_up_bias, &layer.down_bias}) {
      total += vector->data.bytes();
    }
  }
  return static_cast<std::int64_t>(total);
}

std::int64_t DecoderWeightBytes(const ModelConfig& config, const LoadOptions& options,
                                const ModelFiles* files) {
  DecoderWeights weights = InTheirForms(config, options, files);
  return TotalBytes(config, options, weights);
}

Result<DecoderWeights> AllocateDecoderWeights(const ModelConfig& config, const LoadOptions& options,
                                              const ModelFiles* files) {
  DecoderWeights weights = InTheirForms(config, options, files);
  const std::int64_t total = TotalBytes(config, options, weights);
  const std::optional<std::int64_t> available = AvailableMemory(*options.backend);
  if (available && total > *available) return NoMemory(total, options, *available);
  tensor::Allocator* allocator = options.backend->allocator;
  bool ok = true;
  if (options.backend->device == nullptr) {
    const std::int64_t taken = TotalBytes(config, options, weights, tensor::Arena::Taken);
    weights.memory = std::make_unique<tensor::Arena>(*allocator, static_cast<std::size_t>(taken));
    allocator = weights.memory.get();
    ok = weights.memory->ok();
  }
  // The vectors beside each other: they are filled by one thread, which would touch, and so zero,
  // most huge pages of the matrices if it wrote between them.
  ForEachWeight(
      config, weights, [](kernels::PackedWeight&, std::int64_t, std::int64_t) {},
      [&](VectorWeight& weight, std::int64_t n) {
        weight = {n, tensor::Buffer(*allocator, static_cast<std::size_t>(n) * sizeof(float))};
        ok = ok && weight.data.ok();
      });
  ForEachWeight(
      config, weights,
      [&](kernels::PackedWeight& weight, std::int64_t n, std::int64_t k) {
        weight.n = n;
        weight.k = k;
        weight.data = tensor::Buffer(
            *allocator, options.backend->table.packed_weight_bytes(n, k, weight.form()));
        ok = ok && weight.data.ok();
      },
      [](VectorWeight&, std::int64_t) {});
  if (!ok) return NoMemory(total, options, available.value_or(0));
  return weights;
}

}  // namespace sglrun::model
