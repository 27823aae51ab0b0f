#include "model/blocks/decoder_blocks.h"

namespace sglrun::model {
namespace {

std::variant<Mlp, Moe> MakeMlp(const LayerSpec& spec, std::int64_t hidden) {
  if (spec.moe) return Moe(*spec.moe, hidden);
  return Mlp(spec.mlp, hidden);
}

}  // namespace

Layer::Layer(const LayerSpec& spec, const ModelSpec& model)
    : before_mixer(spec.before_mixer, model.hidden_size),
      after_mixer(spec.after_mixer, model.hidden_size),
      before_mlp(spec.before_mlp, model.hidden_size),
      after_mlp(spec.after_mlp, model.hidden_size),
      mixer(spec.mixer, model),
      mlp(MakeMlp(spec, model.hidden_size)),
      residual_scale(spec.residual_scale),
      parallel(spec.parallel),
      hidden_(model.hidden_size) {}

void Layer::List(WeightList& list) {
  before_mixer.List(list);
  mixer.List(list);
  after_mixer.List(list);
  before_mlp.List(list);
  std::visit([&](auto& block) { block.List(list); }, mlp);
  after_mlp.List(list);
}

void Layer::AddColumns(Columns& columns) const {
  mixer.AddColumns(columns);
  std::visit([&](const auto& block) { block.AddColumns(columns); }, mlp);
  // A branch without a norm after it is added to the stream directly and needs no buffer.
  if (after_mixer.is_present() || after_mlp.is_present()) columns.Need(Slot::kBranch, hidden_);
}

void Layer::RunMlp(const BlockInput& in, const BlockOutput& out, const Step& step) const {
  std::visit([&](const auto& block) { block.Run(in, out, step); }, mlp);
}

DecoderBlocks::DecoderBlocks(const ModelSpec& spec)
    : embedding(spec), final_norm(spec.final_norm, spec.hidden_size), head(spec) {
  layers.reserve(spec.layers.size());
  for (const LayerSpec& layer : spec.layers) layers.emplace_back(layer, spec);
}

void DecoderBlocks::List(WeightList& list) {
  list.set_layer(std::nullopt);
  embedding.List(list);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    list.set_layer(static_cast<std::int64_t>(i));
    layers[i].List(list);
  }
  list.set_layer(std::nullopt);
  final_norm.List(list);
  head.List(list);
}

Columns DecoderBlocks::columns() const {
  Columns columns;
  embedding.AddColumns(columns);
  columns.Need(Slot::kKeptStream, columns[Slot::kStream]);
  for (const Layer& layer : layers) layer.AddColumns(columns);
  head.AddColumns(columns);
  return columns;
}

std::vector<MatrixSize> MatrixSizes(const ModelSpec& spec) {
  std::vector<MatrixSize> sizes;
  DecoderBlocks blocks(spec);
  ForEachWeight(
      blocks,
      [&](const MatrixEntry& matrix) {
        sizes.push_back({matrix.n, matrix.k, matrix.is_multiplied, matrix.use.share});
      },
      [](const VectorEntry&) {});
  return sizes;
}

}  // namespace sglrun::model
