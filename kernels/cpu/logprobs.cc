#include "kernels/logprobs.h"

#include "kernels/cpu/exp.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/select.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

constexpr float kLowest = -3.4028234663852886e38f;

// Number of ids after which the float32 lanes are added to the float64 sum: 16 additions per lane
// keep the rounding error of equal terms, which all round the same way, below 5e-7.
constexpr std::int64_t kSumBlock = 256;

// Ids a maximum is taken over when the n best are looked for.
constexpr std::int64_t kMaxBlock = 64;

SGLRUN_INLINE float MaxOf(const float* z, std::int64_t count) {
  Vec max = Set(-kInfinity);
  ForEachVector(count, [&](std::int64_t i, auto left) SGLRUN_LAMBDA_INLINE {
    max = Max(LoadPartial(z + i, left, -kInfinity), max);
  });
  return MaxLanes(max);
}

// The maxima of blocks of kMaxBlock ids, and their maximum.
float BlockMaxima(const float* z, std::int64_t width, float* maxima) {
  float max = -kInfinity;
  for (std::int64_t begin = 0; begin < width; begin += kMaxBlock) {
    const float block = width - begin >= kMaxBlock ? MaxOf(z + begin, Index<kMaxBlock>{})
                                                   : MaxOf(z + begin, width - begin);
    maxima[begin / kMaxBlock] = block;
    max = block > max ? block : max;
  }
  return max;
}

double SumOfExp(const float* z, std::int64_t width, float max, float inverse_temperature) {
  double total = 0;
  for (std::int64_t begin = 0; begin < width; begin += kSumBlock) {
    Vec sum = Set(0.0f);
    const auto add = [&](std::int64_t i, auto count) SGLRUN_LAMBDA_INLINE {
      const Vec value = LoadPartial(z + begin + i, count, -kInfinity);
      sum = sum + Exp((value - Set(max)) * Set(inverse_temperature));
    };
    if (width - begin >= kSumBlock) {
      ForEachVector(kSumBlock, add);
    } else {
      ForEachVector(width - begin, add);
    }
    total += static_cast<double>(SumLanes(sum));
  }
  return total;
}

struct RowLogprobs {
  const float* z;
  double max;
  double temperature;
  double log_sum;

  // A row of nothing but -inf has no distribution: every entry is the lowest number.
  float operator()(std::int32_t id) const {
    if (max == -static_cast<double>(kInfinity)) return kLowest;
    const double value = (static_cast<double>(z[id]) - max) / temperature - log_sum;
    return value < static_cast<double>(kLowest) ? kLowest : static_cast<float>(value);
  }
};

// Ascending keys: logit descending, then id ascending. Adding 0 makes -0 and 0 equal.
SGLRUN_INLINE std::uint64_t KeyOf(float z, std::int64_t id) {
  const float value = z + 0.0f;
  std::uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const std::uint32_t ascending = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  return static_cast<std::uint64_t>(~ascending) << 32 | static_cast<std::uint64_t>(id);
}

// A logit that at least n entries reach: the n-th largest of the maxima of blocks.
float LowerBound(std::int64_t width, std::int64_t n, float* maxima) {
  const std::int64_t blocks = (width + kMaxBlock - 1) / kMaxBlock;
  return n > blocks ? -kInfinity : KthLargest(maxima, blocks, n);
}

std::int64_t CollectFrom(const float* z, std::int64_t width, float bound, std::uint64_t* keys) {
  std::int64_t count = 0;
  ForEachVector(width, [&](std::int64_t i, auto left) SGLRUN_LAMBDA_INLINE {
    unsigned found = MaskBits(LoadPartial(z + i, left, -kInfinity) >= Set(bound));
    for (; found != 0; found &= found - 1) {
      const std::int64_t id = i + __builtin_ctz(found);
      if (id < width) keys[count++] = KeyOf(z[id], id);
    }
  });
  return count;
}

struct Scratch {
  std::uint64_t* keys;  // [V]
  float* maxima;        // [blocks]
  static std::int64_t Bytes(std::int64_t width) {
    return (8 * width + 4 * (width / kMaxBlock + 1) + 63) / 64 * 64;
  }
  Scratch(char* memory, std::int64_t width)
      : keys(reinterpret_cast<std::uint64_t*>(memory)),
        maxima(reinterpret_cast<float*>(memory + 8 * width)) {}
};

void TopTokens(const LogprobsArgs& args, std::int64_t r, const RowLogprobs& logprobs,
               const Scratch& scratch) {
  const std::int32_t begin = args.top_begin.data()[r];
  const std::int64_t n = args.top_begin.data()[r + 1] - begin;
  const std::int64_t width = args.logits.shape[1];
  if (n == 0) return;
  const float bound = LowerBound(width, n, scratch.maxima);
  std::int64_t count = CollectFrom(logprobs.z, width, bound, scratch.keys);
  if (count < n) {  // entries that are NaN reach no bound
    for (count = 0; count < width; ++count) scratch.keys[count] = KeyOf(logprobs.z[count], count);
  }
  SmallestFirst(scratch.keys, count, n);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto id = static_cast<std::int32_t>(scratch.keys[i] & 0xFFFFFFFFu);
    args.top_ids.data()[begin + i] = id;
    args.top_logprobs.data()[begin + i] = logprobs(id);
  }
}

void RowOf(const LogprobsArgs& args, std::int64_t r, const Scratch& scratch) {
  const float* z = Row(args.logits, r);
  const std::int64_t width = args.logits.shape[1];
  const float temperature = args.temperature.data()[r];
  const float max = BlockMaxima(z, width, scratch.maxima);
  const double sum = SumOfExp(z, width, max, 1.0f / temperature);
  const RowLogprobs logprobs{z, static_cast<double>(max), static_cast<double>(temperature),
                             Log(sum)};
  if (!args.ask_begin.empty()) {
    for (std::int32_t i = args.ask_begin.data()[r]; i < args.ask_begin.data()[r + 1]; ++i) {
      args.ask_logprobs.data()[i] = logprobs(args.ask_ids.data()[i]);
    }
  }
  if (!args.top_begin.empty()) TopTokens(args, r, logprobs, scratch);
}

}  // namespace

void Logprobs(const LogprobsArgs& args, KernelContext& context) {
  const std::int64_t width = args.logits.shape[1], rows = args.logits.shape[0];
  ForEachRow<Scratch>(context, rows, width, args.active,
                      [&](std::int64_t r, const Scratch& scratch) { RowOf(args, r, scratch); });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
