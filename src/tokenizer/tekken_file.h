// tekken.json, the format of Mistral: ranked byte strings, with the pattern and (since version 7)
// the special tokens beside them.
#pragma once

#include <memory>
#include <string_view>

#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace sglrun::tokenizer {

Result<std::unique_ptr<Tokenizer>> TokenizerFromTekken(std::string_view text,
                                                       const TokenizerConfig& config);

}  // namespace sglrun::tokenizer
