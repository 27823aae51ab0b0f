// Weights from files into their packed form, one block of rows after the other: all threads
// dequantise a block that fits the caches, then the backend packs it.
#include <algorithm>
#include <initializer_list>

#include "model/decoder_tensors.h"
#include "model/decoder_weights.h"

namespace sglrun::model {
namespace {

// Floats of one block: 2 MiB stay in L2 or L3 between dequantising and packing.
constexpr std::int64_t kBlockFloats = std::int64_t{1} << 19;
// Blocks begin at multiples of this row, so that packing fills whole panels.
constexpr std::int64_t kRowMultiple = 64;

class Loader {
 public:
  Loader(const ModelFiles& files, const LoadOptions& options, kernels::KernelContext& context)
      : files_(files), options_(options), context_(context) {}

  void Vector(const std::string& name, VectorWeight& weight) { VectorPart(name, weight, 0); }

  // The sources' rows one after the other.
  void Matrix(std::initializer_list<std::string> names, kernels::PackedWeight& weight) {
    std::int64_t row = 0;
    for (const std::string& name : names) row += MatrixPart(name, weight, row);
    CHECK(row == weight.n) << row << " of " << weight.n << " rows of " << *names.begin();
  }
  void Bias(std::initializer_list<std::string> names, VectorWeight& weight) {
    std::int64_t first = 0;
    for (const std::string& name : names) first += VectorPart(name, weight, first);
    CHECK(first == weight.n) << *names.begin();
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
    source.read_rows(0, 1, weight.data.as<float>() + first);
    source.drop_pages();
    return source.shape[0];
  }

  std::int64_t MatrixPart(const std::string& name, kernels::PackedWeight& weight,
                          std::int64_t first_row) {
    const TensorSource& source = Source(name);
    const std::int64_t rows = source.shape[0], columns = source.shape[1];
    CHECK(columns == weight.k) << name;
    const std::int64_t block =
        std::max(kBlockFloats / columns / kRowMultiple, std::int64_t{1}) * kRowMultiple;
    Reserve(std::min(block, rows) * columns);
    for (std::int64_t row = 0; row < rows; row += block) {
      const std::int64_t count = std::min(block, rows - row);
      context_.pool().ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
        source.read_rows(row + begin, end - begin, block_.as<float>() + begin * columns);
      });
      options_.backend->table.pack_rows(
          {.weight = &weight,
           .first_row = first_row + row,
           .rows = tensor::MakeView(block_.data(), tensor::DType::kF32, {count, columns})},
          context_);
    }
    source.drop_pages();
    return rows;
  }

  void Reserve(std::int64_t floats) {
    const std::size_t bytes = static_cast<std::size_t>(floats) * sizeof(float);
    if (block_.bytes() >= bytes) return;
    block_ = tensor::Buffer(tensor::HostAllocator(), bytes);
    CHECK(block_.ok()) << "no memory for a block of " << bytes << " bytes";
  }

  const ModelFiles& files_;
  const LoadOptions& options_;
  kernels::KernelContext& context_;
  tensor::Buffer block_;
};

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

void FillDecoderWeights(const ModelFiles& files, const LoadOptions& options,
                        kernels::KernelContext& context, DecoderWeights& weights) {
  Loader loader(files, options, context);
  loader.Matrix({kEmbeddingName}, weights.embedding);
  if (weights.head.n > 0) loader.Matrix({kHeadName}, weights.head);
  loader.Vector(kFinalNormName, weights.final_norm);
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    LoadLayer(loader, files.config(), static_cast<std::int64_t>(i), weights.layers[i]);
  }
}

}  // namespace sglrun::model
