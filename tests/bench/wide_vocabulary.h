// Vocabularies of any size for measurements: the texts of a real tokenizer, then words that it
// splits, made of its own pieces as larger tokenizers have them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::grammar {

class WideVocabulary {
 public:
  // At least as many entries as the tokenizer has; the same ones every time.
  WideVocabulary(const tokenizer::Tokenizer& tokenizer, std::size_t entries);

  const std::shared_ptr<const Vocabulary>& vocabulary() const { return vocabulary_; }
  // The longest text first, again and again.
  std::vector<std::int32_t> Encode(std::string_view text) const;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace sglrun::grammar
