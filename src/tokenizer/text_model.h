// The heart of a tokenizer: a piece of text to ids. Each kind of model is one file that implements
// this; the steps around it (added tokens, normalizer, pre-tokenizer, decoder) are the same for
// all.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "tokenizer/piece.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::tokenizer {

class TextModel {
 public:
  virtual ~TextModel() = default;
  virtual Status Encode(const Piece& piece, std::vector<TokenId>& out) const = 0;
  virtual std::string Name() const = 0;  // "byte-level BPE"
};

}  // namespace sglrun::tokenizer
