// Weights from files into their packed form: a list of parts of the files' tensors, which the
// threads take one after the other, each with a packer of its own. There is one barrier, at the
// end: with one a part, a busy machine waits longer than it works (7 s instead of 0.9 s for 135M
// weights with twelve processes on two cores).
#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <vector>

#include "model/decoder_tensors.h"
#include "model/decoder_weights.h"
#include "model/part_packer.h"
#include "model/quant_rows.h"
#include "model/tensor_parts.h"

namespace sglrun::model {
namespace {

class Loader {
 public:
  Loader(const ModelFiles& files, const LoadOptions& options, kernels::KernelContext& context)
      : files_(files), options_(options), context_(context), places_(files.tensors().size()) {}

  void Vector(const std::string& name, VectorWeight& weight) { VectorPart(name, weight, 0); }

  // The sources' rows one after the other.
  void Matrix(std::initializer_list<std::string> names, kernels::PackedWeight& weight) {
    std::int64_t row = 0;
    for (const std::string& name : names) {
      const TensorSource& source = Source(name);
      CHECK(source.shape[1] == weight.k) << name;
      places_[static_cast<std::size_t>(&source - files_.tensors().data())] = {&weight, row};
      row += source.shape[0];
    }
    CHECK(row == weight.n) << row << " of " << weight.n << " rows of " << *names.begin();
  }
  void Bias(std::initializer_list<std::string> names, VectorWeight& weight) {
    std::int64_t first = 0;
    for (const std::string& name : names) first += VectorPart(name, weight, first);
    CHECK(first == weight.n) << *names.begin();
  }

  // Does the matrices' work, and the hashing.
  void Run() {
    const std::vector<TensorSource>& tensors = files_.tensors();
    const std::vector<TensorPart> parts = PartsOf(tensors);
    std::vector<Hash128> hashes(options_.fingerprint == nullptr ? 0 : parts.size());
    std::atomic<std::size_t> next{0};
    context_.pool().Run([&](int, int) {
      PartPacker packer(*options_.backend);
      for (std::size_t i = next.fetch_add(1); i < parts.size(); i = next.fetch_add(1)) {
        if (options_.stop != nullptr && *options_.stop) return;
        const Place& place = places_[parts[i].tensor];
        Hash128* hash = hashes.empty() ? nullptr : &hashes[i];
        if (place.weight == nullptr && hash == nullptr) continue;
        packer.Pack(tensors[parts[i].tensor], parts[i], place, hash);
      }
    });
    if (!hashes.empty()) *options_.fingerprint = files_.FingerprintOf(hashes);
  }

 private:
  // ModelFiles::Open has matched names and shapes with the configuration.
  const TensorSource& Source(const std::string& name) const {
    const TensorSource* source = files_.Find(name);
    CHECK(source != nullptr) << name;
    return *source;
  }

  std::int64_t VectorPart(const std::string& name, VectorWeight& weight, std::int64_t first) {
    const TensorSource& source = Source(name);
    CHECK(first + source.shape[0] <= weight.n) << name;
    std::vector<float> values(static_cast<std::size_t>(source.shape[0]));
    source.read_rows(0, 1, values.data());
    weight.Fill(values.data(), source.shape[0], first, *options_.backend, context_);
    source.drop_pages(0, source.stored.size());
    return source.shape[0];
  }

  const ModelFiles& files_;
  const LoadOptions& options_;
  kernels::KernelContext& context_;
  std::vector<Place> places_;  // of each tensor
};

// Shows every matrix's sources to ChooseQuantForms.
class FormChooser {
 public:
  explicit FormChooser(const ModelFiles& files) : files_(files) {}

  void Matrix(std::initializer_list<std::string> names, kernels::PackedWeight& weight) {
    std::vector<const TensorSource*> sources;
    for (const std::string& name : names) sources.push_back(files_.Find(name));
    const kernels::WeightForm form = FormOf(sources, weight.form());
    weight.dtype = form.dtype;
    weight.quant = form.quant;
  }
  void Vector(const std::string&, VectorWeight&) {}
  void Bias(std::initializer_list<std::string>, VectorWeight&) {}

 private:
  const ModelFiles& files_;
};

template <class Loader>
void LoadLayer(Loader& loader, const ModelConfig& c, std::int64_t index, LayerWeights& layer) {
  const auto name = [&](const char* suffix) { return LayerTensorName(index, suffix); };
  loader.Vector(name("input_layernorm.weight"), layer.input_norm);
  loader.Vector(name("post_attention_layernorm.weight"), layer.post_attention_norm);
  if (c.qk_norm) {
    loader.Vector(name("self_attn.q_norm.weight"), layer.q_norm);
    loader.Vector(name("self_attn.k_norm.weight"), layer.k_norm);
  }
  loader.Matrix({name("self_attn.q_proj.weight"), name("self_attn.k_proj.weight"),
                 name("self_attn.v_proj.weight")},
                layer.qkv);
  loader.Matrix({name("self_attn.o_proj.weight")}, layer.output);
  loader.Matrix({name("mlp.gate_proj.weight"), name("mlp.up_proj.weight")}, layer.gate_up);
  loader.Matrix({name("mlp.down_proj.weight")}, layer.down);
  if (c.qkv_bias) {
    loader.Bias({name("self_attn.q_proj.bias"), name("self_attn.k_proj.bias"),
                 name("self_attn.v_proj.bias")},
                layer.qkv_bias);
  }
  if (c.output_bias) loader.Bias({name("self_attn.o_proj.bias")}, layer.output_bias);
  if (c.mlp_bias) {
    loader.Bias({name("mlp.gate_proj.bias"), name("mlp.up_proj.bias")}, layer.gate_up_bias);
    loader.Bias({name("mlp.down_proj.bias")}, layer.down_bias);
  }
}

}  // namespace

void ChooseQuantForms(const ModelFiles& files, DecoderWeights& weights) {
  FormChooser chooser(files);
  chooser.Matrix({kEmbeddingName}, weights.embedding);
  if (!files.config().tie_word_embeddings) chooser.Matrix({kHeadName}, weights.head);
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    LoadLayer(chooser, files.config(), static_cast<std::int64_t>(i), weights.layers[i]);
  }
}

void FillDecoderWeights(const ModelFiles& files, const LoadOptions& options,
                        kernels::KernelContext& context, DecoderWeights& weights) {
  Loader loader(files, options, context);
  loader.Matrix({kEmbeddingName}, weights.embedding);
  if (weights.head.n > 0) loader.Matrix({kHeadName}, weights.head);
  loader.Vector(kFinalNormName, weights.final_norm);
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    LoadLayer(loader, files.config(), static_cast<std::int64_t>(i), weights.layers[i]);
  }
  loader.Run();
}

}  // namespace sglrun::model
