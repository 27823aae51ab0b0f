#include "kernels/logprobs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {
namespace {

class RowLogprobs {
 public:
  RowLogprobs(std::span<const float> z, double temperature) : z_(z), temperature_(temperature) {
    max_ = *std::max_element(z.begin(), z.end());
    double sum = 0;
    for (const float value : z) sum += std::exp((double{value} - max_) / temperature);
    log_sum_ = std::log(sum);
  }

  float operator[](std::int32_t id) const {
    const double lowest = std::numeric_limits<float>::lowest();
    const double value = (double{z_[static_cast<std::size_t>(id)]} - max_) / temperature_;
    // A row of nothing but -inf has no distribution: every entry is the lowest number.
    if (max_ == -INFINITY) return static_cast<float>(lowest);
    return static_cast<float>(std::max(value - log_sum_, lowest));
  }

 private:
  std::span<const float> z_;
  double temperature_;
  double max_ = 0;
  double log_sum_ = 0;
};

void TopTokens(std::span<const float> z, std::span<std::int32_t> ids) {
  std::vector<std::int32_t> order(z.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return z[static_cast<std::size_t>(a)] > z[static_cast<std::size_t>(b)];
  });
  std::copy_n(order.begin(), ids.size(), ids.begin());
}

}  // namespace

void Logprobs(const LogprobsArgs& args, KernelContext&) {
  for (std::size_t r = 0; r < args.temperature.size(); ++r) {
    if (!args.active.empty() && args.active[r] == 0) continue;
    const std::span<const float> z(args.logits.row(static_cast<std::int64_t>(r)),
                                   static_cast<std::size_t>(args.logits.shape[1]));
    const RowLogprobs logprobs(z, args.temperature[r]);
    if (!args.ask_begin.empty()) {
      for (auto i = static_cast<std::size_t>(args.ask_begin[r]);
           i < static_cast<std::size_t>(args.ask_begin[r + 1]); ++i) {
        args.ask_logprobs[i] = logprobs[args.ask_ids[i]];
      }
    }
    if (args.top_begin.empty()) continue;
    const auto begin = static_cast<std::size_t>(args.top_begin[r]);
    const auto count = static_cast<std::size_t>(args.top_begin[r + 1]) - begin;
    TopTokens(z, args.top_ids.subspan(begin, count));
    for (std::size_t i = begin; i < begin + count; ++i) {
      args.top_logprobs[i] = logprobs[args.top_ids[i]];
    }
  }
}

}  // namespace sglrun::kernels::ref
