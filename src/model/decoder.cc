#include "model/decoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <optional>

#include "base/strings.h"
#include "model/available_memory.h"

namespace sglrun::model {
namespace {

using tensor::TensorView;

// Columns [first, first + count) of a 2-D view.
TensorView Columns(TensorView view, std::int64_t first, std::int64_t count) {
  view.data = view.f32() + first;
  view.shape[1] = count;
  return view;
}

kernels::StagedArray ArrayOf(std::span<const std::int32_t> values) {
  return {values.data(), values.size_bytes()};
}

std::span<const std::int32_t> ValuesOf(const kernels::StagedArray& array) {
  return {static_cast<const std::int32_t*>(array.data), array.bytes / sizeof(std::int32_t)};
}

// The arrays of a batch on their way to the backend's memory, and the batch with them there.
constexpr std::size_t kBatchArrays = 8;
std::array<kernels::StagedArray, kBatchArrays> ArraysOf(const ForwardBatch& batch) {
  const std::size_t tables =
      batch.kv_len.size() * static_cast<std::size_t>(batch.block_table_stride);
  return {ArrayOf(batch.token_ids),
          ArrayOf(batch.positions),
          ArrayOf(batch.query_start),
          ArrayOf(batch.kv_len),
          ArrayOf({batch.block_tables, tables}),
          ArrayOf(batch.slots),
          ArrayOf(batch.output_tokens),
          ArrayOf(batch.from_drawn)};
}

ForwardBatch WithArrays(ForwardBatch batch, std::span<const kernels::StagedArray> arrays) {
  batch.token_ids = ValuesOf(arrays[0]);
  batch.positions = ValuesOf(arrays[1]);
  batch.query_start = ValuesOf(arrays[2]);
  batch.kv_len = ValuesOf(arrays[3]);
  batch.block_tables = ValuesOf(arrays[4]).data();
  batch.slots = ValuesOf(arrays[5]);
  batch.output_tokens = ValuesOf(arrays[6]);
  batch.from_drawn = ValuesOf(arrays[7]);
  return batch;
}

kernels::GemmArgs GemmOf(TensorView x, const kernels::PackedWeight& weight,
                         const VectorWeight& bias, TensorView y, bool accumulate) {
  return {.x = x, .weight = &weight, .bias = bias.view(), .y = y, .accumulate = accumulate};
}

// Nothing where that is more than int64 counts.
std::optional<std::int64_t> FloatBytes(std::int64_t rows, std::int64_t columns) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(rows, columns * std::int64_t{sizeof(float)}, &bytes)) return {};
  return bytes;
}

std::uint64_t KeyOf(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place);
}

}  // namespace

TensorView Activation::Resize(tensor::Allocator& allocator, std::int64_t rows,
                              std::int64_t columns) {
  const std::size_t bytes = static_cast<std::size_t>(rows * columns) * sizeof(float);
  if (buffer_.bytes() < bytes) {
    buffer_ = tensor::Buffer(allocator, bytes);
    if (!buffer_.ok()) throw std::bad_alloc();
  }
  return tensor::MakeView(buffer_.data(), tensor::DType::kF32, {rows, columns});
}

bool Activation::Reserve(tensor::Allocator& allocator, std::int64_t rows, std::int64_t columns) {
  const std::optional<std::int64_t> bytes = FloatBytes(rows, columns);
  if (!bytes) return false;
  const auto size = static_cast<std::size_t>(*bytes);
  if (buffer_.bytes() < size) buffer_ = tensor::Buffer(allocator, size);
  return buffer_.ok();
}

Decoder::Decoder(const ModelConfig& config, DecoderWeights weights, const kernels::Backend& backend,
                 kernels::KernelContext& context)
    : config_(config),
      weights_(std::move(weights)),
      backend_(&backend),
      context_(&context),
      rope_(config.rope) {}

void Decoder::Forward(const ForwardBatch& host, KvCache& cache, TensorView hidden) {
  const auto tokens = static_cast<std::int64_t>(host.token_ids.size());
  const auto wanted = static_cast<std::int64_t>(host.output_tokens.size());
  CHECK(hidden.shape[0] == wanted && hidden.shape[1] == config_.hidden_size)
      << hidden.ToString() << " for " << wanted << " tokens";
  if (tokens == 0) return;
  const std::int32_t last = *std::max_element(host.positions.begin(), host.positions.end());
  rope_.Ensure(std::int64_t{last} + 1, *backend_, *context_);

  Measure(host);

  std::array<kernels::StagedArray, kBatchArrays> arrays = ArraysOf(host);
  const std::function<void()> layers = [&] { RunLayers(WithArrays(host, arrays), cache, hidden); };
  if (!host.repeats) {
    backend_->table.stage(arrays, *context_);
    return layers();
  }
  const std::array<std::uint64_t, 6> key = {KeyOf(this),
                                            KeyOf(cache.Layer(0).data),
                                            KeyOf(hidden.data),
                                            KeyOf(host.drawn),
                                            static_cast<std::uint64_t>(tokens),
                                            static_cast<std::uint64_t>(host.block_table_stride)};
  backend_->table.repeat({.key = key, .arrays = arrays, .work = &layers}, *context_);
}

void Decoder::RunLayers(const ForwardBatch& batch, const KvCache& cache, TensorView hidden) {
  const auto tokens = static_cast<std::int64_t>(batch.token_ids.size());
  const std::int64_t wanted = hidden.shape[0];
  Step step = Prepare(tokens);
  EmbedTokens(batch, step.x);
  for (std::size_t i = 0; i < weights_.layers.size(); ++i) {
    const LayerWeights& layer = weights_.layers[i];
    const kernels::KvCacheView pages = cache.Layer(static_cast<std::int64_t>(i));
    ProjectQkv(layer, batch, pages, step);
    if (i + 1 == weights_.layers.size()) {
      // Nobody reads the last layer's output of other tokens: in a prefill that saves almost the
      // whole layer behind the keys and values. A row's bits do not depend on the rows beside it
      // (on a GPU with --deterministic).
      if (wanted == 0) return;
      Attend(i, batch, pages, step);
      if (wanted < tokens) step = KeepRows(step, batch.output_tokens);
    } else {
      Attend(i, batch, pages, step);
    }
    Finish(layer, step);
  }
  backend_->table.rms_norm(NormOf(step.x, weights_.final_norm, hidden), *context_);
}

std::int64_t Decoder::ActivationBytes(const ModelConfig& c, std::int64_t tokens) {
  const std::int64_t q = c.num_attention_heads * c.head_dim;
  const std::int64_t kv = c.num_key_value_heads * c.head_dim;
  const std::int64_t columns = 3 * c.hidden_size + 3 * q + 2 * kv + 3 * c.intermediate_size;
  return FloatBytes(tokens, columns).value_or(std::numeric_limits<std::int64_t>::max());
}

Status Decoder::Reserve(std::int64_t tokens) {
  tensor::Allocator& allocator = *backend_->allocator;
  const std::int64_t h = config_.hidden_size, inner = config_.intermediate_size;
  const std::int64_t q = config_.num_attention_heads * config_.head_dim;
  const std::int64_t kv = config_.num_key_value_heads * config_.head_dim;
  if (x_.Reserve(allocator, tokens, h) && normed_.Reserve(allocator, tokens, h) &&
      qkv_.Reserve(allocator, tokens, q + 2 * kv) && attention_.Reserve(allocator, tokens, q) &&
      gate_up_.Reserve(allocator, tokens, 2 * inner) && inner_.Reserve(allocator, tokens, inner) &&
      kept_x_.Reserve(allocator, tokens, h) && kept_attention_.Reserve(allocator, tokens, q)) {
    return {};
  }
  return Error{"the activations of a step of " + FormatCount(tokens) + " tokens need " +
               FormatByteSize(ActivationBytes(config_, tokens)) + ", " +
               FormatByteSize(AvailableMemory(*backend_).value_or(0)) +
               " are free: lower --max-batch-tokens or --max-rows (of bench, --batch-sizes)"};
}

void Decoder::Logits(TensorView hidden, TensorView logits) {
  const kernels::PackedWeight& head = weights_.head.n > 0 ? weights_.head : weights_.embedding;
  backend_->table.gemm(GemmOf(hidden, head, {}, logits, false), *context_);
}

void Decoder::Embed(std::span<const std::int32_t> ids, TensorView out) {
  std::array<kernels::StagedArray, 1> staged = {ArrayOf(ids)};
  backend_->table.stage(staged, *context_);
  backend_->table.embed({.ids = ValuesOf(staged[0]), .weight = &weights_.embedding, .out = out},
                        *context_);
}

// Attention must know how far rows reach; of a step that repeats, how far any may.
void Decoder::Measure(const ForwardBatch& batch) {
  most_keys_ = batch.repeats ? batch.block_table_stride * kernels::kPageSize : 0;
  most_queries_ = batch.repeats ? 1 : 0;
  if (batch.repeats) return;
  for (std::size_t r = 0; r < batch.kv_len.size(); ++r) {
    most_keys_ = std::max<std::int64_t>(most_keys_, batch.kv_len[r]);
    most_queries_ =
        std::max<std::int64_t>(most_queries_, batch.query_start[r + 1] - batch.query_start[r]);
  }
}

Decoder::Step Decoder::KeepRows(const Step& step, std::span<const std::int32_t> tokens) {
  tensor::Allocator& allocator = *backend_->allocator;
  const auto count = static_cast<std::int64_t>(tokens.size());
  Step kept = Prepare(count);
  kept.x = kept_x_.Resize(allocator, count, step.x.shape[1]);
  kept.attention = kept_attention_.Resize(allocator, count, step.attention.shape[1]);
  backend_->table.gather_rows({.in = step.x, .rows = tokens, .out = kept.x}, *context_);
  backend_->table.gather_rows({.in = step.attention, .rows = tokens, .out = kept.attention},
                              *context_);
  return kept;
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
  if (!batch.from_drawn.empty()) {
    // Staged ids are this step's own.
    const std::span ids(const_cast<std::int32_t*>(batch.token_ids.data()), batch.token_ids.size());
    backend_->table.feed_drawn({.ids = ids, .from = batch.from_drawn, .drawn = batch.drawn},
                               *context_);
  }
  backend_->table.embed({.ids = batch.token_ids, .weight = &weights_.embedding, .out = x},
                        *context_);
  for (std::size_t t = 0; t < batch.embed_row.size(); ++t) {
    if (batch.embed_row[t] < 0) continue;
    backend_->table.upload(
        x.row(static_cast<std::int64_t>(t)), batch.input_embeds.row(batch.embed_row[t]),
        static_cast<std::size_t>(config_.hidden_size) * sizeof(float), *context_);
  }
}

kernels::RmsNormArgs Decoder::NormOf(TensorView x, const VectorWeight& weight, TensorView y) const {
  return {.x = x, .add = {}, .weight = weight.view(), .y = y, .eps = config_.rms_norm_eps};
}

kernels::RmsNormArgs Decoder::HeadNormOf(TensorView x, const VectorWeight& weight,
                                         std::int64_t heads) const {
  kernels::RmsNormArgs norm = NormOf(x, weight, x);
  norm.groups = heads;
  return norm;
}

kernels::RopeArgs Decoder::RopeOf(TensorView x, std::int64_t heads,
                                  const ForwardBatch& batch) const {
  return {.x = x,
          .heads = heads,
          .head_dim = config_.head_dim,
          .positions = batch.positions,
          .positions_per_token = batch.positions_per_token,
          .axis = {},
          .cos_table = rope_.cos(),
          .sin_table = rope_.sin()};
}

void Decoder::ProjectQkv(const LayerWeights& layer, const ForwardBatch& batch,
                         const kernels::KvCacheView& cache, Step& step) {
  const kernels::KernelTable& table = backend_->table;
  table.norm_gemm(table,
                  {.norm = NormOf(step.x, layer.input_norm, step.normed),
                   .gemm = GemmOf(step.normed, layer.qkv, layer.qkv_bias, step.qkv, false)},
                  *context_);
  const std::int64_t heads = config_.num_attention_heads, kv_heads = config_.num_key_value_heads;
  const std::int64_t q = heads * config_.head_dim, kv = kv_heads * config_.head_dim;
  const TensorView queries = Columns(step.qkv, 0, q), keys = Columns(step.qkv, q, kv);
  const TensorView values = Columns(step.qkv, q + kv, kv);
  table.rotate_and_store(table,
                         {.q_norm = HeadNormOf(queries, layer.q_norm, heads),
                          .k_norm = HeadNormOf(keys, layer.k_norm, kv_heads),
                          .q = RopeOf(queries, heads, batch),
                          .k = RopeOf(keys, kv_heads, batch),
                          .store = {.k = keys, .v = values, .slots = batch.slots, .cache = cache}},
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
                                   .window = config_.sliding_window[layer],
                                   .most_keys = most_keys_,
                                   .most_queries = most_queries_},
                                  *context_);
}

void Decoder::Finish(const LayerWeights& layer, Step& step) {
  const kernels::KernelTable& table = backend_->table;
  table.gemm(GemmOf(step.attention, layer.output, layer.output_bias, step.x, true), *context_);
  table.mlp(table,
            {.norm = NormOf(step.x, layer.post_attention_norm, step.normed),
             .gate_up = GemmOf(step.normed, layer.gate_up, layer.gate_up_bias, step.gate_up, false),
             .silu = {.x = step.gate_up, .y = step.inner},
             .down = GemmOf(step.inner, layer.down, layer.down_bias, step.x, true)},
            *context_);
}

}  // namespace sglrun::model
