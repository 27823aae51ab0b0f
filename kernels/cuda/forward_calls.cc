#include "kernels/cuda/calls.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/terms.h"

namespace sglrun::kernels::cuda::calls {
namespace {

GemmParams ParamsOf(const GemmArgs& args) {
  return {.x = RowsOf(args.x),
          .input = {},
          .m = args.x.shape[0],
          .weight = WeightOf(*args.weight),
          .bias = args.bias.f32(),
          .y = RowsOf(args.y),
          .accumulate = args.accumulate,
          .alpha = args.alpha};
}

NormInput NormOf(const NormArgs& norm) {
  return {norm.weight.f32(), norm.eps};
}

RopeParams ParamsOf(const RopeArgs& args) {
  return {.x = RowsOf(args.x),
          .tokens = args.x.shape[0],
          .heads = args.heads,
          .head_dim = args.head_dim,
          .positions = args.positions.data(),
          .positions_per_token = args.positions_per_token,
          .axis = args.axis.data(),
          .cos_table = args.cos_table.f32(),
          .sin_table = args.sin_table.f32(),
          .table_stride = args.cos_table.stride[0],
          .half = args.cos_table.shape[1]};
}

StoreKvParams ParamsOf(const StoreKvArgs& args) {
  return {.k = RowsOf(args.k),
          .v = RowsOf(args.v),
          .slots = args.slots.data(),
          .tokens = args.k.shape[0],
          .cache = CacheOf(args.cache.layout, args.cache.data)};
}

void Multiply(DeviceState& device, GemmParams params) {
  if (MultiplyByLibrary(device, params)) return;
  const std::size_t scratch = GemmScratchBytes(params.m, params.weight);
  if (scratch > 0) params.scratch = device.Scratch(scratch);
  device.ops().gemm(params, device.stream());
}

// The product of what `norm` gives, which is params.x: the norm as part of it, or before it.
void NormAndMultiply(const KernelTable& table, const NormArgs& norm, GemmParams params,
                     KernelContext& context) {
  GemmParams as_one = params;
  as_one.x = RowsOf(norm.x);
  as_one.input = {InputKind::kNormed, NormOf(norm)};
  const bool is_rms = norm.kind == NormKind::kRms;
  if (is_rms && GemmTakes(InputKind::kNormed, as_one)) return Multiply(StateOf(context), as_one);
  table.norm(norm, context);
  Multiply(StateOf(context), params);
}

}  // namespace

void Embed(const EmbedArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().embed({.ids = args.ids.data(),
                      .tokens = static_cast<std::int64_t>(args.ids.size()),
                      .weight = WeightOf(*args.weight),
                      .out = RowsOf(args.out),
                      .scale = args.scale},
                     device.stream());
}

void GatherRows(const GatherRowsArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().gather_rows({.rows = args.rows.data(),
                            .count = static_cast<std::int64_t>(args.rows.size()),
                            .width = args.in.shape[1],
                            .in = RowsOf(args.in),
                            .out = RowsOf(args.out)},
                           device.stream());
}

void FeedDrawn(const FeedDrawnArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().feed_drawn({.ids = args.ids.data(),
                           .from = args.from.data(),
                           .drawn = args.drawn,
                           .count = static_cast<std::int64_t>(args.ids.size())},
                          device.stream());
}

void Gemm(const GemmArgs& args, KernelContext& context) {
  Multiply(StateOf(context), ParamsOf(args));
}

void Norm(const NormArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().norm({.x = RowsOf(args.x),
                     .add = RowsOf(args.add),
                     .weight = args.weight.f32(),
                     .y = RowsOf(args.y),
                     .tokens = args.x.shape[0],
                     .groups = args.groups,
                     .size = args.weight.shape[0],
                     .eps = args.eps,
                     .kind = args.kind,
                     .bias = args.bias.f32()},
                    device.stream());
}

void Rope(const RopeArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().rope(ParamsOf(args), device.stream());
}

void StoreKv(const StoreKvArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().store_kv(ParamsOf(args), device.stream());
}

void PagedAttention(const PagedAttentionArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  const auto rows = static_cast<std::int64_t>(args.kv_len.size());
  AttentionParams params{.q = RowsOf(args.q),
                         .out = RowsOf(args.out),
                         .num_heads = args.num_heads,
                         .tokens = args.q.shape[0],
                         .rows = rows,
                         .query_start = args.query_start.data(),
                         .kv_len = args.kv_len.data(),
                         .block_tables = args.block_tables,
                         .block_table_stride = args.block_table_stride,
                         .cache = CacheOf(args.cache.layout, args.cache.data),
                         .scale = args.scale,
                         .window = args.window,
                         .softcap = args.softcap,
                         .max_splits = AttentionSplits(args.most_keys, args.window),
                         .max_queries = args.most_queries};
  const std::size_t scratch =
      AttentionScratchBytes(rows, args.num_heads, args.cache.layout.head_dim, params.max_splits);
  if (scratch > 0) params.partials = static_cast<float*>(device.Scratch(scratch));
  device.ops().paged_attention(params, device.stream());
}

void Activate(const ActivationArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().activation({.x = RowsOf(args.x),
                           .y = RowsOf(args.y),
                           .tokens = args.x.shape[0],
                           .size = args.y.shape[1],
                           .kind = args.kind,
                           .gated = args.gated,
                           .cap = args.cap},
                          device.stream());
}

void NormGemm(const KernelTable& table, const NormGemmArgs& args, KernelContext& context) {
  NormAndMultiply(table, args.norm, ParamsOf(args.gemm), context);
}

void RotateAndStore(const KernelTable& table, const RotateAndStoreArgs& args,
                    KernelContext& context) {
  const bool is_rms = args.q_norm.kind == NormKind::kRms && args.k_norm.kind == NormKind::kRms;
  if (!is_rms) return host::RotateAndStore(table, args, context);
  DeviceState& device = StateOf(context);
  device.ops().rotate_and_store({.q = ParamsOf(args.q),
                                 .q_norm = NormOf(args.q_norm),
                                 .k_norm = NormOf(args.k_norm),
                                 .store = ParamsOf(args.store)},
                                device.stream());
}

void Mlp(const KernelTable& table, const MlpArgs& args, KernelContext& context) {
  GemmParams gate_up = ParamsOf(args.gate_up), down = ParamsOf(args.down);
  const bool is_swiglu = args.activation.kind == ActivationKind::kSilu && args.activation.gated;
  if (is_swiglu && GemmGates(gate_up)) {
    gate_up.gates = true;
    gate_up.y = down.x;
    NormAndMultiply(table, args.norm, gate_up, context);
    return Multiply(StateOf(context), down);
  }
  NormAndMultiply(table, args.norm, gate_up, context);
  GemmParams gated = down;
  gated.x = gate_up.y;
  gated.input.kind = InputKind::kGated;
  if (is_swiglu && GemmTakes(InputKind::kGated, gated)) return Multiply(StateOf(context), gated);
  table.activation(args.activation, context);
  Multiply(StateOf(context), down);
}

}  // namespace sglrun::kernels::cuda::calls
