// The pre-tokenizer of a tokenizer.json: cuts normalised text into the pieces that the model
// encodes one by one. Sequences are flattened into one list of steps.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/json_view.h"
#include "tokenizer/piece.h"
#include "tokenizer/split_behavior.h"

namespace sglrun::tokenizer {

class PreTokenizerStep {
 public:
  virtual ~PreTokenizerStep() = default;
  // Appends the pieces that `piece` becomes.
  virtual Status Apply(const Piece& piece, TextArena& arena, std::vector<Piece>& out) const = 0;
  // The same for many.
  virtual Status ApplyToAll(std::span<const Piece> pieces, TextArena& arena,
                            std::vector<Piece>& out) const {
    for (const Piece& piece : pieces) SGLRUN_RETURN_IF_ERROR(Apply(piece, arena, out));
    return {};
  }
};

class PreTokenizer {
 public:
  // `json` may be null: then every text is one piece.
  static Result<PreTokenizer> Parse(const JsonView& json);

  // Splitting by patterns, one after the other, then bytes written as letters, as byte-level files
  // without a description of their own imply. `add_prefix_space`: text begins with a space.
  static Result<PreTokenizer> FromPatterns(std::span<const std::string_view> patterns,
                                           bool add_prefix_space = false);

  Status Split(const Piece& text, TextArena& arena, std::vector<Piece>& out) const;

  // If the last step writes bytes as letters, removes it and returns true: the model then works on
  // bytes, which gives the same result with shorter texts.
  bool TakeByteLevel();

 private:
  Status AddComponent(std::string_view type, const JsonView& json);

  std::vector<std::unique_ptr<PreTokenizerStep>> steps_;
  bool ends_with_letters_ = false;
};

}  // namespace sglrun::tokenizer
