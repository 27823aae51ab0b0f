#include "run/source.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/stop_flag.h"
#include "engine/result_room.h"
#include "run/prepared_record.h"
#include "run/setup.h"

namespace sglrun::run {
namespace {

constexpr std::size_t kMaxQueued = 512;
constexpr std::int64_t kMaxQueuedBytes = std::int64_t{64} << 20;
constexpr std::chrono::milliseconds kPatience(50);

std::vector<std::size_t> ResultsWithHiddenStates(const io::RequestList& requests) {
  std::vector<std::size_t> results;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests.HiddenStatesOf(i) != HiddenStates::kNone) results.push_back(i);
  }
  return results;
}

// A row that shows a number belongs to no record with another number.
Hash128 RowKeyOf(const Hash128& resume_key, const io::RecordNumber& number) {
  return HashBytes(resume_key.ToHex(), static_cast<std::uint64_t>(number.line));
}

// A numbered record answers for a line of the original input.
void PlaceNumbered(const io::RecordNumber& number, ReadyRecord& ready) {
  ready.key.key = RowKeyOf(ready.key.key, number);
  ready.key.line = number.line;
  ready.place.number = number.line;
  ready.place.line = number.file_line;
  ready.place.file = number.file;
  if (!number.file.empty()) ready.file = number.file;
}

RecordError CannotFlatten() {
  return RecordError{
      "the results of a numbered record stay together, so that `sglrun merge --lines` finds all of "
      "them; leave out --flatten"};
}

}  // namespace

struct BatchSource::State {
  State(const RecordSettings& settings, Parts parts)
      : shard(settings.shard),
        limit(settings.limit),
        several_inputs(settings.inputs.size() > 1),
        flatten(parts.flatten),
        reader(std::move(parts.reader)),
        parser(std::move(parts.parser)),
        index(std::move(parts.index)),
        engine(parts.engine),
        has_row(std::move(parts.has_row)),
        budget(std::move(parts.budget)) {
    reader->WhenLineIsLong([this] { WaitForLongLine(); });
  }

  void Run();
  Result<std::optional<io::InputRecord>> ReadLine();
  void WaitForLongLine();
  Status CheckIndexed(const io::InputRecord& line) const;
  ReadyRecord Place(const std::string& file, std::int64_t line, std::int64_t record,
                    const Result<io::Record, io::RecordFailure>& parsed) const;
  bool Serve(io::InputRecord line);
  bool ServeOne(GenerateRequest request, const io::Record& parsed, ReadyRecord ready);
  bool ServeMany(io::Record parsed, ReadyRecord ready);
  bool QueueError(RecordError error, ReadyRecord ready);
  bool Queue(ReadyItem item);
  bool IsStopping() const {
    const std::lock_guard lock(mutex);
    return stop;
  }

  // The thread's own.
  const Shard shard;
  const std::int64_t limit;
  const bool several_inputs;
  const bool flatten;
  const std::unique_ptr<io::JsonlReader> reader;
  const std::shared_ptr<io::RecordParser> parser;
  const std::shared_ptr<const InputIndex> index;
  const engine::Engine* const engine;
  const std::function<bool(const ReadyRecord&, std::span<const std::size_t>)> has_row;
  const std::shared_ptr<MemoryBudget> budget;
  MemoryHold line_hold;  // of a long line, until its record is prepared
  WarnOnce warnings;
  std::uint64_t next_ticket = 0;

  Hash128 content;  // of all records so far; read by others once `finished`

  std::atomic<std::int64_t> lines_read{0}, bytes_read{0}, bytes_total{0};

  // Guarded by `mutex`.
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<ReadyItem> queue;
  std::int64_t queued_bytes = 0;
  bool stop = false;     // set by the owner: none of its objects may be used any more
  bool reading = false;  // inside the reader, which may block for ever
  bool finished = false;
  Status status;
};

BatchSource::BatchSource(const RecordSettings& settings, Parts parts)
    : state_(std::make_shared<State>(settings, std::move(parts))) {
  std::thread([state = state_] { state->Run(); }).detach();
}

BatchSource::~BatchSource() {
  std::unique_lock lock(state_->mutex);
  state_->stop = true;
  state_->changed.notify_all();
  state_->changed.wait(lock, [this] { return state_->finished || state_->reading; });
}

std::optional<ReadyItem> BatchSource::Next(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, patience,
                           [this] { return state_->finished || !state_->queue.empty(); });
  if (state_->queue.empty()) return std::nullopt;
  ReadyItem ready = std::move(state_->queue.front());
  state_->queue.pop_front();
  state_->queued_bytes -= ready.hold.bytes();
  state_->changed.notify_all();
  return ready;
}

bool BatchSource::WaitsForInput() const {
  const std::lock_guard lock(state_->mutex);
  return state_->queue.empty() && (state_->reading || state_->finished);
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
  if (state_->index != nullptr) return state_->index->end();
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
    if (end = CheckIndexed(**line); !end.ok()) break;
    if (!Serve(std::move(**line))) break;
    line_hold = {};
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

// The input may grow while it is read again.
Status BatchSource::State::CheckIndexed(const io::InputRecord& line) const {
  if (index == nullptr || index->Holds(line.index)) return {};
  return Error{PlaceOf(line.file, line.line) +
               " was not in the input when it was read first: the input has changed"};
}

// A large line waits until earlier records have released memory. All of them are queued already, so
// they can finish without the reader. The line may then use the memory of one parsed line.
void BatchSource::State::WaitForLongLine() {
  if (line_hold.bytes() > 0) return;
  while (!IsStopping() && !budget->WaitUntilFits(io::kMaxParsingBytes, kPatience)) {
  }
  line_hold = MemoryHold(budget, io::kMaxParsingBytes);
}

ReadyRecord BatchSource::State::Place(const std::string& file, std::int64_t line,
                                      std::int64_t record,
                                      const Result<io::Record, io::RecordFailure>& parsed) const {
  const Hash128 key = parsed.ok() ? parsed->resume_key : parsed.error().resume_key;
  const std::string file_in_rows = several_inputs ? file : "";
  ReadyRecord ready;
  ready.key = {.key = key,
               .index = record,
               .line = several_inputs ? io::LineOfFile(file_in_rows, line) : line};
  ready.place = {.line = line,
                 .rid = parsed.ok() ? parsed->rid : parsed.error().rid,
                 .key = key,
                 .is_array = parsed.ok() && parsed->is_array,
                 .reply = parsed.ok() ? parsed->reply : parsed.error().reply,
                 .file = file_in_rows};
  ready.file = file;
  const auto& record_number = parsed.ok() ? parsed->number : parsed.error().number;
  if (record_number) PlaceNumbered(*record_number, ready);
  return ready;
}

// Queues the record of a line; false if the run is to stop.
bool BatchSource::State::Serve(io::InputRecord line) {
  const std::string file = line.file;
  const std::int64_t place = line.index, number = line.line;
  if (index != nullptr && index->ShardOf(place) != shard.index) return true;
  Result<io::Record, io::RecordFailure> parsed =
      index == nullptr ? parser->Parse(std::move(line))
                       : parser->ParseAgain(std::move(line), index->CountsOf(place));
  const Hash128 record = parsed.ok() ? parsed->content_hash : parsed.error().content_hash;
  content = WithRecord(content, record);
  if (!shard.Has(record)) return true;
  ReadyRecord ready = Place(file, number, place, parsed);
  ready.first_ticket = next_ticket;
  ready.reuse = has_row(
      ready, parsed.ok() ? ResultsWithHiddenStates(parsed->requests) : std::vector<std::size_t>());
  if (ready.reuse) return Queue({.record = std::move(ready)});
  // A record whose preparation was interrupted gets no row, not even an error row: the next run
  // prepares it again.
  if (StopFlag::requested()) return false;
  if (!parsed.ok()) return QueueError(parsed.error().error, std::move(ready));
  warnings.Warn(file, number, parsed->warnings);
  if (flatten && ready.place.number > 0 && parsed->is_array) {
    return QueueError(CannotFlatten(), std::move(ready));
  }
  if (parsed->requests.size() != 1) return ServeMany(std::move(parsed).value(), std::move(ready));
  return ServeOne(parsed->requests.Take(0), *parsed, std::move(ready));
}

bool BatchSource::State::ServeOne(GenerateRequest request, const io::Record& parsed,
                                  ReadyRecord ready) {
  ReadyItem item{.ticket = next_ticket++};
  request.ticket = item.ticket;
  ready.result_bytes = MostRowBytes(request, 0);
  auto sequence = engine->Admit(std::move(request));
  if (StopFlag::requested()) return false;
  if (!sequence.ok()) {
    return QueueError(parsed.InItsWords(std::move(sequence).error()), std::move(ready));
  }
  ready.result_bytes += (*sequence)->limits().result_bytes;
  if (auto fits = engine::CheckResultRoom(ready.result_bytes); !fits.ok()) {
    return QueueError(std::move(fits).error(), std::move(ready));
  }
  ready.results = 1;
  item.record = std::move(ready);
  item.sequence = std::move(sequence).value();
  return Queue(std::move(item));
}

// All prompts are checked before the first one is queued. After that the record is stored as
// tokens, and its sequences are created when the queue has space.
bool BatchSource::State::ServeMany(io::Record parsed, ReadyRecord ready) {
  auto checked = PreparedRecord::Check(
      std::move(parsed.requests),
      [this](const GenerateRequest& request) { return engine->Prepare(request); });
  if (StopFlag::requested()) return false;
  if (!checked.ok()) {
    return QueueError(parsed.InItsWords(std::move(checked).error()), std::move(ready));
  }
  const PreparedRecord prepared = std::move(checked).value();
  const MemoryHold hold(budget, prepared.bytes());
  ready.results = prepared.size();
  ready.result_bytes = prepared.result_bytes();
  if (prepared.size() == 0) return Queue({.record = std::move(ready)});
  std::optional<ReadyRecord> begins = std::move(ready);
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    ReadyItem item{.record = std::exchange(begins, std::nullopt), .ticket = next_ticket++};
    GenerateRequest request = prepared[i];
    request.ticket = item.ticket;
    auto sequence = engine->Admit(std::move(request));
    if (StopFlag::requested()) return false;
    if (sequence.ok()) {
      item.sequence = std::move(sequence).value();
    } else {
      item.failure = parsed.InItsWords(std::move(sequence).error());
    }
    if (!Queue(std::move(item))) return false;
  }
  return true;
}

bool BatchSource::State::QueueError(RecordError error, ReadyRecord ready) {
  ready.error = std::move(error);
  ready.result_bytes = 0;
  return Queue({.record = std::move(ready)});
}

// Waits for space in the queue; false if the run is to stop.
bool BatchSource::State::Queue(ReadyItem item) {
  line_hold = {};  // the text of the line has been released
  if (item.sequence != nullptr) item.hold = MemoryHold(budget, item.sequence->bytes());
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] {
    return stop || queue.empty() || (queue.size() < kMaxQueued && queued_bytes < kMaxQueuedBytes);
  });
  if (stop) return false;
  queued_bytes += item.hold.bytes();
  queue.push_back(std::move(item));
  changed.notify_all();
  return true;
}

}  // namespace sglrun::run
