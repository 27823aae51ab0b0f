#include "kernels/expert_mlp.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/backend.h"

namespace sglrun::kernels::host {
namespace {

using tensor::TensorView;

// A row that takes an expert, and its weight there.
struct Taker {
  std::int64_t row = 0;
  float weight = 0;
};

// The takers of each expert, in the order of their rows.
class Takers {
 public:
  explicit Takers(const ExpertMlpArgs& args) : begin_(args.of.size() + 1) {
    const auto* experts = static_cast<const std::int32_t*>(args.experts.data);
    const std::int64_t chosen = args.experts.shape[1], pairs = args.experts.shape[0] * chosen;
    for (std::int64_t i = 0; i < pairs; ++i) ++begin_[static_cast<std::size_t>(experts[i]) + 1];
    for (std::size_t e = 1; e < begin_.size(); ++e) begin_[e] += begin_[e - 1];
    all_.resize(static_cast<std::size_t>(pairs));
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::int64_t i = 0; i < pairs; ++i) {
      all_[next[static_cast<std::size_t>(experts[i])]++] = {i / chosen, args.weights.f32()[i]};
    }
  }

  std::span<const Taker> Of(std::size_t expert) const {
    return std::span(all_).subspan(begin_[expert], begin_[expert + 1] - begin_[expert]);
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Taker> all_;
};

TensorView FirstRows(TensorView view, std::size_t count) {
  view.shape[0] = static_cast<std::int64_t>(count);
  return view;
}

// fn(index of a taker), on all threads where the rows are worth it.
template <class Fn>
void ForEachTaker(std::span<const Taker> takers, std::int64_t width, KernelContext& context,
                  const Fn& fn) {
  constexpr std::int64_t kWorthSharing = 16384;
  const auto count = static_cast<std::int64_t>(takers.size());
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) fn(i, takers[static_cast<std::size_t>(i)]);
  };
  if (count * width < kWorthSharing) return range(0, count);
  context.pool().ParallelFor(count, range);
}

void RunExpert(const KernelTable& table, const ExpertMlpArgs& args, const ExpertWeights& expert,
               std::span<const Taker> takers, KernelContext& context) {
  const std::int64_t width = args.x.shape[1];
  const TensorView rows = FirstRows(args.rows, takers.size());
  ForEachTaker(takers, width, context, [&](std::int64_t i, const Taker& taker) {
    std::memcpy(rows.row(i), args.x.row(taker.row), static_cast<std::size_t>(width) * 4);
  });
  ActivationArgs activation = args.activation;
  activation.x = FirstRows(activation.x, takers.size());
  activation.y = FirstRows(activation.y, takers.size());
  table.gemm({.x = rows, .weight = expert.gate_up, .bias = expert.gate_up_bias, .y = activation.x},
             context);
  table.activation(activation, context);
  table.gemm({.x = activation.y, .weight = expert.down, .bias = expert.down_bias, .y = rows},
             context);
  ForEachTaker(takers, width, context, [&](std::int64_t i, const Taker& taker) {
    const float* from = rows.row(i);
    float* to = args.y.row(taker.row);
    const float weight = args.alpha * taker.weight;
    for (std::int64_t c = 0; c < width; ++c) to[c] += weight * from[c];
  });
}

}  // namespace

void ExpertMlp(const KernelTable& table, const ExpertMlpArgs& args, KernelContext& context) {
  for (std::int64_t t = 0; t < args.y.shape[0] && !args.accumulate; ++t) {
    std::fill_n(args.y.row(t), args.y.shape[1], 0.0f);
  }
  const Takers takers(args);
  for (std::size_t e = 0; e < args.of.size(); ++e) {
    if (!takers.Of(e).empty()) RunExpert(table, args, args.of[e], takers.Of(e), context);
  }
}

}  // namespace sglrun::kernels::host
