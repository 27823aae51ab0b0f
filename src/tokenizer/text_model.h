// The model of a tokenizer: converts pieces of text to ids. Each kind of model is one file that
// implements this interface; the other steps (added tokens, normalizer, pre-tokenizer, decoder) are
// the same for all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "tokenizer/piece.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::tokenizer {

class TextModel {
 public:
  virtual ~TextModel() = default;
  // Appends the ids of all pieces, which are encoded one by one.
  virtual Status Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const = 0;
  virtual std::string Name() const = 0;  // "byte-level BPE"
};

}  // namespace sglrun::tokenizer
