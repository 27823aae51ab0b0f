// The backend on a device: its table (calls.h) and what it tells of itself.
#include "kernels/cuda/backend.h"

#include "base/check.h"
#include "base/strings.h"
#include "kernels/cuda/calls.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/make_backend.h"
#include "kernels/cuda/terms.h"

namespace sglrun::kernels {
namespace {

namespace calls = cuda::calls;

void Stage(std::span<StagedArray> arrays, KernelContext& context) {
  cuda::StateOf(context).Stage(arrays);
}
void Repeat(const RepeatArgs& args, KernelContext& context) {
  cuda::StateOf(context).Repeat(args);
}
void Upload(void* to, const void* from, std::size_t bytes, KernelContext& context) {
  cuda::StateOf(context).Upload(to, from, bytes);
}
void Download(void* to, const void* from, std::size_t bytes, KernelContext& context) {
  cuda::StateOf(context).Download(to, from, bytes);
}

// Models that need the operation are refused before they are loaded (model/model.cc).
template <class Args>
void Unserved(const Args&, KernelContext&) {
  CHECK(false) << "an operation that devices do not have";
}
template <class Args>
void Unserved(const KernelTable&, const Args&, KernelContext&) {
  CHECK(false) << "an operation that devices do not have";
}

// Results name it, with the library's version, because other chips, the simulation or another
// library may give other last bits.
std::string IsaOf(const gpu::Properties& properties) {
  if (properties.is_simulated) return "sim";
  return "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
}

class OwnedBackend final : public DeviceBackend {
 public:
  OwnedBackend(std::string_view name, std::unique_ptr<gpu::Runtime> runtime, const cuda::Ops& ops,
               const std::vector<std::string>& library_places)
      : isa_(IsaOf(runtime->properties())), state_(std::move(runtime), ops) {
    if (!library_places.empty()) OpenLibrary(library_places);
    backend_ = {.name = name,
                .isa = isa_,
                .table = {.packed_weight_bytes = cuda::PackedWeightBytes,
                          .pack_rows = calls::PackRows,
                          .pack_codes = calls::PackCodes,
                          .kv_page_bytes = cuda::KvPageBytes,
                          .embed = calls::Embed,
                          .gemm = calls::Gemm,
                          .norm = calls::Norm,
                          .rope = calls::Rope,
                          .store_kv = calls::StoreKv,
                          .paged_attention = calls::PagedAttention,
                          .activation = calls::Activate,
                          .route = Unserved<RouteArgs>,
                          .scale_add = Unserved<ScaleAddArgs>,
                          .logits_process = calls::LogitsProcess,
                          .sample = calls::Sample,
                          .logprobs = calls::Logprobs,
                          .norm_gemm = calls::NormGemm,
                          .rotate_and_store = calls::RotateAndStore,
                          .mlp = calls::Mlp,
                          .expert_mlp = Unserved<ExpertMlpArgs>,
                          .draw = calls::Draw,
                          .finish_draw = calls::FinishDraw,
                          .feed_drawn = calls::FeedDrawn,
                          .stage = Stage,
                          .repeat = Repeat,
                          .upload = Upload,
                          .download = Download,
                          .gather_rows = calls::GatherRows},
                .allocator = &state_.allocator(),
                .device = &state_,
                .is_simulated = state_.runtime().properties().is_simulated};
  }

  const Backend& backend() const override { return backend_; }

  std::string Describe() override {
    const gpu::Properties& properties = state_.runtime().properties();
    return properties.name + " (" + isa_ + ", " +
           FormatByteSize(static_cast<std::int64_t>(properties.memory)) + ")";
  }

  std::string DescribeProducts() override {
    return state_.library() == nullptr ? "own kernels" : "cuBLASLt " + state_.library()->Version();
  }
  std::string WhyNoLibrary() override { return why_no_library_; }

 private:
  // Without it everything runs all the same, only slower.
  void OpenLibrary(const std::vector<std::string>& places) {
    auto library = cuda::LibraryProducts::Open(state_.runtime(), state_.stream(), places);
    if (!library.ok()) {
      why_no_library_ = library.error().message;
      return;
    }
    state_.UseLibrary(std::move(*library));
    isa_ += "+cublaslt-" + state_.library()->Version();
  }

  std::string isa_, why_no_library_;
  cuda::DeviceState state_;
  Backend backend_;
};

}  // namespace

std::unique_ptr<DeviceBackend> cuda::MakeBackend(std::string_view name,
                                                 std::unique_ptr<gpu::Runtime> runtime,
                                                 const Ops& ops,
                                                 const std::vector<std::string>& library_places) {
  return std::make_unique<OwnedBackend>(name, std::move(runtime), ops, library_places);
}

}  // namespace sglrun::kernels
