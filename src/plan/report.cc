#include "plan/report.h"

#include <algorithm>

#include "base/json.h"
#include "base/printable.h"
#include "base/strings.h"
#include "console/progress.h"

namespace sglrun::plan {
namespace {

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

std::string GroupKey(const StepForm& form) {
  std::string key;
  if (form.hidden_states == HiddenStates::kAll) key = "hidden_states=all";
  if (form.hidden_states == HiddenStates::kLast) key = "hidden_states=last";
  if (form.prompt_logprobs) key += key.empty() ? "prompt_logprobs" : ",prompt_logprobs";
  return key.empty() ? "plain" : key;
}

std::string GroupReason(const StepForm& form) {
  std::string reason;
  if (form.hidden_states == HiddenStates::kAll)
    reason = "the hidden states of all positions are kept";
  if (form.hidden_states == HiddenStates::kLast)
    reason = "the hidden state of the last position is kept";
  if (form.prompt_logprobs) {
    reason += reason.empty() ? "" : "; ";
    reason += "prompt positions go through the output layer for their logprobs";
  }
  if (!reason.empty()) return reason;
  return "only the next token is computed; sampling parameters, stop rules, constraints and output "
         "logprobs never split a batch";
}

Json Groups(const PlanReport& report) {
  Json::Array groups;
  for (const auto& [form, group] : report.groups) {
    groups.push_back(Json::Object{{"key", GroupKey(form)},
                                  {"records", group.records},
                                  {"results", group.results},
                                  {"reason", GroupReason(form)}});
  }
  return groups;
}

Json Adapters(const PlanReport& report) {
  Json::Array adapters;
  for (const PlannedAdapter& adapter : report.adapters) {
    adapters.push_back(Json::Object{{"name", adapter.name},
                                    {"rank", adapter.rank},
                                    {"bytes", adapter.bytes},
                                    {"results", adapter.results}});
  }
  return adapters;
}

std::string Line(std::string_view name, const std::string& value) {
  std::string line(name);
  line.resize(15, ' ');
  return line + value + "\n";
}

std::string MachineText(const PlanReport& report) {
  return Line("memory", "weights " + FormatByteSize(report.weight_bytes) + ", keys and values " +
                            FormatByteSize(report.kv_bytes) + ", workspace " +
                            FormatByteSize(report.workspace_bytes)) +
         Line("time", console::FormatDuration(report.estimate_low_s) + " to " +
                          console::FormatDuration(report.estimate_high_s) +
                          " (if outputs use a quarter of their limits, or all of them)");
}

}  // namespace

std::string PlanJson(const PlanReport& report) {
  Json::Object json{{"records", report.records},
                    {"results", report.results},
                    {"failed", report.failed},
                    {"prompt_tokens", report.prompt_tokens},
                    {"max_output_tokens", report.max_output_tokens},
                    {"cached_tokens", report.cached_tokens},
                    {"errors", Errors(report)},
                    {"groups", Groups(report)},
                    {"adapters", Adapters(report)}};
  if (report.card) {
    json.emplace_back("card", serve::CardPlanJson(*report.card));
  } else {
    json.emplace_back("memory", Json::Object{{"weights", report.weight_bytes},
                                             {"kv", report.kv_bytes},
                                             {"workspace", report.workspace_bytes}});
    json.emplace_back("estimate_s", Json::Object{{"low", report.estimate_low_s},
                                                 {"high", report.estimate_high_s}});
  }
  return Json(std::move(json)).Dump() + "\n";
}

std::string PlanText(const PlanReport& report) {
  std::string out;
  out += Line("records",
              FormatCount(report.records) + ", " + FormatCount(report.failed) + " of them invalid");
  out += Line("results", FormatCount(report.results));
  out += Line("prompt tokens", FormatCount(report.prompt_tokens) + ", " +
                                   FormatCount(report.cached_tokens) +
                                   " of them in shared prefixes, which are computed once");
  out += Line("output tokens", "at most " + FormatCount(report.max_output_tokens));
  for (const auto& [form, group] : report.groups) {
    out += Line(form == report.groups.begin()->first ? "groups" : "",
                GroupKey(form) + ": " + FormatCount(group.records, "record") + ", " +
                    FormatCount(group.results, "result") + ": " + GroupReason(form));
  }
  for (const PlannedAdapter& adapter : report.adapters) {
    out += Line(&adapter == report.adapters.data() ? "adapters" : "",
                Printable(adapter.name) + ": " + FormatCount(adapter.results, "result") +
                    ", rank " + FormatCount(adapter.rank) + ", " + FormatByteSize(adapter.bytes));
  }
  out += report.card ? serve::CardPlanText(*report.card) : MachineText(report);
  for (std::size_t i = 0; i < std::min(report.errors.size(), kErrorsShown); ++i) {
    const PlannedError& e = report.errors[i];
    out += Printable(e.place + ": " + e.error.message) + "\n";
  }
  if (report.failed > static_cast<std::int64_t>(kErrorsShown)) {
    out += "... and " + FormatCount(report.failed - static_cast<std::int64_t>(kErrorsShown)) +
           " more invalid records; --json lists them\n";
  }
  return out;
}

}  // namespace sglrun::plan
