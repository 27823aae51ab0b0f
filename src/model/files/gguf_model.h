// A GGUF file, or all parts of a split one: configuration, tokenizer fields and weights under their
// Hugging Face names.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "formats/gguf.h"
#include "model/files/config.h"
#include "model/files/model_files.h"
#include "model/files/stored_tensor.h"

namespace sglrun::model {

struct GgufModel {
  ModelSpec spec;
  SpecialTokens tokens;
  GenerationDefaults defaults;
  GgufTokenizerFields tokenizer;
  WeightTable weights;
};

Result<GgufModel> OpenGgufModel(const std::string& path);

// The tokenizer.ggml.* keys.
Result<GgufTokenizerFields> ReadGgufTokenizerFields(const formats::GgufFile& gguf);

// The keys general.sampling.*, in which converters keep what generation_config.json says.
Result<GenerationDefaults> ReadGgufGeneration(const formats::GgufFile& gguf);

}  // namespace sglrun::model
