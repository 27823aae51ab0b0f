// The list of a model's weights. Every block names its own once, with shape and source; whatever
// is done with weights is a reader of that list: matching against a file, sizes, memory, forms,
// loading, random numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/packed_weight.h"
#include "model/blocks/vector_weight.h"

namespace sglrun::model {

class MatrixUpdates;

inline constexpr const char* kEmbeddingName = "model.embed_tokens.weight";
inline constexpr const char* kHeadName = "lm_head.weight";

// "model.layers.3." + name
inline std::string LayerName(std::int64_t layer, const std::string& name) {
  return "model.layers." + std::to_string(layer) + "." + name;
}

// Rows that rotate: the first `rotary` of each of `heads` heads of `size` rows. Some files order
// those in adjacent pairs.
struct RotatedRows {
  std::int64_t heads = 0, size = 0, rotary = 0;
};

// The rows of all queries, then keys, then values, of heads of `size` rows. Some files order them
// by key head: its queries, its key, its value.
struct FusedRows {
  std::int64_t heads = 0, kv_heads = 0, size = 0;
};

// A tensor of a checkpoint. The names are those in a layer, without the layer's prefix.
struct Source {
  std::string name;       // in Hugging Face files: "self_attn.q_proj.weight"
  std::string gguf_name;  // "attn_q.weight"
  std::int64_t rows = 0;  // entries of a vector
  RotatedRows rotated = {};
  FusedRows fused = {};
};

// What forms and plans of memory and time go by.
struct MatrixUse {
  bool is_exact = false;  // kept in float32, whatever the form of the others
  double share = 1;       // of the tokens that are multiplied with it
  bool takes_adapters = true;
};

// [n, k]: the rows of its sources one after the other.
struct MatrixEntry {
  kernels::PackedWeight* to = nullptr;
  std::int64_t n = 0, k = 0;
  std::vector<Source> from = {};
  bool is_vocabulary = false;  // one row per token: embedding and head
  bool is_multiplied = true;   // false where single rows are looked up only
  MatrixUse use = {};
  MatrixUpdates* updates = nullptr;  // by adapters; null where they cannot change it
};

struct VectorEntry {
  VectorWeight* to = nullptr;
  std::int64_t n = 0;
  std::vector<Source> from = {};
  float center = 0;  // of its numbers in a model: 1 for norms, 0 for biases
};

class WeightList {
 public:
  virtual ~WeightList() = default;
  virtual void Matrix(const MatrixEntry& entry) = 0;
  virtual void Vector(const VectorEntry& entry) = 0;

  // The layer of the entries that follow; nullopt: they belong to none.
  void set_layer(std::optional<std::int64_t> layer) { layer_ = layer; }

 protected:
  std::optional<std::int64_t> layer() const { return layer_; }
  // "model.layers.3.self_attn.q_proj.weight"
  std::string FullName(const Source& source) const {
    return layer_ ? LayerName(*layer_, source.name) : source.name;
  }

 private:
  std::optional<std::int64_t> layer_;
};

// A reader made of two functions, matrix(MatrixEntry) and vector(VectorEntry).
template <class MatrixFn, class VectorFn>
class FunctionList : public WeightList {
 public:
  FunctionList(MatrixFn matrix, VectorFn vector) : matrix_(matrix), vector_(vector) {}
  void Matrix(const MatrixEntry& entry) override { matrix_(entry); }
  void Vector(const VectorEntry& entry) override { vector_(entry); }

 private:
  MatrixFn matrix_;
  VectorFn vector_;
};

}  // namespace sglrun::model
