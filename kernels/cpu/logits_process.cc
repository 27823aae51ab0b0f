#include "kernels/logits_process.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

bool HoldsNaN(const float* z, std::int64_t width) {
  IVec found = SetInt(0);
  ForEachVector(width, [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
    const Vec value = LoadPartial(z + i, count, 0.0f);
    found = found | (value != value);
  });
  return MaskBits(found) != 0;
}

// Stops at the first one, which is near the start unless a mask bans nearly everything.
bool HoldsFinite(const float* z, std::int64_t width) {
  for (std::int64_t i = 0; i < width; i += kLanes) {
    const Vec value = LoadPartial(z + i, width - i, -kInfinity);
    const Vec magnitude = AsFloat(AsInt(value) & SetInt(0x7FFFFFFF));
    if (MaskBits(magnitude < Set(kInfinity)) != 0) return true;
  }
  return false;
}

// Steps 1, 2 and 4. Step 3 commutes with step 4: -inf times or over a positive number is -inf.
void ApplyPenalties(const LogitsProcessArgs& args, std::int64_t r, float* z) {
  if (args.count_begin.empty()) return;
  const float frequency = args.frequency_penalty.data()[r];
  const float presence = args.presence_penalty.data()[r];
  const float repetition = args.repetition_penalty.data()[r];
  const std::int32_t end = args.count_begin.data()[r + 1];
  for (std::int32_t i = args.count_begin.data()[r]; i < end; ++i) {
    float& value = z[args.count_ids.data()[i]];
    value -= frequency * static_cast<float>(args.counts.data()[i]);
    value -= presence;
    value = value < 0 ? value * repetition : value / repetition;
  }
}

void ApplyMask(const LogitsProcessArgs& args, std::int64_t r, float* z, std::int64_t width) {
  if (args.mask_line.empty() || args.mask_line.data()[r] < 0) return;
  const std::uint32_t* words = args.mask.data() + args.mask_line.data()[r] * args.mask_stride;
  for (std::int64_t i = 0; i < width; i += kLanes) {
    const unsigned bits = words[i / 32] >> (i % 32) & 0xFFFF;
    if (bits == 0xFFFF) continue;
    const Vec value = LoadPartial(z + i, width - i, 0.0f);
    StorePartial(z + i, Select(MaskFromBits(bits), value, Set(-kInfinity)), width - i);
  }
}

// Step 3, undone if it leaves nothing. Restoring backwards is right even if an id is named twice.
void ApplyBans(const LogitsProcessArgs& args, std::int64_t r, float* z, std::int64_t width,
               float* saved) {
  if (args.ban_begin.empty()) return;
  const std::int32_t begin = args.ban_begin.data()[r], end = args.ban_begin.data()[r + 1];
  if (begin == end) return;
  for (std::int32_t i = begin; i < end; ++i) {
    float& value = z[args.ban_ids.data()[i]];
    saved[i] = value;
    value = -kInfinity;
  }
  if (HoldsFinite(z, width)) return;
  for (std::int32_t i = end; i-- > begin;) z[args.ban_ids.data()[i]] = saved[i];
}

void ApplyBias(const LogitsProcessArgs& args, std::int64_t r, float* z) {
  if (args.bias_begin.empty()) return;
  const std::int32_t end = args.bias_begin.data()[r + 1];
  for (std::int32_t i = args.bias_begin.data()[r]; i < end; ++i) {
    float& value = z[args.bias_ids.data()[i]];
    if (value != -kInfinity) value += args.bias_values.data()[i];
  }
}

}  // namespace

void LogitsProcess(const LogitsProcessArgs& args, KernelContext& context) {
  const std::int64_t width = args.logits.shape[1];
  // One entry for each entry of the flat ban list: rows do not share any.
  auto* saved = static_cast<float*>(context.Scratch(args.ban_ids.size() * sizeof(float)));
  ForEachItem(context.pool(), args.logits.shape[0], [&](std::int64_t r) {
    float* z = Row(args.logits, r);
    RowStatus& status = args.status.data()[r];
    if (HoldsNaN(z, width)) {
      status = RowStatus::kNaN;
      return;
    }
    ApplyPenalties(args, r, z);
    ApplyMask(args, r, z, width);
    ApplyBans(args, r, z, width, saved);
    ApplyBias(args, r, z);
    status = HoldsFinite(z, width) ? RowStatus::kOk : RowStatus::kNoneLeft;
  });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
