// The kept set of kernels/sample.h by its definition: weigh, sort, cut. Serves return_sampling_mask
// and the reference sampler; the fast samplers find the same set without a sort.
#include "kernels/kept_set.h"

#include <algorithm>
#include <cmath>

#include "kernels/common/exp2_exact.h"
#include "kernels/common/sample_limits.h"

namespace sglrun::kernels {
namespace {

bool Sampleable(std::span<const std::uint32_t> bits, std::int64_t id) {
  return IsSampleable(bits.empty() ? nullptr : bits.data(), id);
}

// The highest logit, ties to the lowest id; -1 when every entry is excluded.
std::int32_t BestToken(std::span<const float> row, std::span<const std::uint32_t> sampleable) {
  std::int32_t best = -1;
  for (std::size_t t = 0; t < row.size(); ++t) {
    if (row[t] == -INFINITY || !Sampleable(sampleable, static_cast<std::int64_t>(t))) continue;
    if (best < 0 || row[t] > row[static_cast<std::size_t>(best)]) {
      best = static_cast<std::int32_t>(t);
    }
  }
  return best;
}

}  // namespace

std::vector<WeightedToken> KeptWeights(std::span<const float> row, float temperature,
                                       std::int32_t top_k, double top_p, double min_p,
                                       std::span<const std::uint32_t> sampleable) {
  const std::int32_t best = BestToken(row, sampleable);
  if (best < 0) return {};
  if (top_k == 1) return {{best, 1}};
  std::vector<WeightedToken> tokens;
  std::uint64_t total = 0;
  for (std::size_t t = 0; t < row.size(); ++t) {
    if (!Sampleable(sampleable, static_cast<std::int64_t>(t))) continue;
    const std::uint32_t weight = Exp2Exact(
        Exponent(row[t], row[static_cast<std::size_t>(best)], ExponentScale(temperature)));
    if (weight > 0) tokens.push_back({static_cast<std::int32_t>(t), weight});
    total += weight;
  }
  std::sort(tokens.begin(), tokens.end(), [&row](const WeightedToken& a, const WeightedToken& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    const float za = row[static_cast<std::size_t>(a.id)], zb = row[static_cast<std::size_t>(b.id)];
    return za != zb ? za > zb : a.id < b.id;
  });
  const std::uint64_t limit = TopPLimit(top_p, total);
  const std::uint32_t lowest = MinPWeight(min_p);
  std::uint64_t before = 0;
  std::size_t kept = 0;
  while (kept < tokens.size() && kept < static_cast<std::size_t>(top_k) && before <= limit &&
         tokens[kept].weight >= lowest) {
    before += tokens[kept++].weight;
  }
  tokens.resize(kept);
  return tokens;
}

std::vector<KeptToken> KeptSet(std::span<const float> row, float temperature, std::int32_t top_k,
                               double top_p, double min_p,
                               std::span<const std::uint32_t> sampleable) {
  const std::vector<WeightedToken> tokens =
      KeptWeights(row, temperature, top_k, top_p, min_p, sampleable);
  double mass = 0;
  for (const WeightedToken& token : tokens) mass += token.weight;
  std::vector<KeptToken> kept;
  for (const WeightedToken& token : tokens) {
    kept.push_back({token.id, static_cast<float>(std::log(token.weight / mass))});
  }
  return kept;
}

}  // namespace sglrun::kernels
