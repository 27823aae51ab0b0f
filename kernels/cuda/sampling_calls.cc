#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/cuda/calls.h"
#include "kernels/cuda/device.h"

namespace sglrun::kernels::cuda::calls {
namespace {

static_assert(sizeof(RowStatus) == sizeof(std::uint8_t));

// The arrays of each operation, on their way into its parameters.
void Address(const LogitsProcessArgs& args, Parcel& parcel, LogitsProcessParams& params) {
  params.logits = RowsOf(args.logits);
  params.rows = args.logits.shape[0];
  params.width = args.logits.shape[1];
  params.mask_stride = args.mask_stride;
  parcel.Send(args.count_begin, &params.count_begin);
  parcel.Send(args.count_ids, &params.count_ids);
  parcel.Send(args.counts, &params.counts);
  parcel.Send(args.frequency_penalty, &params.frequency_penalty);
  parcel.Send(args.presence_penalty, &params.presence_penalty);
  parcel.Send(args.repetition_penalty, &params.repetition_penalty);
  parcel.Send(args.ban_begin, &params.ban_begin);
  parcel.Send(args.ban_ids, &params.ban_ids);
  parcel.Send(args.mask, &params.mask);
  parcel.Send(args.mask_line, &params.mask_line);
  parcel.Send(args.bias_begin, &params.bias_begin);
  parcel.Send(args.bias_ids, &params.bias_ids);
  parcel.Send(args.bias_values, &params.bias_values);
  parcel.Fetch(args.status, &params.status);
  parcel.Use(args.ban_ids.size(), &params.ban_saved);
}

// All arrays except the rows to sample and the tokens.
void Address(const SampleArgs& args, Parcel& parcel, SampleParams& params) {
  parcel.Send(args.temperature, &params.temperature);
  parcel.Send(args.top_k, &params.top_k);
  parcel.Send(args.top_p, &params.top_p);
  parcel.Send(args.min_p, &params.min_p);
  parcel.Send(args.random, &params.random);
  parcel.Send(args.sampleable, &params.sampleable);
}

// All arrays except the rows to report, the ids and the results.
void Address(const LogprobsArgs& args, std::int64_t rows, Parcel& parcel, LogprobsParams& params) {
  for (std::size_t r = 1; r < args.top_begin.size(); ++r) {
    params.max_top =
        std::max<std::int64_t>(params.max_top, args.top_begin[r] - args.top_begin[r - 1]);
  }
  parcel.Send(args.temperature, &params.temperature);
  parcel.Send(args.ask_begin, &params.ask_begin);
  parcel.Send(args.top_begin, &params.top_begin);
  parcel.Use(LogprobsScratchBytes(rows, params.max_top) / sizeof(std::uint64_t), &params.scratch);
}

template <class Params>
Params OfRows(const tensor::TensorView& logits) {
  return {.logits = RowsOf(logits), .rows = logits.shape[0], .width = logits.shape[1]};
}

// A draw with all its parameters.
struct Draws {
  const std::int32_t* picked = nullptr;
  LogitsProcessParams process;
  SampleParams sample;
  LogprobsParams logprobs;
  DrawParams rows;
  bool samples = false, tells = false;
};

// Neighbours in one piece.
void TakeKeptRows(const DrawArgs& args, Parcel& parcel) {
  const tensor::TensorView& logits = args.process.logits;
  const auto width = static_cast<std::size_t>(logits.shape[1]);
  const bool are_dense = logits.stride[0] == logits.shape[1];
  for (std::size_t i = 0; i < args.kept_rows.size();) {
    std::size_t end = i + 1;
    while (are_dense && end < args.kept_rows.size() &&
           args.kept_rows[end] == args.kept_rows[end - 1] + 1) {
      ++end;
    }
    parcel.Take(logits.row(args.kept_rows[i]),
                args.kept_logits.subspan(i * width, (end - i) * width));
    i = end;
  }
}

Parcel Address(const DrawArgs& args, Draws& draws) {
  const tensor::TensorView& logits = args.process.logits;
  const auto is_set = [](std::uint8_t flag) { return flag != 0; };
  draws.samples = std::any_of(args.sampled.begin(), args.sampled.end(), is_set);
  draws.tells = std::any_of(args.told.begin(), args.told.end(), is_set);
  draws.sample = OfRows<SampleParams>(logits);
  draws.logprobs = OfRows<LogprobsParams>(logits);
  draws.rows.rows = logits.shape[0];
  draws.rows.kept_tokens = args.kept_tokens;
  Parcel parcel;
  parcel.Send(args.picked, &draws.picked);
  Address(args.process, parcel, draws.process);
  if (draws.samples) Address(args.sample, parcel, draws.sample);
  parcel.Send(args.sampled, &draws.rows.sampled);
  parcel.Fetch(args.tokens, &draws.rows.tokens);
  if (draws.tells) {
    Address(args.logprobs, draws.rows.rows, parcel, draws.logprobs);
    parcel.Send(args.told, &draws.rows.told);
    parcel.Send(args.chosen, &draws.rows.chosen);
    parcel.Send(args.ask_ids, &draws.rows.ask_ids);
    parcel.Fetch(args.logprobs.ask_logprobs, &draws.logprobs.ask_logprobs);
    parcel.Fetch(args.logprobs.top_ids, &draws.logprobs.top_ids);
    parcel.Fetch(args.logprobs.top_logprobs, &draws.logprobs.top_logprobs);
  }
  TakeKeptRows(args, parcel);
  return parcel;
}

// Once the parcel knows where the arrays lie: those that several operations share.
void Share(Draws& draws) {
  draws.rows.status = draws.process.status;
  draws.rows.ask_begin = draws.logprobs.ask_begin;
  draws.sample.active = draws.rows.sampled;
  draws.sample.tokens = draws.rows.tokens;
  draws.logprobs.active = draws.rows.told;
  draws.logprobs.ask_ids = draws.rows.ask_ids;
}

void Launch(const DrawArgs& args, const Draws& draws, DeviceState& device) {
  const Ops& ops = device.ops();
  if (args.head != nullptr) (*args.head)({draws.picked, args.picked.size()});
  ops.logits_process(draws.process, device.stream());
  ops.admit_rows(draws.rows, device.stream());
  if (draws.samples) ops.sample(draws.sample, device.stream());
  ops.settle_rows(draws.rows, device.stream());
  if (draws.tells) ops.logprobs(draws.logprobs, device.stream());
}

// What identifies a graph of draws besides addresses: its stages and their scalar arguments.
std::vector<std::uint64_t> KeyOf(const DrawArgs& args, const Draws& draws, const Parcel& parcel) {
  std::vector<std::uint64_t> key(args.key.begin(), args.key.end());
  key.push_back(parcel.present());
  key.push_back((draws.samples ? 1u : 0u) | (draws.tells ? 2u : 0u));
  key.push_back(static_cast<std::uint64_t>(LogprobsScratchTop(draws.logprobs.max_top)));
  return key;
}

// One operation on arrays of the host: waits for what it gives.
template <class Params>
void RunAlone(KernelContext& context, Parcel& parcel, const Params& params,
              void (*Ops::*operation)(const Params&, gpu::Stream)) {
  if (params.rows == 0) return;
  DeviceState& device = StateOf(context);
  parcel.Start(device);
  (device.ops().*operation)(params, device.stream());
  parcel.Return(device);
  parcel.Finish(device);
}

}  // namespace

void LogitsProcess(const LogitsProcessArgs& args, KernelContext& context) {
  Parcel parcel;
  LogitsProcessParams params;
  Address(args, parcel, params);
  RunAlone(context, parcel, params, &Ops::logits_process);
}

void Sample(const SampleArgs& args, KernelContext& context) {
  Parcel parcel;
  auto params = OfRows<SampleParams>(args.logits);
  Address(args, parcel, params);
  parcel.Send(args.active, &params.active);
  parcel.Exchange(args.tokens, &params.tokens);
  RunAlone(context, parcel, params, &Ops::sample);
}

void Logprobs(const LogprobsArgs& args, KernelContext& context) {
  Parcel parcel;
  auto params = OfRows<LogprobsParams>(args.logits);
  Address(args, params.rows, parcel, params);
  parcel.Send(args.active, &params.active);
  parcel.Send(args.ask_ids, &params.ask_ids);
  parcel.Exchange(args.ask_logprobs, &params.ask_logprobs);
  parcel.Exchange(args.top_ids, &params.top_ids);
  parcel.Exchange(args.top_logprobs, &params.top_logprobs);
  RunAlone(context, parcel, params, &Ops::logprobs);
}

void Draw(const KernelTable&, const DrawArgs& args, KernelContext& context) {
  DeviceState& device = StateOf(context);
  if (args.process.logits.shape[0] == 0) return;
  Draws draws;
  Parcel parcel = Address(args, draws);
  const std::function<void()> launches = [&] { Launch(args, draws, device); };
  if (args.key.empty()) {
    parcel.Start(device);
    Share(draws);
    launches();
  } else {
    Recorder::Work& work = device.Recorded(KeyOf(args, draws, parcel));
    parcel.Start(device, &work.room);
    Share(draws);
    device.recorder().Play(work, parcel.Places(), launches);
  }
  parcel.Return(device);
  device.Keep(std::move(parcel));
}

void FinishDraw(KernelContext& context) {
  StateOf(context).FinishKept();
}

}  // namespace sglrun::kernels::cuda::calls
