// Sixteen rows of sixteen four-byte elements turned in registers, for packing: one row at a time
// visits a line of the panel for each four bytes.
#pragma once

#include "kernels/cpu/vec.h"

#if defined(__AVX512BW__)

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// store(step, outputs): element `step` of all rows.
template <class Store>
SGLRUN_INLINE void TurnRows(const __m512i (&rows)[16], const Store& store) {
  __m512i pairs[16], fours[16];
  Unrolled<8>([&](auto i) SGLRUN_LAMBDA_INLINE {
    pairs[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
    pairs[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
  });
  // Of rows 4 g to 4 g + 3, fours[4 g + c] holds step 4 q + c in its quarter q.
  Unrolled<8>([&](auto i) SGLRUN_LAMBDA_INLINE {
    constexpr int kFirst = i / 2 * 4 + i % 2;
    fours[i / 2 * 4 + i % 2 * 2] = _mm512_unpacklo_epi64(pairs[kFirst], pairs[kFirst + 2]);
    fours[i / 2 * 4 + i % 2 * 2 + 1] = _mm512_unpackhi_epi64(pairs[kFirst], pairs[kFirst + 2]);
  });
  Unrolled<4>([&](auto c) SGLRUN_LAMBDA_INLINE {
    const __m512i even_low = _mm512_shuffle_i32x4(fours[c], fours[4 + c], 0x88);
    const __m512i even_high = _mm512_shuffle_i32x4(fours[8 + c], fours[12 + c], 0x88);
    const __m512i odd_low = _mm512_shuffle_i32x4(fours[c], fours[4 + c], 0xDD);
    const __m512i odd_high = _mm512_shuffle_i32x4(fours[8 + c], fours[12 + c], 0xDD);
    store(c, _mm512_shuffle_i32x4(even_low, even_high, 0x88));
    store(4 + c, _mm512_shuffle_i32x4(odd_low, odd_high, 0x88));
    store(8 + c, _mm512_shuffle_i32x4(even_low, even_high, 0xDD));
    store(12 + c, _mm512_shuffle_i32x4(odd_low, odd_high, 0xDD));
  });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA

#endif
