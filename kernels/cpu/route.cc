#include "kernels/route.h"

#include "kernels/cpu/exp.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// score[0 .. experts) of the logits z. Sums have one order for a number of experts.
void Softmax(const float* z, std::int64_t experts, float* score) {
  Vec max = Set(-kInfinity), sum = Set(0.0f);
  ForEachVector(experts, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
    max = Max(LoadPartial(z + i, count, -kInfinity), max);
  });
  const Vec top = Set(MaxLanes(max));
  // Max drops a NaN, so it reaches the sum only by way of x - top.
  ForEachVector(experts, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
    const Vec x = LoadPartial(z + i, count, -kInfinity) - top;
    const Vec e = Select(x == x, Exp(x), x);
    sum = sum + e;
    StorePartial(score + i, e, count);
  });
  const Vec total = Set(SumLanes(sum));
  ForEachVector(experts, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
    StorePartial(score + i, LoadPartial(score + i, count, 0.0f) / total, count);
  });
}

void Sigmoid(const float* z, std::int64_t experts, float* score) {
  ForEachVector(experts, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
    const Vec x = LoadPartial(z + i, count, 0.0f);
    // exp of what is not above 0: e^x / (1 + e^x) below 0, 1 / (1 + e^-x) above.
    const IVec is_negative = x < Set(0.0f);
    const Vec e = Exp(Select(is_negative, x, Set(0.0f) - x));
    const Vec value = Select(is_negative, e, Set(1.0f)) / (Set(1.0f) + e);
    StorePartial(score + i, Select(x == x, value, x), count);
  });
}

// Marks the k experts of the largest choice; NaN is never larger.
void Choose(const float* choice, std::int64_t experts, std::int64_t k, bool* is_chosen) {
  for (std::int64_t e = 0; e < experts; ++e) is_chosen[e] = false;
  for (std::int64_t i = 0; i < k; ++i) {
    std::int64_t best = -1;
    for (std::int64_t e = 0; e < experts; ++e) {
      if (is_chosen[e]) continue;
      const bool is_better = best < 0 || choice[e] > choice[best] || choice[best] != choice[best];
      if (is_better) best = e;
    }
    is_chosen[best] = true;
  }
}

void RouteRow(const RouteArgs& args, std::int64_t t) {
  const std::int64_t experts = args.logits.shape[1], k = args.experts.shape[1];
  float score[kMostExperts], choice[kMostExperts];
  bool is_chosen[kMostExperts];
  (args.score == RouteScore::kSoftmax ? Softmax : Sigmoid)(Row(args.logits, t), experts, score);
  const auto* bias = static_cast<const float*>(args.choice_bias.data);
  for (std::int64_t e = 0; e < experts; ++e) {
    choice[e] = bias == nullptr ? score[e] : score[e] + bias[e];
  }
  Choose(choice, experts, k, is_chosen);
  float sum = 0;
  for (std::int64_t e = 0; e < experts; ++e) sum += is_chosen[e] ? score[e] : 0.0f;
  const float divisor = args.renormalise ? sum : 1.0f;
  auto* ids = static_cast<std::int32_t*>(args.experts.data) + t * k;
  float* weights = Row(args.weights, t);
  for (std::int64_t e = 0, i = 0; e < experts; ++e) {
    if (!is_chosen[e]) continue;
    ids[i] = static_cast<std::int32_t>(e);
    weights[i++] = args.scale * (score[e] / divisor);
  }
}

}  // namespace

void Route(const RouteArgs& args, KernelContext& context) {
  ForRange(context.pool(), args.logits.shape[0], args.logits.shape[1] * args.experts.shape[1],
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t t = begin; t < end; ++t) RouteRow(args, t);
           });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
