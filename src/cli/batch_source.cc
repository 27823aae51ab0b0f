#include "cli/batch_source.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/stop_flag.h"
#include "cli/run_setup.h"
#include "engine/result_room.h"

namespace sglrun::cli {
namespace {

constexpr std::size_t kMaxQueuedRecords = 512;
constexpr std::size_t kMaxQueuedBytes = std::size_t{64} << 20;

std::vector<std::size_t> ResultsWithHiddenStates(const std::vector<GenerateRequest>& requests) {
  std::vector<std::size_t> results;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].return_hidden_states != HiddenStates::kNone) results.push_back(i);
  }
  return results;
}

}  // namespace

struct BatchSource::State {
  State(const Options& options, Parts parts)
      : shard(options.shard),
        limit(options.limit),
        several_inputs(options.inputs.size() > 1),
        reader(std::move(parts.reader)),
        parser(std::move(parts.record_options)),
        engine(parts.engine),
        has_row(std::move(parts.has_row)) {}

  void Run();
  Result<std::optional<io::InputRecord>> ReadLine();
  std::optional<ReadyRecord> Prepare(const io::InputRecord& line);
  void Admit(std::vector<GenerateRequest> requests, ReadyRecord& ready);
  static void Refuse(RecordError error, ReadyRecord& ready);
  bool Queue(ReadyRecord ready);

  // The thread's own.
  const Shard shard;
  const std::int64_t limit;
  const bool several_inputs;
  const std::unique_ptr<io::JsonlReader> reader;
  io::RecordParser parser;
  const engine::Engine* const engine;
  const std::function<bool(const ReadyRecord&, std::span<const std::size_t>)> has_row;
  const std::int64_t room = engine::RoomForResults();
  WarnOnce warnings;
  std::uint64_t next_ticket = 0;

  Hash128 content;  // of all records so far; read by others once `finished`

  std::atomic<std::int64_t> lines_read{0}, bytes_read{0}, bytes_total{0};

  // Guarded by `mutex`.
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<ReadyRecord> queue;
  std::size_t queued_bytes = 0;
  bool stop = false;     // set by the owner: nothing of it may be used any more
  bool reading = false;  // inside the reader, which may block for ever
  bool finished = false;
  Status status;
};

BatchSource::BatchSource(const Options& options, Parts parts)
    : state_(std::make_shared<State>(options, std::move(parts))) {
  std::thread([state = state_] { state->Run(); }).detach();
}

BatchSource::~BatchSource() {
  std::unique_lock lock(state_->mutex);
  state_->stop = true;
  state_->changed.notify_all();
  state_->changed.wait(lock, [this] { return state_->finished || state_->reading; });
}

std::optional<ReadyRecord> BatchSource::Next(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, patience,
                           [this] { return state_->finished || !state_->queue.empty(); });
  if (state_->queue.empty()) return std::nullopt;
  ReadyRecord ready = std::move(state_->queue.front());
  state_->queue.pop_front();
  state_->queued_bytes -= ready.bytes;
  state_->changed.notify_all();
  return ready;
}

bool BatchSource::Exhausted() const {
  const std::lock_guard lock(state_->mutex);
  return state_->finished && state_->queue.empty();
}

Status BatchSource::status() const {
  const std::lock_guard lock(state_->mutex);
  return state_->status;
}

io::InputEnd BatchSource::input_end() const {
  const std::lock_guard lock(state_->mutex);
  return {state_->lines_read, state_->finished ? state_->content : Hash128()};
}

std::int64_t BatchSource::lines_read() const {
  return state_->lines_read;
}

double BatchSource::FractionRead() const {
  const std::int64_t total = state_->bytes_total;
  if (total <= 0) return -1.0;
  return static_cast<double>(state_->bytes_read) / static_cast<double>(total);
}

void BatchSource::State::Run() {
  Status end;
  while (true) {
    Result<std::optional<io::InputRecord>> line = ReadLine();
    if (!line.ok()) {
      end = line.error();
      break;
    }
    if (!line->has_value()) break;
    std::optional<ReadyRecord> ready = Prepare(**line);
    // A record whose preparation was cut short has no row, not even of an error: the next run
    // prepares it again.
    if (StopFlag::requested()) break;
    if (ready && !Queue(*std::move(ready))) break;
  }
  const std::lock_guard lock(mutex);
  finished = true;
  status = std::move(end);
  changed.notify_all();
}

// nullopt at the end of the input, at --limit, and when the run is to stop.
Result<std::optional<io::InputRecord>> BatchSource::State::ReadLine() {
  if (limit > 0 && lines_read >= limit) return std::optional<io::InputRecord>();
  {
    const std::lock_guard lock(mutex);
    if (stop) return std::optional<io::InputRecord>();
    reading = true;
    changed.notify_all();
  }
  Result<std::optional<io::InputRecord>> line = reader->Next();
  const std::lock_guard lock(mutex);
  reading = false;
  if (stop) return std::optional<io::InputRecord>();
  if (line.ok() && line->has_value()) ++lines_read;
  bytes_read = reader->bytes_read();
  bytes_total = reader->bytes_total();
  return line;
}

std::optional<ReadyRecord> BatchSource::State::Prepare(const io::InputRecord& line) {
  Result<io::Record, io::RecordFailure> parsed = parser.Parse(line);
  const Hash128 record = parsed.ok() ? parsed->content_hash : parsed.error().content_hash;
  content = {MixSeeds(content.high, record.high), MixSeeds(content.low, record.low)};
  if (!InShard(shard, record)) return std::nullopt;
  const Hash128 key = parsed.ok() ? parsed->resume_key : parsed.error().resume_key;
  ReadyRecord ready;
  const std::string file = several_inputs ? line.file : "";
  const std::int64_t number = several_inputs ? io::LineOfFile(file, line.line) : line.line;
  ready.key = {.key = key, .index = line.index, .line = number};
  ready.place = {.line = line.line,
                 .rid = parsed.ok() ? parsed->rid : parsed.error().rid,
                 .key = key,
                 .is_array = parsed.ok() && parsed->is_array,
                 .reply = parsed.ok() ? parsed->reply : parsed.error().reply,
                 .file = file};
  ready.file = line.file;
  ready.first_ticket = next_ticket;
  ready.bytes = line.text.size();
  ready.reuse = has_row(
      ready, parsed.ok() ? ResultsWithHiddenStates(parsed->requests) : std::vector<std::size_t>());
  if (ready.reuse) return ready;
  if (!parsed.ok()) {
    ready.error = parsed.error().error;
    return ready;
  }
  warnings.Warn(line, parsed->warnings);
  Admit(std::move(parsed->requests), ready);
  if (ready.error) ready.error = parsed->InItsWords(*std::move(ready.error));
  return ready;
}

// One request that cannot be served fails its whole record.
void BatchSource::State::Admit(std::vector<GenerateRequest> requests, ReadyRecord& ready) {
  for (GenerateRequest& request : requests) {
    request.ticket = next_ticket++;
    auto sequence = engine->Admit(std::move(request));
    if (!sequence.ok()) {
      Refuse(std::move(sequence).error(), ready);
      return;
    }
    ready.result_bytes += (*sequence)->limits().result_bytes;
    ready.sequences.push_back(std::move(sequence).value());
    if (auto fits = engine::CheckResultRoom(ready.result_bytes, room); !fits.ok()) {
      Refuse(std::move(fits).error(), ready);
      return;
    }
  }
}

void BatchSource::State::Refuse(RecordError error, ReadyRecord& ready) {
  ready.error = std::move(error);
  ready.sequences.clear();
  ready.result_bytes = 0;
}

// Waits for room; false when the run is to stop.
bool BatchSource::State::Queue(ReadyRecord ready) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] {
    return stop || queue.empty() ||
           (queue.size() < kMaxQueuedRecords && queued_bytes < kMaxQueuedBytes);
  });
  if (stop) return false;
  queued_bytes += ready.bytes;
  queue.push_back(std::move(ready));
  changed.notify_all();
  return true;
}

}  // namespace sglrun::cli
