#include "run/batch_run.h"

#include <cstdio>
#include <ctime>
#include <filesystem>

#include "base/log.h"
#include "base/mapped_file.h"
#include "base/stop_flag.h"
#include "base/strings.h"
#include "base/whole_file.h"
#include "console/exit_codes.h"
#include "console/process_info.h"
#include "report/account.h"
#include "report/collector.h"
#include "report/html_page.h"
#include "run/identity.h"
#include "run/loop.h"
#include "run/setup.h"

namespace sglrun::run {
namespace {

Status CheckSideFiles(const RunSettings& settings) {
  if (settings.output != "-" || settings.hidden_states == io::HiddenStateForm::kInline) return {};
  return Error{std::string("--hidden-states ") +
               (settings.hidden_states == io::HiddenStateForm::kNpy ? "npy" : "safetensors") +
               " writes files beside the output; give one with --output"};
}

// A run continues from the rows of the output file. Partial results among them would be lines that
// the readers of rows do not expect.
Status CheckStream(const RunSettings& settings) {
  if (settings.partial_rows && settings.records.format == io::LineFormat::kOpenAi) {
    return Error{
        "--stream-jsonl cannot be used with --input-format openai: OpenAI rows are written whole"};
  }
  if (!settings.partial_rows || io::IsLooseOutput(settings.output)) return {};
  return Error{
      "--stream-jsonl writes partial results to a pipe or to - (standard output), not to "
      "the file " +
      settings.output};
}

io::RowLines LinesOf(const RunSettings& settings) {
  return settings.flatten ? io::RowLines::kAny : io::RowLines::kOne;
}

io::RowOptions RowOptionsOf(const RunSettings& settings) {
  return {.no_timing = settings.no_timing,
          .flatten = settings.flatten,
          .with_line = settings.order == io::RowOrder::kCompletion || settings.partial_rows,
          .with_index = settings.partial_rows,
          .hidden_states = settings.hidden_states,
          .created = std::time(nullptr),
          .output_path = settings.output};
}

// The rows of one shard never belong to a shard with another number of parts, even where both
// contain the same records.
std::string ShardAdvice(const Json& before, const Shard& now) {
  const Json* stated = before.Find(kShardName);
  const std::string given = now.ToString();
  if (stated == nullptr || !stated->is_string() || stated->as_string() == given) return "";
  return "--shard " + stated->as_string() + " continues it, while --shard " + given +
         " is another part and needs another output";
}

std::string NowUtc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// The run file of a finished run, or nothing.
std::optional<Json> ReadFinished(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const Result<std::string> text = ReadFile(path);
  if (!text.ok()) return std::nullopt;
  auto json = ParseJson(*text);
  if (!json.ok()) return std::nullopt;
  const Result<report::Account> account = report::ReadAccount(json->value);
  if (!account.ok() || account->state != "finished") return std::nullopt;
  return std::move(json->value);
}

}  // namespace

Status CheckOutputForm(const RunSettings& settings) {
  SGLRUN_RETURN_IF_ERROR(CheckSideFiles(settings));
  return CheckStream(settings);
}

BatchRun::BatchRun(const RunSettings& settings, Session& session, console::Clock::time_point start)
    : settings_(settings), session_(session), start_(start) {
  facts_.started = NowUtc();
  facts_.launcher = settings_.launcher;
  facts_.shard = settings_.records.shard;
}

Result<int> BatchRun::Run(std::unique_ptr<io::JsonlReader> reader,
                          std::shared_ptr<const InputIndex> index) {
  SGLRUN_RETURN_IF_ERROR(CollectFacts());
  SGLRUN_RETURN_IF_ERROR(OpenOutput());
  finished_before_ = ReadFinished(settings_.run_file);
  // This run owns the output now. The run file of an earlier run would be wrong from here on,
  // even if this run is killed.
  for (const std::string& path : {settings_.run_file, settings_.report}) {
    std::error_code ignored;
    if (!path.empty() && !std::filesystem::exists(path, ignored)) new_files_.push_back(path);
  }
  BatchSource::Parts parts;
  parts.reader = std::move(reader);
  parts.parser = session_.parser();
  parts.index = std::move(index);
  const Status begun = WriteAccount();
  Result<int> code = begun.ok() ? Generate(std::move(parts)) : Result<int>(begun.error());
  if (!code.ok() && outcome_.state == RunState::kRunning) TellFailedStart();
  return code;
}

Status BatchRun::CollectFacts() {
  const serve::ModelSource& source = session_.source();
  serve::EnginePool& engines = session_.engines();
  const kernels::Backend& backend = engines.backend();
  ThreadPool& pool = engines.threads();
  SGLRUN_ASSIGN_OR_RETURN(facts_.identity,
                          RunIdentity(settings_, source, backend, session_.weights()));
  facts_.options = settings_.options;
  facts_.sampling_defaults = SamplingDefaultsJson(
      serve::EffectiveDefaults(settings_.serve, source.files.generation_defaults()));
  facts_.model_path = settings_.serve.model;
  facts_.isa = backend.isa.empty() ? backend.name : backend.isa;
  facts_.products = engines.DescribeProducts();
  facts_.threads = pool.threads();
  LogInfo("model " + settings_.serve.model + ", " + source.files.spec().family + ", " +
          source.files.DTypeSummary() + "; defaults " + facts_.sampling_defaults.Dump());
  return {};
}

Status BatchRun::OpenOutput() {
  SGLRUN_ASSIGN_OR_RETURN(output_, io::RunOutput::Open({.path = settings_.output,
                                                        .run = facts_.identity,
                                                        .overwrite = settings_.overwrite,
                                                        .retry_errors = settings_.retry_errors,
                                                        .order = settings_.order,
                                                        .lines = LinesOf(settings_),
                                                        .needs_lock = settings_.takes_any_shard,
                                                        .advise =
                                                            [this](const Json& before) {
                                                              return ShardAdvice(
                                                                  before, settings_.records.shard);
                                                            }},
                                                       &lock_));
  if (output_->rows_found() > 0) {
    LogInfo("continuing: " + settings_.output + " holds " + std::to_string(output_->rows_found()) +
            " rows");
  }
  return {};
}

Result<int> BatchRun::Generate(BatchSource::Parts parts) {
  SGLRUN_RETURN_IF_ERROR(session_.Load());
  serve::EnginePool& engines = session_.engines();
  engines.ResetCounts();
  outcome_.load_s = console::SecondsSince(start_);
  const std::int64_t begun_twice = engines.admitting().begun_twice();
  Result<int> code = Serve(std::move(parts));
  WarnOfBeginnings(engines.admitting().begun_twice() - begun_twice, *session_.source().tokenizer);
  return code;
}

Result<int> BatchRun::Serve(BatchSource::Parts parts) {
  serve::EnginePool& engine = session_.engines();
  parts.engine = &engine.admitting();
  parts.flatten = settings_.flatten;
  const io::ResultWriter writer(RowOptionsOf(settings_));
  parts.has_row = [this, &writer](const ReadyRecord& record,
                                  std::span<const std::size_t> with_hidden_states) {
    const io::RowState state = output_->Find(record.key);
    const bool in_files =
        state == io::RowState::kServed && settings_.hidden_states != io::HiddenStateForm::kInline;
    return state != io::RowState::kMissing &&
           (!in_files || writer.HasSideFiles(record.place, with_hidden_states));
  };
  report::RunCollector collector;
  const auto budget = std::make_shared<MemoryBudget>();
  parts.budget = budget;
  BatchWindow window(writer, *output_,
                     {.order = settings_.order, .max_failed = settings_.max_errors}, collector,
                     budget);
  BatchSource source(settings_.records, std::move(parts));
  Status status = BatchLoop(settings_, source, engine, window, collector, budget).Run();
  if (status.ok()) status = Close(source, window);
  const bool broken_pipe = !status.ok() && output_->broken_pipe();
  if (!status.ok()) {
    outcome_.state = broken_pipe ? RunState::kStopped : RunState::kFailed;
    outcome_.exit_code = broken_pipe ? console::kExitBrokenPipe : console::kExitFailure;
  }
  outcome_.counts = window.counts();
  outcome_.lines = source.lines_read();
  facts_.engine_options = engine.options();
  facts_.engine_stats = engine.stats();
  facts_.data = collector.Finish();
  outcome_.peak_rss_bytes = console::PeakResidentBytes();
  const Status written = WriteAccount();
  if (!broken_pipe) TellSummary();
  if (!status.ok() && !broken_pipe) return status.error();
  SGLRUN_RETURN_IF_ERROR(written);
  return outcome_.exit_code;
}

// Writes all remaining rows and determines how the run ended.
Status BatchRun::Close(const BatchSource& source, BatchWindow& window) {
  SGLRUN_RETURN_IF_ERROR(window.Flush());
  SGLRUN_RETURN_IF_ERROR(source.status());
  if (const int code = StopFlag::exit_code(); code != 0) {
    outcome_.state = RunState::kStopped;
    outcome_.exit_code = code;
    LogWarning("stopped by a signal; the same command continues");
    return {};
  }
  if (window.TooManyFailed()) {
    outcome_.state = RunState::kStopped;
    outcome_.exit_code = console::kExitRecordErrors;
    LogWarning("stopped after " + std::to_string(window.counts().new_failed) +
               " failed records (--max-errors); the same command continues");
    return {};
  }
  SGLRUN_RETURN_IF_ERROR(output_->Finish(source.input_end()));
  if (output_->dropped_rows() > 0) {
    LogWarning(FormatCount(output_->dropped_rows(), "row") + " of " + settings_.output +
               " answered no record of this input; they are now in " + output_->DroppedPath());
  }
  outcome_.state = RunState::kFinished;
  const bool failed = window.counts().failed > 0 && !settings_.failed_ok;
  outcome_.exit_code = failed ? console::kExitRecordErrors : console::kExitOk;
  return {};
}

// For a run that processed no record. It leaves no file that did not exist before.
void BatchRun::TellFailedStart() {
  outcome_.state = RunState::kFailed;
  outcome_.exit_code = console::kExitFailure;
  static_cast<void>(WriteAccount());  // the first error is reported
  std::error_code ignored;
  for (const std::string& path : new_files_) std::filesystem::remove(path, ignored);
}

void BatchRun::TellSummary() const {
  const std::string summary = SummaryLine(outcome_);
  if (settings_.prints_summary) std::fprintf(stderr, "%s\n", summary.c_str());
  LogInfo(summary);
}

// The command was repeated after the run had finished: all rows existed, and the run file of the
// first run describes them.
bool BatchRun::RepeatsFinished() const {
  const BatchCounts& counts = outcome_.counts;
  return finished_before_ && outcome_.state == RunState::kFinished &&
         counts.records == counts.kept &&
         counts.records == report::ReadAccount(*finished_before_)->records;
}

// Writes the run file and the report; each replaces an earlier one.
Status BatchRun::WriteAccount() {
  outcome_.wall_s = console::SecondsSince(start_);
  Json run_file = RunFileJson(outcome_, facts_);
  if (RepeatsFinished()) run_file = *finished_before_;
  if (!settings_.run_file.empty()) {
    SGLRUN_RETURN_IF_ERROR(
        WriteWholeFile("the run file", settings_.run_file, run_file.Dump() + "\n"));
  }
  if (settings_.report.empty()) return {};
  SGLRUN_ASSIGN_OR_RETURN(const report::Account account, report::ReadAccount(run_file));
  return WriteWholeFile("the report", settings_.report, report::HtmlPage(account));
}

}  // namespace sglrun::run
