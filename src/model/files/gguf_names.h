// GGUF's names of the tensors of a model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/blocks/weight_list.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

class GgufNames : private WeightList {
 public:
  explicit GgufNames(const ModelSpec& spec);

  // The name in Hugging Face files, "model.layers.3.self_attn.q_proj.weight"; nothing for names that
  // no layer of the model has, whatever its number.
  std::optional<std::string> Find(std::string_view name) const;
  // Whether it is in a layer after the last of the model.
  bool IsLater(std::string_view name) const;

 private:
  void Matrix(const MatrixEntry& entry) override { Add(entry.from); }
  void Vector(const VectorEntry& entry) override { Add(entry.from); }
  void Add(const std::vector<Source>& sources);

  std::int64_t layers_;
  std::map<std::string, Source, std::less<>> outside_, in_layer_;
};

}  // namespace sglrun::model
