#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "base/log.h"
#include "base/strings.h"
#include "cli/batch_source.h"
#include "cli/batch_window.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/load.h"
#include "cli/process_info.h"
#include "cli/progress.h"
#include "cli/report/account.h"
#include "cli/report/collector.h"
#include "cli/report/html_page.h"
#include "cli/run_identity.h"
#include "cli/run_report.h"
#include "cli/run_setup.h"
#include "cli/signals.h"
#include "cli/stopwatch.h"
#include "cli/whole_file.h"
#include "cli/written_files.h"
#include "tokenizer/space_cleaning.h"

namespace sglrun::cli {
namespace {

// What is flushed survives a kill; a compressed file pays for each flush with a new frame.
constexpr double kFlushSeconds = 0.25;
constexpr double kFlushSecondsCompressed = 2.0;
constexpr std::size_t kFlushBytes = std::size_t{4} << 20;

double FlushSeconds(const Options& options) {
  if (options.stream_jsonl) return 0;  // somebody watches
  return io::CompressionOf(options.output) == io::Compression::kNone ? kFlushSeconds
                                                                     : kFlushSecondsCompressed;
}

// Sequences behind those that run, so that no row stays empty.
constexpr std::int64_t kSubmittedPerRow = 4;
// Beyond these, some more with each step, so that records that share a prefix find each other from
// afar: up to so many sequences, and 16 MiB of their tokens.
constexpr int kAheadPerStep = 64;
constexpr std::int64_t kMostAhead = 8192;
constexpr std::int64_t kMostTokensAhead = std::int64_t{4} << 20;

// The heart of `batch`: feeds the engine from the source, and the output from the engine.
class BatchLoop {
 public:
  BatchLoop(const Options& options, BatchSource& source, engine::Engine& engine,
            BatchWindow& window, report::RunCollector& collector)
      : options_(options),
        source_(source),
        engine_(engine),
        window_(window),
        collector_(collector),
        progress_(options.progress == "auto" && options.quiet ? "never" : options.progress),
        flush_seconds_(FlushSeconds(options)) {}

  // Runs until all records have their rows, a signal asks to stop, or too many have failed.
  Status Run() {
    while (!StopCode() && !TooManyErrors()) {
      SGLRUN_RETURN_IF_ERROR(Refill());
      if (!engine_.HasWork() && window_.empty() && source_.Exhausted()) return {};
      for (GenerateResult& result : engine_.Step()) {
        if (options_.clean_up_spaces) CleanText(result);
        SGLRUN_RETURN_IF_ERROR(window_.Finish(std::move(result)));
      }
      collector_.AddStep(SecondsSince(start_), engine_.stats());
      for (const GenerateResult& partial : engine_.Partials()) ShowPartial(partial);
      SGLRUN_RETURN_IF_ERROR(FlushNowAndThen());
      ShowProgress();
    }
    progress_.Clear();
    return {};
  }

  bool TooManyErrors() const {
    return options_.max_errors > 0 && window_.counts().new_failed >= options_.max_errors;
  }

  Progress& progress() { return progress_; }

 private:
  Status Refill() {
    for (int ahead = 0; (NeedsMore() || MayLookAhead(ahead)) && !TooManyErrors();) {
      if (window_.full()) return {};
      if (!NeedsMore()) ++ahead;
      // With nothing else to do, a slow input is waited for, but signals and flushes are not late.
      const std::chrono::milliseconds patience(engine_.HasWork() ? 0 : 50);
      std::optional<ReadyRecord> record = source_.Next(patience);
      if (!record) return {};
      std::vector<std::unique_ptr<engine::Sequence>> sequences = std::move(record->sequences);
      record->sequences.clear();
      SGLRUN_RETURN_IF_ERROR(window_.Add(*std::move(record), sequences.size()));
      for (auto& sequence : sequences) {
        // A compiled constraint is far larger than a prompt.
        if (sequence->params().constraint) constrained_ahead_ = true;
        engine_.Submit(std::move(sequence));
      }
    }
    return {};
  }

  bool NeedsMore() const {
    return engine_.InFlight() < kSubmittedPerRow * engine_.options().max_rows;
  }
  bool MayLookAhead(int ahead) {
    if (NeedsMore()) constrained_ahead_ = false;
    return ahead < kAheadPerStep && !constrained_ahead_ && engine_.InFlight() < kMostAhead &&
           engine_.WaitingTokens() < kMostTokensAhead;
  }

  static void CleanText(GenerateResult& result) {
    result.text = tokenizer::CleanUpTokenizationSpaces(std::move(result.text));
  }

  void ShowPartial(const GenerateResult& partial) {
    if (!options_.clean_up_spaces) return window_.ShowPartial(partial);
    GenerateResult cleaned = partial;
    cleaned.text.resize(tokenizer::SettledBytes(partial.text));
    CleanText(cleaned);
    window_.ShowPartial(cleaned);
  }

  Status FlushNowAndThen() {
    if (window_.unflushed_bytes() == 0) return {};
    if (window_.unflushed_bytes() < kFlushBytes && SecondsSince(last_flush_) < flush_seconds_) {
      return {};
    }
    last_flush_ = Clock::now();
    return window_.Flush();
  }

  void ShowProgress() {
    const BatchCounts& counts = window_.counts();
    const double read = source_.FractionRead();
    const auto lines = static_cast<double>(std::max<std::int64_t>(source_.lines_read(), 1));
    const double share = static_cast<double>(counts.records) / lines;
    progress_.Update({.records = counts.records,
                      .failed = counts.failed,
                      .output_tokens = engine_.stats().output_tokens,
                      .fraction = read < 0 ? -1.0 : read * std::min(share, 1.0)});
  }

  const Options& options_;
  BatchSource& source_;
  engine::Engine& engine_;
  BatchWindow& window_;
  report::RunCollector& collector_;
  Progress progress_;
  const double flush_seconds_;
  bool constrained_ahead_ = false;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_flush_ = Clock::now();
};

Status CheckSideFiles(const Options& options) {
  if (options.output == "-" && options.hidden_states != "inline") {
    return Error{"--hidden-states " + options.hidden_states +
                 " writes files beside the output; name one with --output"};
  }
  return {};
}

// The rows of a file are what a run continues from; partial results among them would be lines that
// no reader of rows expects.
Status CheckStream(const Options& options) {
  if (options.stream_jsonl && options.input_format == "openai") {
    return Error{
        "--stream-jsonl does not go with --input-format openai: answers to batch lines come whole"};
  }
  if (!options.stream_jsonl || io::IsLooseOutput(options.output)) return {};
  return Error{
      "--stream-jsonl writes partial results to a pipe or to - (standard output), not to "
      "the file " +
      options.output};
}

io::RowOrder OrderOf(const Options& options) {
  return options.order == "completion" ? io::RowOrder::kCompletion : io::RowOrder::kInput;
}

io::RowOptions RowOptionsOf(const Options& options) {
  const std::string& form = options.hidden_states;
  return {.no_timing = options.no_timing,
          .flatten = options.flatten,
          .with_line = options.order == "completion",
          .hidden_states = form == "inline"        ? io::HiddenStateForm::kInline
                           : form == "safetensors" ? io::HiddenStateForm::kSafetensors
                                                   : io::HiddenStateForm::kNpy,
          .created = std::time(nullptr),
          .output_path = options.output};
}

std::string NowUtc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

class BatchRun {
 public:
  explicit BatchRun(const Options& options) : options_(options) {}

  Result<int> Run() {
    facts_.started = NowUtc();
    SGLRUN_RETURN_IF_ERROR(CheckSideFiles(options_));
    SGLRUN_RETURN_IF_ERROR(CheckStream(options_));
    SGLRUN_ASSIGN_OR_RETURN(const ModelSource source, OpenModel(options_));
    BatchSource::Parts parts;
    SGLRUN_ASSIGN_OR_RETURN(parts.record_options, MakeRecordOptions(options_, source));
    SGLRUN_ASSIGN_OR_RETURN(parts.reader, io::JsonlReader::Open(options_.inputs));
    // Not earlier: opening waits for a pipe's first bytes, and there is nothing to be finished yet.
    WatchStopSignals();
    Compute compute(options_);
    SGLRUN_ASSIGN_OR_RETURN(const kernels::Backend* backend, ChooseBackend(options_, compute));
    SGLRUN_RETURN_IF_ERROR(CollectFacts(source, *backend, compute.pool));
    // Before the weights, which may take a while: an output that cannot be used is told at once.
    SGLRUN_RETURN_IF_ERROR(OpenOutput());
    facts_.threads = compute.pool.threads();
    SGLRUN_ASSIGN_OR_RETURN(const auto model, LoadModel(options_, source.files, *backend, compute));
    const tensor::DType kv_dtype = KvDType(options_, WeightDType(options_, source.files));
    SGLRUN_ASSIGN_OR_RETURN(
        const auto engine,
        engine::Engine::Create(*model, *source.tokenizer, EngineOptionsOf(options_, kv_dtype, *backend),
                               compute.context));
    outcome_.load_s = SecondsSince(start_);
    return Serve(std::move(parts), *engine);
  }

 private:
  Status CollectFacts(const ModelSource& source, const kernels::Backend& backend,
                      ThreadPool& pool) {
    SGLRUN_ASSIGN_OR_RETURN(facts_.identity, RunIdentity(options_, source, backend, pool));
    facts_.options = EffectiveOptions(options_);
    facts_.sampling_defaults =
        SamplingDefaultsJson(EffectiveDefaults(options_, source.files.generation_defaults()));
    facts_.model_path = options_.model;
    facts_.isa = backend.isa.empty() ? backend.name : backend.isa;
    LogInfo("model " + options_.model + ", " + source.files.config().architecture + ", " +
            source.files.DTypeSummary() + "; defaults " + facts_.sampling_defaults.Dump());
    return {};
  }

  Status OpenOutput() {
    SGLRUN_ASSIGN_OR_RETURN(output_, io::RunOutput::Open({.path = options_.output,
                                                          .run = facts_.identity,
                                                          .overwrite = options_.overwrite,
                                                          .retry_errors = options_.retry_errors,
                                                          .order = OrderOf(options_)}));
    if (output_->rows_found() > 0) {
      LogInfo("continuing: " + options_.output + " holds " + std::to_string(output_->rows_found()) +
              " rows");
    }
    return {};
  }

  Result<int> Serve(BatchSource::Parts parts, engine::Engine& engine) {
    parts.engine = &engine;
    const io::ResultWriter writer(RowOptionsOf(options_));
    parts.has_row = [this, &writer](const ReadyRecord& record,
                                    std::span<const std::size_t> with_hidden_states) {
      const io::RowState state = output_->Find(record.key);
      const bool in_files = state == io::RowState::kServed && options_.hidden_states != "inline";
      return state != io::RowState::kMissing &&
             (!in_files || writer.HasSideFiles(record.place, with_hidden_states));
    };
    report::RunCollector collector;
    BatchWindow window(writer, *output_, OrderOf(options_), collector);
    BatchSource source(options_, std::move(parts));
    BatchLoop loop(options_, source, engine, window, collector);
    Status status = loop.Run();
    loop.progress().Clear();
    if (status.ok()) status = Close(loop, source, window);
    if (!status.ok() && output_->broken_pipe()) return kExitBrokenPipe;
    outcome_.counts = window.counts();
    outcome_.lines = source.lines_read();
    facts_.engine_options = engine.options();
    facts_.engine_stats = engine.stats();
    facts_.data = collector.Finish();
    if (!status.ok()) outcome_.exit_code = kExitFailure;
    const Status reported = Report();
    if (!status.ok()) return status.error();
    SGLRUN_RETURN_IF_ERROR(reported);
    return outcome_.exit_code;
  }

  // Brings everything into the output and settles how the run ended.
  Status Close(const BatchLoop& loop, const BatchSource& source, BatchWindow& window) {
    SGLRUN_RETURN_IF_ERROR(window.Flush());
    SGLRUN_RETURN_IF_ERROR(source.status());
    if (const int code = StopCode(); code != 0) {
      outcome_.exit_code = code;
      LogWarning("stopped by a signal; the same command continues");
      return {};
    }
    if (loop.TooManyErrors()) {
      outcome_.exit_code = kExitRecordErrors;
      LogWarning("stopped after " + std::to_string(window.counts().new_failed) +
                 " failed records (--max-errors); the same command continues");
      return {};
    }
    SGLRUN_RETURN_IF_ERROR(output_->Finish(source.input_end()));
    if (output_->dropped_rows() > 0) {
      LogWarning(FormatCount(output_->dropped_rows()) + " rows of " + options_.output +
                 " answered no record of this input; they are now in " + output_->DroppedPath());
    }
    outcome_.finished = true;
    outcome_.exit_code = window.counts().failed > 0 ? kExitRecordErrors : kExitOk;
    return {};
  }

  Status Report() {
    outcome_.wall_s = SecondsSince(start_);
    outcome_.peak_rss_bytes = PeakResidentBytes();
    const std::string summary = SummaryLine(outcome_);
    if (!options_.quiet && !options_.verbose) std::fprintf(stderr, "%s\n", summary.c_str());
    LogInfo(summary);
    const Json run_file = RunFileJson(outcome_, facts_);
    SGLRUN_RETURN_IF_ERROR(WriteRunFile(run_file));
    return WritePage(run_file);
  }

  Status WriteRunFile(const Json& run_file) {
    const std::string path = RunFilePath(options_);
    return path.empty() ? Status() : WriteWholeFile("run file", path, run_file.Dump() + "\n");
  }

  Status WritePage(const Json& run_file) {
    if (options_.report.empty()) return {};
    SGLRUN_ASSIGN_OR_RETURN(const report::Account account, report::ReadAccount(run_file));
    return WriteWholeFile("report", options_.report, report::HtmlPage(account));
  }

  const Options& options_;
  const Clock::time_point start_ = Clock::now();
  std::unique_ptr<io::RunOutput> output_;
  RunOutcome outcome_;
  RunFacts facts_;
};

}  // namespace

Result<int> RunBatch(const Options& options) {
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe comes back as a write error
  return BatchRun(options).Run();
}

}  // namespace sglrun::cli
