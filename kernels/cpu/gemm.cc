#include "kernels/gemm.h"

#include "kernels/cpu/dot.h"
#include "kernels/cpu/gemm_tiles.h"
#include "kernels/cpu/ops.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

template <class Dot>
struct Job {
  const typename Dot::Lane* weights;
  const typename Dot::X* x;
  std::ptrdiff_t x_stride;
  std::int64_t steps;
  GemmOutput out;
};

// Few rows read each weight once, straight from memory: ask for it some steps ahead.
template <class Dot, bool kPrefetch>
struct PanelWeights {
  const typename Dot::Lane* lanes;
  SGLRUN_INLINE const typename Dot::Lane* operator()(std::int64_t step, int unit) const {
    return lanes + step * kPanelWidth + unit * kLanes;
  }
  SGLRUN_INLINE void Prefetch(std::int64_t step) const {
    if constexpr (kPrefetch) {
      constexpr std::int64_t kAhead = 4096;
      const char* line = reinterpret_cast<const char*>(lanes + step * kPanelWidth) + kAhead;
      __builtin_prefetch(line);
      __builtin_prefetch(line + 64);
      __builtin_prefetch(line + 128);
      __builtin_prefetch(line + 192);
    }
  }
};

template <class Dot, int kRows>
void Tile(const Job<Dot>& job, std::int64_t panel, std::int64_t row) {
  constexpr int kUnits = TileUnits(kRows), kColumns = kUnits * kLanes;
  const typename Dot::Lane* lanes = job.weights + panel * job.steps * kPanelWidth;
  for (std::int64_t column = 0; column < kPanelWidth; column += kColumns) {
    alignas(64) float tile[kRows][kColumns];
    {
      Vec sums[kRows][kUnits] = {};
      AddProducts<Dot>(sums, PanelWeights<Dot, (kRows <= 2)>{lanes + column},
                       job.x + row * job.x_stride, job.x_stride, job.steps);
      Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
        Unrolled<kUnits>([&](auto u)
                             SGLRUN_LAMBDA_INLINE { Store(tile[m] + u * kLanes, sums[m][u]); });
      });
    }
    for (int m = 0; m < kRows; ++m) {
      StoreTileRow(job.out, row + m, panel * kPanelWidth + column, kColumns, tile[m]);
    }
  }
}

template <class Dot>
void TileOf(const Job<Dot>& job, std::int64_t panel, std::int64_t row, std::int64_t rows) {
  switch (rows) {
    case 1:
      return Tile<Dot, 1>(job, panel, row);
    case 2:
      return Tile<Dot, 2>(job, panel, row);
    default:
      break;
  }
  if constexpr (kTileRows > 2) {
    switch (rows) {
      case 3:
        return Tile<Dot, 3>(job, panel, row);
      case 4:
        return Tile<Dot, 4>(job, panel, row);
      case 5:
        return Tile<Dot, 5>(job, panel, row);
      case 6:
        return Tile<Dot, 6>(job, panel, row);
      default:
        break;
    }
  }
}

template <class Dot>
void Run(const Job<Dot>& job, ThreadPool& pool) {
  ForEachTile(pool, job.out, kTileRows,
              [&](std::int64_t panel, std::int64_t row, std::int64_t rows) {
                TileOf(job, panel, row, rows);
              });
}

// One row of x as operands, an odd last element paired with a zero.
void ConvertRow(const float* x, std::int64_t k, Bf16Dot::X* to) {
  constexpr int kOperands = kLanes / Bf16Dot::kDepth * Bf16Dot::kXPerStep;
  std::int64_t i = 0;
  for (; i + kLanes <= k; i += kLanes, to += kOperands) Bf16Dot::StoreX(to, Load(x + i));
  if (i == k) return;
  Bf16Dot::X rest[kOperands];
  Bf16Dot::StoreX(rest, LoadPartial(x + i, k - i, 0.0f));
  const std::int64_t used = (k - i + 1) / Bf16Dot::kDepth * Bf16Dot::kXPerStep;
  for (std::int64_t j = 0; j < used; ++j) to[j] = rest[j];
}

template <class Dot>
Job<Dot> MakeJob(const GemmArgs& args) {
  const PackedWeight& weight = *args.weight;
  return {static_cast<const typename Dot::Lane*>(weight.data.data()), nullptr, 0,
          StepCount(weight.k, weight.dtype), OutputOf(args)};
}

}  // namespace

void Gemm(const GemmArgs& args, KernelContext& context) {
  if (args.weight->form().quantized()) return QuantGemm(args, context);
  if (args.weight->dtype == tensor::DType::kF32) {
    Job<F32Dot> job = MakeJob<F32Dot>(args);
    job.x = static_cast<const float*>(args.x.data);
    job.x_stride = args.x.stride[0];
    Run(job, context.pool());
    return;
  }
  Job<Bf16Dot> job = MakeJob<Bf16Dot>(args);
  job.x_stride = job.steps * Bf16Dot::kXPerStep;
  auto* x = static_cast<Bf16Dot::X*>(
      context.Scratch(static_cast<std::size_t>(job.out.m * job.x_stride) * sizeof(Bf16Dot::X)));
  job.x = x;
  ForRange(context.pool(), job.out.m, args.weight->k / 2,
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t r = begin; r < end; ++r) {
               ConvertRow(Row(args.x, r), args.weight->k, x + r * job.x_stride);
             }
           });
  Run(job, context.pool());
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
