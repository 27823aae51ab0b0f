#include "tokenizer/pre_tokenizer.h"

#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "base/stop_flag.h"
#include "base/utf8.h"
#include "text/unicode.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/component.h"
#include "tokenizer/pattern.h"
#include "tokenizer/pre_patterns.h"
#include "tokenizer/run_steps.h"

namespace sglrun::tokenizer {
namespace {

using PreTokenizerPtr = std::unique_ptr<PreTokenizerStep>;

class PatternStep final : public PreTokenizerStep {
 public:
  PatternStep(Regex regex, Delimiter delimiter, SplitBehavior behavior)
      : regex_(std::move(regex)), delimiter_(delimiter), behavior_(behavior) {}

  Status Apply(const Piece& piece, TextArena& arena, std::vector<Piece>& out) const override {
    return ApplyToAll({&piece, 1}, arena, out);
  }
  Status ApplyToAll(std::span<const Piece> pieces, TextArena&,
                    std::vector<Piece>& out) const override {
    Regex::Search search(regex_);
    std::vector<Match> matches;
    for (const Piece& piece : pieces) {
      matches.clear();
      SGLRUN_RETURN_IF_ERROR(search.FindAll(piece.text, matches));
      SplitAtMatches(piece, matches, delimiter_, behavior_, out);
    }
    return {};
  }

 private:
  Regex regex_;
  Delimiter delimiter_;
  SplitBehavior behavior_;
};

// Splits at each character of a kind.
class CharacterStep final : public PreTokenizerStep {
 public:
  CharacterStep(std::function<bool(char32_t)> is_delimiter, SplitBehavior behavior)
      : is_delimiter_(std::move(is_delimiter)), behavior_(behavior) {
    for (std::size_t c = 0; c < ascii_.size(); ++c) ascii_[c] = is_delimiter_(c);
  }

  Status Apply(const Piece& piece, TextArena&, std::vector<Piece>& out) const override {
    std::vector<Match> matches;
    for (std::size_t pos = 0; pos < piece.text.size() && !StopFlag::requested();) {
      const std::size_t begin = pos;
      const auto byte = static_cast<unsigned char>(piece.text[pos]);
      const bool found =
          byte < ascii_.size() ? (++pos, ascii_[byte]) : is_delimiter_(DecodeUtf8(piece.text, pos));
      if (found) matches.push_back({begin, pos});
    }
    SplitAtMatches(piece, matches, Delimiter::kMatch, behavior_, out);
    return {};
  }

 private:
  std::function<bool(char32_t)> is_delimiter_;
  std::array<bool, 128> ascii_;  // its answers for most of the text
  SplitBehavior behavior_;
};

class PrefixSpaceStep final : public PreTokenizerStep {
 public:
  Status Apply(const Piece& piece, TextArena& arena, std::vector<Piece>& out) const override {
    if (piece.text.starts_with(' ')) {
      out.push_back(piece);
    } else {
      arena.push_back(" " + std::string(piece.text));
      out.push_back({arena.back(), piece.at_start});
    }
    return {};
  }
};

class LettersStep final : public PreTokenizerStep {
 public:
  Status Apply(const Piece& piece, TextArena& arena, std::vector<Piece>& out) const override {
    arena.push_back(BytesToLetters(piece.text));
    out.push_back({arena.back(), piece.at_start});
    return {};
  }
};

class MetaspaceSplit final : public PreTokenizerStep {
 public:
  enum class Prepend { kAlways, kFirst, kNever };

  MetaspaceSplit(std::string replacement, Prepend prepend, bool split)
      : replacement_(std::move(replacement)), prepend_(prepend), split_(split) {}

  Status Apply(const Piece& piece, TextArena& arena, std::vector<Piece>& out) const override {
    std::string text;
    const bool wanted =
        prepend_ == Prepend::kAlways || (prepend_ == Prepend::kFirst && piece.at_start);
    if (wanted && !piece.text.starts_with(replacement_) && !piece.text.starts_with(' ')) {
      text = replacement_;
    }
    for (const char c : piece.text) {
      if (c == ' ') {
        text += replacement_;
      } else {
        text += c;
      }
    }
    arena.push_back(std::move(text));
    const Piece whole{arena.back(), piece.at_start};
    if (split_) {
      SplitBeforeReplacements(whole, out);
    } else {
      out.push_back(whole);
    }
    return {};
  }

 private:
  void SplitBeforeReplacements(const Piece& piece, std::vector<Piece>& out) const {
    std::size_t start = 0;
    while (start < piece.text.size()) {
      const std::size_t next = piece.text.find(replacement_, start + 1);
      out.push_back({piece.text.substr(start, next - start), piece.at_start && start == 0});
      if (next == std::string_view::npos) break;
      start = next;
    }
  }

  std::string replacement_;
  Prepend prepend_;
  bool split_;
};

PreTokenizerPtr MakeCharacterStep(std::function<bool(char32_t)> is_delimiter,
                                  SplitBehavior behavior) {
  return std::make_unique<CharacterStep>(std::move(is_delimiter), behavior);
}

Result<PreTokenizerPtr> MakePatternStep(std::string_view pattern) {
  SGLRUN_ASSIGN_OR_RETURN(Regex regex, Regex::Compile(pattern));
  return PreTokenizerPtr(
      std::make_unique<PatternStep>(std::move(regex), Delimiter::kMatch, SplitBehavior::kIsolated));
}

Result<PreTokenizerPtr> ParseSplit(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView pattern, json.Member("pattern"));
  SGLRUN_ASSIGN_OR_RETURN(Regex regex, ParsePattern(pattern));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView behavior_json, json.Member("behavior"));
  SGLRUN_ASSIGN_OR_RETURN(const SplitBehavior behavior, ParseSplitBehavior(behavior_json));
  SGLRUN_ASSIGN_OR_RETURN(const bool invert, json.BoolOr("invert", false));
  return PreTokenizerPtr(std::make_unique<PatternStep>(
      std::move(regex), invert ? Delimiter::kGap : Delimiter::kMatch, behavior));
}

Result<PreTokenizerPtr> ParseMetaspace(const JsonView& json) {
  using Prepend = MetaspaceSplit::Prepend;
  SGLRUN_ASSIGN_OR_RETURN(MetaspaceOptions options, ParseMetaspaceOptions(json));
  const Prepend prepend = options.prepend_scheme == "always"  ? Prepend::kAlways
                          : options.prepend_scheme == "first" ? Prepend::kFirst
                                                              : Prepend::kNever;
  return PreTokenizerPtr(
      std::make_unique<MetaspaceSplit>(std::move(options.replacement), prepend, options.split));
}

Result<PreTokenizerPtr> ParseDigits(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(const bool individual, json.BoolOr("individual_digits", false));
  return MakeCharacterStep(unicode::IsNumber,
                           individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
}

Result<PreTokenizerPtr> ParsePunctuation(const JsonView& json) {
  SplitBehavior behavior = SplitBehavior::kIsolated;
  if (json.Has("behavior")) {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView behavior_json, json.Member("behavior"));
    SGLRUN_ASSIGN_OR_RETURN(behavior, ParseSplitBehavior(behavior_json));
  }
  return MakeCharacterStep(unicode::IsPunctuation, behavior);
}

Result<PreTokenizerPtr> ParseWhitespaceSplit(const JsonView&) {
  return MakeCharacterStep(unicode::IsWhitespace, SplitBehavior::kRemoved);
}

Result<PreTokenizerPtr> ParseCharDelimiterSplit(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView delimiter, json.Member("delimiter"));
  SGLRUN_ASSIGN_OR_RETURN(const char32_t c, ParseCharacter(delimiter));
  return MakeCharacterStep([c](char32_t x) { return x == c; }, SplitBehavior::kRemoved);
}

using PreTokenizerKind = ComponentKind<PreTokenizerPtr>;
constexpr std::array kPreTokenizers = {
    PreTokenizerKind{"Split", ParseSplit},
    PreTokenizerKind{"Metaspace", ParseMetaspace},
    PreTokenizerKind{"Digits", ParseDigits},
    PreTokenizerKind{"Punctuation", ParsePunctuation},
    PreTokenizerKind{"Whitespace", ParseWhitespace},
    PreTokenizerKind{"WhitespaceSplit", ParseWhitespaceSplit},
    PreTokenizerKind{"CharDelimiterSplit", ParseCharDelimiterSplit},
    PreTokenizerKind{"UnicodeScripts", ParseUnicodeScripts},
    PreTokenizerKind{"FixedLength", ParseFixedLength},
};
}  // namespace

Result<PreTokenizer> PreTokenizer::Parse(const JsonView& json) {
  PreTokenizer out;
  if (json.json().is_null()) return out;
  SGLRUN_RETURN_IF_ERROR(
      VisitComponents(json, "pretokenizers", [&](std::string_view type, const JsonView& component) {
        return out.AddComponent(type, component);
      }));
  return out;
}

Result<PreTokenizer> PreTokenizer::FromPatterns(std::span<const std::string_view> patterns,
                                                bool add_prefix_space) {
  PreTokenizer out;
  if (add_prefix_space) out.steps_.push_back(std::make_unique<PrefixSpaceStep>());
  for (const std::string_view pattern : patterns) {
    SGLRUN_ASSIGN_OR_RETURN(PreTokenizerPtr step, MakePatternStep(pattern));
    out.steps_.push_back(std::move(step));
  }
  out.steps_.push_back(std::make_unique<LettersStep>());
  out.ends_with_letters_ = true;
  return out;
}

Status PreTokenizer::AddComponent(std::string_view type, const JsonView& json) {
  ends_with_letters_ = type == "ByteLevel";
  if (type == "ByteLevel") {
    SGLRUN_ASSIGN_OR_RETURN(const bool prefix, json.BoolOr("add_prefix_space", true));
    SGLRUN_ASSIGN_OR_RETURN(const bool use_regex, json.BoolOr("use_regex", true));
    if (prefix) steps_.push_back(std::make_unique<PrefixSpaceStep>());
    if (use_regex) {
      SGLRUN_ASSIGN_OR_RETURN(PreTokenizerPtr step, MakePatternStep(kGpt2Pattern));
      steps_.push_back(std::move(step));
    }
    steps_.push_back(std::make_unique<LettersStep>());
    return {};
  }
  if (type == "BertPreTokenizer") {
    steps_.push_back(MakeCharacterStep(unicode::IsWhitespace, SplitBehavior::kRemoved));
    steps_.push_back(MakeCharacterStep(unicode::IsPunctuation, SplitBehavior::kIsolated));
    return {};
  }
  SGLRUN_ASSIGN_OR_RETURN(PreTokenizerPtr step, ParseComponent<PreTokenizerPtr>(
                                                    json, type, kPreTokenizers,
                                                    {"Sequence", "ByteLevel", "BertPreTokenizer"}));
  steps_.push_back(std::move(step));
  return {};
}

Status PreTokenizer::Split(const Piece& text, TextArena& arena, std::vector<Piece>& out) const {
  std::vector<Piece> pieces;
  if (!text.text.empty()) pieces.push_back(text);
  std::vector<Piece> next;
  for (const PreTokenizerPtr& step : steps_) {
    if (StopFlag::requested()) break;
    next.clear();
    SGLRUN_RETURN_IF_ERROR(step->ApplyToAll(pieces, arena, next));
    pieces.swap(next);
  }
  if (out.empty()) {
    out.swap(pieces);
  } else {
    out.insert(out.end(), pieces.begin(), pieces.end());
  }
  return {};
}

bool PreTokenizer::TakeByteLevel() {
  if (!ends_with_letters_) return false;
  steps_.pop_back();
  ends_with_letters_ = false;
  return true;
}

}  // namespace sglrun::tokenizer
