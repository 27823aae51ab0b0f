#include "report/account.h"

#include <cmath>

#include "base/strings.h"
#include "console/exit_codes.h"

namespace sglrun::report {
namespace {

// Far more than `batch` writes, and little enough for a page.
constexpr std::size_t kMaxEntries = 1000;

// Reads members and remembers the first problem; what is asked for after it is empty.
class MemberReader {
 public:
  const Status& status() const { return status_; }

  const Json* Member(const Json& object, const std::string& path) {
    const Json* member = object.Find(path.substr(path.rfind('.') + 1));
    if (member == nullptr) Refuse(path, "is missing");
    return member;
  }

  const Json& Object(const Json& object, const std::string& path) {
    const Json* member = Member(object, path);
    return Want(member, member != nullptr && member->is_object(), path, "an object");
  }

  const Json::Array& List(const Json& object, const std::string& path) {
    static const Json::Array kEmpty;
    const Json* member = Member(object, path);
    const bool fits =
        member != nullptr && member->is_array() && member->as_array().size() <= kMaxEntries;
    const Json& list = Want(member, fits, path, "an array of at most 1,000 entries");
    return list.is_array() ? list.as_array() : kEmpty;
  }

  std::string Text(const Json& object, const std::string& path) {
    const Json* member = Member(object, path);
    const Json& text = Want(member, member != nullptr && member->is_string(), path, "a string");
    return text.is_string() ? text.as_string() : "";
  }

  std::int64_t Count(const Json& object, const std::string& path) {
    const Json* member = Member(object, path);
    const bool fits = member != nullptr && member->is_int() && member->as_int() >= 0;
    const Json& value = Want(member, fits, path, "an integer of at least 0");
    return value.is_int() ? value.as_int() : 0;
  }

  double Number(const Json& object, const std::string& path) {
    const Json* member = Member(object, path);
    return member == nullptr ? 0.0 : NumberOf(*member, path);
  }

  double NumberOf(const Json& value, const std::string& path) {
    const double number = value.is_number() ? value.as_double() : -1.0;
    const bool fits = number >= 0 && number <= 1e15;
    if (!fits) Refuse(path, "is " + value.Excerpt() + ", must be a number from 0 to 1e15");
    return fits ? number : 0.0;
  }

  void Refuse(const std::string& path, const std::string& problem) {
    if (status_.ok()) status_ = Error{path + " " + problem};
  }

 private:
  const Json& Want(const Json* member, bool fits, const std::string& path, const char* kind) {
    static const Json kNull;
    if (member != nullptr && !fits) {
      Refuse(path, "is " + member->Excerpt() + ", must be " + kind);
    }
    return fits ? *member : kNull;
  }

  Status status_;
};

std::vector<double> ReadNumbers(MemberReader& reader, const Json& object, const std::string& path) {
  std::vector<double> numbers;
  for (const Json& value : reader.List(object, path)) {
    numbers.push_back(reader.NumberOf(value, path + "[" + std::to_string(numbers.size()) + "]"));
  }
  return numbers;
}

Timeline ReadTimeline(MemberReader& reader, const Json& object, const std::string& path) {
  Timeline timeline;
  timeline.slice_s = reader.Number(object, path + ".slice_s");
  timeline.end_s = reader.Number(object, path + ".end_s");
  timeline.output_tokens = ReadNumbers(reader, object, path + ".output_tokens");
  timeline.prompt_tokens = ReadNumbers(reader, object, path + ".prompt_tokens");
  timeline.row_seconds = ReadNumbers(reader, object, path + ".row_seconds");
  const std::size_t slices = timeline.output_tokens.size();
  if (timeline.prompt_tokens.size() != slices || timeline.row_seconds.size() != slices) {
    reader.Refuse(path, "has lists of different lengths");
  }
  // Rounded, the end may lie a little before the last slice.
  const double last = timeline.slice_s * static_cast<double>(slices);
  const bool fits =
      timeline.end_s <= last * 1.001 + 0.001 && timeline.end_s >= last - timeline.slice_s - 0.001;
  if (!fits || (slices > 0 && timeline.slice_s < 0.001)) {
    reader.Refuse(path + ".end_s", "is not in the last slice");
  }
  return timeline;
}

Lengths ReadLengths(MemberReader& reader, const Json& object, const std::string& path) {
  Lengths lengths{.count = reader.Count(object, path + ".count"),
                  .sum = reader.Count(object, path + ".sum"),
                  .min = reader.Count(object, path + ".min"),
                  .max = reader.Count(object, path + ".max"),
                  .bins = {}};
  for (const Json& bin : reader.List(object, path + ".bins")) {
    lengths.bins.push_back({reader.Count(bin, path + ".bins.from"),
                            reader.Count(bin, path + ".bins.to"),
                            reader.Count(bin, path + ".bins.count")});
  }
  return lengths;
}

ErrorKind ReadErrorKind(MemberReader& reader, const Json& object) {
  ErrorKind kind{.type = reader.Text(object, "report.errors.type"),
                 .code = reader.Count(object, "report.errors.code"),
                 .param = reader.Text(object, "report.errors.param"),
                 .count = reader.Count(object, "report.errors.count"),
                 .first = {}};
  for (const Json& record : reader.List(object, "report.errors.first")) {
    kind.first.push_back({reader.Text(record, "report.errors.first.place"),
                          reader.Text(record, "report.errors.first.id"),
                          reader.Text(record, "report.errors.first.message")});
  }
  return kind;
}

SlowResult ReadSlowResult(MemberReader& reader, const Json& object) {
  return {.place = reader.Text(object, "report.slowest.place"),
          .id = reader.Text(object, "report.slowest.id"),
          .seconds = reader.Number(object, "report.slowest.seconds"),
          .prompt_tokens = reader.Count(object, "report.slowest.prompt_tokens"),
          .output_tokens = reader.Count(object, "report.slowest.output_tokens"),
          .finish = reader.Text(object, "report.slowest.finish")};
}

std::vector<NamedCount> ReadFinishReasons(MemberReader& reader, const Json& report) {
  std::vector<NamedCount> counts;
  const Json& reasons = reader.Object(report, "report.finish_reasons");
  if (!reasons.is_object()) return counts;
  for (const auto& [name, count] : reasons.as_object()) {
    if (!count.is_int() || count.as_int() < 0 || counts.size() == kMaxEntries) {
      reader.Refuse("report.finish_reasons", "must hold at most 1,000 counts of at least 0");
      break;
    }
    counts.push_back({name, count.as_int()});
  }
  return counts;
}

RunData ReadRunData(MemberReader& reader, const Json& report) {
  RunData data;
  data.timeline = ReadTimeline(reader, reader.Object(report, "report.timeline"), "report.timeline");
  for (auto [name, lengths] : {std::pair{"report.prompt_lengths", &data.prompt_lengths},
                               std::pair{"report.output_lengths", &data.output_lengths}}) {
    *lengths = ReadLengths(reader, reader.Object(report, name), name);
  }
  data.finish_reasons = ReadFinishReasons(reader, report);
  for (const Json& kind : reader.List(report, "report.errors")) {
    data.errors.push_back(ReadErrorKind(reader, kind));
  }
  data.other_errors = reader.Count(report, "report.other_errors");
  for (const Json& result : reader.List(report, "report.slowest")) {
    data.slowest.push_back(ReadSlowResult(reader, result));
  }
  return data;
}

void ReadCounts(MemberReader& reader, const Json& counts, Account& account) {
  account.records = reader.Count(counts, "counts.records");
  account.kept = reader.Count(counts, "counts.kept");
  account.results = reader.Count(counts, "counts.results");
  account.failed = reader.Count(counts, "counts.failed");
  account.prompt_tokens = reader.Count(counts, "counts.prompt_tokens");
  account.cached_tokens = reader.Count(counts, "counts.cached_tokens");
  account.output_tokens = reader.Count(counts, "counts.output_tokens");
}

Json::Object ReadSettings(MemberReader& reader, const Json& run_file, const std::string& name) {
  const Json& settings = reader.Object(run_file, name);
  return settings.is_object() ? settings.as_object() : Json::Object();
}

}  // namespace

Result<Account> ReadAccount(const Json& run_file) {
  if (!run_file.is_object()) {
    return Error{"it is " + std::string(run_file.KindName()) + ", not the object of a run"};
  }
  for (const char* member : {"report", "state"}) {
    if (run_file.Find(member) != nullptr || run_file.Find("counts") == nullptr) continue;
    return Error{"it has no " + std::string(member) + ": an earlier version of sglrun wrote it"};
  }
  MemberReader reader;
  Account account;
  account.data = ReadRunData(reader, reader.Object(run_file, "report"));
  account.state = reader.Text(run_file, "state");
  if (account.state != "running") account.exit_code = reader.Count(run_file, "exit_code");
  account.started = reader.Text(run_file, "started");
  account.model = reader.Text(run_file, "model");
  account.isa = reader.Text(run_file, "isa");
  account.threads = reader.Count(run_file, "threads");
  ReadCounts(reader, reader.Object(run_file, "counts"), account);
  const Json& timing = reader.Object(run_file, "timing");
  account.wall_s = reader.Number(timing, "timing.wall_s");
  account.load_s = reader.Number(timing, "timing.load_s");
  account.tokens_per_s = reader.Number(timing, "timing.tokens_per_s");
  account.peak_rss_bytes = reader.Count(run_file, "peak_rss_bytes");
  account.engine = ReadSettings(reader, run_file, "engine");
  account.sampling_defaults = ReadSettings(reader, run_file, "sampling_defaults");
  account.options = ReadSettings(reader, run_file, "options");
  SGLRUN_RETURN_IF_ERROR(reader.status());
  return account;
}

bool IsRunFile(const Json& json) {
  return json.Find("counts") != nullptr && json.Find("finished") != nullptr;
}

bool IsGood(const Account& account) {
  return account.state == "finished" && account.failed == 0;
}

std::string Outcome(const Account& account) {
  constexpr const char* kContinues = "; the same command continues";
  const std::string failed = FormatCount(account.failed) + " failed";
  if (account.state == "finished") return account.failed == 0 ? "finished" : "finished, " + failed;
  if (account.state == "running") {
    return std::string("not finished: it is still running, or was killed") + kContinues;
  }
  if (account.state != "stopped") return std::string("could not continue") + kContinues;
  switch (account.exit_code) {
    case console::kExitRecordErrors:
      return "stopped, " + failed + " (--max-errors)" + kContinues;
    case console::kExitInterrupted:
      return std::string("interrupted") + kContinues;
    case console::kExitBrokenPipe:
      return std::string("stopped, because the reader of its output closed it") + kContinues;
    default:
      return std::string("terminated") + kContinues;
  }
}

std::string Coverage(const Account& account) {
  if (account.kept == 0) return "";
  return FormatCount(account.kept) +
         " records were kept from an earlier run of the same command: they are included in the "
         "numbers of records and failures, but not in the charts and lists below.";
}

std::string SettingText(const Json& value) {
  if (value.is_null()) return "not set";
  return value.is_string() ? value.as_string() : value.Dump();
}

}  // namespace sglrun::report
