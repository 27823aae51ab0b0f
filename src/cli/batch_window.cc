#include "cli/batch_window.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sglrun::cli {
namespace {

// Far more than a batch, so that one long record does not hold up the others for long.
constexpr std::size_t kMaxRecords = 16384;
constexpr std::size_t kMaxWaitingBytes = std::size_t{256} << 20;

}  // namespace

bool BatchWindow::full() const {
  // Half of the room: the record that is let in next may take all of it.
  return slots_.size() >= kMaxRecords || waiting_bytes_ >= kMaxWaitingBytes ||
         promised_bytes_ > room_ / 2;
}

Status BatchWindow::Add(ReadyRecord record, std::size_t results) {
  Slot& slot = slots_.emplace_back();
  slot.key = record.key;
  slot.place = std::move(record.place);
  slot.file = std::move(record.file);
  slot.first_ticket = record.first_ticket;
  slot.reuse = record.reuse;
  slot.missing = results;
  slot.result_bytes = record.result_bytes;
  promised_bytes_ += slot.result_bytes;
  slot.results.resize(results);
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
  CHECK(item < slot.results.size()) << result.ticket;
  slot.results[item] = std::move(result);
  return --slot.missing == 0 ? Complete(slot) : Status();
}

Status BatchWindow::Complete(Slot& slot) {
  promised_bytes_ -= std::exchange(slot.result_bytes, 0);
  if (TooManyFailed()) return {};
  if (!slot.reuse && !slot.error) SGLRUN_RETURN_IF_ERROR(MakeRow(slot));
  waiting_bytes_ += slot.row.size();
  if (settings_.order == io::RowOrder::kCompletion) SGLRUN_RETURN_IF_ERROR(WriteRow(slot));
  return WriteReady();
}

Status BatchWindow::MakeRow(Slot& slot) {
  const RecordError* const error = io::ResultWriter::FirstError(slot.results);
  if (error != nullptr) slot.error = *error;
  SGLRUN_RETURN_IF_ERROR(writer_.AppendRow(slot.place, slot.results, slot.row));
  Count(slot);
  slot.results = {};
  return {};
}

void BatchWindow::MakeErrorRow(Slot& slot, RecordError error) {
  writer_.AppendErrorRow(slot.place, error, slot.row);
  slot.error = std::move(error);
}

report::RecordName BatchWindow::NameOf(const Slot& slot) {
  return {.file = slot.file, .line = slot.place.line, .id = slot.place.rid};
}

void BatchWindow::Count(const Slot& slot) {
  if (slot.error) return;
  for (const GenerateResult& result : slot.results) {
    collector_.AddResult(NameOf(slot), result);
    ++counts_.results;
    counts_.prompt_tokens += result.prompt_tokens;
    counts_.cached_tokens += result.cached_tokens;
    counts_.output_tokens += static_cast<std::int64_t>(result.output_ids.size());
  }
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
  waiting_bytes_ -= slot.row.size();
  unflushed_bytes_ += slot.row.size();
  SGLRUN_RETURN_IF_ERROR(output_.Append(slot.key, slot.row, slot.error.has_value()));
  slot.row = {};
  return {};
}

Status BatchWindow::Flush() {
  unflushed_bytes_ = 0;
  return output_.Flush();
}

}  // namespace sglrun::cli
