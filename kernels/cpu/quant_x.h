// What the products with quantised weights share: rows of x rounded to integers, and scales.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/quantize.h"
#include "kernels/cpu/norm_row.h"
#include "kernels/cpu/quant_dot.h"
#include "kernels/cpu/quant_panels.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// One group of one row of x.
struct GroupOfX {
  float scale;
  float scaled_sum;    // scale * sum of the integers
  std::int32_t start;  // -zero * sum of the integers: corrects the offset of the codes
};

// The rows of x, by its groups: integers as words in the order of a product's steps, and facts.
struct QuantX {
  std::int32_t* words;
  std::ptrdiff_t words_row, words_group;  // words from a row, a group to the next
  GroupOfX* facts;
  std::ptrdiff_t facts_row, facts_group;

  // `words` of scratch memory, then the facts.
  static SGLRUN_INLINE std::size_t Bytes(std::int64_t words, std::int64_t facts) {
    return static_cast<std::size_t>(words * 4 +
                                    facts * static_cast<std::int64_t>(sizeof(GroupOfX)));
  }
};

// One group as integers. Words::Store(to, lanes) stores sixteen integers as sixteen divided by
// kQuantStep times Words::kPerStep words.
template <class Words, int kVectors>
SGLRUN_INLINE void RoundGroup(const QuantFloats (&group)[kVectors], std::int32_t zero,
                              std::int32_t* words, GroupOfX* facts) {
  QuantInts codes[kVectors];
  const float scale = RoundActivations(group, codes);
  IVec total = SetInt(0);
  for (int v = 0; v < kVectors; ++v) {
    const IVec lanes = __builtin_bit_cast(IVec, codes[v]);
    total = total + lanes;
    Words::Store(words + v * (kQuantLanes / kQuantStep * Words::kPerStep), lanes);
  }
  const std::int32_t sum = SumLanes(total);
  *facts = {scale, scale * static_cast<float>(sum), -zero * sum};
}

// One row of x, its last group padded with zeros.
template <class Words, int kVectors>
void RoundRow(const float* x, std::int64_t k, std::int32_t zero, std::int64_t r, const QuantX& to) {
  constexpr std::int64_t kSize = kVectors * kQuantLanes;
  std::int32_t* words = to.words + r * to.words_row;
  GroupOfX* facts = to.facts + r * to.facts_row;
  for (std::int64_t i = 0; i < k; i += kSize, words += to.words_group, facts += to.facts_group) {
    QuantFloats group[kVectors];
    if (k - i >= kSize) {
      __builtin_memcpy(&group, x + i, sizeof group);
    } else {
      float padded[kSize] = {};
      for (std::int64_t j = 0; j < k - i; ++j) padded[j] = x[i + j];
      __builtin_memcpy(&group, padded, sizeof group);
    }
    RoundGroup<Words>(group, zero, words, facts);
  }
}

// The rows of x, those of a norm once it is done.
template <class Words>
SGLRUN_INLINE void RoundRows(const GemmArgs& args, const QuantX& to, ThreadPool& pool,
                             const NormArgs* norm = nullptr) {
  const WeightForm form = args.weight->form();
  const std::int64_t k = args.weight->k;
  const auto round = form.quant.group == 64   ? RoundRow<Words, 4>
                     : form.quant.group == 32 ? RoundRow<Words, 2>
                                              : RoundRow<Words, 1>;
  ForRange(pool, args.x.shape[0], k, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      if (norm != nullptr) NormaliseRow(*norm, r);
      round(Row(args.x, r), k, form.zero(), r, to);
    }
  });
}

SGLRUN_INLINE Vec LoadScales(const std::uint8_t* scales, std::int64_t first, bool wide) {
  if (!wide) return LoadHalves(scales + 2 * first);
  return Load(reinterpret_cast<const float*>(scales + 4 * first));
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
