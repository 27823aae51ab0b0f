#include "model/decoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sglrun::model {
namespace {

using tensor::TensorView;

// Columns [first, first + count) of a 2-D view.
TensorView Columns(TensorView view, std::int64_t first, std::int64_t count) {
  view.data = view.f32() + first;
  view.shape[1] = count;
  return view;
}

// Moves the rows of `tokens` (ascending) to the front.
void KeepRows(TensorView view, std::span<const std::int32_t> tokens) {
  const std::size_t bytes = static_cast<std::size_t>(view.shape[1]) * sizeof(float);
  for (std::size_t j = 0; j < tokens.size(); ++j) {
    const auto to = static_cast<std::int64_t>(j);
    if (tokens[j] != to) std::memmove(view.row(to), view.row(tokens[j]), bytes);
  }
}

}  // namespace

TensorView Activation::Resize(tensor::Allocator& allocator, std::int64_t rows,
                              std::int64_t columns) {
  const std::size_t bytes = static_cast<std::size_t>(rows * columns) * sizeof(float);
  if (buffer_.bytes() < bytes) {
    buffer_ = tensor::Buffer(allocator, bytes);
    CHECK(buffer_.ok()) << "no memory for " << bytes << " bytes of activations";
  }
  return tensor::MakeView(buffer_.data(), tensor::DType::kF32, {rows, columns});
}

Decoder::Decoder(const ModelConfig& config, DecoderWeights weights, const kernels::Backend& backend,
                 kernels::KernelContext& context)
    : config_(config),
      weights_(std::move(weights)),
      backend_(&backend),
      context_(&context),
      rope_(config.rope) {}

void Decoder::Forward(const ForwardBatch& batch, KvCache& cache, TensorView hidden) {
  const auto tokens = static_cast<std::int64_t>(batch.token_ids.size());
  const auto wanted = static_cast<std::int64_t>(batch.output_tokens.size());
  CHECK(hidden.shape[0] == wanted && hidden.shape[1] == config_.hidden_size)
      << hidden.ToString() << " for " << wanted << " tokens";
  if (tokens == 0) return;
  const std::int32_t last = *std::max_element(batch.positions.begin(), batch.positions.end());
  rope_.Ensure(std::int64_t{last} + 1, context_->pool());

  Step step = Prepare(tokens);
  EmbedTokens(batch, step.x);
  for (std::size_t i = 0; i < weights_.layers.size(); ++i) {
    const LayerWeights& layer = weights_.layers[i];
    const kernels::KvCacheView pages = cache.Layer(static_cast<std::int64_t>(i));
    ProjectQkv(layer, batch, pages, step);
    if (i + 1 == weights_.layers.size()) {
      // Nobody reads the last layer's output of other tokens: in a prefill that saves almost the
      // whole layer behind the keys and values. A row's bits do not depend on the rows beside it.
      if (wanted == 0) return;
      Attend(i, batch, pages, step);
      if (wanted < tokens) {
        KeepRows(step.x, batch.output_tokens);
        KeepRows(step.attention, batch.output_tokens);
        step = Prepare(wanted);
      }
    } else {
      Attend(i, batch, pages, step);
    }
    Finish(layer, step);
  }
  Norm(step.x, weights_.final_norm, hidden);
}

void Decoder::Logits(TensorView hidden, TensorView logits) {
  Gemm(hidden, weights_.head.n > 0 ? weights_.head : weights_.embedding, {}, logits, false);
}

void Decoder::Embed(std::span<const std::int32_t> ids, TensorView out) {
  backend_->table.embed({.ids = ids, .weight = &weights_.embedding, .out = out}, *context_);
}

Decoder::Step Decoder::Prepare(std::int64_t tokens) {
  tensor::Allocator& allocator = *backend_->allocator;
  const std::int64_t q = config_.num_attention_heads * config_.head_dim;
  const std::int64_t kv = config_.num_key_value_heads * config_.head_dim;
  return {.x = x_.Resize(allocator, tokens, config_.hidden_size),
          .normed = normed_.Resize(allocator, tokens, config_.hidden_size),
          .qkv = qkv_.Resize(allocator, tokens, q + 2 * kv),
          .attention = attention_.Resize(allocator, tokens, q),
          .gate_up = gate_up_.Resize(allocator, tokens, 2 * config_.intermediate_size),
          .inner = inner_.Resize(allocator, tokens, config_.intermediate_size)};
}

void Decoder::EmbedTokens(const ForwardBatch& batch, TensorView x) {
  Embed(batch.token_ids, x);
  for (std::size_t t = 0; t < batch.embed_row.size(); ++t) {
    if (batch.embed_row[t] < 0) continue;
    std::memcpy(x.row(static_cast<std::int64_t>(t)), batch.input_embeds.row(batch.embed_row[t]),
                static_cast<std::size_t>(config_.hidden_size) * sizeof(float));
  }
}

void Decoder::Norm(TensorView x, const VectorWeight& weight, TensorView y) {
  backend_->table.rms_norm(
      {.x = x, .add = {}, .weight = weight.view(), .y = y, .eps = config_.rms_norm_eps}, *context_);
}

void Decoder::Gemm(TensorView x, const kernels::PackedWeight& weight, const VectorWeight& bias,
                   TensorView y, bool accumulate) {
  backend_->table.gemm(
      {.x = x, .weight = &weight, .bias = bias.view(), .y = y, .accumulate = accumulate},
      *context_);
}

void Decoder::ProjectQkv(const LayerWeights& layer, const ForwardBatch& batch,
                         const kernels::KvCacheView& cache, Step& step) {
  Norm(step.x, layer.input_norm, step.normed);
  Gemm(step.normed, layer.qkv, layer.qkv_bias, step.qkv, false);
  const std::int64_t q = config_.num_attention_heads * config_.head_dim;
  const std::int64_t kv = config_.num_key_value_heads * config_.head_dim;
  const TensorView keys = Columns(step.qkv, q, kv);
  NormAndRotate(layer.q_norm, config_.num_attention_heads, batch, Columns(step.qkv, 0, q));
  NormAndRotate(layer.k_norm, config_.num_key_value_heads, batch, keys);
  backend_->table.store_kv(
      {.k = keys, .v = Columns(step.qkv, q + kv, kv), .slots = batch.slots, .cache = cache},
      *context_);
}

void Decoder::NormAndRotate(const VectorWeight& norm, std::int64_t heads, const ForwardBatch& batch,
                            TensorView x) {
  if (norm.n > 0) {
    backend_->table.rms_norm({.x = x,
                              .add = {},
                              .weight = norm.view(),
                              .y = x,
                              .eps = config_.rms_norm_eps,
                              .weight_offset = 0.0f,
                              .groups = heads},
                             *context_);
  }
  backend_->table.rope({.x = x,
                        .heads = heads,
                        .head_dim = config_.head_dim,
                        .positions = batch.positions,
                        .positions_per_token = batch.positions_per_token,
                        .axis = {},
                        .cos_table = rope_.cos(),
                        .sin_table = rope_.sin()},
                       *context_);
}

void Decoder::Attend(std::size_t layer, const ForwardBatch& batch,
                     const kernels::KvCacheView& cache, Step& step) {
  const std::int64_t q = config_.num_attention_heads * config_.head_dim;
  backend_->table.paged_attention({.q = Columns(step.qkv, 0, q),
                                   .out = step.attention,
                                   .num_heads = config_.num_attention_heads,
                                   .query_start = batch.query_start,
                                   .kv_len = batch.kv_len,
                                   .block_tables = batch.block_tables,
                                   .block_table_stride = batch.block_table_stride,
                                   .cache = cache,
                                   .scale = 1.0f / std::sqrt(static_cast<float>(config_.head_dim)),
                                   .window = config_.sliding_window[layer]},
                                  *context_);
}

void Decoder::Finish(const LayerWeights& layer, Step& step) {
  Gemm(step.attention, layer.output, layer.output_bias, step.x, true);
  Norm(step.x, layer.post_attention_norm, step.normed);
  Gemm(step.normed, layer.gate_up, layer.gate_up_bias, step.gate_up, false);
  backend_->table.silu_and_mul({.x = step.gate_up, .y = step.inner}, *context_);
  Gemm(step.inner, layer.down, layer.down_bias, step.x, true);
}

}  // namespace sglrun::model
