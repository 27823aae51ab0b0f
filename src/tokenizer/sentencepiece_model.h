// tokenizer.model, through the SentencePiece library. Only sentencepiece_model.cc includes the
// library.
#pragma once

#include <memory>
#include <string_view>

#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace sglrun::tokenizer {

// `model` is the content of the file (a protobuf).
Result<std::unique_ptr<Tokenizer>> TokenizerFromSentencePiece(std::string_view model,
                                                              const TokenizerConfig& config);

}  // namespace sglrun::tokenizer
