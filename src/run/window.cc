#include "run/window.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/result_room.h"

namespace sglrun::run {
namespace {

// Much more than a batch, so that one long record does not delay the others much.
constexpr std::size_t kMaxRecords = 16384;

// The text of a generated id, with its comma.
constexpr std::int64_t kTextOfId = 7;

void AddCounts(const BatchCounts& from, BatchCounts& to) {
  to.results += from.results;
  to.prompt_tokens += from.prompt_tokens;
  to.cached_tokens += from.cached_tokens;
  to.output_tokens += from.output_tokens;
}

void CountResult(const GenerateResult& result, BatchCounts& counts) {
  ++counts.results;
  counts.prompt_tokens += result.prompt_tokens;
  counts.cached_tokens += result.cached_tokens;
  counts.output_tokens += static_cast<std::int64_t>(result.output_ids.size());
}

// Its size in bytes beyond those of its lists, the same on every machine.
std::int64_t TextBytes(const GenerateResult& result) {
  return static_cast<std::int64_t>(result.text.size()) +
         kTextOfId * static_cast<std::int64_t>(result.output_ids.size());
}

}  // namespace

bool BatchWindow::full() const {
  return slots_.size() >= kMaxRecords;
}

Status BatchWindow::Add(ReadyRecord record) {
  Slot& slot = slots_.emplace_back();
  slot.key = record.key;
  slot.place = std::move(record.place);
  slot.file = std::move(record.file);
  slot.first_ticket = record.first_ticket;
  slot.reuse = record.reuse;
  slot.results = slot.missing = record.results;
  slot.expected_bytes = record.result_bytes;
  slot.hold = MemoryHold(budget_, record.result_bytes);
  if (record.error) MakeErrorRow(slot, *std::move(record.error));
  return slot.missing == 0 ? Complete(slot) : Status();
}

BatchWindow::Slot& BatchWindow::SlotOf(std::uint64_t ticket) {
  auto next = std::ranges::upper_bound(slots_, ticket, {}, &Slot::first_ticket);
  CHECK(next != slots_.begin()) << ticket;
  return *std::prev(next);
}

void BatchWindow::ShowPartial(const GenerateResult& partial) {
  const Slot& slot = SlotOf(partial.ticket);
  std::string chunk;
  writer_.AppendChunk(slot.place, partial.ticket - slot.first_ticket, partial, chunk);
  output_.AppendLoose(chunk);
  unflushed_bytes_ += chunk.size();
}

Status BatchWindow::Finish(GenerateResult result) {
  Slot& slot = SlotOf(result.ticket);
  const std::size_t item = result.ticket - slot.first_ticket;
  CHECK(item < slot.results) << result.ticket;
  if (result.error) {
    Fail(slot, item, std::move(result));
  } else {
    SGLRUN_RETURN_IF_ERROR(Gather(slot, item, std::move(result)));
  }
  return OneLess(slot);
}

bool BatchWindow::IsFutile(std::uint64_t ticket) {
  return SlotOf(ticket).failure.has_value();
}

Status BatchWindow::Skip(std::uint64_t ticket) {
  return OneLess(SlotOf(ticket));
}

Status BatchWindow::OneLess(Slot& slot) {
  CHECK(slot.missing > 0) << slot.place.line;
  return --slot.missing == 0 ? Complete(slot) : Status();
}

// Adds a result to the record's row, unless the record has failed.
Status BatchWindow::Gather(Slot& slot, std::size_t item, GenerateResult result) {
  if (slot.failure || slot.error || TooManyFailed()) return {};
  slot.text_bytes += TextBytes(result);
  if (auto fits = engine::CheckResultRoom(slot.expected_bytes + slot.text_bytes); !fits.ok()) {
    // Waits for the other results: a failed result with a lower index determines the error.
    slot.error = std::move(fits).error();
    GiveUp(slot);
    return {};
  }
  if (slot.gathered == nullptr) slot.gathered = std::make_unique<Gathered>(writer_);
  CountResult(result, slot.gathered->counts);
  if (slot.results == 1) {
    collector_.AddResult(NameOf(slot), result);
  } else {
    slot.gathered->tally.Add(NameOf(slot), result);
    slot.hold.Resize(slot.expected_bytes + slot.text_bytes);
  }
  return slot.gathered->row.Add(slot.place, item, std::move(result));
}

// The row shows the error of the failed result with the lowest index. Results that had not been
// started when one failed have higher indices.
void BatchWindow::Fail(Slot& slot, std::size_t item, GenerateResult failed) {
  if (slot.failure && slot.failure->index < item) return;
  slot.failure = Failure{item, std::move(failed)};
  GiveUp(slot);
}

// Nothing of the record is worth keeping.
void BatchWindow::GiveUp(Slot& slot) {
  if (slot.gathered == nullptr) return;
  slot.gathered.reset();
  writer_.RemoveSideFiles(slot.place, slot.results);
}

Status BatchWindow::Complete(Slot& slot) {
  if (TooManyFailed()) return {};
  if (!slot.reuse && slot.row.empty()) MakeRow(slot);
  slot.hold.Resize(static_cast<std::int64_t>(slot.row.size()));
  if (settings_.order == io::RowOrder::kCompletion) SGLRUN_RETURN_IF_ERROR(WriteRow(slot));
  return WriteReady();
}

void BatchWindow::MakeRow(Slot& slot) {
  if (slot.failure) {
    writer_.AppendFailure(slot.place, slot.failure->result, slot.failure->index, slot.row);
    slot.error = std::move(slot.failure->result.error);
    return;
  }
  if (slot.error) return MakeErrorRow(slot, *std::move(slot.error));
  if (slot.gathered == nullptr) slot.gathered = std::make_unique<Gathered>(writer_);
  slot.row = slot.gathered->row.Finish(slot.place);
  AddCounts(slot.gathered->counts, counts_);
  if (slot.results > 1) collector_.AddResults(slot.gathered->tally);
  slot.gathered.reset();
}

void BatchWindow::MakeErrorRow(Slot& slot, RecordError error) {
  writer_.AppendErrorRow(slot.place, error, slot.row);
  slot.error = std::move(error);
}

report::RecordName BatchWindow::NameOf(const Slot& slot) {
  return {.file = slot.file, .line = slot.place.line, .id = slot.place.rid};
}

// Rows leave from the front; with --order completion they have left already.
Status BatchWindow::WriteReady() {
  while (!slots_.empty() && slots_.front().missing == 0) {
    if (TooManyFailed()) return {};
    if (!slots_.front().written) SGLRUN_RETURN_IF_ERROR(WriteRow(slots_.front()));
    slots_.pop_front();
  }
  return {};
}

Status BatchWindow::WriteRow(Slot& slot) {
  ++counts_.records;
  slot.written = true;
  if (slot.reuse) {
    ++counts_.kept;
    if (output_.Find(slot.key) == io::RowState::kFailed) ++counts_.failed;
    return output_.Reuse(slot.key);
  }
  if (slot.error) {
    ++counts_.failed;
    ++counts_.new_failed;
    collector_.AddError(NameOf(slot), *slot.error);
  }
  unflushed_bytes_ += slot.row.size();
  SGLRUN_RETURN_IF_ERROR(output_.Append(slot.key, slot.row, slot.error.has_value()));
  slot.row = {};
  slot.hold.Resize(0);
  return {};
}

Status BatchWindow::Flush() {
  unflushed_bytes_ = 0;
  return output_.Flush();
}

}  // namespace sglrun::run
