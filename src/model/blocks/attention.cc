#include "model/blocks/attention.h"

namespace sglrun::model {
namespace {

using tensor::TensorView;

// Columns [first, first + count) of a 2-D view.
TensorView ColumnsOf(TensorView view, std::int64_t first, std::int64_t count) {
  view.data = view.f32() + first;
  view.shape[1] = count;
  return view;
}

}  // namespace

void Attention::List(WeightList& list) {
  const std::int64_t q = spec_.query_width(), kv = spec_.key_width();
  qkv_.List({{"self_attn.q_proj", "attn_q", q, spec_.heads},
             {"self_attn.k_proj", "attn_k", kv, spec_.kv_heads},
             {"self_attn.v_proj", "attn_v", kv}},
            hidden_, spec_.qkv_bias, list);
  output_.List({{"self_attn.o_proj", "attn_output", hidden_}}, q, spec_.output_bias, list);
  if (!spec_.head_norm) return;
  const auto norm = [&](VectorWeight& weight, const char* name, const char* gguf_name,
                        std::int64_t width) {
    const std::int64_t size = spec_.head_norm->whole_row ? width : spec_.head_dim;
    list.Vector({.to = &weight,
                 .n = size,
                 .from = {{.name = name, .gguf_name = gguf_name, .rows = size}},
                 .center = 1});
  };
  norm(q_norm_, "self_attn.q_norm.weight", "attn_q_norm.weight", q);
  norm(k_norm_, "self_attn.k_norm.weight", "attn_k_norm.weight", kv);
}

void Attention::AddColumns(Columns& columns) const {
  columns.Need(Slot::kNormed, hidden_);
  columns.Need(Slot::kQkv, spec_.query_width() + 2 * spec_.key_width());
  columns.Need(Slot::kHeads, spec_.query_width());
  columns.Need(Slot::kKeptHeads, spec_.query_width());
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

kernels::RopeArgs Attention::Rope(TensorView x, std::int64_t heads, const Step& step) const {
  return {.x = x,
          .heads = heads,
          .head_dim = spec_.head_dim,
          .positions = step.batch.positions,
          .positions_per_token = step.batch.positions_per_token,
          .axis = {},
          .cos_table = step.rope.cos(),
          .sin_table = step.rope.sin()};
}

void Attention::Store(const BlockInput& in, const kernels::KvCacheView& cache,
                      const Step& step) const {
  const TensorView qkv = Qkv(step), queries = Queries(qkv), keys = Keys(qkv);
  qkv_.Run(in, {qkv}, step);
  kernels::RotateAndStoreArgs args{
      .q_norm = HeadNorm(queries, q_norm_, spec_.heads),
      .k_norm = HeadNorm(keys, k_norm_, spec_.kv_heads),
      .q = Rope(queries, spec_.heads, step),
      .k = Rope(keys, spec_.kv_heads, step),
      .store = {.k = keys, .v = Values(qkv), .slots = step.batch.slots, .cache = cache}};
  // The chain takes norms of single heads alone.
  if (spec_.head_norm && spec_.head_norm->whole_row) {
    step.table.norm(args.q_norm, step.context);
    step.table.norm(args.k_norm, step.context);
    args.q_norm = args.k_norm = {};
  }
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
                              .most_keys = step.most_keys,
                              .most_queries = step.most_queries},
                             step.context);
  return heads;
}

void Attention::Project(TensorView heads, const BlockOutput& out, const Step& step) const {
  step.table.gemm(output_.Args(heads, out), step.context);
}

}  // namespace sglrun::model
