// How the weights of a Hugging Face directory were quantised, as its configuration says. The
// tensors decide what is quantised and with which numbers; this chooses between layouts that look
// alike, and must agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/result.h"

namespace sglrun::model {

struct Quantization {
  std::string place;                             // "M/config.json: quantization_config"
  std::string method;                            // "gptq"
  std::optional<std::int64_t> bits, group_size;  // the group -1: a row
  // Rows and columns of the blocks that share a scale.
  std::optional<std::pair<std::int64_t, std::int64_t>> block;
  bool varies = false;         // some modules have other numbers than these
  bool symmetric = false;      // zero points are in the middle of the codes
  bool zeros_less_one = true;  // GPTQ's first version stores zero points less one
};

// `object`: the value of quantization_config, or a file of its own that stands for it, whose
// `default_method` it then is. Refuses what cannot be read, by name.
Result<Quantization> ParseQuantization(const Json& object, const std::string& place,
                                       const std::string& default_method = "");

}  // namespace sglrun::model
