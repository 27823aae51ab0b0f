// From hidden states to logits.
#pragma once

#include "model/blocks/embedding.h"

namespace sglrun::model {

class Head {
 public:
  explicit Head(const ModelSpec& spec)
      : vocab_size_(spec.vocab_size),
        hidden_(spec.hidden_size),
        scale_(spec.logit_scale),
        softcap_(spec.logit_softcap),
        is_tied_(spec.tied_head),
        has_bias_(spec.head_bias) {}

  void List(WeightList& list);
  void AddColumns(Columns& columns) const;
  MatrixUpdates& updates() { return updates_; }
  // logits f32 [J, V] of hidden f32 [J, H].
  void Run(tensor::TensorView hidden, const Embedding& embedding, tensor::TensorView logits,
           const AdapterStep& step) const;

 private:
  std::int64_t vocab_size_, hidden_;
  float scale_, softcap_;
  bool is_tied_, has_bias_;
  kernels::PackedWeight weight_;  // empty where the embedding serves
  VectorWeight bias_;
  MatrixUpdates updates_;
};

}  // namespace sglrun::model
