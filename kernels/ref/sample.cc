#include "kernels/sample.h"

#include <algorithm>

#include "base/check.h"
#include "kernels/common/sample_limits.h"
#include "kernels/kept_set.h"
#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {
namespace {

// The kept token, in id order, whose running sum first exceeds the draw.
std::int32_t Draw(std::vector<WeightedToken> tokens, std::uint64_t random) {
  if (tokens.empty()) return -1;
  std::uint64_t mass = 0;
  for (const WeightedToken& token : tokens) mass += token.weight;
  std::sort(tokens.begin(), tokens.end(),
            [](const WeightedToken& a, const WeightedToken& b) { return a.id < b.id; });
  const std::uint64_t draw = ScaleDraw(random, mass);
  std::uint64_t sum = 0;
  for (const WeightedToken& token : tokens) {
    sum += token.weight;
    if (sum > draw) return token.id;
  }
  CHECK(false) << "draw " << draw << " is below the mass " << mass;
  return -1;
}

}  // namespace

void Sample(const SampleArgs& args, KernelContext&) {
  for (std::size_t r = 0; r < args.tokens.size(); ++r) {
    if (!args.active.empty() && args.active[r] == 0) continue;
    const std::span<const float> row(args.logits.row(static_cast<std::int64_t>(r)),
                                     static_cast<std::size_t>(args.logits.shape[1]));
    args.tokens[r] = Draw(KeptWeights(row, args.temperature[r], args.top_k[r], args.top_p[r],
                                      args.min_p[r], args.sampleable),
                          args.random[r]);
  }
}

}  // namespace sglrun::kernels::ref
