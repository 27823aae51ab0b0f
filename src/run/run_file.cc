#include "run/run_file.h"

#include <unistd.h>

#include <cstdio>

#include "base/strings.h"
#include "console/process_info.h"

namespace sglrun::run {
namespace {

using report::Rounded;

double TokensPerSecond(const RunOutcome& outcome) {
  return outcome.wall_s > 0 ? static_cast<double>(outcome.counts.output_tokens) / outcome.wall_s
                            : 0;
}

Json Counts(const RunOutcome& outcome) {
  const BatchCounts& counts = outcome.counts;
  return Json::Object{{"records", counts.records},
                      {"kept", counts.kept},
                      {"results", counts.results},
                      {"failed", counts.failed},
                      {"input_records", outcome.lines},
                      {"prompt_tokens", counts.prompt_tokens},
                      {"cached_tokens", counts.cached_tokens},
                      {"output_tokens", counts.output_tokens}};
}

const char* StateName(RunState state) {
  switch (state) {
    case RunState::kRunning:
      return "running";
    case RunState::kFinished:
      return "finished";
    case RunState::kStopped:
      return "stopped";
    case RunState::kFailed:
      break;
  }
  return "failed";
}

Json EngineFacts(const RunFacts& facts) {
  if (!facts.engine_options) return Json::Object{};
  const engine::EngineOptions& options = *facts.engine_options;
  const engine::EngineStats& stats = facts.engine_stats;
  return Json::Object{{"max_rows", options.max_rows},
                      {"max_batch_tokens", options.max_batch_tokens},
                      {"kv_memory_bytes", options.kv_memory_bytes},
                      {"context_length", options.context_length},
                      {"steps", stats.steps},
                      {"preemptions", stats.preemptions},
                      {"kv_pages", stats.kv_pages}};
}

// Which of several processes this is, to find it on its machine.
Json ProcessJson(const RunFacts& facts) {
  return Json::Object{{"launcher", facts.launcher.empty() ? Json(nullptr) : Json(facts.launcher)},
                      {"index", facts.shard.index},
                      {"number", facts.shard.count},
                      {"host", console::HostName()},
                      {"pid", std::int64_t{::getpid()}}};
}

Json TimingJson(const RunOutcome& outcome) {
  return Json::Object{{"wall_s", report::Rounded(outcome.wall_s)},
                      {"load_s", report::Rounded(outcome.load_s)},
                      {"tokens_per_s", report::Rounded(TokensPerSecond(outcome))}};
}

}  // namespace

std::string SummaryLine(const RunOutcome& outcome) {
  const BatchCounts& counts = outcome.counts;
  std::string line = FormatCount(counts.records, "record");
  if (counts.kept > 0) line += " (" + FormatCount(counts.kept) + " kept from before)";
  line += ", " + FormatCount(counts.results, "result") + ", " + FormatCount(counts.failed) +
          " failed, " + FormatCount(counts.prompt_tokens) + " prompt and " +
          FormatCount(counts.output_tokens) + " output tokens, " +
          FormatCount(counts.cached_tokens) + " cached tokens, ";
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, "%.2f s, %.1f tokens/s, peak memory ", outcome.wall_s,
                TokensPerSecond(outcome));
  return line + numbers + FormatByteSize(outcome.peak_rss_bytes);
}

Json RunFileJson(const RunOutcome& outcome, const RunFacts& facts) {
  const bool runs = outcome.state == RunState::kRunning;
  return Json::Object{{"state", std::string(StateName(outcome.state))},
                      {"finished", outcome.state == RunState::kFinished},
                      {"exit_code", runs ? Json(nullptr) : Json(std::int64_t{outcome.exit_code})},
                      {"started", facts.started},
                      {"model", facts.model_path},
                      {"isa", facts.isa},
                      {"products", facts.products},
                      {"threads", facts.threads},
                      {"process", ProcessJson(facts)},
                      {"identity", facts.identity},
                      {"options", facts.options},
                      {"sampling_defaults", facts.sampling_defaults},
                      {"counts", Counts(outcome)},
                      {"timing", TimingJson(outcome)},
                      {"engine", EngineFacts(facts)},
                      {"peak_rss_bytes", outcome.peak_rss_bytes},
                      {"report", report::ToJson(facts.data)}};
}

}  // namespace sglrun::run
