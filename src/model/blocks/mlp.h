// The MLP: down(f(gate(x)) * up(x)), or down(f(up(x))).
#pragma once

#include <cstdint>

#include "model/blocks/linear.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

class Mlp {
 public:
  Mlp(const MlpSpec& spec, std::int64_t hidden) : spec_(spec), hidden_(hidden) {}

  void List(WeightList& list);
  void AddColumns(Columns& columns) const;
  void Run(const BlockInput& in, const BlockOutput& out, const Step& step) const;

 private:
  MlpSpec spec_;
  std::int64_t hidden_;
  // Rows of gate, where there is one, then up: one matrix, so that x is read once.
  Linear gate_up_, down_;
};

}  // namespace sglrun::model
