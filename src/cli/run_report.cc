#include "cli/run_report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/strings.h"

namespace sglrun::cli {
namespace {

// Three decimals are enough for seconds and rates.
Json Rounded(double value) {
  return static_cast<double>(static_cast<std::int64_t>(value * 1000 + 0.5)) / 1000;
}

double TokensPerSecond(const RunReport& report) {
  return report.wall_s > 0 ? static_cast<double>(report.counts.output_tokens) / report.wall_s : 0;
}

Json Counts(const RunReport& report) {
  const BatchCounts& counts = report.counts;
  return Json::Object{{"records", counts.records},
                      {"kept", counts.kept},
                      {"results", counts.results},
                      {"failed", counts.failed},
                      {"input_records", report.lines},
                      {"prompt_tokens", counts.prompt_tokens},
                      {"cached_tokens", counts.cached_tokens},
                      {"output_tokens", counts.output_tokens}};
}

Json EngineFacts(const RunFacts& facts) {
  const engine::EngineOptions& options = facts.engine_options;
  const engine::EngineStats& stats = facts.engine_stats;
  return Json::Object{{"max_rows", options.max_rows},
                      {"max_batch_tokens", options.max_batch_tokens},
                      {"kv_memory_bytes", options.kv_memory_bytes},
                      {"context_length", options.context_length},
                      {"steps", stats.steps},
                      {"preemptions", stats.preemptions},
                      {"kv_pages", stats.kv_pages}};
}

Json RunJson(const RunReport& report, const RunFacts& facts) {
  return Json::Object{{"finished", report.finished},
                      {"exit_code", static_cast<std::int64_t>(report.exit_code)},
                      {"started", facts.started},
                      {"model", facts.model_path},
                      {"isa", facts.isa},
                      {"threads", facts.threads},
                      {"identity", facts.identity},
                      {"options", facts.options},
                      {"sampling_defaults", facts.sampling_defaults},
                      {"counts", Counts(report)},
                      {"timing", Json::Object{{"wall_s", Rounded(report.wall_s)},
                                              {"load_s", Rounded(report.load_s)},
                                              {"tokens_per_s", Rounded(TokensPerSecond(report))}}},
                      {"engine", EngineFacts(facts)},
                      {"peak_rss_bytes", report.peak_rss_bytes}};
}

}  // namespace

std::string SummaryLine(const RunReport& report) {
  const BatchCounts& counts = report.counts;
  std::string line = FormatCount(counts.records) + " records";
  if (counts.kept > 0) line += " (" + FormatCount(counts.kept) + " kept from before)";
  line += ", " + FormatCount(counts.results) + " results, " + FormatCount(counts.failed) +
          " failed, " + FormatCount(counts.prompt_tokens) + " prompt and " +
          FormatCount(counts.output_tokens) + " output tokens, " +
          FormatCount(counts.cached_tokens) + " cached tokens, ";
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, "%.2f s, %.1f tokens/s, peak memory ", report.wall_s,
                TokensPerSecond(report));
  return line + numbers + FormatByteSize(report.peak_rss_bytes);
}

Status WriteRunFile(const std::string& path, const RunReport& report, const RunFacts& facts) {
  const std::string unfinished = path + ".tmp";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << RunJson(report, facts).Dump() << "\n";
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    return Error{"cannot write the run file " + path + ": " + std::strerror(errno)};
  }
  return {};
}

}  // namespace sglrun::cli
