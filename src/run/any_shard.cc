#include "run/any_shard.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "base/log.h"
#include "base/stop_flag.h"
#include "console/exit_codes.h"
#include "io/journal.h"
#include "run/batch_run.h"
#include "run/identity.h"
#include "run/input_index.h"
#include "run/session.h"
#include "run/setup.h"

namespace sglrun::run {
namespace {

constexpr std::chrono::seconds kLookAgain(5);
constexpr std::chrono::milliseconds kPatience(50);  // until a signal is noticed

Status CheckSettings(const AnyShardSettings& settings) {
  const RunSettings& common = settings.common;
  const std::string option = "--shard any/" + std::to_string(settings.shards);
  if (common.overwrite || common.retry_errors) {
    return Error{std::string(common.overwrite ? "--overwrite" : "--retry-errors") +
                 " cannot be used with " + option +
                 ": processes would undo each other's shards; use --shard auto/N or I/N"};
  }
  for (const std::string& input : common.records.inputs) {
    std::error_code ignored;
    if (input != "-" && std::filesystem::is_regular_file(input, ignored)) continue;
    return Error{option + " reads its input several times, so it must be a file; found " +
                 (input == "-" ? "standard input" : "\"" + input + "\"")};
  }
  return CheckOutputForm(common);
}

// Sleeps until it is time to look again or a signal arrives.
void WaitForOthers() {
  const auto end = std::chrono::steady_clock::now() + kLookAgain;
  while (StopFlag::exit_code() == 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPatience);
  }
}

class AnyShardRun {
 public:
  explicit AnyShardRun(const AnyShardSettings& settings)
      : settings_(settings), finished_(static_cast<std::size_t>(settings.shards), false) {}

  Result<int> Run() {
    SGLRUN_RETURN_IF_ERROR(CheckSettings(settings_));
    SGLRUN_RETURN_IF_ERROR(Open());
    const std::int64_t first = settings_.first.value_or(AnyNumber());
    while (StopFlag::exit_code() == 0 && std::ranges::find(finished_, false) != finished_.end()) {
      bool took = false;
      for (std::int64_t i = 0; i < settings_.shards && StopFlag::exit_code() == 0; ++i) {
        const Shard shard{(first + i) % settings_.shards, settings_.shards};
        if (finished_[static_cast<std::size_t>(shard.index)]) continue;
        SGLRUN_ASSIGN_OR_RETURN(const State state, Try(shard));
        if (stopped_) return *stopped_;
        finished_[static_cast<std::size_t>(shard.index)] = state == State::kFinished;
        took = took || state == State::kFinished;
      }
      if (!took) WaitForOthers();
    }
    if (const int code = StopFlag::exit_code(); code != 0) return code;
    return failed_ && !settings_.common.failed_ok ? console::kExitRecordErrors : console::kExitOk;
  }

 private:
  enum class State : std::uint8_t { kFinished, kHeld };

  Status Open() {
    const RunSettings& common = settings_.common;
    SGLRUN_ASSIGN_OR_RETURN(session_, Session::Open(common));
    SGLRUN_ASSIGN_OR_RETURN(const auto reader, OpenReader());
    StopFlag::Watch();
    SGLRUN_RETURN_IF_ERROR(session_->ReadModel(/*may_load=*/false));
    SGLRUN_ASSIGN_OR_RETURN(identity_,
                            RunIdentity(common, session_->source(), session_->engines().backend(),
                                        session_->weights()));
    SGLRUN_ASSIGN_OR_RETURN(
        InputIndex index,
        InputIndex::Read(*reader, *session_->parser(), settings_.shards, common.records.limit));
    index_ = std::make_shared<const InputIndex>(std::move(index));
    return {};
  }

  Result<std::unique_ptr<io::JsonlReader>> OpenReader() const {
    const RecordSettings& records = settings_.common.records;
    return io::JsonlReader::Open(records.inputs, MakeReaderOptions(records));
  }

  std::int64_t AnyNumber() const {
    return std::uniform_int_distribution<std::int64_t>(0, settings_.shards - 1)(random_);
  }

  // Finishes the shard, unless another process does or did.
  Result<State> Try(const Shard& shard) {
    SGLRUN_ASSIGN_OR_RETURN(const RunSettings settings, settings_.settings_of(shard));
    if (IsFinished(settings.output)) return State::kFinished;
    SGLRUN_ASSIGN_OR_RETURN(auto reader, OpenReader());
    BatchRun run(settings, *session_, start_);
    const Result<int> code = run.Run(std::move(reader), index_);
    start_ = console::Clock::now();
    if (!code.ok() && run.is_held()) return State::kHeld;
    if (!code.ok()) return code.error();
    if (!run.is_finished()) stopped_ = *code;
    failed_ = failed_ || run.failed() > 0;
    return State::kFinished;
  }

  // Whether the output holds this shard of this run, complete. The file of a sibling is read while
  // it grows, which a journal permits.
  bool IsFinished(const std::string& output) {
    std::error_code problem;
    const auto size = std::filesystem::file_size(output, problem);
    if (problem) return false;
    const auto journal = io::ReadJournal(io::JournalPath(output), static_cast<std::int64_t>(size));
    if (!journal.ok() || !journal->has_value()) return false;
    const io::JournalContents& contents = **journal;
    if (contents.finished != index_->end() ||
        !io::DescribeDifference(WithoutShard(contents.run), WithoutShard(identity_)).empty()) {
      return false;
    }
    failed_ = failed_ || std::ranges::any_of(contents.entries, &io::JournalEntry::failed);
    return true;
  }

  const AnyShardSettings& settings_;
  std::unique_ptr<Session> session_;
  std::shared_ptr<const InputIndex> index_;
  Json identity_;
  std::vector<bool> finished_;
  bool failed_ = false;         // a record of any shard, in any process
  std::optional<int> stopped_;  // the exit code of a run that stopped early
  console::Clock::time_point start_ = console::Clock::now();
  mutable std::random_device random_;
};

}  // namespace

Result<int> RunAnyShard(const AnyShardSettings& settings) {
  ::signal(SIGPIPE, SIG_IGN);
  return AnyShardRun(settings).Run();
}

}  // namespace sglrun::run
