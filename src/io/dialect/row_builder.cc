#include "io/dialect/row_builder.h"

#include <algorithm>
#include <utility>

namespace sglrun::io {
namespace {

// Text of an entry of a list of logprobs, and of a number, at its longest or nearly so.
constexpr std::size_t kTextOfLogprob = 28;
constexpr std::size_t kTextOfNumber = 12;
// Strings below grow as they do.
constexpr std::size_t kLongText = std::size_t{1} << 20;

std::size_t Entries(const std::optional<std::vector<PositionLogprobs>>& positions) {
  std::size_t entries = 0;
  if (!positions) return entries;
  for (const PositionLogprobs& position : *positions) {
    entries += 1 + (position ? position->size() : 0);
  }
  return entries;
}

std::size_t LogprobEntries(const LogprobResult& logprobs) {
  return logprobs.input_token_logprobs.size() + logprobs.output_token_logprobs.size() +
         Entries(logprobs.input_top_logprobs) + Entries(logprobs.output_top_logprobs) +
         Entries(logprobs.input_token_ids_logprobs) + Entries(logprobs.output_token_ids_logprobs);
}

std::size_t ExpectedText(const GenerateResult& result) {
  std::size_t numbers = result.output_ids.size();
  if (result.hidden_states) numbers += result.hidden_states->values.size();
  if (result.prompt_token_ids) numbers += result.prompt_token_ids->size();
  if (result.sampling_mask) {
    for (const auto& ids : result.sampling_mask->kept_ids) numbers += ids.size();
  }
  const std::size_t entries = result.logprobs ? LogprobEntries(*result.logprobs) : 0;
  return result.text.size() + numbers * kTextOfNumber + entries * kTextOfLogprob;
}

// A string that doubles while it grows takes three times its bytes.
void MakeRoom(std::string& text, std::size_t more) {
  if (more >= kLongText) text.reserve(std::max(text.capacity(), text.size() + more));
}

bool DependsOnEarlier(const RowPlace& place) {
  return place.reply != nullptr && place.reply->endpoint == openai::Endpoint::kChat;
}

}  // namespace

Status RowBuilder::Add(const RowPlace& place, std::size_t index, GenerateResult result) {
  if (place.reply != nullptr) usage_.Add(*place.reply, index, result);
  if (index == next_) {
    SGLRUN_RETURN_IF_ERROR(AddInTurn(place, result));
    return AddWaiting(place);
  }
  if (DependsOnEarlier(place)) {
    results_.emplace(index, std::move(result));
    return {};
  }
  std::string& text = texts_[index];
  MakeRoom(text, ExpectedText(result));
  std::size_t no_calls = 0;
  SGLRUN_RETURN_IF_ERROR(writer_->AppendResult(place, index, result, no_calls, text));
  text.shrink_to_fit();
  return {};
}

Status RowBuilder::AddInTurn(const RowPlace& place, const GenerateResult& result) {
  if (next_ == 0) {
    writer_->AppendRowHead(place, row_);
  } else {
    row_ += writer_->Separator(place);
  }
  MakeRoom(row_, ExpectedText(result));
  return writer_->AppendResult(place, next_++, result, calls_, row_);
}

Status RowBuilder::AddWaiting(const RowPlace& place) {
  while (true) {
    if (const auto text = texts_.find(next_); text != texts_.end()) {
      row_ += writer_->Separator(place);
      row_ += text->second;
      texts_.erase(text);
      ++next_;
    } else if (const auto result = results_.find(next_); result != results_.end()) {
      SGLRUN_RETURN_IF_ERROR(AddInTurn(place, result->second));
      results_.erase(result);
    } else {
      return {};
    }
  }
}

std::string RowBuilder::Finish(const RowPlace& place) {
  if (next_ == 0) {
    writer_->AppendEmptyRow(place, row_);
  } else {
    writer_->AppendRowEnd(place, usage_, next_, row_);
  }
  return std::move(row_);
}

}  // namespace sglrun::io
