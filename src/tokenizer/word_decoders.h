// Decoder steps of vocabularies whose tokens are words or parts of words: WordPiece, BPEDecoder,
// CTC.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/decoder.h"

namespace sglrun::tokenizer {

// Every `from` replaced by `to`; `from` is not empty.
std::string LiteralReplaced(std::string_view text, std::string_view from, std::string_view to);

// Takes back the spaces that English tokenization puts before punctuation and short forms: "is n't
// it ?" -> "isn't it?".
std::string CleanUpSpaces(std::string text);

Result<std::unique_ptr<DecoderStep>> ParseWordPieceDecoder(const JsonView& json);
Result<std::unique_ptr<DecoderStep>> ParseBpeDecoder(const JsonView& json);
Result<std::unique_ptr<DecoderStep>> ParseCtcDecoder(const JsonView& json);

}  // namespace sglrun::tokenizer
