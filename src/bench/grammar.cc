#include "bench/grammar.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "console/exit_codes.h"
#include "console/jsonl_filter.h"
#include "console/print.h"
#include "grammar/compile/constraint.h"
#include "grammar/compile/warm_up.h"
#include "grammar_tools/line.h"
#include "grammar_tools/text.h"
#include "serve/load.h"

namespace sglrun::bench {
namespace {

using Clock = std::chrono::steady_clock;
using grammar::Matcher;
using grammar::Vocabulary;

constexpr std::size_t kRows = 64;        // of a step
constexpr std::size_t kMostSteps = 512;  // of all rows together

// Measures the processor time of this thread, which does not include other work on the machine.
double NowMicroseconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

struct Sample {
  std::string_view name;   // of the JSON member
  std::string_view label;  // of the table's row
  std::vector<double> values = {};

  double At(double quantile) const {
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::ceil(quantile * last))];
  }
  double Mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
};

// A text under its constraint, ready to be decoded again.
struct Path {
  Matcher start;
  std::vector<std::int32_t> ids;
};

class GrammarBench {
 public:
  GrammarBench(const BenchSettings& settings, grammar_tools::TokenSide tokens)
      : settings_(settings),
        tokens_(std::move(tokens)),
        mask_(static_cast<std::size_t>(tokens_.vocabulary->words_per_mask())) {
    const double start = NowMicroseconds();
    grammar::WarmUp(tokens_.vocabulary, settings.constraint_options.standard);
    warm_up_us_ = NowMicroseconds() - start;
  }

  Status AddFile() {
    SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<io::JsonlReader> reader,
                            io::JsonlReader::Open({settings_.constraints}));
    SGLRUN_RETURN_IF_ERROR(
        console::ForEachJsonLine(*reader, grammar_tools::GrammarLineParsing(),
                                 [&](std::int64_t number, const Result<Json, RecordError>& json) {
                                   return Add(number, json);
                                 }));
    if (lines_ == 0) return Error{settings_.constraints + " holds no constraints to measure"};
    return {};
  }

  // All masks of a step of kRows rows whose texts have been decoded before.
  void MeasureSteps(ThreadPool& pool) {
    if (paths_.empty()) return;
    std::size_t steps = 0;
    for (std::size_t first = 0; first < paths_.size() && steps < kMostSteps; first += kRows) {
      std::vector<Path> rows;
      for (std::size_t r = 0; r < kRows; ++r) rows.push_back(paths_[(first + r) % paths_.size()]);
      const std::size_t longest = std::ranges::max_element(rows, {}, [](const Path& p) {
                                    return p.ids.size();
                                  })->ids.size();
      for (std::size_t step = 0; step < longest && steps < kMostSteps; ++step, ++steps) {
        MeasureStep(rows, step, pool);
      }
    }
  }

  std::string AsText();
  std::string AsJson();

 private:
  Status Add(std::int64_t number, const Result<Json, RecordError>& json) {
    const auto fail = [&](const RecordError& error) {
      return Error{settings_.constraints + " line " + std::to_string(number) + ": " +
                   error.message};
    };
    if (!json.ok()) return fail(json.error());
    const auto line = grammar_tools::ReadGrammarLine(*json, settings_.constraint_options);
    if (!line.ok()) return fail(line.error());
    ++lines_;
    const double start = NowMicroseconds();
    const grammar::ConstraintOutcome outcome =
        CompileConstraint(line->constraint, line->options, tokens_.vocabulary);
    if (!outcome.ok()) {
      ++refused_;
      return {};
    }
    Matcher matcher(outcome->grammar, tokens_.vocabulary);
    matcher.FillMask(mask_);
    compile_.values.push_back(NowMicroseconds() - start);
    const bool names_tokens = outcome->grammar->names_tokens();
    for (const std::string& text : line->texts) {
      Path path{Matcher(outcome->grammar, tokens_.vocabulary),
                names_tokens ? grammar_tools::TokensWithSpecials(text, tokens_)
                             : grammar_tools::TokensOf(text, tokens_)};
      ++texts_;
      strangers_ += Decode(path, first_) ? 0 : 1;
      Decode(path, again_);
      paths_.push_back(std::move(path));
    }
    memory_.values.push_back(static_cast<double>(outcome->grammar->MemoryBytes()));
    return {};
  }

  // Decodes the text as far as it is allowed; false if the text is not a member.
  bool Decode(Path& path, Sample& fill) {
    Matcher matcher = path.start;
    for (std::size_t i = 0; i < path.ids.size(); ++i) {
      const double begin = NowMicroseconds();
      matcher.FillMask(mask_);
      const double filled = NowMicroseconds();
      fill.values.push_back(filled - begin);
      if (!matcher.AcceptToken(path.ids[i])) {
        path.ids.resize(i);
        return false;
      }
      accept_.values.push_back(NowMicroseconds() - filled);
    }
    return matcher.IsComplete();
  }

  void MeasureStep(std::vector<Path>& rows, std::size_t step, ThreadPool& pool) {
    std::atomic<std::size_t> next = 0;
    const Clock::time_point start = Clock::now();
    pool.Run([&](int, int) {
      std::vector<std::uint32_t> words(mask_.size());
      for (std::size_t r = next++; r < rows.size(); r = next++) {
        if (step < rows[r].ids.size()) rows[r].start.FillMask(words);
      }
    });
    step_.values.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    for (Path& row : rows) {
      if (step < row.ids.size()) row.start.AcceptToken(row.ids[step]);
    }
  }

  std::vector<Sample*> Samples() {
    std::vector<Sample*> samples;
    for (Sample* s : {&compile_, &first_, &again_, &accept_, &step_, &memory_}) {
      if (s->values.empty()) continue;
      std::ranges::sort(s->values);
      samples.push_back(s);
    }
    return samples;
  }

  const BenchSettings& settings_;
  const grammar_tools::TokenSide tokens_;
  std::vector<std::uint32_t> mask_;
  std::vector<Path> paths_;
  std::int64_t lines_ = 0, refused_ = 0;
  std::int64_t texts_ = 0, strangers_ = 0;  // texts that are not members of their constraint
  double warm_up_us_ = 0;                   // once a run
  Sample compile_{"compile_us", "compile to first mask"};
  Sample first_{"fill_us", "fill a mask, new place"};
  Sample again_{"fill_again_us", "fill a mask, seen before"};
  Sample accept_{"accept_us", "accept a token"};
  Sample step_{"step_us", "masks of 64 rows, seen"};
  Sample memory_{"memory_bytes", "memory of a constraint, kB"};
};

std::string GrammarBench::AsText() {
  char line[256];
  std::snprintf(
      line, sizeof line,
      "%lld constraints, %lld refused; %lld texts, %lld of them no members; %zu tokens in the "
      "vocabulary, warmed up in %.0f ms\n"
      "%-28s %8s %9s %9s %9s %9s %9s\n",
      static_cast<long long>(lines_), static_cast<long long>(refused_),
      static_cast<long long>(texts_), static_cast<long long>(strangers_),
      tokens_.vocabulary->sorted_ids().size(), warm_up_us_ / 1000, "microseconds", "count", "p50",
      "mean", "p99", "p99.9", "max");
  std::string out = line;
  for (const Sample* s : Samples()) {
    const double unit = s == &memory_ ? 1024 : 1;
    std::snprintf(line, sizeof line, "%-28s %8zu %9.1f %9.1f %9.1f %9.1f %9.1f\n", s->label.data(),
                  s->values.size(), s->At(0.5) / unit, s->Mean() / unit, s->At(0.99) / unit,
                  s->At(0.999) / unit, s->values.back() / unit);
    out += line;
  }
  return out;
}

std::string GrammarBench::AsJson() {
  Json::Object json{
      {"constraints", Json(lines_)},
      {"refused", Json(refused_)},
      {"texts", Json(texts_)},
      {"no_members", Json(strangers_)},
      {"vocabulary", static_cast<std::int64_t>(tokens_.vocabulary->sorted_ids().size())}};
  for (const Sample* s : Samples()) {
    json.emplace_back(std::string(s->name),
                      Json::Object{{"count", static_cast<std::int64_t>(s->values.size())},
                                   {"p50", s->At(0.5)},
                                   {"mean", s->Mean()},
                                   {"p99", s->At(0.99)},
                                   {"p99.9", s->At(0.999)},
                                   {"max", s->values.back()}});
  }
  return Json(std::move(json)).Dump() + "\n";
}

}  // namespace

Result<int> RunGrammarBench(const BenchSettings& settings) {
  if (settings.serve.tokenizer.empty() && settings.serve.model.empty()) {
    return Error{"bench --grammar needs a vocabulary: give --tokenizer PATH or --model PATH"};
  }
  SGLRUN_ASSIGN_OR_RETURN(auto tokenizer, serve::LoadTokenizer(settings.serve));
  GrammarBench bench(settings, grammar_tools::TokenSide(std::move(tokenizer)));
  SGLRUN_RETURN_IF_ERROR(bench.AddFile());
  serve::Compute compute(settings.serve);
  bench.MeasureSteps(compute.pool);
  SGLRUN_RETURN_IF_ERROR(console::Print(settings.json ? bench.AsJson() : bench.AsText()));
  return console::kExitOk;
}

}  // namespace sglrun::bench
