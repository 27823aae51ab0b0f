// The parts of a tokenizer. The reader of each file format fills them in.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/decoder.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/post_processor.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/text_model.h"
#include "tokenizer/tokenizer_config.h"
#include "tokenizer/vocabulary.h"

namespace sglrun::tokenizer {

struct TokenizerParts {
  Vocabulary vocabulary;  // all tokens, added ones included
  std::vector<AddedToken> added_tokens;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<TextModel> model;
  PostProcessor post_processor;
  Decoder decoder;
  std::optional<TokenId> bos_id, eos_id;
  std::vector<TokenId> other_stop_ids;
  std::string chat_template;
};

// Adds the added tokens to the vocabulary. A token that exists already must have the same id.
Status AddToVocabulary(std::span<const AddedToken> tokens, Vocabulary& vocabulary);

// The default special tokens of a file format, used if the configuration does not name any.
struct DefaultEnds {
  std::string_view bos, eos;  // "": none
  bool add_bos = false;
};

// For files that hold a bare vocabulary: sets BOS, EOS (special tokens both), the post-processor
// and the chat template. A token that only the configuration names gets the next free id, as in the
// reference.
Status ApplyConfig(const TokenizerConfig& config, const DefaultEnds& defaults,
                   TokenizerParts& parts);

Result<std::unique_ptr<Tokenizer>> AssembleTokenizer(TokenizerParts parts);

}  // namespace sglrun::tokenizer
