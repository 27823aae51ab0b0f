// From the contracts' Args to the parameters of the kernels. The forward pass takes staged arrays
// and only enqueues; sampling sends its rows' parameters in one copy, and waits for what it gives.
#include "kernels/cuda/backend.h"

#include <vector>

#include "base/check.h"
#include "base/strings.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/encode_rows.h"
#include "kernels/cuda/make_backend.h"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/parcel.h"

namespace sglrun::kernels {
namespace {

using cuda::DeviceState;
using cuda::Rows;

DeviceState& StateOf(KernelContext& context) {
  CHECK(context.device() != nullptr) << "the context knows no device";
  return static_cast<DeviceState&>(*context.device());
}

Rows RowsOf(const tensor::TensorView& view) {
  if (view.empty()) return {};
  return {view.f32(), view.rank == 2 ? view.stride[0] : view.shape[0]};
}

cuda::Cache CacheOf(const KvCacheView& cache) {
  return {cache.data, cache.layout.dtype == tensor::DType::kBF16,
          static_cast<std::int32_t>(cache.layout.num_kv_heads),
          static_cast<std::int32_t>(cache.layout.head_dim)};
}

std::size_t PackedWeightBytes(std::int64_t n, std::int64_t k, WeightForm form) {
  return cuda::WeightBytes(cuda::WeightOf(
      PackedWeight{.n = n, .k = k, .dtype = form.dtype, .data = {}, .quant = form.quant}));
}

std::size_t KvPageBytes(const KvLayout& layout) {
  return cuda::PageBytes(layout.num_kv_heads, layout.head_dim,
                         layout.dtype == tensor::DType::kBF16);
}

void UploadParts(const std::vector<cuda::EncodedPart>& parts, const PackedWeight& weight,
                 DeviceState& device) {
  device.runtime().UseHere();
  for (const cuda::EncodedPart& part : parts) {
    device.Upload(weight.data.as<std::uint8_t>() + part.at, part.bytes.data(), part.bytes.size());
  }
}

// Threads that load weights call this together.
void PackRows(const PackRowsArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  const std::int64_t count = args.rows.shape[0];
  const std::int64_t k = args.weight->k;
  if (count == 0 || k == 0) return;
  if (args.weight->form().quantized()) {
    const std::vector<cuda::EncodedPart> parts = cuda::EncodeRows(args, context);
    const std::lock_guard lock(device.mutex());
    return UploadParts(parts, *args.weight, device);
  }
  const std::lock_guard lock(device.mutex());
  device.runtime().UseHere();
  auto* rows =
      static_cast<float*>(device.Scratch(static_cast<std::size_t>(count * k) * sizeof(float)));
  const std::size_t row_bytes = static_cast<std::size_t>(k) * sizeof(float);
  if (args.rows.stride[0] == k) {
    device.Upload(rows, args.rows.data, static_cast<std::size_t>(count) * row_bytes);
  } else {
    for (std::int64_t r = 0; r < count; ++r) {
      device.Upload(rows + r * k, args.rows.row(r), row_bytes);
    }
  }
  device.ops().pack_rows({.rows = {rows, k},
                          .count = count,
                          .first_row = args.first_row,
                          .weight = cuda::WeightOf(*args.weight)},
                         device.stream());
}

void PackCodes(const PackCodesArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  const std::vector<cuda::EncodedPart> parts = cuda::EncodeRows(args);
  const std::lock_guard lock(device.mutex());
  UploadParts(parts, *args.weight, device);
}

void Embed(const EmbedArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().embed({.ids = args.ids.data(),
                      .tokens = static_cast<std::int64_t>(args.ids.size()),
                      .weight = cuda::WeightOf(*args.weight),
                      .out = RowsOf(args.out)},
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

void Gemm(const GemmArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  cuda::GemmParams params{.x = RowsOf(args.x),
                          .m = args.x.shape[0],
                          .weight = cuda::WeightOf(*args.weight),
                          .bias = args.bias.f32(),
                          .y = RowsOf(args.y),
                          .accumulate = args.accumulate};
  const std::size_t scratch = cuda::GemmScratchBytes(params.m, params.weight);
  if (scratch > 0) params.scratch = device.Scratch(scratch);
  device.ops().gemm(params, device.stream());
}

void RmsNorm(const RmsNormArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().rms_norm({.x = RowsOf(args.x),
                         .add = RowsOf(args.add),
                         .weight = args.weight.f32(),
                         .y = RowsOf(args.y),
                         .tokens = args.x.shape[0],
                         .groups = args.groups,
                         .size = args.weight.shape[0],
                         .eps = args.eps,
                         .weight_offset = args.weight_offset},
                        device.stream());
}

void Rope(const RopeArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().rope({.x = RowsOf(args.x),
                     .tokens = args.x.shape[0],
                     .heads = args.heads,
                     .head_dim = args.head_dim,
                     .positions = args.positions.data(),
                     .positions_per_token = args.positions_per_token,
                     .axis = args.axis.data(),
                     .cos_table = args.cos_table.f32(),
                     .sin_table = args.sin_table.f32(),
                     .table_stride = args.cos_table.stride[0],
                     .half = args.cos_table.shape[1]},
                    device.stream());
}

void StoreKv(const StoreKvArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().store_kv({.k = RowsOf(args.k),
                         .v = RowsOf(args.v),
                         .slots = args.slots.data(),
                         .tokens = args.k.shape[0],
                         .cache = CacheOf(args.cache)},
                        device.stream());
}

void PagedAttention(const PagedAttentionArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  const auto rows = static_cast<std::int64_t>(args.kv_len.size());
  cuda::AttentionParams params{.q = RowsOf(args.q),
                               .out = RowsOf(args.out),
                               .num_heads = args.num_heads,
                               .tokens = args.q.shape[0],
                               .rows = rows,
                               .query_start = args.query_start.data(),
                               .kv_len = args.kv_len.data(),
                               .block_tables = args.block_tables,
                               .block_table_stride = args.block_table_stride,
                               .cache = CacheOf(args.cache),
                               .scale = args.scale,
                               .window = args.window,
                               .max_splits = cuda::AttentionSplits(args.most_keys, args.window),
                               .max_queries = args.most_queries};
  const std::size_t scratch = cuda::AttentionScratchBytes(
      rows, args.num_heads, args.cache.layout.head_dim, params.max_splits);
  if (scratch > 0) params.partials = static_cast<float*>(device.Scratch(scratch));
  device.ops().paged_attention(params, device.stream());
}

void SiluAndMul(const SiluAndMulArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  device.ops().silu_and_mul({.x = RowsOf(args.x),
                             .y = RowsOf(args.y),
                             .tokens = args.x.shape[0],
                             .size = args.y.shape[1]},
                            device.stream());
}

void LogitsProcess(const LogitsProcessArgs& args, KernelContext& context) {
  static_assert(sizeof(RowStatus) == sizeof(std::uint8_t));
  DeviceState& device = StateOf(context);
  cuda::LogitsProcessParams params{.logits = RowsOf(args.logits),
                                   .rows = args.logits.shape[0],
                                   .width = args.logits.shape[1],
                                   .mask_stride = args.mask_stride};
  if (params.rows == 0) return;
  cuda::Parcel parcel;
  parcel.Send(args.count_begin, &params.count_begin);
  parcel.Send(args.count_ids, &params.count_ids);
  parcel.Send(args.counts, &params.counts);
  parcel.Send(args.frequency_penalty, &params.frequency_penalty);
  parcel.Send(args.presence_penalty, &params.presence_penalty);
  parcel.Send(args.repetition_penalty, &params.repetition_penalty);
  parcel.Send(args.ban_begin, &params.ban_begin);
  parcel.Send(args.ban_ids, &params.ban_ids);
  parcel.Send(args.mask, &params.mask);
  parcel.Send(args.mask_line, &params.mask_line);
  parcel.Send(args.bias_begin, &params.bias_begin);
  parcel.Send(args.bias_ids, &params.bias_ids);
  parcel.Send(args.bias_values, &params.bias_values);
  parcel.Fetch(args.status, &params.status);
  parcel.Use(args.ban_ids.size(), &params.ban_saved);
  parcel.Start(device);
  device.ops().logits_process(params, device.stream());
  parcel.Finish(device);
}

void Sample(const SampleArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  cuda::SampleParams params{
      .logits = RowsOf(args.logits), .rows = args.logits.shape[0], .width = args.logits.shape[1]};
  if (params.rows == 0) return;
  cuda::Parcel parcel;
  parcel.Send(args.temperature, &params.temperature);
  parcel.Send(args.top_k, &params.top_k);
  parcel.Send(args.top_p, &params.top_p);
  parcel.Send(args.min_p, &params.min_p);
  parcel.Send(args.random, &params.random);
  parcel.Send(args.sampleable, &params.sampleable);
  parcel.Send(args.active, &params.active);
  parcel.Exchange(args.tokens, &params.tokens);
  parcel.Start(device);
  device.ops().sample(params, device.stream());
  parcel.Finish(device);
}

void Logprobs(const LogprobsArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  cuda::LogprobsParams params{
      .logits = RowsOf(args.logits), .rows = args.logits.shape[0], .width = args.logits.shape[1]};
  if (params.rows == 0) return;
  for (std::size_t r = 1; r < args.top_begin.size(); ++r) {
    params.max_top =
        std::max<std::int64_t>(params.max_top, args.top_begin[r] - args.top_begin[r - 1]);
  }
  cuda::Parcel parcel;
  parcel.Send(args.temperature, &params.temperature);
  parcel.Send(args.active, &params.active);
  parcel.Send(args.ask_begin, &params.ask_begin);
  parcel.Send(args.ask_ids, &params.ask_ids);
  parcel.Send(args.top_begin, &params.top_begin);
  parcel.Exchange(args.ask_logprobs, &params.ask_logprobs);
  parcel.Exchange(args.top_ids, &params.top_ids);
  parcel.Exchange(args.top_logprobs, &params.top_logprobs);
  parcel.Use(cuda::LogprobsScratchBytes(params.rows, params.max_top) / sizeof(std::uint64_t),
             &params.scratch);
  parcel.Start(device);
  device.ops().logprobs(params, device.stream());
  parcel.Finish(device);
}

void Stage(std::span<StagedArray> arrays, KernelContext& context) {
  StateOf(context).Stage(arrays);
}
void Upload(void* to, const void* from, std::size_t bytes, KernelContext& context) {
  StateOf(context).Upload(to, from, bytes);
}
void Download(void* to, const void* from, std::size_t bytes, KernelContext& context) {
  StateOf(context).Download(to, from, bytes);
}

// Results carry it: what runs on different chips, or on none, may differ in its last bits.
std::string IsaOf(std::string_view name, const gpu::Properties& properties) {
  if (name == "sim") return "sim";
  return "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
}

class OwnedBackend final : public DeviceBackend {
 public:
  OwnedBackend(std::string_view name, std::unique_ptr<gpu::Runtime> runtime, const cuda::Ops& ops)
      : isa_(IsaOf(name, runtime->properties())), state_(std::move(runtime), ops) {
    backend_ = {.name = name,
                .isa = isa_,
                .table = {.packed_weight_bytes = PackedWeightBytes,
                          .pack_rows = PackRows,
                          .pack_codes = PackCodes,
                          .kv_page_bytes = KvPageBytes,
                          .embed = Embed,
                          .gemm = Gemm,
                          .rms_norm = RmsNorm,
                          .rope = Rope,
                          .store_kv = StoreKv,
                          .paged_attention = PagedAttention,
                          .silu_and_mul = SiluAndMul,
                          .logits_process = LogitsProcess,
                          .sample = Sample,
                          .logprobs = Logprobs,
                          .stage = Stage,
                          .upload = Upload,
                          .download = Download,
                          .gather_rows = GatherRows},
                .allocator = &state_.allocator(),
                .device = &state_};
  }

  const Backend& backend() const override { return backend_; }

  std::string Describe() override {
    const gpu::Properties& properties = state_.runtime().properties();
    return properties.name + " (" + isa_ + ", " +
           FormatByteSize(static_cast<std::int64_t>(properties.memory)) + ")";
  }

 private:
  std::string isa_;
  DeviceState state_;
  Backend backend_;
};

}  // namespace

std::unique_ptr<DeviceBackend> cuda::MakeBackend(std::string_view name,
                                                 std::unique_ptr<gpu::Runtime> runtime,
                                                 const Ops& ops) {
  return std::make_unique<OwnedBackend>(name, std::move(runtime), ops);
}

}  // namespace sglrun::kernels
