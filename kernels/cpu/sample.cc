#include "kernels/sample.h"

#include "kernels/common/exp2_exact.h"
#include "kernels/common/sample_limits.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/select.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// Weights are summed in blocks, so that a draw over the whole row finds its place without a second
// look at all of it.
constexpr std::int64_t kBlock = 1024;

// Tokens at least this heavy are gathered in the first pass: nearly always the cut lies among them.
constexpr std::uint32_t kCandidateWeight = 1u << 17;  // 2^-14 of the best

// More than any weight: gathers nothing.
constexpr std::uint32_t kNoWeight = 0xFFFFFFFFu;

struct LogitsRow {
  const float* z;
  std::int64_t width;
  const std::uint32_t* sampleable;  // or nullptr
};

// Memory of one thread.
struct Scratch {
  std::uint32_t* weight;            // [V rounded up to kBlock]
  std::uint64_t* block_sum;         // [blocks]
  std::uint32_t* candidate_id;      // [V + kLanes]
  std::uint32_t* candidate_weight;  // [V + kLanes]
  std::uint32_t* selection;         // [V + kLanes]

  static std::int64_t Blocks(std::int64_t width) { return (width + kBlock - 1) / kBlock; }
  static std::int64_t Bytes(std::int64_t width) {
    const std::int64_t blocks = Blocks(width);
    return (4 * (blocks * kBlock + 3 * (width + kLanes)) + 8 * blocks + 5 * 64 + 63) / 64 * 64;
  }
  Scratch(char* memory, std::int64_t width) {
    const auto take = [&memory](std::int64_t bytes) {
      char* taken = memory;
      memory += (bytes + 63) / 64 * 64;
      return taken;
    };
    weight = reinterpret_cast<std::uint32_t*>(take(4 * Blocks(width) * kBlock));
    block_sum = reinterpret_cast<std::uint64_t*>(take(8 * Blocks(width)));
    candidate_id = reinterpret_cast<std::uint32_t*>(take(4 * (width + kLanes)));
    candidate_weight = reinterpret_cast<std::uint32_t*>(take(4 * (width + kLanes)));
    selection = reinterpret_cast<std::uint32_t*>(take(4 * (width + kLanes)));
  }
};

// The logits from i on; what may not be picked reads as -inf.
template <class Count>
SGLRUN_INLINE Vec LoadLogits(const LogitsRow& row, std::int64_t i, Count count) {
  const Vec z = LoadPartial(row.z + i, count, -kInfinity);
  if (row.sampleable == nullptr) return z;
  const unsigned bits = row.sampleable[i / 32] >> (i % 32) & 0xFFFF;
  if (bits == 0xFFFF) return z;
  return Select(MaskFromBits(bits), z, Set(-kInfinity));
}

float MaxLogit(const LogitsRow& row) {
  Vec max[4] = {Set(-kInfinity), Set(-kInfinity), Set(-kInfinity), Set(-kInfinity)};
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= row.width; i += 4 * kLanes) {
    Unrolled<4>([&](auto u) SGLRUN_LAMBDA_INLINE {
      max[u] = Max(LoadLogits(row, i + u * kLanes, Index<kLanes>{}), max[u]);
    });
  }
  for (; i < row.width; i += kLanes) max[0] = Max(LoadLogits(row, i, row.width - i), max[0]);
  return MaxLanes(Max(Max(max[0], max[1]), Max(max[2], max[3])));
}

std::int32_t FirstEqual(const LogitsRow& row, float value) {
  for (std::int64_t i = 0; i < row.width; i += kLanes) {
    const unsigned found = MaskBits(LoadLogits(row, i, row.width - i) == Set(value));
    if (found != 0) return static_cast<std::int32_t>(i + __builtin_ctz(found));
  }
  return -1;
}

// Exp2Exact of kernels/common/exp2_exact.h, line by line.
SGLRUN_INLINE IVec ExactWeights(Vec z, Vec max, Vec scale) {
  const Vec x = Select(z == max, Set(0.0f), (z - max) * scale);
  const IVec counts = x >= Set(kLowestExponent);
  const Vec safe = Select(counts, x, Set(0.0f));
  const Vec n = (safe + Set(kRoundMagic)) - Set(kRoundMagic);
  const Vec f = safe - n;
  Vec p = Set(kExp2C6) * f;
  p = p + Set(kExp2C5);
  p = p * f;
  p = p + Set(kExp2C4);
  p = p * f;
  p = p + Set(kExp2C3);
  p = p * f;
  p = p + Set(kExp2C2);
  p = p * f;
  p = p + Set(kExp2C1);
  p = p * f;
  p = p + Set(1.0f);
  const Vec scaled = p * AsFloat(ShiftLeft(Truncate(n) + SetInt(31 + 127), 23));
  const IVec largest = scaled >= Set(kLargestWeight);
  const IVec weight = Truncate(Select(largest, Set(0.0f), scaled));
  const IVec top = SetInt(static_cast<std::int32_t>(0x80000000u));
  return counts & Select(largest, top, weight);
}

SGLRUN_INLINE std::uint64_t SumInts(IVec value) {
  std::uint32_t lanes[kLanes];
  StoreInt(lanes, value);
  std::uint64_t sum = 0;
  for (int i = 0; i < kLanes; ++i) sum += lanes[i];
  return sum;
}

struct Candidates {
  std::int64_t count = 0;
};

// Appends the lanes of `mask` in order.
SGLRUN_INLINE void Append(unsigned mask, std::int64_t first_id, IVec weight, const Scratch& to,
                          Candidates& found) {
#if defined(__AVX512F__)
  const __m512i ids = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first_id)),
                                       (__m512i)LaneNumbers().part[0]);
  const auto lanes = static_cast<__mmask16>(mask);
  const __m512i weights = _mm512_maskz_compress_epi32(lanes, (__m512i)weight.part[0]);
  _mm512_storeu_si512(to.candidate_id + found.count, _mm512_maskz_compress_epi32(lanes, ids));
  _mm512_storeu_si512(to.candidate_weight + found.count, weights);
  found.count += __builtin_popcount(mask);
#else
  std::uint32_t lanes[kLanes];
  StoreInt(lanes, weight);
  for (; mask != 0; mask &= mask - 1) {
    const int lane = __builtin_ctz(mask);
    to.candidate_id[found.count] = static_cast<std::uint32_t>(first_id + lane);
    to.candidate_weight[found.count] = lanes[lane];
    ++found.count;
  }
#endif
}

// Unsigned comparison of weights up to 2^31 by the sign trick.
SGLRUN_INLINE unsigned AtLeast(IVec weight, std::uint32_t threshold) {
  const IVec flip = SetInt(static_cast<std::int32_t>(0x80000000u));
  const IVec limit = SetInt(static_cast<std::int32_t>(threshold ^ 0x80000000u));
  return MaskBits(~((weight + flip) < limit)) & 0xFFFF;
}

// Weighs the row and gathers what weighs at least `threshold`; returns the total.
std::uint64_t Weigh(const LogitsRow& row, float max, float scale, std::uint32_t threshold,
                    const Scratch& scratch, Candidates& found) {
  std::uint64_t total = 0;
  for (std::int64_t begin = 0; begin < row.width; begin += kBlock) {
    const std::int64_t end = row.width - begin < kBlock ? row.width : begin + kBlock;
    // Halves of the weights, so that 64 of them fit a 32-bit lane.
    IVec low = SetInt(0), high = SetInt(0);
    ForEachVector(end - begin, [&](std::int64_t offset, auto count) SGLRUN_LAMBDA_INLINE {
      const std::int64_t i = begin + offset;
      const IVec weight = ExactWeights(LoadLogits(row, i, count), Set(max), Set(scale));
      StoreInt(scratch.weight + i, weight);
      low = low + (weight & SetInt(0xFFFF));
      high = high + ShiftRight(weight, 16);
      const unsigned heavy = AtLeast(weight, threshold);
      if (heavy != 0) Append(heavy, i, weight, scratch, found);
    });
    const std::uint64_t sum = SumInts(low) + (SumInts(high) << 16);
    scratch.block_sum[begin / kBlock] = sum;
    total += sum;
  }
  return total;
}

// Gathers again with a lower threshold, for rows so flat that the cut lies further down.
void Gather(std::int64_t width, std::uint32_t threshold, const Scratch& scratch,
            Candidates& found) {
  found = {};
  for (std::int64_t i = 0; i < width; i += kLanes) {
    const IVec weight = LoadInt(scratch.weight + i);
    const unsigned heavy = AtLeast(weight, threshold);
    if (heavy != 0) Append(heavy, i, weight, scratch, found);
  }
}

std::uint64_t MassOf(const Candidates& found, const Scratch& scratch) {
  std::uint64_t mass = 0;
  for (std::int64_t i = 0; i < found.count; ++i) mass += scratch.candidate_weight[i];
  return mass;
}

std::int32_t DrawFromRow(std::int64_t width, std::uint64_t draw, const Scratch& scratch) {
  std::int64_t block = 0;
  while (draw >= scratch.block_sum[block]) draw -= scratch.block_sum[block++];
  std::int64_t id = block * kBlock;
  while (id < width && draw >= scratch.weight[id]) draw -= scratch.weight[id++];
  return static_cast<std::int32_t>(id);
}

// Of the tokens that weigh as much as the cut, those above `logit` are kept, and the first `equals`
// of those that have it.
struct Ties {
  float logit;
  std::int64_t equals;
};

Ties FindTies(const LogitsRow& row, const Candidates& found, const Cut& cut,
              const Scratch& scratch) {
  if (cut.ties <= 0) return {kInfinity, 0};
  float* logits = reinterpret_cast<float*>(scratch.selection);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < found.count; ++i) {
    if (scratch.candidate_weight[i] == cut.weight) logits[count++] = row.z[scratch.candidate_id[i]];
  }
  if (cut.ties >= count) return {-kInfinity, count};
  Ties ties{KthLargest(logits, count, cut.ties), cut.ties};
  for (std::int64_t i = 0; i < count; ++i) ties.equals -= logits[i] > ties.logit;
  return ties;
}

std::int32_t DrawFromCandidates(const LogitsRow& row, const Candidates& found, const Cut& cut,
                                std::uint64_t draw, const Scratch& scratch) {
  Ties ties = FindTies(row, found, cut, scratch);
  for (std::int64_t i = 0; i < found.count; ++i) {
    const std::uint32_t weight = scratch.candidate_weight[i];
    if (weight < cut.weight) continue;
    if (weight == cut.weight) {
      const float logit = row.z[scratch.candidate_id[i]];
      const bool kept = logit > ties.logit || (logit == ties.logit && ties.equals-- > 0);
      if (!kept) continue;
    }
    if (draw < weight) return static_cast<std::int32_t>(scratch.candidate_id[i]);
    draw -= weight;
  }
  return -1;
}

std::int32_t SampleRow(const SampleArgs& args, std::int64_t r, const Scratch& scratch) {
  const LogitsRow row{Row(args.logits, r), args.logits.shape[1],
                      args.sampleable.empty() ? nullptr : args.sampleable.data()};
  const float max = MaxLogit(row);
  if (max == -kInfinity) return -1;
  const std::int64_t top_k = args.top_k.data()[r];
  if (top_k == 1) return FirstEqual(row, max);
  const double top_p = args.top_p.data()[r];
  const std::uint32_t lightest = MinPWeight(args.min_p.data()[r]);
  const bool unfiltered = top_k >= row.width && top_p >= 1.0 && lightest == 1;
  const std::uint32_t threshold = unfiltered                    ? kNoWeight
                                  : lightest > kCandidateWeight ? lightest
                                                                : kCandidateWeight;
  Candidates found;
  const std::uint64_t total =
      Weigh(row, max, ExponentScale(args.temperature.data()[r]), threshold, scratch, found);
  const std::uint64_t random = args.random.data()[r];
  if (unfiltered) return DrawFromRow(row.width, ScaleDraw(random, total), scratch);
  const std::uint64_t limit = TopPLimit(top_p, total);
  const bool holds_cut =
      threshold == lightest || found.count >= top_k || MassOf(found, scratch) > limit;
  if (!holds_cut) Gather(row.width, lightest, scratch, found);
  const Cut cut = FindCut(scratch.candidate_weight, found.count, top_k, limit, scratch.selection);
  return DrawFromCandidates(row, found, cut, ScaleDraw(random, cut.mass), scratch);
}

}  // namespace

void Sample(const SampleArgs& args, KernelContext& context) {
  const std::int64_t width = args.logits.shape[1], rows = args.logits.shape[0];
  ForEachRow<Scratch>(context, rows, width, args.active,
                      [&](std::int64_t r, const Scratch& scratch) {
                        args.tokens.data()[r] = SampleRow(args, r, scratch);
                      });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
