#include "model/model.h"

#include <algorithm>

#include "model/decoder.h"
#include "model/spec/faults.h"
#include "model/weights/adapters.h"

namespace sglrun::model {

namespace {

bool HasGains(const AdapterFiles& adapter) {
  return std::ranges::any_of(
      adapter.matrices(), [](const AdapterMatrix& matrix) { return matrix.magnitude.has_value(); });
}

Status CheckDevice(const ModelSpec& spec, std::span<const AdapterFiles> adapters,
                   const kernels::Backend& backend) {
  if (backend.device != nullptr && std::ranges::any_of(adapters, HasGains)) {
    return Error{"adapters with DoRA run on the CPU only: --device cpu"};
  }
  const auto has_experts = [](const LayerSpec& layer) { return layer.moe.has_value(); };
  if (backend.device == nullptr || std::ranges::none_of(spec.layers, has_experts)) return {};
  return Error{"mixtures of experts run on the CPU only: --device cpu"};
}

}  // namespace

struct Model::Impl {
  Impl(const ModelSpec& model_spec, SpecialTokens special_tokens, DecoderBlocks blocks,
       const kernels::Backend& used, kernels::KernelContext& context)
      : spec(model_spec),
        tokens(std::move(special_tokens)),
        backend(&used),
        decoder(spec, std::move(blocks), used, context) {}

  ModelSpec spec;
  SpecialTokens tokens;
  const kernels::Backend* backend;
  Decoder decoder;
};

Result<std::unique_ptr<Model>> Model::Load(const ModelFiles& files, const LoadOptions& options,
                                           kernels::KernelContext& context) {
  CHECK(options.backend != nullptr);
  context.set_device(options.backend->device);
  if (const Status served = CheckDevice(files.spec(), options.adapters, *options.backend);
      !served.ok()) {
    return Error{"model \"" + files.path() + "\": " + served.error().message};
  }
  auto blocks = AllocateWeights(files.spec(), options, &files);
  if (!blocks.ok()) {
    return Error{"model \"" + files.path() + "\": " + blocks.error().message,
                 blocks.error().shortage};
  }
  FillWeights(files, options, context, *blocks);
  SGLRUN_RETURN_IF_ERROR(LoadAdapters(options.adapters, files, options, context, *blocks));
  return std::unique_ptr<Model>(new Model(std::make_unique<Impl>(
      files.spec(), files.special_tokens(), std::move(*blocks), *options.backend, context)));
}

Result<std::unique_ptr<Model>> Model::Synthetic(const ModelSpec& spec, const LoadOptions& options,
                                                kernels::KernelContext& context) {
  CHECK(options.backend != nullptr);
  context.set_device(options.backend->device);
  if (const auto fault = FaultOf(spec)) return Error{"synthetic model: " + *fault};
  SGLRUN_RETURN_IF_ERROR(CheckDevice(spec, {}, *options.backend));
  SGLRUN_ASSIGN_OR_RETURN(DecoderBlocks blocks, AllocateWeights(spec, options, nullptr));
  RandomiseWeights(options, context, blocks);
  return std::unique_ptr<Model>(new Model(
      std::make_unique<Impl>(spec, SpecialTokens{}, std::move(blocks), *options.backend, context)));
}

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::~Model() = default;

std::int64_t Model::WeightBytes(const ModelFiles& files, const LoadOptions& options) {
  std::int64_t bytes = model::WeightBytes(files.spec(), options, &files);
  for (const AdapterFiles& adapter : options.adapters) bytes += AdapterBytes(adapter, options);
  return bytes;
}
std::int64_t Model::ActivationBytes(const ModelSpec& spec, std::int64_t tokens) {
  return Decoder::ActivationBytes(spec, tokens);
}
Status Model::Reserve(std::int64_t tokens) {
  return impl_->decoder.Reserve(tokens);
}
bool Model::ReservePositions(std::int64_t positions) {
  return impl_->decoder.ReservePositions(positions);
}

const ModelSpec& Model::spec() const {
  return impl_->spec;
}
const SpecialTokens& Model::special_tokens() const {
  return impl_->tokens;
}
const kernels::Backend& Model::backend() const {
  return *impl_->backend;
}
std::int64_t Model::weight_bytes() const {
  return impl_->decoder.weight_bytes();
}

void Model::Forward(const ForwardBatch& batch, KvCache& cache, tensor::TensorView hidden) {
  impl_->decoder.Forward(batch, cache, hidden);
}

void Model::Logits(tensor::TensorView hidden, std::span<const std::int32_t> adapters,
                   tensor::TensorView logits) {
  impl_->decoder.Logits(hidden, adapters, logits);
}

void Model::Embed(std::span<const std::int32_t> ids, tensor::TensorView out) {
  impl_->decoder.Embed(ids, out);
}

}  // namespace sglrun::model
