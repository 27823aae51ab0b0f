// tiktoken vocabularies: lines "base64-of-the-bytes rank". The pattern and special tokens are
// defined in the code of the models that use such a file, so its family must be known.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace sglrun::tokenizer {

bool LooksLikeTiktoken(std::string_view text);

// The family is determined by the name of the file ("o200k_base.tiktoken"), else by `model_type` of
// config.json. Special tokens come from the configuration, or are those of all models of the
// family.
Result<std::unique_ptr<Tokenizer>> TokenizerFromTiktoken(std::string_view text,
                                                         std::string_view file_name,
                                                         const std::string& model_type,
                                                         const TokenizerConfig& config);

}  // namespace sglrun::tokenizer
