#include "kernels/route.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {
namespace {

std::vector<double> Scores(const RouteArgs& args, std::int64_t t) {
  const float* z = args.logits.row(t);
  std::vector<double> scores(z, z + args.logits.shape[1]);
  if (args.score == RouteScore::kSigmoid) {
    for (double& score : scores) score = 1 / (1 + std::exp(-score));
    return scores;
  }
  const double top = *std::max_element(scores.begin(), scores.end());
  for (double& score : scores) score = std::exp(score - top);
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  for (double& score : scores) score /= sum;
  return scores;
}

std::vector<double> Choices(const RouteArgs& args, std::vector<double> scores) {
  for (std::size_t e = 0; e < scores.size() && !args.choice_bias.empty(); ++e) {
    scores[e] += args.choice_bias.f32()[e];
  }
  // NaN compares with nothing: last.
  for (double& score : scores) score = std::isnan(score) ? -INFINITY : score;
  return scores;
}

}  // namespace

void Route(const RouteArgs& args, KernelContext&) {
  const auto chosen = static_cast<std::size_t>(args.experts.shape[1]);
  for (std::int64_t t = 0; t < args.logits.shape[0]; ++t) {
    const std::vector<double> scores = Scores(args, t), choices = Choices(args, scores);
    std::vector<std::int32_t> best(scores.size());
    std::iota(best.begin(), best.end(), 0);
    std::stable_sort(best.begin(), best.end(), [&](std::int32_t a, std::int32_t b) {
      return choices[static_cast<std::size_t>(a)] > choices[static_cast<std::size_t>(b)];
    });
    best.resize(chosen);
    std::sort(best.begin(), best.end());
    double sum = 0;
    for (const std::int32_t e : best) sum += scores[static_cast<std::size_t>(e)];
    const double factor = args.scale / (args.renormalise ? sum : 1.0);
    auto* experts = static_cast<std::int32_t*>(args.experts.data) + t * args.experts.shape[1];
    for (std::size_t i = 0; i < chosen; ++i) {
      experts[i] = best[i];
      args.weights.row(t)[i] =
          static_cast<float>(scores[static_cast<std::size_t>(best[i])] * factor);
    }
  }
}

}  // namespace sglrun::kernels::ref
