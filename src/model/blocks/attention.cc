#include "model/blocks/attention.h"

#include "model/spec/faults.h"

namespace sglrun::model {

using tensor::TensorView;

Attention::Attention(const AttentionSpec& spec, const ModelSpec& model)
    : spec_(spec), hidden_(model.hidden_size), rotary_dim_(0) {
  if (spec.rope && *spec.rope < model.ropes.size()) {
    rotary_dim_ = model.ropes[*spec.rope].rotary_dim;
  }
}

void Attention::List(WeightList& list) {
  const std::int64_t q = spec_.query_width(), kv = spec_.key_width();
  std::vector<LinearPart> parts = {
      {"self_attn.q_proj", "attn_q", q, {spec_.heads, spec_.head_dim, rotary_dim_}},
      {"self_attn.k_proj", "attn_k", kv, {spec_.kv_heads, spec_.head_dim, rotary_dim_}},
      {"self_attn.v_proj", "attn_v", kv}};
  if (spec_.fused_qkv) {
    const FusedRows rows{spec_.heads, spec_.kv_heads, spec_.head_dim};
    parts = {{"self_attn.qkv_proj", "attn_qkv", q + 2 * kv, {}, rows}};
  }
  qkv_.List(parts, hidden_, spec_.qkv_bias, list);
  output_.List({{"self_attn.o_proj", "attn_output", hidden_}}, q, spec_.output_bias, list);
  if (!spec_.head_norm) return;
  const auto norm = [&](VectorWeight& weight, std::string_view name, const char* gguf_name,
                        std::int64_t width) {
    const bool whole_row = spec_.head_norm->whole_row;
    const std::int64_t size = whole_row ? width : spec_.head_dim;
    const RotatedRows rotated{whole_row ? width / spec_.head_dim : 1, spec_.head_dim, rotary_dim_};
    list.Vector({.to = &weight,
                 .n = size,
                 .from = {{.name = std::string(name) + ".weight",
                           .gguf_name = gguf_name,
                           .rows = size,
                           .rotated = rotated}},
                 .center = 1});
  };
  norm(q_norm_, spec_.head_norm->q_name, "attn_q_norm.weight", q);
  norm(k_norm_, spec_.head_norm->k_name, "attn_k_norm.weight", kv);
}

void Attention::AddColumns(Columns& columns) const {
  columns.Need(Slot::kNormed, hidden_);
  columns.Need(Slot::kQkv, spec_.query_width() + 2 * spec_.key_width());
  columns.Need(Slot::kHeads, spec_.query_width());
  columns.Need(Slot::kKeptHeads, spec_.query_width());
  qkv_.AddColumns(columns);
  output_.AddColumns(columns);
}

TensorView Attention::Qkv(const Step& step) const {
  return step.scratch.Take(Slot::kQkv, step.tokens(), spec_.query_width() + 2 * spec_.key_width());
}
TensorView Attention::Queries(TensorView qkv) const {
  return ColumnsOf(qkv, 0, spec_.query_width());
}
TensorView Attention::Keys(TensorView qkv) const {
  return ColumnsOf(qkv, spec_.query_width(), spec_.key_width());
}
TensorView Attention::Values(TensorView qkv) const {
  return ColumnsOf(qkv, spec_.query_width() + spec_.key_width(), spec_.key_width());
}

kernels::NormArgs Attention::HeadNorm(TensorView x, const VectorWeight& weight,
                                      std::int64_t heads) const {
  if (!spec_.head_norm) return {};
  return {.x = x,
          .add = {},
          .weight = weight.view(),
          .y = x,
          .eps = spec_.head_norm->eps,
          .groups = spec_.head_norm->whole_row ? 1 : heads};
}

// Without a rope: a rope that rotates no pairs.
kernels::RopeArgs Attention::Rope(TensorView x, std::int64_t heads, const Step& step) const {
  const TensorView none = tensor::MakeView(nullptr, tensor::DType::kF32, {kMostContext, 0});
  const RopeTable* rope = spec_.rope ? &step.ropes[*spec_.rope] : nullptr;
  return {.x = x,
          .heads = heads,
          .head_dim = spec_.head_dim,
          .positions = step.batch.positions,
          .positions_per_token = step.batch.positions_per_token,
          .axis = {},
          .cos_table = rope != nullptr ? rope->cos() : none,
          .sin_table = rope != nullptr ? rope->sin() : none};
}

void Attention::RotateAndStore(const kernels::RotateAndStoreArgs& args, const Step& step) const {
  const kernels::KernelTable& table = step.table;
  const auto norms = [&] {
    table.norm(args.q_norm, step.context);
    table.norm(args.k_norm, step.context);
  };
  if (spec_.head_norm && !spec_.head_norm->after_rope) norms();
  kernels::RopeArgs q = args.q;
  if (spec_.rope) {
    q.cos_table = step.ropes[*spec_.rope].query_cos();
    q.sin_table = step.ropes[*spec_.rope].query_sin();
  }
  table.rope(q, step.context);
  table.rope(args.k, step.context);
  if (spec_.head_norm && spec_.head_norm->after_rope) norms();
  table.store_kv(args.store, step.context);
}

void Attention::Store(const BlockInput& in, const kernels::KvCacheView& cache,
                      const Step& step) const {
  const TensorView qkv = Qkv(step), queries = Queries(qkv), keys = Keys(qkv);
  qkv_.Run(in, {qkv}, step);
  const kernels::RotateAndStoreArgs args{
      .q_norm = HeadNorm(queries, q_norm_, spec_.heads),
      .k_norm = HeadNorm(keys, k_norm_, spec_.kv_heads),
      .q = Rope(queries, spec_.heads, step),
      .k = Rope(keys, spec_.kv_heads, step),
      .store = {.k = keys, .v = Values(qkv), .slots = step.batch.slots, .cache = cache}};
  // The chain takes norms of single heads before one rope of queries and keys.
  const bool is_odd_norm =
      spec_.head_norm && (spec_.head_norm->whole_row || spec_.head_norm->after_rope);
  const bool grows = spec_.rope && step.ropes[*spec_.rope].grows();
  if (is_odd_norm || grows) return RotateAndStore(args, step);
  step.table.rotate_and_store(step.table, args, step.context);
}

TensorView Attention::Attend(const kernels::KvCacheView& cache, const Step& step) const {
  const TensorView heads = step.scratch.Take(Slot::kHeads, step.tokens(), spec_.query_width());
  step.table.paged_attention({.q = Queries(Qkv(step)),
                              .out = heads,
                              .num_heads = spec_.heads,
                              .query_start = step.batch.query_start,
                              .kv_len = step.batch.kv_len,
                              .block_tables = step.batch.block_tables,
                              .block_table_stride = step.batch.block_table_stride,
                              .cache = cache,
                              .scale = spec_.scale,
                              .window = spec_.window,
                              .softcap = spec_.softcap,
                              .most_keys = step.most_keys,
                              .most_queries = step.most_queries},
                             step.context);
  return heads;
}

void Attention::Project(TensorView heads, const BlockOutput& out, const Step& step) const {
  output_.Multiply(heads, out, step);
}

}  // namespace sglrun::model
