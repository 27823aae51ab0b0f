#include "kernels/rope.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// Pairs that are rotated per lookup in the table; bounds the buffer below.
constexpr std::int64_t kPairs = 64;

void Rotate(float* a, float* b, const float* cos, const float* sin, std::int64_t count) {
  ForEachVector(count, [&](std::int64_t i, auto left) SGLRUN_LAMBDA_INLINE {
    const Vec x = LoadPartial(a + i, left, 0.0f), y = LoadPartial(b + i, left, 0.0f);
    const Vec c = LoadPartial(cos + i, left, 0.0f), s = LoadPartial(sin + i, left, 0.0f);
    StorePartial(a + i, x * c - y * s, left);
    StorePartial(b + i, y * c + x * s, left);
  });
}

// Pairs [begin, begin + count) of all heads of one token.
void RotateHeads(const RopeArgs& args, std::int64_t t, std::int64_t begin, std::int64_t count) {
  const std::int64_t half = args.cos_table.shape[1];
  const std::int32_t* positions = args.positions.data() + t * args.positions_per_token;
  const float* cos = Row(args.cos_table, positions[0]) + begin;
  const float* sin = Row(args.sin_table, positions[0]) + begin;
  float mixed_cos[kPairs], mixed_sin[kPairs];
  if (!args.axis.empty()) {
    const std::uint8_t* axis = args.axis.data() + begin;
    for (std::int64_t i = 0; i < count; ++i) {
      mixed_cos[i] = Row(args.cos_table, positions[axis[i]])[begin + i];
      mixed_sin[i] = Row(args.sin_table, positions[axis[i]])[begin + i];
    }
    cos = mixed_cos;
    sin = mixed_sin;
  }
  for (std::int64_t h = 0; h < args.heads; ++h) {
    float* x = Row(args.x, t) + h * args.head_dim + begin;
    Rotate(x, x + half, cos, sin, count);
  }
}

}  // namespace

void Rope(const RopeArgs& args, KernelContext& context) {
  const std::int64_t half = args.cos_table.shape[1];
  ForRange(context.pool(), args.x.shape[0], args.heads * args.head_dim,
           [&](std::int64_t first, std::int64_t last) {
             for (std::int64_t t = first; t < last; ++t) {
               for (std::int64_t begin = 0; begin < half; begin += kPairs) {
                 RotateHeads(args, t, begin, half - begin < kPairs ? half - begin : kPairs);
               }
             }
           });
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
