// What the files of a model say beside what it computes (spec/model_spec.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sglrun::model {

struct SpecialTokens {
  std::vector<std::int32_t> eos;  // of config.json and generation_config.json, united
  std::optional<std::int32_t> bos;
};

// Sampling defaults that a model literally states.
struct GenerationDefaults {
  std::string place;  // "generation_config.json", or "general.sampling" of a GGUF file; "": nowhere
  std::optional<double> temperature, top_p, min_p, repetition_penalty;
  std::optional<std::int64_t> top_k;
};

}  // namespace sglrun::model
