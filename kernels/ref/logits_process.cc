#include "kernels/logits_process.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {
namespace {

bool HasFinite(std::span<const float> z) {
  return std::any_of(z.begin(), z.end(), [](float value) { return std::isfinite(value); });
}

// Steps 1, 2 and 4. Step 3 commutes with step 4: -inf times or over a positive number is -inf.
void ApplyPenalties(const LogitsProcessArgs& args, std::size_t r, std::span<float> z) {
  if (args.count_begin.empty()) return;
  for (std::int32_t i = args.count_begin[r]; i < args.count_begin[r + 1]; ++i) {
    const auto entry = static_cast<std::size_t>(i);
    float& value = z[static_cast<std::size_t>(args.count_ids[entry])];
    value -= args.frequency_penalty[r] * static_cast<float>(args.counts[entry]);
    value -= args.presence_penalty[r];
    const float penalty = args.repetition_penalty[r];
    value = value < 0 ? value * penalty : value / penalty;
  }
}

void ApplyMask(const LogitsProcessArgs& args, std::size_t r, std::span<float> z) {
  if (args.mask_line.empty() || args.mask_line[r] < 0) return;
  const auto line = args.mask.subspan(static_cast<std::size_t>(args.mask_line[r]) *
                                      static_cast<std::size_t>(args.mask_stride));
  for (std::size_t t = 0; t < z.size(); ++t) {
    if (((line[t / 32] >> (t % 32)) & 1u) == 0) z[t] = -INFINITY;
  }
}

void ApplyBans(const LogitsProcessArgs& args, std::size_t r, std::span<float> z) {
  if (args.ban_begin.empty()) return;
  std::vector<float> before(z.begin(), z.end());
  for (std::int32_t i = args.ban_begin[r]; i < args.ban_begin[r + 1]; ++i) {
    z[static_cast<std::size_t>(args.ban_ids[static_cast<std::size_t>(i)])] = -INFINITY;
  }
  if (!HasFinite(z)) std::copy(before.begin(), before.end(), z.begin());
}

void ApplyBias(const LogitsProcessArgs& args, std::size_t r, std::span<float> z) {
  if (args.bias_begin.empty()) return;
  for (std::int32_t i = args.bias_begin[r]; i < args.bias_begin[r + 1]; ++i) {
    const auto entry = static_cast<std::size_t>(i);
    float& value = z[static_cast<std::size_t>(args.bias_ids[entry])];
    if (value != -INFINITY) value += args.bias_values[entry];
  }
}

}  // namespace

void LogitsProcess(const LogitsProcessArgs& args, KernelContext&) {
  const auto width = static_cast<std::size_t>(args.logits.shape[1]);
  for (std::size_t r = 0; r < args.status.size(); ++r) {
    const std::span<float> z(args.logits.row(static_cast<std::int64_t>(r)), width);
    if (std::any_of(z.begin(), z.end(), [](float value) { return std::isnan(value); })) {
      args.status[r] = RowStatus::kNaN;
      continue;
    }
    ApplyPenalties(args, r, z);
    ApplyMask(args, r, z);
    ApplyBans(args, r, z);
    ApplyBias(args, r, z);
    args.status[r] = HasFinite(z) ? RowStatus::kOk : RowStatus::kNoneLeft;
  }
}

}  // namespace sglrun::kernels::ref
