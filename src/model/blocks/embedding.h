// From tokens to the residual stream.
#pragma once

#include <cstdint>
#include <span>

#include "model/blocks/step.h"
#include "model/blocks/weight_list.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

class Embedding {
 public:
  explicit Embedding(const ModelSpec& spec)
      : vocab_size_(spec.vocab_size),
        hidden_(spec.hidden_size),
        scale_(spec.embedding_scale),
        is_head_(spec.tied_head) {}

  void List(WeightList& list);
  void AddColumns(Columns& columns) const {
    columns.Need(Slot::kStream, hidden_);
    columns.Need(Slot::kLowRank, updates_.most_ranks());
  }
  // What adapters change: their matrices A are looked up as the embedding is, [vocabulary, rank].
  MatrixUpdates& updates() { return updates_; }

  // Rows as the first layer takes them; ids and out f32 [ids, H] in the backend's memory.
  void LookUp(std::span<const std::int32_t> ids, tensor::TensorView out,
              const kernels::KernelTable& table, kernels::KernelContext& context) const;
  // x of the step's tokens, some of which may come as rows of their own.
  void Run(tensor::TensorView x, const Step& step) const;

  const kernels::PackedWeight& weight() const { return weight_; }

 private:
  void AddUpdates(std::span<const std::int32_t> ids, tensor::TensorView x, const Step& step) const;

  std::int64_t vocab_size_, hidden_;
  float scale_;
  bool is_head_;
  kernels::PackedWeight weight_;
  MatrixUpdates updates_;
};

}  // namespace sglrun::model
