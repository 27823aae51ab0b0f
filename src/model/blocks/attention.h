// Attention of queries, in groups that share keys and values, over the pages of the cache.
#pragma once

#include <cstdint>

#include "kernels/kv_cache.h"
#include "model/blocks/linear.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

class Attention {
 public:
  Attention(const AttentionSpec& spec, const ModelSpec& model);

  void List(WeightList& list);
  void AddColumns(Columns& columns) const;
  static kernels::KvLayout Cache(const AttentionSpec& spec, tensor::DType dtype) {
    return {spec.kv_heads, spec.head_dim, dtype};
  }

  // The forward pass in three parts. After the first the keys and values of the step's tokens are
  // in the cache; the second leaves what the heads give, f32 [T, heads * head_dim], in
  // Slot::kHeads; the third may cover only some of these rows.
  void Store(const BlockInput& in, const kernels::KvCacheView& cache, const Step& step) const;
  tensor::TensorView Attend(const kernels::KvCacheView& cache, const Step& step) const;
  void Project(tensor::TensorView heads, const BlockOutput& out, const Step& step) const;

 private:
  tensor::TensorView Qkv(const Step& step) const;
  // Queries, keys and values beside each other in the rows of qkv.
  tensor::TensorView Queries(tensor::TensorView qkv) const;
  tensor::TensorView Keys(tensor::TensorView qkv) const;
  tensor::TensorView Values(tensor::TensorView qkv) const;
  // In place, in groups of heads or as one row; without a weight: none.
  kernels::NormArgs HeadNorm(tensor::TensorView x, const VectorWeight& weight,
                             std::int64_t heads) const;
  kernels::RopeArgs Rope(tensor::TensorView x, std::int64_t heads, const Step& step) const;
  // The chain's operations one by one, if the backend has no fused form.
  void RotateAndStore(const kernels::RotateAndStoreArgs& args, const Step& step) const;

  AttentionSpec spec_;
  std::int64_t hidden_;
  std::int64_t rotary_dim_;
  // Rows of q, then k, then v: one matrix, so that x is read once.
  Linear qkv_, output_;
  VectorWeight q_norm_, k_norm_;
};

}  // namespace sglrun::model
