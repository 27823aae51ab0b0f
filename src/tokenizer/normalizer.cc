#include "tokenizer/normalizer.h"

#include <array>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "text/unicode.h"
#include "tokenizer/base64.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/charsmap.h"
#include "tokenizer/component.h"
#include "tokenizer/pattern.h"
#include "tokenizer/text_cleaning.h"

namespace sglrun::tokenizer {
namespace {

using NormalizerPtr = std::unique_ptr<NormalizerStep>;

// A step that needs no state besides its function.
class FunctionStep final : public NormalizerStep {
 public:
  explicit FunctionStep(std::string (*function)(std::string_view)) : function_(function) {}
  Status Apply(std::string& text) const override {
    text = function_(text);
    return {};
  }

 private:
  std::string (*function_)(std::string_view);
};

class PrependStep final : public NormalizerStep {
 public:
  explicit PrependStep(std::string prefix) : prefix_(std::move(prefix)) {}
  Status Apply(std::string& text) const override {
    text.insert(0, prefix_);
    return {};
  }

 private:
  std::string prefix_;
};

class ReplacePattern final : public NormalizerStep {
 public:
  ReplacePattern(Regex regex, std::string content)
      : regex_(std::move(regex)), content_(std::move(content)) {}
  Status Apply(std::string& text) const override { return ReplaceAll(regex_, content_, text); }

 private:
  Regex regex_;
  std::string content_;
};

class StripEnds final : public NormalizerStep {
 public:
  StripEnds(bool left, bool right) : left_(left), right_(right) {}

  Status Apply(std::string& text) const override {
    std::size_t begin = 0;
    std::size_t end = 0;  // after the last character that stays
    bool inside = !left_;
    for (std::size_t pos = 0; pos < text.size();) {
      const std::size_t start = pos;
      const bool blank = unicode::IsWhitespace(DecodeUtf8(text, pos));
      if (!inside && !blank) {
        inside = true;
        begin = start;
      }
      if (!blank) end = pos;
    }
    if (!inside) begin = text.size();
    if (!right_) end = text.size();
    text = begin < end ? text.substr(begin, end - begin) : "";
    return {};
  }

 private:
  bool left_;
  bool right_;
};

class CharsmapStep final : public NormalizerStep {
 public:
  explicit CharsmapStep(Charsmap map) : map_(std::move(map)) {}
  Status Apply(std::string& text) const override {
    text = map_.Normalize(text);
    return {};
  }

 private:
  Charsmap map_;
};

class BertStep final : public NormalizerStep {
 public:
  explicit BertStep(const BertCleaning& options) : options_(options) {}
  Status Apply(std::string& text) const override {
    text = CleanForBert(text, options_);
    return {};
  }

 private:
  BertCleaning options_;
};

template <unicode::NormalForm kForm>
std::string Normalize(std::string_view text) {
  return unicode::ToNormalForm(text, kForm);
}

template <auto kFunction>
Result<NormalizerPtr> MakeFunctionStep(const JsonView&) {
  return NormalizerPtr(std::make_unique<FunctionStep>(kFunction));
}

Result<NormalizerPtr> ParsePrepend(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView member, json.Member("prepend"));
  SGLRUN_ASSIGN_OR_RETURN(std::string prefix, member.String());
  return NormalizerPtr(std::make_unique<PrependStep>(std::move(prefix)));
}

Result<NormalizerPtr> ParseReplacePattern(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView pattern, json.Member("pattern"));
  SGLRUN_ASSIGN_OR_RETURN(Regex regex, ParsePattern(pattern));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView content_json, json.Member("content"));
  SGLRUN_ASSIGN_OR_RETURN(std::string content, content_json.String());
  return NormalizerPtr(std::make_unique<ReplacePattern>(std::move(regex), std::move(content)));
}

Result<NormalizerPtr> ParseStrip(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(const bool left, json.BoolOr("strip_left", true));
  SGLRUN_ASSIGN_OR_RETURN(const bool right, json.BoolOr("strip_right", true));
  return NormalizerPtr(std::make_unique<StripEnds>(left, right));
}

Result<NormalizerPtr> ParsePrecompiled(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView member, json.Member("precompiled_charsmap"));
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, member.String());
  const std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes) return member.Expected("base64");
  Result<Charsmap> map = Charsmap::Parse(*bytes);
  if (!map.ok()) return Error{member.path() + ": " + map.error().message};
  return NormalizerPtr(std::make_unique<CharsmapStep>(std::move(map).value()));
}

Result<NormalizerPtr> ParseBert(const JsonView& json) {
  BertCleaning options;
  SGLRUN_ASSIGN_OR_RETURN(options.clean_text, json.BoolOr("clean_text", true));
  SGLRUN_ASSIGN_OR_RETURN(options.handle_chinese_chars, json.BoolOr("handle_chinese_chars", true));
  SGLRUN_ASSIGN_OR_RETURN(options.lowercase, json.BoolOr("lowercase", true));
  // null: accents go where case goes
  SGLRUN_ASSIGN_OR_RETURN(options.strip_accents, json.BoolOr("strip_accents", options.lowercase));
  return NormalizerPtr(std::make_unique<BertStep>(options));
}

using NormalizerKind = ComponentKind<NormalizerPtr>;
constexpr std::array kNormalizers = {
    NormalizerKind{"NFC", MakeFunctionStep<Normalize<unicode::NormalForm::kNfc>>},
    NormalizerKind{"NFD", MakeFunctionStep<Normalize<unicode::NormalForm::kNfd>>},
    NormalizerKind{"NFKC", MakeFunctionStep<Normalize<unicode::NormalForm::kNfkc>>},
    NormalizerKind{"NFKD", MakeFunctionStep<Normalize<unicode::NormalForm::kNfkd>>},
    NormalizerKind{"Lowercase", MakeFunctionStep<unicode::ToLowerCase>},
    NormalizerKind{"StripAccents", MakeFunctionStep<unicode::RemoveMarks>},
    NormalizerKind{"ByteLevel", MakeFunctionStep<BytesToLetters>},
    NormalizerKind{"Strip", ParseStrip},
    NormalizerKind{"Prepend", ParsePrepend},
    NormalizerKind{"Replace", ParseReplacePattern},
    NormalizerKind{"Nmt", MakeFunctionStep<CleanForTranslation>},
    NormalizerKind{"Precompiled", ParsePrecompiled},
    NormalizerKind{"BertNormalizer", ParseBert},
};

}  // namespace

Result<Normalizer> Normalizer::Parse(const JsonView& json) {
  Normalizer out;
  if (json.json().is_null()) return out;
  SGLRUN_RETURN_IF_ERROR(VisitComponents(
      json, "normalizers", [&](std::string_view type, const JsonView& component) -> Status {
        SGLRUN_ASSIGN_OR_RETURN(
            NormalizerPtr step,
            ParseComponent<NormalizerPtr>(component, type, kNormalizers, {"Sequence"}));
        out.steps_.push_back(std::move(step));
        return {};
      }));
  return out;
}

Normalizer Normalizer::SentencePiece(bool add_space_prefix) {
  static constexpr std::string_view kSpace = "\xE2\x96\x81";
  Normalizer out;
  if (add_space_prefix) out.steps_.push_back(std::make_unique<PrependStep>(std::string(kSpace)));
  Result<Regex> space = Regex::CompileLiteral(" ");
  CHECK(space.ok());
  out.steps_.push_back(
      std::make_unique<ReplacePattern>(std::move(space).value(), std::string(kSpace)));
  return out;
}

Normalizer Normalizer::Nfc() {
  Normalizer out;
  out.steps_.push_back(std::make_unique<FunctionStep>(Normalize<unicode::NormalForm::kNfc>));
  return out;
}

Status Normalizer::Apply(std::string& text) const {
  for (const NormalizerPtr& step : steps_) {
    if (text.empty()) break;
    SGLRUN_RETURN_IF_ERROR(step->Apply(text));
  }
  return {};
}

}  // namespace sglrun::tokenizer
