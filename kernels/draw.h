// draw: the sampling of a step as one operation, so that a device gets all arrays in one copy and
// gives all results in another. The same as logits_process, sample and logprobs one after the
// other, where a row takes part only as long as its status is kOk:
//   - a row whose status is not kOk after logits_process is neither sampled nor reported;
//   - a row that was to be sampled and for which no token can be picked gets the status kNoneLeft;
//   - where chosen[r] is set, the first id that row r asks the logprob of is the token it drew.
// Results of rows that are not reported are undefined.
//
// The operation only starts it: arrays of the host stay as they are until finish_draw, which waits.
// One draw at a time; operations that follow it on the device need not wait for its end.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kernels/context.h"
#include "kernels/logits_process.h"
#include "kernels/logprobs.h"
#include "kernels/sample.h"

namespace sglrun::kernels {

struct KernelTable;

// What makes the logits: given `picked` in the backend's memory, it only enqueues.
using HeadWork = std::function<void(std::span<const std::int32_t> picked)>;

struct DrawArgs {
  // Run before all else, or null: the logits are there.
  const HeadWork* head = nullptr;
  std::span<const std::int32_t> picked;
  // The key of a draw that is repeated, which a device keeps as a graph: with equal keys the head
  // makes the same calls on the same memory and process.logits is the same. Lists may differ in
  // length and stages may be absent. Empty: it is not repeated.
  std::span<const std::uint64_t> key;

  LogitsProcessArgs process;
  SampleArgs sample;      // logits, active and tokens as below
  LogprobsArgs logprobs;  // logits, active and ask_ids as below

  std::span<std::uint8_t> sampled;  // [R], in and out: rows to sample
  std::span<std::int32_t> tokens;   // [R], written; -1 where nothing was sampled
  // In the backend's memory, or null: the tokens once more, for feed_drawn; 0 instead of -1.
  std::int32_t* kept_tokens = nullptr;

  std::span<std::uint8_t> told;          // [R], in and out: rows with logprobs; empty: none
  std::span<const std::uint8_t> chosen;  // [R] where `told` is
  std::span<std::int32_t> ask_ids;       // in and out

  // Rows whose logits are wanted after logits_process: kept_logits [kept_rows.size(), V].
  std::span<const std::int32_t> kept_rows;
  std::span<float> kept_logits;  // written
};

std::string Check(const DrawArgs& args);

// ids[i] = from[i] < 0 ? ids[i] : drawn[from[i]], in place; arrays in the backend's memory. What a
// draw has left in kept_tokens becomes the input of the next forward pass without the host.
struct FeedDrawnArgs {
  std::span<std::int32_t> ids;
  std::span<const std::int32_t> from;  // as many
  const std::int32_t* drawn = nullptr;
};

std::string Check(const FeedDrawnArgs& args);

// The host's own: operation after operation of `table`.
namespace host {
void Draw(const KernelTable& table, const DrawArgs& args, KernelContext& context);
void FinishDraw(KernelContext& context);
void FeedDrawn(const FeedDrawnArgs& args, KernelContext& context);
}  // namespace host

}  // namespace sglrun::kernels
