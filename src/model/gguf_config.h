// The configuration in a GGUF file's metadata keys.
#pragma once

#include <span>

#include "base/result.h"
#include "model/config.h"
#include "model/families/family.h"
#include "model/formats/gguf.h"

namespace sglrun::model {

struct GgufConfig {
  ModelSpec spec;
  SpecialTokens tokens;
  const Family* family = nullptr;
};

// `tensors` are those of all parts of a split file; `rope_divisors` is rope_freqs.weight, or empty.
Result<GgufConfig> ReadGgufConfig(const GgufFile& gguf, std::span<const GgufTensor> tensors,
                                  std::vector<float> rope_divisors);

}  // namespace sglrun::model
