// tokenizer.json, the format of Hugging Face's tokenizers library.
#pragma once

#include <memory>
#include <string_view>

#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace sglrun::tokenizer {

// Refuses what is not known by its name and place in the file.
Result<std::unique_ptr<Tokenizer>> TokenizerFromJson(std::string_view text,
                                                     const TokenizerConfig& config);

}  // namespace sglrun::tokenizer
