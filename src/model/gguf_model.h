// A GGUF file, or all parts of a split one: configuration, tokenizer fields and weights under their
// Hugging Face names.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "model/config.h"
#include "model/formats/gguf.h"
#include "model/model_files.h"
#include "model/stored_tensor.h"

namespace sglrun::model {

struct GgufModel {
  ModelConfig config;
  GgufTokenizerFields tokenizer;
  WeightTable weights;
};

Result<GgufModel> OpenGgufModel(const std::string& path);

// The tokenizer.ggml.* keys.
Result<GgufTokenizerFields> ReadGgufTokenizerFields(const GgufFile& gguf);

// "blk.3.attn_q.weight" -> "model.layers.3.self_attn.q_proj.weight"; nothing for names that the
// decoder does not know.
std::optional<std::string> HuggingFaceName(std::string_view gguf_name);

}  // namespace sglrun::model
