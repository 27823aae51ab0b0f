// vocab.json with merges.txt: byte-level BPE as the first releases of GPT-2 and Qwen 2 wrote it.
// How text is cut into words is defined in the code of the tokenizer class.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace sglrun::tokenizer {

// The family is determined by tokenizer_class of tokenizer_config.json, else by model_type of
// config.json.
Result<std::unique_ptr<Tokenizer>> TokenizerFromMerges(std::string_view vocab_json,
                                                       std::string_view merges_txt,
                                                       const std::string& model_type,
                                                       const TokenizerConfig& config);

}  // namespace sglrun::tokenizer
