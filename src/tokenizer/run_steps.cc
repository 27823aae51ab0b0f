#include "tokenizer/run_steps.h"

#include "base/utf8.h"
#include "text/unicode.h"

namespace sglrun::tokenizer {
namespace {

using PreTokenizerPtr = std::unique_ptr<PreTokenizerStep>;

void AppendRun(const Piece& piece, std::size_t begin, std::size_t end, std::vector<Piece>& out) {
  if (begin == end) return;
  out.push_back({piece.text.substr(begin, end - begin), piece.at_start && begin == 0});
}

class WhitespaceStep final : public PreTokenizerStep {
 public:
  Status Apply(const Piece& piece, TextArena&, std::vector<Piece>& out) const override {
    enum class Run { kBetween, kInWord, kOutside };
    Run run = Run::kBetween;
    std::size_t start = 0;
    const auto flush = [&](std::size_t end) {
      if (run != Run::kBetween) AppendRun(piece, start, end, out);
    };
    for (std::size_t pos = 0; pos < piece.text.size();) {
      const std::size_t begin = pos;
      const char32_t c = DecodeUtf8(piece.text, pos);
      const Run kind = unicode::IsWordCharacter(c) ? Run::kInWord
                       : unicode::IsWhitespace(c)  ? Run::kBetween
                                                   : Run::kOutside;
      if (kind == run) continue;
      flush(begin);
      run = kind;
      start = begin;
    }
    flush(piece.text.size());
    return {};
  }
};

class ScriptsStep final : public PreTokenizerStep {
 public:
  Status Apply(const Piece& piece, TextArena&, std::vector<Piece>& out) const override {
    int run = 0;  // no script seen yet
    std::size_t start = piece.text.size();
    for (std::size_t pos = 0; pos < piece.text.size();) {
      const std::size_t begin = pos;
      const int script = unicode::ScriptOf(DecodeUtf8(piece.text, pos));
      if (script == 0 || script == run) continue;
      if (run != 0) AppendRun(piece, start, begin, out);
      run = script;
      start = begin;
    }
    AppendRun(piece, start, piece.text.size(), out);
    return {};
  }
};

class FixedLengthStep final : public PreTokenizerStep {
 public:
  explicit FixedLengthStep(std::int64_t length) : length_(length) {}

  Status Apply(const Piece& piece, TextArena&, std::vector<Piece>& out) const override {
    std::size_t start = 0;
    std::int64_t count = 0;
    for (std::size_t pos = 0; pos < piece.text.size();) {
      DecodeUtf8(piece.text, pos);
      if (++count < length_) continue;
      AppendRun(piece, start, pos, out);
      start = pos;
      count = 0;
    }
    AppendRun(piece, start, piece.text.size(), out);
    return {};
  }

 private:
  std::int64_t length_;
};

}  // namespace

Result<PreTokenizerPtr> ParseWhitespace(const JsonView&) {
  return PreTokenizerPtr(std::make_unique<WhitespaceStep>());
}

Result<PreTokenizerPtr> ParseUnicodeScripts(const JsonView&) {
  return PreTokenizerPtr(std::make_unique<ScriptsStep>());
}

Result<PreTokenizerPtr> ParseFixedLength(const JsonView& json) {
  std::int64_t length = 5;
  if (json.Has("length")) {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView member, json.Member("length"));
    SGLRUN_ASSIGN_OR_RETURN(length, member.Int());
    if (length < 1) return member.Expected("1 or more");
  }
  return PreTokenizerPtr(std::make_unique<FixedLengthStep>(length));
}

}  // namespace sglrun::tokenizer
