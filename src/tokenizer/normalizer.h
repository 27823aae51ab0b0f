// The normalizer of a tokenizer.json: rewrites text before it is cut. Sequences are flattened.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/json_view.h"

namespace sglrun::tokenizer {

class NormalizerStep {
 public:
  virtual ~NormalizerStep() = default;
  virtual Status Apply(std::string& text) const = 0;  // `text` is not empty
};

class Normalizer {
 public:
  // `json` may be null: then text is unchanged.
  static Result<Normalizer> Parse(const JsonView& json);

  // The normalizer of SentencePiece-like GGUF vocabularies: U+2581 for spaces, and one before the
  // text.
  static Normalizer SentencePiece(bool add_space_prefix);
  static Normalizer Nfc();

  bool empty() const { return steps_.empty(); }
  Status Apply(std::string& text) const;

 private:
  std::vector<std::unique_ptr<NormalizerStep>> steps_;
};

}  // namespace sglrun::tokenizer
