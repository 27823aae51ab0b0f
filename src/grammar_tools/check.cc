#include "grammar_tools/check.h"

#include <chrono>
#include <memory>
#include <optional>

#include "base/hash.h"
#include "console/jsonl_filter.h"
#include "grammar/compile/constraint.h"
#include "grammar/compile/warm_up.h"
#include "grammar_tools/line.h"
#include "grammar_tools/text.h"
#include "grammar_tools/walk.h"
#include "serve/load.h"

namespace sglrun::grammar_tools {
namespace {

using grammar::Matcher;
using grammar::Vocabulary;

class Checker {
 public:
  Checker(const GrammarCheckSettings& settings, std::optional<TokenSide> tokens)
      : settings_(settings),
        tokens_(std::move(tokens)),
        walk_vocabulary_(tokens_ ? tokens_->vocabulary : ByteVocabulary()) {}

  Result<void, RecordError> Answer(const Json& json, JsonWriter& out) const {
    SGLRUN_ASSIGN_OR_RETURN(const GrammarLine line, ReadGrammarLine(json, settings_.options));
    const auto start = std::chrono::steady_clock::now();
    const grammar::ConstraintOutcome outcome = grammar::CompileConstraint(
        line.constraint, line.options, tokens_ ? tokens_->vocabulary : nullptr);
    const std::int64_t compile_us = MicrosecondsSince(start);
    out.BeginObject();
    out.Key("id");
    out.Value(line.id);
    WriteVerdict(outcome, line.notes, out);
    out.Key("compile_us");
    out.Int(compile_us);
    if (outcome.ok()) WriteResults(line, *outcome, out);
    out.EndObject();
    return {};
  }

 private:
  static std::int64_t MicrosecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                                 start)
        .count();
  }

  static void WriteTexts(const char* key, const std::vector<std::string>& texts, JsonWriter& out) {
    out.Key(key);
    out.BeginArray();
    for (const std::string& text : texts) out.String(text);
    out.EndArray();
  }

  void WriteVerdict(const grammar::ConstraintOutcome& outcome, std::vector<std::string> notes,
                    JsonWriter& out) const {
    out.Key("status");
    out.String(outcome.ok() ? "ok" : grammar::VerdictName(outcome.error().verdict));
    out.Key("message");
    if (outcome.ok()) {
      out.Null();
    } else {
      out.String(outcome.error().message);
    }
    out.Key("pointer");
    if (outcome.ok()) {
      out.Null();
    } else {
      out.String(outcome.error().pointer);
    }
    const grammar::GrammarReport none;
    const grammar::GrammarReport& report = outcome.ok() ? outcome->report : none;
    WriteTexts("relaxed", report.relaxed, out);
    notes.insert(notes.end(), report.notes.begin(), report.notes.end());
    if (outcome.ok() && !tokens_) {
      if (std::string limit = LimitOfBytes(*outcome->grammar); !limit.empty()) {
        notes.push_back(std::move(limit));
      }
    }
    WriteTexts("notes", notes, out);
  }

  static void WriteFlag(const char* key, std::optional<bool> flag, JsonWriter& out) {
    out.Key(key);
    if (flag) {
      out.Bool(*flag);
    } else {
      out.Null();
    }
  }

  void WriteResults(const GrammarLine& line, const grammar::CompiledConstraint& compiled,
                    JsonWriter& out) const {
    Matcher start(compiled.grammar, walk_vocabulary_);
    out.Key("first_mask_us");
    if (tokens_) {
      std::vector<std::uint32_t> mask(static_cast<std::size_t>(walk_vocabulary_->words_per_mask()));
      const auto begin = std::chrono::steady_clock::now();
      Matcher(start).FillMask(mask);
      out.Int(MicrosecondsSince(begin));
    } else {
      out.Null();
    }
    out.Key("results");
    out.BeginArray();
    for (const std::string& text : line.texts) {
      WriteText(CheckText(compiled.grammar, start, text, tokens_ ? &*tokens_ : nullptr), out);
    }
    out.EndArray();
    const std::uint64_t seed =
        HashBytes(line.constraint.text).low + static_cast<std::uint64_t>(settings_.seed);
    if (settings_.random_masks > 0) {
      const MaskComparison masks =
          CompareRandomMasks(start, *walk_vocabulary_, settings_.random_masks, seed);
      out.Key("random_masks");
      out.BeginObject();
      out.Key("compared");
      out.Int(masks.compared);
      out.Key("wrong");
      out.Int(masks.wrong);
      out.EndObject();
    }
    if (settings_.sample > 0) {
      WriteTexts("samples", SampleMembers(start, *walk_vocabulary_, settings_.sample, seed), out);
    }
  }

  static void WriteText(const TextReport& report, JsonWriter& out) {
    out.BeginObject();
    WriteFlag("prefix_ok", report.prefix_ok, out);
    WriteFlag("accepted", report.accepted, out);
    out.Key("error_at");
    if (report.error_at) {
      out.Int(static_cast<std::int64_t>(*report.error_at));
    } else {
      out.Null();
    }
    out.Key("message");
    if (report.message.empty()) {
      out.Null();
    } else {
      out.String(report.message);
    }
    out.Key("tokens");
    out.Int(report.tokens);
    WriteFlag("mask_ok", report.mask_ok, out);
    out.Key("mask_us");
    out.BeginArray();
    // Tenths of a microsecond: a seen mask takes less than one.
    for (const double us : report.mask_us) {
      out.Double(static_cast<double>(static_cast<std::int64_t>(us * 10 + 0.5)) / 10);
    }
    out.EndArray();
    out.EndObject();
  }

  const GrammarCheckSettings& settings_;
  std::optional<TokenSide> tokens_;
  std::shared_ptr<const Vocabulary> walk_vocabulary_;
};

}  // namespace

Result<int> RunGrammar(const GrammarCheckSettings& settings) {
  std::optional<TokenSide> tokens;
  if (!settings.serve.tokenizer.empty()) {
    SGLRUN_ASSIGN_OR_RETURN(auto tokenizer, serve::LoadTokenizer(settings.serve));
    tokens.emplace(std::move(tokenizer));
    grammar::WarmUp(tokens->vocabulary, settings.options.standard);  // as `batch` does
  }
  const Checker checker(settings, std::move(tokens));
  return console::FilterJsonLines(
      {.input = settings.input, .output = settings.output},
      [&](const Json& line, JsonWriter& out) { return checker.Answer(line, out); },
      GrammarLineParsing());
}

}  // namespace sglrun::grammar_tools
