// The CUDA shelf on a device (shelf_device.h), for the cases of ../*_test.cc. Every call is made
// several times, on the simulated one with the threads forward, backward and shuffled: the bits
// must be the same.
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "kernels/cuda/encode_rows.h"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/terms.h"

#include "../support.h"
#include "shelf_device.h"

namespace sglrun::kernels::testing {
namespace {

using cuda::Rows;

// One call: arrays are copied to device memory and, when they are written, back.
class Call {
 public:
  template <class T>
  const T* In(const T* host, std::size_t count) {
    return static_cast<const T*>(Place(const_cast<T*>(host), count * sizeof(T), false));
  }
  template <class T>
  const T* In(std::span<const T> host) {
    return host.empty() ? nullptr : In(host.data(), host.size());
  }
  template <class T>
  T* InOut(T* host, std::size_t count) {
    return static_cast<T*>(Place(host, count * sizeof(T), true));
  }
  template <class T>
  T* InOut(std::span<T> host) {
    return host.empty() ? nullptr : InOut(host.data(), host.size());
  }
  // A matrix with the gaps between its rows.
  Rows Matrix(const tensor::TensorView& view, bool is_written = false) {
    if (view.empty() || view.shape[0] == 0) return {};
    const std::int64_t stride = view.rank == 2 ? view.stride[0] : view.shape[0];
    const std::int64_t count =
        view.rank == 2 ? (view.shape[0] - 1) * stride + view.shape[1] : view.shape[0];
    const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
    return {static_cast<float*>(Place(view.f32(), bytes, is_written)), stride};
  }
  template <class T>
  T* Scratch(std::size_t count) {
    return reinterpret_cast<T*>(Take(count * sizeof(T), 0));
  }

  void Run(const std::function<void(const cuda::Ops&)>& launch) {
    ShelfDevice& device = TheShelfDevice();
    std::vector<std::vector<unsigned char>> first;
    for (int turn = 0; turn < device.turns(); ++turn) {
      device.BeginTurn(turn);
      for (const Array& array : arrays_) device.Write(array.device, array.host, array.bytes);
      launch(device.ops());
      std::size_t next = 0;
      for (const Array& array : arrays_) {
        if (!array.is_written) continue;
        std::vector<unsigned char> bytes(array.bytes);
        device.Read(bytes.data(), array.device, array.bytes);
        if (turn == 0) {
          first.push_back(std::move(bytes));
        } else if (bytes != first[next++]) {
          FAIL_CHECK("other bits in turn " << turn << ", " << device.TurnName());
        }
      }
    }
    device.BeginTurn(0);
    std::size_t next = 0;
    for (const Array& array : arrays_) {
      if (array.is_written) std::memcpy(array.host, first[next++].data(), array.bytes);
    }
  }

 private:
  struct Array {
    unsigned char* host;
    unsigned char* device;
    std::size_t bytes;
    bool is_written;
  };

  // The same array twice (in place) stays one; alignment is kept, so that misaligned rows are
  // tried.
  void* Place(void* host, std::size_t bytes, bool is_written) {
    for (Array& array : arrays_) {
      if (array.host != host) continue;
      array.is_written |= is_written;
      return array.device;
    }
    unsigned char* device = Take(bytes, reinterpret_cast<std::uintptr_t>(host) % 16);
    arrays_.push_back({static_cast<unsigned char*>(host), device, bytes, is_written});
    return device;
  }
  unsigned char* Take(std::size_t bytes, std::size_t offset) {
    constexpr std::size_t kArena = std::size_t{256} << 20;
    static auto* const arena = TheShelfDevice().Allocate(kArena);
    unsigned char* place = arena + used_ + offset;
    used_ += (offset + bytes + 255) / 256 * 256;
    REQUIRE(used_ <= kArena);
    return place;
  }

  std::vector<Array> arrays_;
  std::size_t used_ = 0;
};

cuda::Weight WeightOf(Call& call, const PackedWeight& weight, bool is_written = false) {
  const auto* data = weight.data.as<unsigned char>();
  const std::size_t bytes = weight.data.bytes();
  if (is_written) call.InOut(weight.data.as<unsigned char>(), bytes);
  cuda::Weight placed = cuda::WeightOf(weight);
  placed.data = call.In(data, bytes);
  return placed;
}

cuda::Cache CacheOf(Call& call, const KvCacheView& cache, bool is_written = false) {
  const std::size_t bytes =
      static_cast<std::size_t>(cache.num_pages) * cuda::KvPageBytes(cache.layout);
  auto* data = static_cast<unsigned char*>(cache.data);
  if (is_written) call.InOut(data, bytes);
  return cuda::CacheOf(cache.layout, const_cast<unsigned char*>(call.In(data, bytes)));
}

// What the host encodes goes to the device as it is.
void Place(const std::vector<cuda::EncodedPart>& parts, const PackedWeight& weight) {
  for (const cuda::EncodedPart& part : parts) {
    std::copy(part.bytes.begin(), part.bytes.end(), weight.data.as<std::uint8_t>() + part.at);
  }
}

void PackCodes(const PackCodesArgs& args, KernelContext&) {
  Place(cuda::EncodeRows(args), *args.weight);
}

void PackRows(const PackRowsArgs& args, KernelContext& context) {
  if (args.weight->form().quantized()) {
    return Place(cuda::EncodeRows(args, context), *args.weight);
  }
  Call call;
  const cuda::PackRowsParams p{.rows = call.Matrix(args.rows),
                               .count = args.rows.shape[0],
                               .first_row = args.first_row,
                               .weight = WeightOf(call, *args.weight, true)};
  call.Run([&](const cuda::Ops& ops) { ops.pack_rows(p, nullptr); });
}

void Embed(const EmbedArgs& args, KernelContext&) {
  Call call;
  const cuda::EmbedParams p{.ids = call.In(args.ids),
                            .tokens = static_cast<std::int64_t>(args.ids.size()),
                            .weight = WeightOf(call, *args.weight),
                            .out = call.Matrix(args.out, true),
                            .scale = args.scale};
  call.Run([&](const cuda::Ops& ops) { ops.embed(p, nullptr); });
}

void GatherRows(const GatherRowsArgs& args, KernelContext&) {
  Call call;
  const cuda::GatherRowsParams p{.rows = call.In(args.rows),
                                 .count = static_cast<std::int64_t>(args.rows.size()),
                                 .width = args.in.shape[1],
                                 .in = call.Matrix(args.in),
                                 .out = call.Matrix(args.out, true)};
  call.Run([&](const cuda::Ops& ops) { ops.gather_rows(p, nullptr); });
}

cuda::NormInput NormOf(Call& call, const NormArgs& norm) {
  return {call.Matrix(norm.weight).data, norm.eps};
}

// A product whose x is made of `from` (kRows: is it), into y: whether there is a form for it.
bool Multiply(const GemmArgs& args, cuda::InputKind kind, const tensor::TensorView& from,
              const NormArgs& norm, const tensor::TensorView& y, bool gates) {
  Call call;
  const std::int64_t m = args.x.shape[0];
  const cuda::GemmParams p{
      .x = call.Matrix(from),
      .input = {kind, kind == cuda::InputKind::kNormed ? NormOf(call, norm) : cuda::NormInput{}},
      .m = m,
      .weight = WeightOf(call, *args.weight),
      .bias = call.Matrix(args.bias).data,
      .y = call.Matrix(y, true),
      .accumulate = args.accumulate,
      .gates = gates,
      .alpha = args.alpha,
      .scratch = call.Scratch<char>(cuda::GemmScratchBytes(m, cuda::WeightOf(*args.weight)))};
  if (!cuda::GemmTakes(kind, p) || (gates && !cuda::GemmGates(p))) return false;
  call.Run([&](const cuda::Ops& ops) { ops.gemm(p, nullptr); });
  return true;
}

void Gemm(const GemmArgs& args, KernelContext&) {
  Multiply(args, cuda::InputKind::kRows, args.x, {}, args.y, false);
}

// Also into y with silu_and_mul after it.
bool NormAndMultiply(const KernelTable& table, const NormArgs& norm, const GemmArgs& gemm,
                     const tensor::TensorView& y, bool gates, KernelContext& context) {
  const bool is_rms = norm.kind == NormKind::kRms;
  if (is_rms && Multiply(gemm, cuda::InputKind::kNormed, norm.x, norm, y, gates)) return true;
  table.norm(norm, context);
  return Multiply(gemm, cuda::InputKind::kRows, gemm.x, {}, y, gates);
}

void NormGemm(const KernelTable& table, const NormGemmArgs& args, KernelContext& context) {
  NormAndMultiply(table, args.norm, args.gemm, args.gemm.y, false, context);
}

void Mlp(const KernelTable& table, const MlpArgs& args, KernelContext& context) {
  const bool is_swiglu = args.activation.kind == ActivationKind::kSilu && args.activation.gated;
  if (is_swiglu &&
      NormAndMultiply(table, args.norm, args.gate_up, args.activation.y, true, context)) {
    return Gemm(args.down, context);
  }
  NormAndMultiply(table, args.norm, args.gate_up, args.gate_up.y, false, context);
  if (is_swiglu &&
      Multiply(args.down, cuda::InputKind::kGated, args.activation.x, {}, args.down.y, false)) {
    return;
  }
  table.activation(args.activation, context);
  Gemm(args.down, context);
}

void Norm(const NormArgs& args, KernelContext&) {
  Call call;
  const cuda::NormParams p{.x = call.Matrix(args.x, !args.add.empty()),
                           .add = call.Matrix(args.add),
                           .weight = call.Matrix(args.weight).data,
                           .y = call.Matrix(args.y, true),
                           .tokens = args.x.shape[0],
                           .groups = args.groups,
                           .size = args.weight.shape[0],
                           .eps = args.eps,
                           .kind = args.kind,
                           .bias = call.Matrix(args.bias).data};
  call.Run([&](const cuda::Ops& ops) { ops.norm(p, nullptr); });
}

cuda::RopeParams ParamsOf(Call& call, const RopeArgs& args) {
  return {.x = call.Matrix(args.x, true),
          .tokens = args.x.shape[0],
          .heads = args.heads,
          .head_dim = args.head_dim,
          .positions = call.In(args.positions),
          .positions_per_token = args.positions_per_token,
          .axis = call.In(args.axis),
          .cos_table = call.Matrix(args.cos_table).data,
          .sin_table = call.Matrix(args.sin_table).data,
          .table_stride = args.cos_table.stride[0],
          .half = args.cos_table.shape[1]};
}

cuda::StoreKvParams ParamsOf(Call& call, const StoreKvArgs& args) {
  return {.k = call.Matrix(args.k),
          .v = call.Matrix(args.v),
          .slots = call.In(args.slots),
          .tokens = static_cast<std::int64_t>(args.slots.size()),
          .cache = CacheOf(call, args.cache, true)};
}

void Rope(const RopeArgs& args, KernelContext&) {
  Call call;
  const cuda::RopeParams p = ParamsOf(call, args);
  call.Run([&](const cuda::Ops& ops) { ops.rope(p, nullptr); });
}

void StoreKv(const StoreKvArgs& args, KernelContext&) {
  Call call;
  const cuda::StoreKvParams p = ParamsOf(call, args);
  call.Run([&](const cuda::Ops& ops) { ops.store_kv(p, nullptr); });
}

void RotateAndStore(const KernelTable& table, const RotateAndStoreArgs& args,
                    KernelContext& context) {
  const bool is_rms = args.q_norm.kind == NormKind::kRms && args.k_norm.kind == NormKind::kRms;
  if (!is_rms) return host::RotateAndStore(table, args, context);
  Call call;
  const cuda::RotateAndStoreParams p{.q = ParamsOf(call, args.q),
                                     .q_norm = NormOf(call, args.q_norm),
                                     .k_norm = NormOf(call, args.k_norm),
                                     .store = ParamsOf(call, args.store)};
  call.Run([&](const cuda::Ops& ops) { ops.rotate_and_store(p, nullptr); });
}

void PagedAttention(const PagedAttentionArgs& args, KernelContext&) {
  Call call;
  const std::size_t rows = args.kv_len.size();
  std::int64_t splits = 0, queries = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::int32_t count = args.query_start[r + 1] - args.query_start[r];
    queries = std::max<std::int64_t>(queries, count);
    if (count == 1) {
      splits = std::max(splits, cuda::AttentionSplits(args.kv_len[r], args.window));
    }
  }
  const std::size_t scratch = cuda::AttentionScratchBytes(
      static_cast<std::int64_t>(rows), args.num_heads, args.cache.layout.head_dim, splits);
  const auto table = rows * static_cast<std::size_t>(args.block_table_stride);
  const cuda::AttentionParams p{.q = call.Matrix(args.q),
                                .out = call.Matrix(args.out, true),
                                .num_heads = args.num_heads,
                                .tokens = args.q.shape[0],
                                .rows = static_cast<std::int64_t>(rows),
                                .query_start = call.In(args.query_start),
                                .kv_len = call.In(args.kv_len),
                                .block_tables = call.In(args.block_tables, table),
                                .block_table_stride = args.block_table_stride,
                                .cache = CacheOf(call, args.cache),
                                .scale = args.scale,
                                .window = args.window,
                                .softcap = args.softcap,
                                .max_splits = splits,
                                .max_queries = queries,
                                .partials = call.Scratch<float>(scratch / sizeof(float))};
  call.Run([&](const cuda::Ops& ops) { ops.paged_attention(p, nullptr); });
}

void Activate(const ActivationArgs& args, KernelContext&) {
  Call call;
  // Before y, which may be the same array.
  const bool in_place = args.x.data == args.y.data;
  const cuda::ActivationParams p{.x = call.Matrix(args.x, in_place),
                                 .y = call.Matrix(args.y, true),
                                 .tokens = args.y.shape[0],
                                 .size = args.y.shape[1],
                                 .kind = args.kind,
                                 .gated = args.gated,
                                 .cap = args.cap};
  call.Run([&](const cuda::Ops& ops) { ops.activation(p, nullptr); });
}

void LogitsProcess(const LogitsProcessArgs& args, KernelContext&) {
  Call call;
  const cuda::LogitsProcessParams p{
      .logits = call.Matrix(args.logits, true),
      .rows = args.logits.shape[0],
      .width = args.logits.shape[1],
      .count_begin = call.In(args.count_begin),
      .count_ids = call.In(args.count_ids),
      .counts = call.In(args.counts),
      .frequency_penalty = call.In(args.frequency_penalty),
      .presence_penalty = call.In(args.presence_penalty),
      .repetition_penalty = call.In(args.repetition_penalty),
      .ban_begin = call.In(args.ban_begin),
      .ban_ids = call.In(args.ban_ids),
      .ban_saved = call.Scratch<float>(args.ban_ids.size()),
      .mask = call.In(args.mask),
      .mask_stride = args.mask_stride,
      .mask_line = call.In(args.mask_line),
      .bias_begin = call.In(args.bias_begin),
      .bias_ids = call.In(args.bias_ids),
      .bias_values = call.In(args.bias_values),
      .status = reinterpret_cast<std::uint8_t*>(call.InOut(args.status))};
  call.Run([&](const cuda::Ops& ops) { ops.logits_process(p, nullptr); });
}

void Sample(const SampleArgs& args, KernelContext&) {
  Call call;
  const cuda::SampleParams p{.logits = call.Matrix(args.logits),
                             .rows = args.logits.shape[0],
                             .width = args.logits.shape[1],
                             .temperature = call.In(args.temperature),
                             .top_k = call.In(args.top_k),
                             .top_p = call.In(args.top_p),
                             .min_p = call.In(args.min_p),
                             .random = call.In(args.random),
                             .sampleable = call.In(args.sampleable),
                             .active = call.In(args.active),
                             .tokens = call.InOut(args.tokens)};
  call.Run([&](const cuda::Ops& ops) { ops.sample(p, nullptr); });
}

void Logprobs(const LogprobsArgs& args, KernelContext&) {
  Call call;
  std::int64_t top = 0;
  for (std::size_t r = 1; r < args.top_begin.size(); ++r) {
    top = std::max<std::int64_t>(top, args.top_begin[r] - args.top_begin[r - 1]);
  }
  const std::size_t scratch = cuda::LogprobsScratchBytes(args.logits.shape[0], top);
  const cuda::LogprobsParams p{
      .logits = call.Matrix(args.logits),
      .rows = args.logits.shape[0],
      .width = args.logits.shape[1],
      .temperature = call.In(args.temperature),
      .active = call.In(args.active),
      .ask_begin = call.In(args.ask_begin),
      .ask_ids = call.In(args.ask_ids),
      .ask_logprobs = call.InOut(args.ask_logprobs),
      .top_begin = call.In(args.top_begin),
      .top_ids = call.InOut(args.top_ids),
      .top_logprobs = call.InOut(args.top_logprobs),
      .max_top = top,
      .scratch = call.Scratch<std::uint64_t>(scratch / sizeof(std::uint64_t))};
  call.Run([&](const cuda::Ops& ops) { ops.logprobs(p, nullptr); });
}

}  // namespace

std::vector<const Backend*> ShelfBackends() {
  static const Backend backend = [] {
    Backend sim = RefBackend();
    sim.name = "cuda";
    sim.wide_int8_groups = false;
    sim.isa = TheShelfDevice().isa();
    sim.table.packed_weight_bytes = cuda::PackedWeightBytes;
    sim.table.pack_rows = PackRows;
    sim.table.pack_codes = PackCodes;
    sim.table.kv_page_bytes = cuda::KvPageBytes;
    sim.table.embed = Embed;
    sim.table.gather_rows = GatherRows;
    sim.table.gemm = Gemm;
    sim.table.norm = Norm;
    sim.table.rope = Rope;
    sim.table.store_kv = StoreKv;
    sim.table.paged_attention = PagedAttention;
    sim.table.activation = Activate;
    sim.table.norm_gemm = NormGemm;
    sim.table.rotate_and_store = RotateAndStore;
    sim.table.mlp = Mlp;
    sim.table.logits_process = LogitsProcess;
    sim.table.sample = Sample;
    sim.table.logprobs = Logprobs;
    return sim;
  }();
  return {&backend};
}

std::vector<const Backend*> ProductBackends(tensor::DType) {
  return ShelfBackends();
}

int ShelfCost() {
  return TheShelfDevice().cost();
}

}  // namespace sglrun::kernels::testing
