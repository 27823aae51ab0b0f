// A set of MLPs of which each token uses a few: a router, and the weights of every expert.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/expert_mlp.h"
#include "model/blocks/linear.h"
#include "model/blocks/mlp.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// Of the tensors, without ".weight".
struct ExpertNames {
  std::string router, gguf_router;
  // Of expert 3: prefix + "3." and gguf_ending + "3", or without the number where it is the only
  // one.
  MlpNames experts;
  bool are_numbered = true;
};

class Experts {
 public:
  Experts(const RouterSpec& router, const MlpSpec& expert, std::int64_t hidden, ExpertNames names);

  void List(WeightList& list);
  void AddColumns(Columns& columns) const;
  // Of rows after their norm, which y does not overlap.
  void Run(tensor::TensorView x, const BlockOutput& out, const Step& step) const;

 private:
  MlpNames NamesOf(std::size_t expert) const;
  void Route(tensor::TensorView x, tensor::TensorView experts, tensor::TensorView weights,
             const Step& step) const;
  std::vector<kernels::ExpertWeights> Weights() const;

  RouterSpec router_spec_;
  MlpSpec expert_spec_;
  std::int64_t hidden_;
  ExpertNames names_;
  Linear router_;
  VectorWeight choice_bias_;
  std::vector<MlpWeights> experts_;
};

}  // namespace sglrun::model
