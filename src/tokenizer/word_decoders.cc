#include "tokenizer/word_decoders.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sglrun::tokenizer {
namespace {

using StepPtr = std::unique_ptr<DecoderStep>;

// A token that continues a word loses its mark, any other gets a space before it, save the first.
class WordPieceStep final : public DecoderStep {
 public:
  WordPieceStep(std::string prefix, bool cleanup) : prefix_(std::move(prefix)), cleanup_(cleanup) {}

  void Decode(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 1; i < tokens.size(); ++i) Inside(tokens[i]);
    if (cleanup_ && !tokens.empty()) tokens[0] = CleanUpSpaces(std::move(tokens[0]));
  }
  void Inside(std::string& token) const override {
    if (token.starts_with(prefix_)) {
      token.erase(0, prefix_.size());
    } else {
      token.insert(0, 1, ' ');
    }
    if (cleanup_) token = CleanUpSpaces(std::move(token));
  }

 private:
  std::string prefix_;
  bool cleanup_;
};

// The suffix that ends a word is the space after it, save at the end of the text.
class BpeStep final : public DecoderStep {
 public:
  explicit BpeStep(std::string suffix) : suffix_(std::move(suffix)) {}

  void Decode(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = LiteralReplaced(tokens[i], suffix_, i + 1 == tokens.size() ? "" : " ");
    }
  }
  void Inside(std::string& token) const override { token = LiteralReplaced(token, suffix_, " "); }

 private:
  std::string suffix_;
};

// One letter a time step: repetitions are one letter, unless the padding token parts them.
class CtcStep final : public DecoderStep {
 public:
  CtcStep(std::string pad, std::string word_delimiter, bool cleanup)
      : pad_(std::move(pad)), word_delimiter_(std::move(word_delimiter)), cleanup_(cleanup) {}

  void Decode(std::vector<std::string>& tokens) const override {
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    for (std::string& token : tokens) Inside(token);
    std::erase_if(tokens, [](const std::string& token) { return token.empty(); });
  }
  void Inside(std::string& token) const override {
    token = LiteralReplaced(token, pad_, "");
    if (cleanup_) token = LiteralReplaced(CleanUpSpaces(std::move(token)), word_delimiter_, " ");
  }

 private:
  std::string pad_;
  std::string word_delimiter_;
  bool cleanup_;
};

Result<std::string> ParseText(const JsonView& json, std::string_view key,
                              std::string_view otherwise) {
  SGLRUN_ASSIGN_OR_RETURN(std::string text, json.StringOr(key, otherwise));
  if (!text.empty()) return text;
  SGLRUN_ASSIGN_OR_RETURN(const JsonView member, json.Member(key));
  return member.Expected("a string that is not empty");
}

}  // namespace

std::string LiteralReplaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t pos = 0;
  for (std::size_t at; (at = text.find(from, pos)) != std::string_view::npos;) {
    out.append(text.substr(pos, at - pos)).append(to);
    pos = at + from.size();
  }
  return out.append(text.substr(pos));
}

std::string CleanUpSpaces(std::string text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRules = {
      {{" .", "."},
       {" ?", "?"},
       {" !", "!"},
       {" ,", ","},
       {" ' ", "'"},
       {" n't", "n't"},
       {" 'm", "'m"},
       {" do not", " don't"},
       {" 's", "'s"},
       {" 've", "'ve"},
       {" 're", "'re"}}};
  for (const auto& [from, to] : kRules) {
    if (text.find(from) != std::string::npos) text = LiteralReplaced(text, from, to);
  }
  return text;
}

Result<StepPtr> ParseWordPieceDecoder(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(std::string prefix, json.StringOr("prefix", "##"));
  SGLRUN_ASSIGN_OR_RETURN(const bool cleanup, json.BoolOr("cleanup", true));
  return StepPtr(std::make_unique<WordPieceStep>(std::move(prefix), cleanup));
}

Result<StepPtr> ParseBpeDecoder(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(std::string suffix, ParseText(json, "suffix", "</w>"));
  return StepPtr(std::make_unique<BpeStep>(std::move(suffix)));
}

Result<StepPtr> ParseCtcDecoder(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(std::string pad, ParseText(json, "pad_token", "<pad>"));
  SGLRUN_ASSIGN_OR_RETURN(std::string delimiter, ParseText(json, "word_delimiter_token", "|"));
  SGLRUN_ASSIGN_OR_RETURN(const bool cleanup, json.BoolOr("cleanup", true));
  return StepPtr(std::make_unique<CtcStep>(std::move(pad), std::move(delimiter), cleanup));
}

}  // namespace sglrun::tokenizer
