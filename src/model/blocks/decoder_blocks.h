// The blocks of a decoder: an embedding, layers of a mixer and an MLP, a final norm and a head.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "model/blocks/attention.h"
#include "model/blocks/embedding.h"
#include "model/blocks/head.h"
#include "model/blocks/mlp.h"
#include "model/blocks/moe.h"
#include "model/blocks/norm.h"
#include "model/spec/model_spec.h"
#include "tensor/arena.h"

namespace sglrun::model {

struct Layer {
  Layer(const LayerSpec& spec, const ModelSpec& model);
  void List(WeightList& list);
  void AddColumns(Columns& columns) const;
  void RunMlp(const BlockInput& in, const BlockOutput& out, const Step& step) const;

  Norm before_mixer, after_mixer, before_mlp, after_mlp;
  Attention mixer;
  std::variant<Mlp, Moe> mlp;
  float residual_scale;
  bool parallel;

 private:
  std::int64_t hidden_;
};

// Made without weights, which is all that plans need; AllocateWeights gives it memory for them.
struct DecoderBlocks {
  explicit DecoderBlocks(const ModelSpec& spec);
  DecoderBlocks(DecoderBlocks&&) = default;
  DecoderBlocks& operator=(DecoderBlocks&&) = delete;  // memory would go before its buffers

  void List(WeightList& list);
  Columns columns() const;

  // Holds the weights of the blocks on the host. First: it outlives them.
  std::unique_ptr<tensor::Arena> memory;
  Embedding embedding;
  std::vector<Layer> layers;
  Norm final_norm;
  Head head;
};

// matrix(MatrixEntry) and vector(VectorEntry) of every weight.
template <class MatrixFn, class VectorFn>
void ForEachWeight(DecoderBlocks& blocks, MatrixFn matrix, VectorFn vector) {
  FunctionList list(matrix, vector);
  blocks.List(list);
}

// A matrix [n, k] as plans see it.
struct MatrixSize {
  std::int64_t n = 0, k = 0;
  bool is_multiplied = true;  // false: single rows are looked up
  double share = 1;           // of the tokens that are multiplied with it
};
std::vector<MatrixSize> MatrixSizes(const ModelSpec& spec);

}  // namespace sglrun::model
