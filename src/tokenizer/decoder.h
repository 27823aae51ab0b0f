// The decoder of a tokenizer.json: token texts back to text.
//
// There are two ways to decode. Decode takes all tokens of a text at once and gives exactly the
// result of the reference. BytesInside returns the bytes of one token in the middle of a text,
// where nothing is dropped at the start and incomplete characters stay bytes; it is used during
// generation.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/json_view.h"

namespace sglrun::tokenizer {

class DecoderStep {
 public:
  virtual ~DecoderStep() = default;
  virtual void Decode(std::vector<std::string>& tokens) const = 0;
  virtual void Inside(std::string& token) const = 0;
};

class Decoder {
 public:
  // `json` may be null: then tokens are joined with spaces.
  static Result<Decoder> Parse(const JsonView& json);
  static Decoder ByteLevel();
  // U+2581 is a space, "<0x0A>" a byte; one space at the start belongs to the encoding.
  static Decoder SentencePiece(bool strips_leading_space);

  std::string Decode(std::vector<std::string> tokens) const;
  std::string BytesInside(std::string_view token) const;

  // The text is just the bytes of the tokens, one after the other.
  bool JoinsBytes() const { return joins_bytes_; }
  bool StripsLeadingSpace() const { return strips_leading_space_; }
  // A token that follows itself adds nothing.
  bool DropsRepeats() const { return drops_repeats_; }

 private:
  Status AddComponent(std::string_view type, const JsonView& json);

  std::vector<std::unique_ptr<DecoderStep>> steps_;
  bool joined_ = false;  // the steps so far made one text of the tokens
  bool joins_bytes_ = false;
  bool strips_leading_space_ = false;
  bool drops_repeats_ = false;
};

}  // namespace sglrun::tokenizer
