// Weights from files into their packed form: a list of blocks of rows, which the threads take one
// after the other, each dequantising into its own buffer and packing from there. There is one
// barrier, at the end: with one a block, a busy machine waits longer than it works (7 s instead of
// 0.9 s for 135M weights with twelve processes on two cores).
#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <new>
#include <vector>

#include "model/decoder_tensors.h"
#include "model/decoder_weights.h"
#include "model/quant_rows.h"

namespace sglrun::model {
namespace {

// Floats of one block: with the stored weights and the panels that they become, 0.5 MiB stays in
// the second-level cache between dequantising and packing.
constexpr std::int64_t kReadFloats = std::int64_t{1} << 16;
// Blocks begin at multiples of this row, so that packing fills whole panels.
constexpr std::int64_t kRowMultiple = 64;

// Rows [row, row + count) of `source`, which become rows from first_row on of `weight`.
struct Block {
  const TensorSource* source = nullptr;
  kernels::PackedWeight* weight = nullptr;
  std::int64_t row = 0, count = 0, first_row = 0;
  bool last = false;  // of its source
};

// Packs blocks on one thread. pack_rows writes the elements of its own rows alone, so that threads
// may fill one matrix together, each with a context of its own.
class Packer {
 public:
  explicit Packer(const kernels::Backend& backend) : backend_(backend), context_(one_thread_) {
    context_.set_device(backend.device);
  }

  void Pack(const Block& block) {
    if (block.weight->form().quantized() && block.source->form) {
      PackCodes(block);
    } else {
      PackFloats(block);
    }
    // Another thread may still read an earlier block: a dropped page comes back from the file.
    if (block.last) block.source->drop_pages();
  }

 private:
  void PackCodes(const Block& block) {
    quant_rows_.Read(*block.source, block.row, block.count, block.weight->form());
    backend_.table.pack_codes({.weight = block.weight,
                               .first_row = block.first_row,
                               .rows = block.count,
                               .codes = quant_rows_.codes(),
                               .scales = quant_rows_.scales(),
                               .minima = quant_rows_.minima()},
                              context_);
  }

  void PackFloats(const Block& block) {
    const std::int64_t columns = block.weight->k;
    const std::size_t bytes = static_cast<std::size_t>(block.count * columns) * sizeof(float);
    if (rows_.bytes() < bytes) rows_ = tensor::Buffer(tensor::HostAllocator(), bytes);
    if (!rows_.ok()) throw std::bad_alloc();
    block.source->read_rows(block.row, block.count, rows_.as<float>());
    backend_.table.pack_rows(
        {.weight = block.weight,
         .first_row = block.first_row,
         .rows = tensor::MakeView(rows_.data(), tensor::DType::kF32, {block.count, columns})},
        context_);
  }

  const kernels::Backend& backend_;
  ThreadPool one_thread_{1};
  kernels::KernelContext context_;
  tensor::Buffer rows_;
  QuantRows quant_rows_;
};

class Loader {
 public:
  Loader(const ModelFiles& files, const kernels::Backend& backend, kernels::KernelContext& context)
      : files_(files), backend_(backend), context_(context) {}

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

  // Does the matrices' work.
  void Run() {
    std::atomic<std::size_t> next{0};
    context_.pool().Run([&](int, int) {
      Packer packer(backend_);
      for (std::size_t i = next.fetch_add(1); i < blocks_.size(); i = next.fetch_add(1)) {
        packer.Pack(blocks_[i]);
      }
    });
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
    weight.Fill(values.data(), source.shape[0], first, backend_, context_);
    source.drop_pages();
    return source.shape[0];
  }

  std::int64_t MatrixPart(const std::string& name, kernels::PackedWeight& weight,
                          std::int64_t first_row) {
    const TensorSource& source = Source(name);
    const std::int64_t rows = source.shape[0], columns = source.shape[1];
    CHECK(columns == weight.k) << name;
    const std::int64_t block =
        std::max(kReadFloats / columns / kRowMultiple, std::int64_t{1}) * kRowMultiple;
    for (std::int64_t row = 0; row < rows; row += block) {
      const std::int64_t count = std::min(block, rows - row);
      blocks_.push_back({&source, &weight, row, count, first_row + row, row + count == rows});
    }
    return rows;
  }

  const ModelFiles& files_;
  const kernels::Backend& backend_;
  kernels::KernelContext& context_;
  std::vector<Block> blocks_;
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
  Loader loader(files, *options.backend, context);
  loader.Matrix({kEmbeddingName}, weights.embedding);
  if (weights.head.n > 0) loader.Matrix({kHeadName}, weights.head);
  loader.Vector(kFinalNormName, weights.final_norm);
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    LoadLayer(loader, files.config(), static_cast<std::int64_t>(i), weights.layers[i]);
  }
  loader.Run();
}

}  // namespace sglrun::model
