// The MLP: down(f(gate(x)) * up(x)), or down(f(up(x))).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "model/blocks/linear.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// What comes before and after the parts of its tensors' names.
struct MlpNames {
  std::string prefix = "mlp.";
  std::string gguf_ending = {};
};

struct MlpWeights {
  // Rows of gate, where there is one, then up: one matrix, so that x is read once.
  Linear gate_up, down;

  void List(const MlpSpec& spec, std::int64_t hidden, const MlpNames& names, const MatrixUse& use,
            WeightList& list);
};

class Mlp {
 public:
  Mlp(const MlpSpec& spec, std::int64_t hidden, MlpNames names = {})
      : spec_(spec), hidden_(hidden), names_(std::move(names)) {}

  void List(WeightList& list);
  void AddColumns(Columns& columns) const;
  void Run(const BlockInput& in, const BlockOutput& out, const Step& step) const;

 private:
  MlpSpec spec_;
  std::int64_t hidden_;
  MlpNames names_;
  MlpWeights weights_;
};

}  // namespace sglrun::model
