#include "cli/plan_report.h"

#include <algorithm>

#include "base/json.h"
#include "base/strings.h"
#include "cli/progress.h"

namespace sglrun::cli {
namespace {

// Sampling parameters, stop rules, logprobs and hidden states are entries of their row, so there is
// nothing that splits a batch; refilling keeps it full.
constexpr const char* kGroupKey = "all";
constexpr const char* kGroupReason =
    "every parameter is an entry of its row; no record needs a batch of its own";

constexpr std::size_t kErrorsShown = 20;

Json Errors(const PlanReport& report) {
  Json::Array errors;
  for (const PlannedError& e : report.errors) {
    errors.push_back(
        Json::Object{{"line", e.line},
                     {"code", static_cast<std::int64_t>(e.error.code)},
                     {"param", e.error.param.empty() ? Json(nullptr) : Json(e.error.param)},
                     {"message", e.error.message}});
  }
  return errors;
}

Json Groups(const PlanReport& report) {
  if (report.results == 0) return Json::Array{};
  return Json::Array{Json::Object{{"key", std::string(kGroupKey)},
                                  {"records", report.records - report.failed},
                                  {"results", report.results},
                                  {"reason", std::string(kGroupReason)}}};
}

std::string Line(std::string_view name, const std::string& value) {
  std::string line(name);
  line.resize(15, ' ');
  return line + value + "\n";
}

}  // namespace

std::string PlanJson(const PlanReport& report) {
  const Json json = Json::Object{{"records", report.records},
                                 {"results", report.results},
                                 {"failed", report.failed},
                                 {"prompt_tokens", report.prompt_tokens},
                                 {"max_output_tokens", report.max_output_tokens},
                                 {"cached_tokens", report.cached_tokens},
                                 {"errors", Errors(report)},
                                 {"groups", Groups(report)},
                                 {"memory", Json::Object{{"weights", report.weight_bytes},
                                                         {"kv", report.kv_bytes},
                                                         {"workspace", report.workspace_bytes}}},
                                 {"estimate_s", Json::Object{{"low", report.estimate_low_s},
                                                             {"high", report.estimate_high_s}}}};
  return json.Dump() + "\n";
}

std::string PlanText(const PlanReport& report) {
  std::string out;
  out += Line("records",
              FormatCount(report.records) + ", " + FormatCount(report.failed) + " of them wrong");
  out += Line("results", FormatCount(report.results));
  out += Line("prompt tokens", FormatCount(report.prompt_tokens) + ", " +
                                   FormatCount(report.cached_tokens) +
                                   " of them in shared prefixes that are computed once");
  out += Line("output tokens", "at most " + FormatCount(report.max_output_tokens));
  if (report.results > 0) out += Line("groups", "one: " + std::string(kGroupReason));
  out += Line("memory", "weights " + FormatByteSize(report.weight_bytes) + ", keys and values " +
                            FormatByteSize(report.kv_bytes) + ", workspace " +
                            FormatByteSize(report.workspace_bytes));
  out += Line("time", FormatDuration(report.estimate_low_s) + " to " +
                          FormatDuration(report.estimate_high_s) +
                          " (outputs a quarter of their limits, or all of them)");
  for (std::size_t i = 0; i < std::min(report.errors.size(), kErrorsShown); ++i) {
    out += report.errors[i].place + ": " + report.errors[i].error.message + "\n";
  }
  if (report.failed > static_cast<std::int64_t>(kErrorsShown)) {
    out += "... and " + FormatCount(report.failed - static_cast<std::int64_t>(kErrorsShown)) +
           " more wrong records; --json lists them\n";
  }
  return out;
}

}  // namespace sglrun::cli
