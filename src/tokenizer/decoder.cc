#include "tokenizer/decoder.h"

#include <array>
#include <cstdint>
#include <utility>

#include "base/utf8.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/component.h"
#include "tokenizer/pattern.h"
#include "tokenizer/word_decoders.h"

namespace sglrun::tokenizer {
namespace {

using StepPtr = std::unique_ptr<DecoderStep>;
constexpr std::string_view kLowerOneEighthBlock = "\xE2\x96\x81";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string Join(const std::vector<std::string>& tokens) {
  std::string out;
  for (const std::string& token : tokens) out += token;
  return out;
}

// A token with a character outside the alphabet is used unchanged.
class ByteLevelStep final : public DecoderStep {
 public:
  void Decode(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens) Inside(token);
    tokens = {ToValidUtf8(Join(tokens))};
  }
  void Inside(std::string& token) const override {
    if (auto bytes = LettersToBytes(token)) token = std::move(*bytes);
  }
};

// A run of byte tokens is its text when all of it is valid UTF-8, else one U+FFFD a byte.
class ByteFallbackStep final : public DecoderStep {
 public:
  void Decode(std::vector<std::string>& tokens) const override {
    std::vector<std::string> out;
    std::string run;
    const auto flush = [&] {
      if (run.empty()) return;
      if (IsValidUtf8(run)) {
        out.push_back(run);
      } else {
        out.insert(out.end(), run.size(), std::string(kReplacement));
      }
      run.clear();
    };
    for (std::string& token : tokens) {
      if (const auto byte = ParseByteToken(token)) {
        run.push_back(static_cast<char>(*byte));
      } else {
        flush();
        out.push_back(std::move(token));
      }
    }
    flush();
    tokens = std::move(out);
  }
  void Inside(std::string& token) const override {
    if (const auto byte = ParseByteToken(token)) token.assign(1, static_cast<char>(*byte));
  }
};

class FuseStep final : public DecoderStep {
 public:
  void Decode(std::vector<std::string>& tokens) const override { tokens = {Join(tokens)}; }
  void Inside(std::string&) const override {}
};

class MetaspaceStep final : public DecoderStep {
 public:
  MetaspaceStep(std::string replacement, bool drops_first)
      : replacement_(std::move(replacement)), drops_first_(drops_first) {}

  void Decode(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = LiteralReplaced(tokens[i], replacement_, i == 0 && drops_first_ ? "" : " ");
    }
  }
  void Inside(std::string& token) const override {
    token = LiteralReplaced(token, replacement_, " ");
  }

 private:
  std::string replacement_;
  bool drops_first_;
};

class ReplaceStep final : public DecoderStep {
 public:
  ReplaceStep(Regex regex, std::string content)
      : regex_(std::move(regex)), content_(std::move(content)) {}

  void Decode(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens) Inside(token);
  }
  void Inside(std::string& token) const override {
    // If the pattern fails on a token, the token is unchanged; incomplete characters are not
    // searched.
    if (IsValidUtf8(token)) static_cast<void>(ReplaceAll(regex_, content_, token));
  }

 private:
  Regex regex_;
  std::string content_;
};

// Drops up to `start` and `stop` of one character at the ends of each token, or of the whole text
// when the tokens have been joined before.
class StripStep final : public DecoderStep {
 public:
  StripStep(std::string content, std::int64_t start, std::int64_t stop, bool whole_text)
      : content_(std::move(content)), start_(start), stop_(stop), whole_text_(whole_text) {}

  void Decode(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens) Strip(token);
  }
  void Inside(std::string& token) const override {
    if (!whole_text_) Strip(token);
  }

 private:
  void Strip(std::string& token) const {
    std::string_view rest = token;
    for (std::int64_t i = 0; i < start_ && rest.starts_with(content_); ++i) {
      rest.remove_prefix(content_.size());
    }
    for (std::int64_t i = 0; i < stop_ && rest.ends_with(content_); ++i) {
      rest.remove_suffix(content_.size());
    }
    token = std::string(rest);
  }

  std::string content_;
  std::int64_t start_;
  std::int64_t stop_;
  bool whole_text_;
};

// What a file without a decoder means.
class SpacesStep final : public DecoderStep {
 public:
  void Decode(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 1; i < tokens.size(); ++i) tokens[i].insert(0, 1, ' ');
  }
  void Inside(std::string& token) const override { token.insert(0, 1, ' '); }
};

Result<StepPtr> ParseReplace(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView pattern, json.Member("pattern"));
  SGLRUN_ASSIGN_OR_RETURN(Regex regex, ParsePattern(pattern));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView content_json, json.Member("content"));
  SGLRUN_ASSIGN_OR_RETURN(std::string content, content_json.String());
  return StepPtr(std::make_unique<ReplaceStep>(std::move(regex), std::move(content)));
}

Result<std::int64_t> ParseCount(const JsonView& json, std::string_view key) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView member, json.Member(key));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t count, member.Int());
  if (count < 0) return member.Expected("0 or more");
  return count;
}

constexpr std::array<std::string_view, 10> kDecoderNames = {
    "Sequence", "ByteLevel", "ByteFallback", "Fuse",      "Metaspace",
    "Replace",  "Strip",     "BPEDecoder",   "WordPiece", "CTC"};

}  // namespace

Result<Decoder> Decoder::Parse(const JsonView& json) {
  Decoder out;
  if (json.json().is_null()) {
    out.steps_.push_back(std::make_unique<SpacesStep>());
    out.strips_leading_space_ = true;
    return out;
  }
  SGLRUN_RETURN_IF_ERROR(
      VisitComponents(json, "decoders", [&](std::string_view type, const JsonView& component) {
        return out.AddComponent(type, component);
      }));
  out.joins_bytes_ = out.joins_bytes_ && out.steps_.size() == 1;
  return out;
}

Decoder Decoder::ByteLevel() {
  Decoder out;
  out.steps_.push_back(std::make_unique<ByteLevelStep>());
  out.joins_bytes_ = true;
  return out;
}

Decoder Decoder::SentencePiece(bool strips_leading_space) {
  Decoder out;
  out.steps_.push_back(std::make_unique<MetaspaceStep>(std::string(kLowerOneEighthBlock), false));
  out.steps_.push_back(std::make_unique<ByteFallbackStep>());
  out.steps_.push_back(std::make_unique<FuseStep>());
  if (strips_leading_space) out.steps_.push_back(std::make_unique<StripStep>(" ", 1, 0, true));
  out.strips_leading_space_ = strips_leading_space;
  return out;
}

Status Decoder::AddComponent(std::string_view type, const JsonView& json) {
  StepPtr step;
  if (type == "ByteLevel") {
    step = std::make_unique<ByteLevelStep>();
    joins_bytes_ = joined_ = true;
  } else if (type == "ByteFallback") {
    step = std::make_unique<ByteFallbackStep>();
  } else if (type == "Fuse") {
    step = std::make_unique<FuseStep>();
    joined_ = true;
  } else if (type == "Metaspace") {
    SGLRUN_ASSIGN_OR_RETURN(MetaspaceOptions options, ParseMetaspaceOptions(json));
    const bool drops_first = options.prepend_scheme != "never";
    strips_leading_space_ = strips_leading_space_ || drops_first;
    step = std::make_unique<MetaspaceStep>(std::move(options.replacement), drops_first);
  } else if (type == "Replace") {
    SGLRUN_ASSIGN_OR_RETURN(step, ParseReplace(json));
  } else if (type == "BPEDecoder") {
    SGLRUN_ASSIGN_OR_RETURN(step, ParseBpeDecoder(json));
  } else if (type == "WordPiece") {
    SGLRUN_ASSIGN_OR_RETURN(step, ParseWordPieceDecoder(json));
    strips_leading_space_ = true;
  } else if (type == "CTC") {
    SGLRUN_ASSIGN_OR_RETURN(step, ParseCtcDecoder(json));
    drops_repeats_ = true;
  } else if (type == "Strip") {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView content, json.Member("content"));
    SGLRUN_ASSIGN_OR_RETURN(const char32_t c, ParseCharacter(content));
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t start, ParseCount(json, "start"));
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t stop, ParseCount(json, "stop"));
    std::string text;
    AppendUtf8(text, c);
    step = std::make_unique<StripStep>(std::move(text), start, stop, joined_);
    strips_leading_space_ = strips_leading_space_ || (joined_ && start > 0);
  } else {
    return UnknownComponent(json, type, kDecoderNames);
  }
  steps_.push_back(std::move(step));
  return {};
}

std::string Decoder::Decode(std::vector<std::string> tokens) const {
  for (const StepPtr& step : steps_) step->Decode(tokens);
  return Join(tokens);
}

std::string Decoder::BytesInside(std::string_view token) const {
  std::string out(token);
  for (const StepPtr& step : steps_) step->Inside(out);
  return out;
}

}  // namespace sglrun::tokenizer
