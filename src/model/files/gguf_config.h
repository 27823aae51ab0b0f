// The configuration in a GGUF file's metadata keys.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "formats/gguf.h"
#include "model/families/family.h"
#include "model/files/config.h"

namespace sglrun::model {

struct GgufConfig {
  ModelSpec spec;
  SpecialTokens tokens;
  const Family* family = nullptr;
};

// Tensors that belong to the rope: what its angles are divided by, or its factors for texts up to
// the original length.
struct GgufRopeFactors {
  std::vector<float> divisors;       // rope_freqs.weight, or empty
  std::vector<float> short_factors;  // rope_factors_short.weight, or empty
};

// `tensors` are those of all parts of a split file.
Result<GgufConfig> ReadGgufConfig(const formats::GgufFile& gguf,
                                  std::span<const formats::GgufTensor> tensors,
                                  GgufRopeFactors rope_factors);

}  // namespace sglrun::model
