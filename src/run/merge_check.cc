#include "run/merge_check.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "base/json.h"
#include "base/strings.h"
#include "console/exit_codes.h"
#include "console/print.h"
#include "run/shard_output.h"

namespace sglrun::run {
namespace {

namespace fs = std::filesystem;

enum class PartState : std::uint8_t { kFinished, kHeld, kBegun };
constexpr const char* kStateNames[] = {"finished", "held", "begun"};

struct Part {
  PartState state = PartState::kBegun;
  std::int64_t rows = 0, failed = 0;
  std::int64_t age_s = 0;  // of the last row
};

struct Check {
  std::vector<ShardOutput> outputs;
  std::vector<Part> parts;            // of the outputs, in the same order
  std::vector<std::int64_t> missing;  // indices
  std::int64_t count = 0;             // of the run
  std::string problem;                // why outputs do not belong together
  bool mergeable() const {
    return problem.empty() && missing.empty() && Number(PartState::kFinished) == count;
  }
  std::int64_t Number(PartState state) const {
    return std::ranges::count(parts, state, &Part::state);
  }
  std::int64_t Sum(std::int64_t Part::*member) const {
    std::int64_t sum = 0;
    for (const Part& part : parts) sum += part.*member;
    return sum;
  }
};

std::int64_t AgeOf(const std::string& path) {
  std::error_code problem;
  const auto written = fs::last_write_time(path, problem);
  if (problem) return 0;
  const auto age = fs::file_time_type::clock::now() - written;
  return std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(age).count(), 0);
}

Part PartOf(const ShardOutput& output) {
  const auto& entries = output.journal.entries;
  Part part{.rows = static_cast<std::int64_t>(entries.size()),
            .failed = std::ranges::count_if(entries, &io::JournalEntry::failed),
            .age_s = AgeOf(output.path)};
  if (output.journal.finished) part.state = PartState::kFinished;
  if (io::IsJournalHeld(io::JournalPath(output.path))) part.state = PartState::kHeld;
  return part;
}

Result<Check> ReadCheck(const std::vector<std::string>& paths, MixedIsa mixed) {
  Check check;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;  // a shard that has not begun
    SGLRUN_ASSIGN_OR_RETURN(ShardOutput output, ReadShardOutput(path));
    check.parts.push_back(PartOf(output));
    check.outputs.push_back(std::move(output));
  }
  if (check.outputs.empty()) return Error{"none of the outputs exists yet"};
  check.count = check.outputs[0].shard.count;
  Status together = CheckSameRun(check.outputs, mixed);
  if (together.ok()) together = CheckNoRepeats(check.outputs);
  if (!together.ok()) check.problem = together.error().message;
  if (together.ok()) check.missing = MissingShards(check.outputs);
  return check;
}

Json ToJson(const Check& check) {
  Json::Array shards, missing;
  for (std::size_t i = 0; i < check.parts.size(); ++i) {
    const Part& part = check.parts[i];
    shards.push_back(
        Json::Object{{"shard", check.outputs[i].shard.ToString()},
                     {"output", check.outputs[i].path},
                     {"state", std::string(kStateNames[static_cast<std::size_t>(part.state)])},
                     {"rows", part.rows},
                     {"failed", part.failed},
                     {"last_row_s", part.age_s}});
  }
  for (const std::int64_t index : check.missing) {
    missing.push_back(Shard{index, check.count}.ToString());
  }
  return Json::Object{{"mergeable", check.mergeable()},
                      {"problem", check.problem.empty() ? Json(nullptr) : Json(check.problem)},
                      {"parts", check.count},
                      {"finished", check.Number(PartState::kFinished)},
                      {"held", check.Number(PartState::kHeld)},
                      {"begun", check.Number(PartState::kBegun)},
                      {"missing", missing},
                      {"rows", check.Sum(&Part::rows)},
                      {"failed", check.Sum(&Part::failed)},
                      {"shards", shards}};
}

std::string ToText(const Check& check) {
  std::string text;
  for (std::size_t i = 0; i < check.parts.size(); ++i) {
    const Part& part = check.parts[i];
    if (part.state == PartState::kFinished) continue;
    text += std::string(kStateNames[static_cast<std::size_t>(part.state)]) + " " +
            check.outputs[i].shard.ToString() + " " + check.outputs[i].path + ": " +
            FormatCount(part.rows) + " rows, " + FormatCount(part.failed) +
            " failed, the last row " + FormatCount(part.age_s) + " s ago\n";
  }
  for (const std::int64_t index : check.missing) {
    text += "missing " + Shard{index, check.count}.ToString() + "\n";
  }
  if (!check.problem.empty()) text += "cannot be merged: " + check.problem + "\n";
  return text + FormatCount(check.Number(PartState::kFinished)) + " of " +
         FormatCount(check.count) + " parts finished, " +
         FormatCount(check.Number(PartState::kHeld)) + " held, " +
         FormatCount(check.Number(PartState::kBegun)) + " begun, " +
         FormatCount(static_cast<std::int64_t>(check.missing.size())) + " missing; " +
         FormatCount(check.Sum(&Part::rows)) + " rows, " + FormatCount(check.Sum(&Part::failed)) +
         " failed\n";
}

}  // namespace

Result<int> CheckMerge(const MergeSettings& settings) {
  SGLRUN_ASSIGN_OR_RETURN(const Check check, ReadCheck(settings.inputs, settings.mixed_isa));
  SGLRUN_RETURN_IF_ERROR(
      console::Print(settings.json ? ToJson(check).Dump() + "\n" : ToText(check)));
  return check.mergeable() ? console::kExitOk : console::kExitRecordErrors;
}

}  // namespace sglrun::run
