#include "model/decoder.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

#include "base/strings.h"
#include "model/weights/available_memory.h"

namespace sglrun::model {
namespace {

using tensor::TensorView;

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

std::uint64_t KeyOf(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place);
}

}  // namespace

Decoder::Decoder(const ModelSpec& spec, DecoderBlocks blocks, const kernels::Backend& backend,
                 kernels::KernelContext& context)
    : hidden_(spec.hidden_size),
      blocks_(std::move(blocks)),
      backend_(&backend),
      context_(&context),
      ropes_(spec.ropes.begin(), spec.ropes.end()),
      scratch_(blocks_.columns(), *backend.allocator) {}

void Decoder::Forward(const ForwardBatch& host, KvCache& cache, TensorView hidden) {
  const auto tokens = static_cast<std::int64_t>(host.token_ids.size());
  const auto wanted = static_cast<std::int64_t>(host.output_tokens.size());
  CHECK(hidden.shape[0] == wanted && hidden.shape[1] == hidden_)
      << hidden.ToString() << " for " << wanted << " tokens";
  if (tokens == 0) return;
  const std::int32_t last = *std::max_element(host.positions.begin(), host.positions.end());
  for (RopeTable& rope : ropes_) rope.Ensure(std::int64_t{last} + 1, *backend_, *context_);

  const Reach reach = ReachOf(host);
  SetAdapterRows(host);
  std::array<kernels::StagedArray, kBatchArrays> arrays = ArraysOf(host);
  const std::function<void()> layers = [&] {
    RunLayers(WithArrays(host, arrays), reach, cache, hidden);
  };
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

void Decoder::RunLayers(const ForwardBatch& batch, const Reach& reach, const KvCache& cache,
                        TensorView hidden) {
  Step step{.batch = batch,
            .scratch = scratch_,
            .ropes = ropes_,
            .table = backend_->table,
            .context = *context_,
            .adapters = adapters_,
            .adapter_threads = adapter_threads_,
            .most_keys = reach.keys,
            .most_queries = reach.queries};
  const std::int64_t wanted = hidden.shape[0];
  TensorView x = scratch_.Take(Slot::kStream, step.tokens(), hidden_);
  blocks_.embedding.Run(x, step);
  for (std::size_t i = 0; i < blocks_.layers.size(); ++i) {
    const Layer& layer = blocks_.layers[i];
    const kernels::KvCacheView pages = cache.Layer(static_cast<std::int64_t>(i));
    layer.mixer.Store({x, layer.before_mixer}, pages, step);
    // The last layer's output is needed only for the wanted tokens: in a prefill that saves almost
    // all of the layer that comes after the keys and values. A row's bits do not depend on the rows
    // beside it (on a GPU with --deterministic).
    const bool is_last = i + 1 == blocks_.layers.size();
    if (is_last && wanted == 0) return;
    TensorView heads = layer.mixer.Attend(pages, step);
    if (is_last && wanted < step.tokens()) {
      x = Keep(x, batch.output_tokens, Slot::kKeptStream);
      heads = Keep(heads, batch.output_tokens, Slot::kKeptHeads);
      step.adapters = kept_adapters_;
    }
    const auto project = [&] {
      Add(layer.after_mixer, layer.residual_scale, x, step,
          [&](const BlockOutput& out) { layer.mixer.Project(heads, out, step); });
    };
    // The heads of attention have read x: an MLP beside it comes before x changes.
    if (!layer.parallel) project();
    Add(layer.after_mlp, layer.residual_scale, x, step, [&](const BlockOutput& out) {
      layer.RunMlp({x, layer.before_mlp}, out, step);
    });
    if (layer.parallel) project();
  }
  backend_->table.norm(blocks_.final_norm.Args(x, hidden), *context_);
}

template <class Branch>
void Decoder::Add(const Norm& after, float scale, TensorView x, const Step& step, Branch branch) {
  if (!after.is_present()) return branch({.y = x, .accumulate = true, .scale = scale});
  const TensorView y = scratch_.Take(Slot::kBranch, x.shape[0], x.shape[1]);
  branch({.y = y});
  step.table.norm(after.Args(y, y), step.context);
  // The operation adds y to x and gives the norm of the sum, which is not needed here.
  kernels::NormArgs sum = after.Args(x, scratch_.Take(Slot::kNormed, x.shape[0], x.shape[1]));
  sum.add = y;
  step.table.norm(sum, step.context);
}

TensorView Decoder::Keep(TensorView all, std::span<const std::int32_t> tokens, Slot slot) {
  const TensorView kept =
      scratch_.Take(slot, static_cast<std::int64_t>(tokens.size()), all.shape[1]);
  backend_->table.gather_rows({.in = all, .rows = tokens, .out = kept}, *context_);
  return kept;
}

std::int64_t Decoder::ActivationBytes(const ModelSpec& spec, std::int64_t tokens) {
  return DecoderBlocks(spec).columns().Bytes(tokens).value_or(
      std::numeric_limits<std::int64_t>::max());
}

bool Decoder::ReservePositions(std::int64_t positions) {
  return std::all_of(ropes_.begin(), ropes_.end(), [&](RopeTable& rope) {
    return rope.Reserve(positions, *backend_, *context_);
  });
}

Status Decoder::Reserve(std::int64_t tokens) {
  if (scratch_.Reserve(tokens)) return {};
  const std::int64_t needed =
      scratch_.columns().Bytes(tokens).value_or(std::numeric_limits<std::int64_t>::max());
  return Error{"the activations of a step of " + FormatCount(tokens) + " tokens need " +
                   FormatByteSize(needed) + ", " +
                   FormatByteSize(AvailableMemory(*backend_).value_or(0)) + " are free",
               Shortage::kActivations};
}

void Decoder::Logits(TensorView hidden, std::span<const std::int32_t> adapters, TensorView logits) {
  const std::vector<AdapterRows> rows = AdapterRowsOf(adapters);
  blocks_.head.Run(hidden, blocks_.embedding, logits,
                   {rows, scratch_, adapter_threads_, backend_->table, *context_});
}

void Decoder::Embed(std::span<const std::int32_t> ids, TensorView out) {
  std::array<kernels::StagedArray, 1> staged = {ArrayOf(ids)};
  backend_->table.stage(staged, *context_);
  blocks_.embedding.LookUp(ValuesOf(staged[0]), out, backend_->table, *context_);
}

void Decoder::SetAdapterRows(const ForwardBatch& batch) {
  adapters_.clear();
  kept_adapters_.clear();
  if (batch.adapters.empty()) return;
  std::vector<std::int32_t> of_tokens, of_kept;
  for (std::size_t r = 0; r < batch.adapters.size(); ++r) {
    of_tokens.resize(static_cast<std::size_t>(batch.query_start[r + 1]), batch.adapters[r]);
  }
  for (const std::int32_t token : batch.output_tokens) {
    of_kept.push_back(of_tokens[static_cast<std::size_t>(token)]);
  }
  adapters_ = AdapterRowsOf(of_tokens);
  kept_adapters_ = AdapterRowsOf(of_kept);
}

// Attention must know the length of the longest row; in a repeated step, the longest possible one.
Decoder::Reach Decoder::ReachOf(const ForwardBatch& batch) {
  if (batch.repeats) return {batch.block_table_stride * kernels::kPageSize, 1};
  Reach reach;
  for (std::size_t r = 0; r < batch.kv_len.size(); ++r) {
    reach.keys = std::max<std::int64_t>(reach.keys, batch.kv_len[r]);
    reach.queries =
        std::max<std::int64_t>(reach.queries, batch.query_start[r + 1] - batch.query_start[r]);
  }
  return reach;
}

}  // namespace sglrun::model
