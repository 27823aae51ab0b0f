#include "model/model.h"

#include "model/config_check.h"
#include "model/decoder.h"
#include "model/rope_config.h"

namespace sglrun::model {

struct Model::Impl {
  Impl(const ModelConfig& model_config, DecoderWeights weights, const kernels::Backend& used,
       kernels::KernelContext& context)
      : config(model_config), backend(&used), decoder(config, std::move(weights), used, context) {}

  ModelConfig config;
  const kernels::Backend* backend;
  Decoder decoder;
};

Result<std::unique_ptr<Model>> Model::Load(const ModelFiles& files, const LoadOptions& options,
                                           kernels::KernelContext& context) {
  CHECK(options.backend != nullptr);
  context.set_device(options.backend->device);
  auto weights = AllocateDecoderWeights(files.config(), options, &files);
  if (!weights.ok()) return Error{"model \"" + files.path() + "\": " + weights.error().message};
  FillDecoderWeights(files, options, context, *weights);
  return std::unique_ptr<Model>(new Model(
      std::make_unique<Impl>(files.config(), std::move(*weights), *options.backend, context)));
}

Result<std::unique_ptr<Model>> Model::Synthetic(const ModelConfig& shapes,
                                                const LoadOptions& options,
                                                kernels::KernelContext& context) {
  CHECK(options.backend != nullptr);
  context.set_device(options.backend->device);
  SGLRUN_RETURN_IF_ERROR(CheckModelConfig(shapes, "synthetic model"));
  ModelConfig config = shapes;
  config.sliding_window.resize(static_cast<std::size_t>(config.num_hidden_layers), 0);
  if (config.rope.inverse_frequencies.empty()) {
    config.rope = DefaultRope(config.rope.theta, config.head_dim);
  }
  SGLRUN_ASSIGN_OR_RETURN(DecoderWeights weights, AllocateDecoderWeights(config, options, nullptr));
  RandomiseDecoderWeights(options, context, weights);
  return std::unique_ptr<Model>(
      new Model(std::make_unique<Impl>(config, std::move(weights), *options.backend, context)));
}

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::~Model() = default;

std::int64_t Model::WeightBytes(const ModelFiles& files, const LoadOptions& options) {
  return DecoderWeightBytes(files.config(), options, &files);
}
std::int64_t Model::ActivationBytes(const ModelConfig& config, std::int64_t tokens) {
  return Decoder::ActivationBytes(config, tokens);
}
Status Model::Reserve(std::int64_t tokens) {
  return impl_->decoder.Reserve(tokens);
}
bool Model::ReservePositions(std::int64_t positions) {
  return impl_->decoder.ReservePositions(positions);
}

const ModelConfig& Model::config() const {
  return impl_->config;
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

void Model::Logits(tensor::TensorView hidden, tensor::TensorView logits) {
  impl_->decoder.Logits(hidden, logits);
}

void Model::Embed(std::span<const std::int32_t> ids, tensor::TensorView out) {
  impl_->decoder.Embed(ids, out);
}

}  // namespace sglrun::model
