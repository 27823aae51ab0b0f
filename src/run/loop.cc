#include "run/loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/stop_flag.h"
#include "io/output_file.h"
#include "tokenizer/space_cleaning.h"

namespace sglrun::run {
namespace {

// Flushed rows survive a kill. In a compressed file each flush starts a new frame.
constexpr double kFlushSeconds = 0.25;
constexpr double kFlushSecondsCompressed = 2.0;
constexpr std::size_t kMostUnflushed = std::size_t{4} << 20;

double FlushSeconds(const RunSettings& settings) {
  if (settings.partial_rows) return 0;  // rows are watched as they come
  return io::CompressionOf(settings.output) == io::Compression::kNone ? kFlushSeconds
                                                                      : kFlushSecondsCompressed;
}

// Sequences that wait in addition to the running ones, so that no row stays empty.
constexpr std::int64_t kSubmittedPerRow = 4;
// In addition, some sequences per step are read ahead, so that records with a shared prefix meet
// even if they are far apart in the file: at most this many sequences and 16 MiB of tokens.
constexpr int kAheadPerStep = 64;
constexpr std::int64_t kMostAhead = 8192;
constexpr std::int64_t kMostTokensAhead = std::int64_t{4} << 20;

void CleanText(GenerateResult& result) {
  result.text = tokenizer::CleanUpTokenizationSpaces(std::move(result.text));
}

}  // namespace

BatchLoop::BatchLoop(const RunSettings& settings, BatchSource& source, serve::EnginePool& engine,
                     BatchWindow& window, report::RunCollector& collector,
                     const std::shared_ptr<MemoryBudget>& budget)
    : settings_(settings),
      source_(source),
      engine_(engine),
      window_(window),
      collector_(collector),
      budget_(*budget),
      constraints_(budget, 0),
      progress_(settings.progress),
      flush_seconds_(FlushSeconds(settings)),
      answers_pipe_(std::ranges::find(settings.records.inputs, "-") !=
                    settings.records.inputs.end()) {}

Status BatchLoop::Run() {
  Status status = RunSteps();
  progress_.Clear();
  return status;
}

Status BatchLoop::RunSteps() {
  while (StopFlag::exit_code() == 0 && !window_.TooManyFailed()) {
    SGLRUN_RETURN_IF_ERROR(Refill());
    if (!engine_.HasWork() && !next_ && window_.empty() && source_.Exhausted()) return {};
    for (GenerateResult& result : engine_.Step()) {
      // Results that a signal interrupted are not written; the next run computes these rows.
      if (StopFlag::requested()) return {};
      SGLRUN_RETURN_IF_ERROR(TakeResult(std::move(result)));
    }
    CountConstraints();
    collector_.AddStep(console::SecondsSince(start_), engine_.stats());
    for (const GenerateResult& partial : engine_.Partials()) ShowPartial(partial);
    SGLRUN_RETURN_IF_ERROR(FlushNowAndThen());
    ShowProgress();
  }
  return {};
}

Status BatchLoop::Refill() {
  for (int ahead = 0; (NeedsMore() || MayLookAhead(ahead)) && !window_.TooManyFailed();) {
    if (window_.full()) return {};
    if (!NeedsMore()) ++ahead;
    // If there is nothing else to do, waits for a slow input, but short enough for signals and
    // flushes.
    const bool waits = !engine_.HasWork() && !(answers_pipe_ && window_.unflushed_bytes() > 0);
    const std::chrono::milliseconds patience(waits ? 50 : 0);
    if (!next_) next_ = source_.Next(patience);
    if (!next_ || !HasRoomFor(*next_)) return {};
    SGLRUN_RETURN_IF_ERROR(Take(*std::exchange(next_, std::nullopt)));
  }
  return {};
}

// Earlier records and sequences can finish without this one and then release their memory. If none
// of them is running, the next one may always continue.
bool BatchLoop::HasRoomFor(const ReadyItem& item) {
  CountConstraints();
  return !engine_.HasWork() || budget_.Fits(item.record ? item.record->result_bytes : 0);
}

void BatchLoop::CountConstraints() {
  constraints_.Resize(engine_.admitting().ConstraintBytes());
}

Status BatchLoop::Take(ReadyItem item) {
  if (item.record) SGLRUN_RETURN_IF_ERROR(window_.Add(*std::move(item.record)));
  if (item.failure) {
    GenerateResult failed;
    failed.ticket = item.ticket;
    failed.error = std::move(item.failure);
    return window_.Finish(std::move(failed));
  }
  if (item.sequence == nullptr) return {};
  if (window_.IsFutile(item.ticket)) return window_.Skip(item.ticket);
  // A compiled constraint is far larger than a prompt.
  if (item.sequence->params().constraint) constrained_ahead_ = true;
  in_flight_.emplace(item.ticket, std::move(item.hold));
  engine_.Submit(std::move(item.sequence));
  return {};
}

Status BatchLoop::TakeResult(GenerateResult result) {
  in_flight_.erase(result.ticket);
  if (settings_.clean_up_spaces) CleanText(result);
  return window_.Finish(std::move(result));
}

bool BatchLoop::NeedsMore() const {
  return engine_.InFlight() < kSubmittedPerRow * engine_.options().max_rows;
}

bool BatchLoop::MayLookAhead(int ahead) {
  if (NeedsMore()) constrained_ahead_ = false;
  return ahead < kAheadPerStep && !constrained_ahead_ && engine_.InFlight() < kMostAhead &&
         engine_.WaitingTokens() < kMostTokensAhead;
}

void BatchLoop::ShowPartial(const GenerateResult& partial) {
  if (!settings_.clean_up_spaces) return window_.ShowPartial(partial);
  GenerateResult cleaned = partial;
  cleaned.text.resize(tokenizer::SettledBytes(partial.text));
  CleanText(cleaned);
  window_.ShowPartial(cleaned);
}

Status BatchLoop::FlushNowAndThen() {
  if (window_.unflushed_bytes() == 0) return {};
  if (window_.unflushed_bytes() < kMostUnflushed && !(answers_pipe_ && IsIdle()) &&
      console::SecondsSince(last_flush_) < flush_seconds_) {
    return {};
  }
  last_flush_ = console::Clock::now();
  return window_.Flush();
}

bool BatchLoop::IsIdle() const {
  return !engine_.HasWork() && !next_ && source_.WaitsForInput();
}

void BatchLoop::ShowProgress() {
  const BatchCounts& counts = window_.counts();
  const double read = source_.FractionRead();
  const auto lines = static_cast<double>(std::max<std::int64_t>(source_.lines_read(), 1));
  const double share = static_cast<double>(counts.records) / lines;
  progress_.Update({.records = counts.records,
                    .failed = counts.failed,
                    .output_tokens = engine_.stats().output_tokens,
                    .fraction = read < 0 ? -1.0 : read * std::min(share, 1.0)});
}

}  // namespace sglrun::run
