#include "kernels/draw.h"

#include <algorithm>

#include "kernels/backend.h"

namespace sglrun::kernels {
namespace {

bool AnySet(std::span<const std::uint8_t> flags) {
  return std::any_of(flags.begin(), flags.end(), [](std::uint8_t flag) { return flag != 0; });
}

void SampleSoundRows(const KernelTable& table, const DrawArgs& args, KernelContext& context) {
  const std::span<RowStatus> status = args.process.status;
  std::fill(args.tokens.begin(), args.tokens.end(), -1);
  for (std::size_t r = 0; r < status.size(); ++r) {
    if (status[r] != RowStatus::kOk) args.sampled[r] = 0;
  }
  if (!AnySet(args.sampled)) return;
  SampleArgs sample = args.sample;
  sample.logits = args.process.logits;
  sample.active = args.sampled;
  sample.tokens = args.tokens;
  table.sample(sample, context);
  for (std::size_t r = 0; r < status.size(); ++r) {
    // Only padding columns were left.
    if (args.sampled[r] != 0 && args.tokens[r] < 0) status[r] = RowStatus::kNoneLeft;
  }
}

void TellSoundRows(const KernelTable& table, const DrawArgs& args, KernelContext& context) {
  for (std::size_t r = 0; r < args.told.size(); ++r) {
    if (args.process.status[r] != RowStatus::kOk) args.told[r] = 0;
    if (args.chosen[r] == 0) continue;
    const auto first = static_cast<std::size_t>(args.logprobs.ask_begin[r]);
    args.ask_ids[first] = std::max(args.tokens[r], 0);
  }
  if (!AnySet(args.told)) return;
  LogprobsArgs logprobs = args.logprobs;
  logprobs.logits = args.process.logits;
  logprobs.active = args.told;
  logprobs.ask_ids = args.ask_ids;
  table.logprobs(logprobs, context);
}

void KeepRows(const DrawArgs& args) {
  const tensor::TensorView& logits = args.process.logits;
  float* to = args.kept_logits.data();
  for (const std::int32_t row : args.kept_rows) {
    to = std::copy_n(logits.row(row), logits.shape[1], to);
  }
}

}  // namespace

std::string Check(const DrawArgs& args) {
  const std::size_t rows = args.process.status.size();
  const bool fits = args.process.logits.rank == 2 &&
                    args.process.logits.shape[0] == static_cast<std::int64_t>(rows) &&
                    args.sampled.size() == rows && args.tokens.size() == rows &&
                    (args.told.empty() || args.told.size() == rows) &&
                    args.chosen.size() == args.told.size();
  if (!fits) return "draw: arrays that do not fit " + args.process.logits.ToString();
  for (std::size_t r = 0; r < args.chosen.size(); ++r) {
    const auto begin = args.logprobs.ask_begin;
    if (args.chosen[r] != 0 && (begin.size() != rows + 1 || begin[r] >= begin[r + 1])) {
      return "draw: row " + std::to_string(r) + " has no place for the token it drew";
    }
  }
  const auto width = static_cast<std::size_t>(args.process.logits.shape[1]);
  if (args.kept_logits.size() != args.kept_rows.size() * width) {
    return "draw: " + std::to_string(args.kept_logits.size()) + " floats for the logits of " +
           std::to_string(args.kept_rows.size()) + " rows of " + std::to_string(width);
  }
  return "";
}

std::string Check(const FeedDrawnArgs& args) {
  if (args.ids.size() == args.from.size()) return "";
  return "feed_drawn: " + std::to_string(args.ids.size()) + " ids from " +
         std::to_string(args.from.size());
}

namespace host {

void Draw(const KernelTable& table, const DrawArgs& args, KernelContext& context) {
  if (args.head != nullptr) (*args.head)(args.picked);
  table.logits_process(args.process, context);
  KeepRows(args);
  SampleSoundRows(table, args, context);
  TellSoundRows(table, args, context);
  if (args.kept_tokens == nullptr) return;
  for (std::size_t r = 0; r < args.tokens.size(); ++r) {
    args.kept_tokens[r] = std::max(args.tokens[r], 0);
  }
}

void FinishDraw(KernelContext&) {}

void FeedDrawn(const FeedDrawnArgs& args, KernelContext&) {
  for (std::size_t i = 0; i < args.ids.size(); ++i) {
    if (args.from[i] >= 0) args.ids[i] = args.drawn[args.from[i]];
  }
}

}  // namespace host
}  // namespace sglrun::kernels
