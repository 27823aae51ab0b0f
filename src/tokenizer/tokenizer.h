// Text <-> token ids. One Tokenizer serves every row and thread; it never changes after loading.
//
// Sources: tokenizer.json (Hugging Face), tokenizer.model (SentencePiece), vocab.json with
// merges.txt, tiktoken files, tekken.json (Mistral), the vocabulary inside a GGUF file. An unknown
// component is refused with its name when the file is loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "text/text_range.h"

namespace sglrun::tokenizer {

using TokenId = std::int32_t;

// The keys tokenizer.ggml.* of a GGUF file (the format document of ggml). model/ fills them in, so
// that this folder does not depend on GGUF.
struct GgufVocabulary {
  std::string model;  // "llama" (SentencePiece-like BPE), "gpt2" (byte-level BPE), ...
  std::string pre;    // names the pre-tokenizer pattern
  std::vector<std::string> tokens;
  std::vector<float> scores;
  std::vector<std::int32_t>
      token_types;                  // 1 normal 2 unknown 3 control 4 user-defined 5 unused 6 byte
  std::vector<std::string> merges;  // "a b"
  std::optional<TokenId> bos_id, eos_id, eot_id, unk_id, pad_id;
  std::optional<bool> add_bos, add_eos, add_space_prefix, remove_extra_whitespaces;
  std::string chat_template;
  std::vector<std::pair<std::string, std::string>> named_chat_templates;  // name, text
};

struct EncodeOptions {
  bool add_special_tokens = true;  // the post-processor's BOS and EOS, if the file asks for them
  // Ranges of the text, in order and disjoint, in which the texts of special tokens are plain text,
  // so that text of users cannot end their turn.
  std::span<const TextRange> plain = {};
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // A directory with one of the files named above (and tokenizer_config.json), or such a file.
  static Result<std::unique_ptr<Tokenizer>> Load(const std::string& path);
  // The files at `path` that determine the tokens of a text, the main one first; absent files are
  // left out.
  static std::vector<std::string> FilesOf(const std::string& path);
  static Result<std::unique_ptr<Tokenizer>> FromGguf(GgufVocabulary vocabulary);

  // Ill-formed UTF-8 is replaced by U+FFFD first. Special tokens written in the text become special
  // tokens, as the reference implementation does, except for plain stretches. Fails only on text
  // that exhausts a matching limit.
  virtual Result<std::vector<TokenId>> Encode(std::string_view text,
                                              EncodeOptions options) const = 0;

  // Decodes all ids at once; ids without a token decode to nothing. The result is valid UTF-8. Byte
  // tokens ("<0xC3>") follow the reference: a run that is not valid UTF-8 as a whole becomes one
  // U+FFFD a byte.
  virtual std::string Decode(std::span<const TokenId> ids, bool skip_special_tokens) const = 0;

  // Largest id + 1; ids below it may be unused.
  virtual std::int32_t vocab_size() const = 0;
  virtual bool IsToken(TokenId id) const = 0;    // false for gaps and ids outside
  virtual bool IsSpecial(TokenId id) const = 0;  // skipped by skip_special_tokens
  // The id whose token is exactly this text, as written in the file (added tokens included).
  virtual std::optional<TokenId> Find(std::string_view token) const = 0;
  // The token as the file writes it ("Ġthe", "▁the", "<|im_end|>"); "" for ids without a token.
  virtual std::string TokenName(TokenId id) const = 0;
  // The bytes a token contributes inside a text ("\xe2\x82" for half a character), special tokens
  // their own text.
  virtual std::string TokenBytes(TokenId id) const = 0;

  virtual std::optional<TokenId> bos_id() const = 0;
  virtual std::optional<TokenId> eos_id() const = 0;
  // The tokenizer's own share of the stop set: eos_id, and end-of-message tokens of its added
  // vocabulary (<|eom_id|>, <|content_model_end_sampling|>, <|ifm|im_end|>).
  virtual std::vector<TokenId> StopIds() const = 0;

  virtual const std::string& chat_template() const = 0;  // "" when there is none
  virtual std::string Description() const = 0;           // "byte-level BPE, 49,152 tokens"
  // True when each text piece is decoded from bytes alone and the first token of a text drops a
  // leading space (SentencePiece-like files): see IncrementalDetokenizer.
  virtual bool StripsLeadingSpace() const = 0;
  // True when a token that follows itself adds nothing to the text (CTC).
  virtual bool DropsRepeats() const { return false; }

  // Decode(ids) of ids that stand in the middle of a text: no space is dropped at the start, and
  // the bytes may begin or end inside a character. Building block of IncrementalDetokenizer.
  virtual void AppendBytes(std::span<const TokenId> ids, bool skip_special_tokens,
                           std::string& out) const = 0;
};

// Decodes a sequence token by token. Emitted pieces joined equal the final text; at most three
// bytes of an unfinished character are held back, and what is still unfinished at the end becomes
// U+FFFD. The final text is Tokenizer::Decode of the ids, except that an ill-formed run of byte
// tokens keeps its whole characters: they were emitted before the fault came.
//
//   IncrementalDetokenizer out(tokenizer, prompt_tail, /*skip_special_tokens=*/true);
//   text += out.Append(id);  ...  text += out.Finish();
class IncrementalDetokenizer {
 public:
  // `prompt_tail`: the last few prompt tokens, which decide whether a leading space is part of the
  // text (" Paris", not "Paris"). Prompt text never leaks into the output.
  IncrementalDetokenizer(const Tokenizer& tokenizer, std::span<const TokenId> prompt_tail,
                         bool skip_special_tokens);

  std::string Append(TokenId id);
  std::string Finish();
  // The text ends inside a character, whose bytes are held back.
  bool pending() const { return !pending_.empty(); }

 private:
  const Tokenizer* tokenizer_;
  bool skip_special_tokens_;
  bool at_start_;        // no text yet, and the text's leading space is not part of it
  TokenId last_ = -1;    // the token before, for tokenizers that drop repetitions
  std::string pending_;  // bytes not yet emitted
};

}  // namespace sglrun::tokenizer
