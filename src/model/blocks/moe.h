// A mixture of experts in place of the MLP: those that the router chooses, and one that all tokens
// take, where the model has it.
#pragma once

#include <cstdint>
#include <optional>

#include "model/blocks/experts.h"
#include "model/blocks/mlp.h"
#include "model/blocks/norm.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

class Moe {
 public:
  Moe(const MoeSpec& spec, std::int64_t hidden);

  void List(WeightList& list);
  void AddColumns(Columns& columns) const;
  void Run(const BlockInput& in, const BlockOutput& out, const Step& step) const;

 private:
  std::int64_t hidden_;
  Norm no_norm_{std::nullopt, 0};
  Experts routed_;
  // A shared expert with a gate is a set of one expert, and the gate is its router.
  std::optional<Experts> gated_shared_;
  std::optional<Mlp> shared_;
};

}  // namespace sglrun::model
