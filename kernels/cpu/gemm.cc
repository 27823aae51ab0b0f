#include "kernels/gemm.h"

#include "kernels/cpu/dot.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

// Rows of x that stay in the second-level cache beside a panel: 96 rows of 2048 bf16 are 384 KiB.
constexpr std::int64_t kBlockRows = 96;

template <class Dot>
struct Job {
  const typename Dot::Lane* weights;
  const typename Dot::X* x;
  std::ptrdiff_t x_stride;
  std::int64_t m, n, steps;
  const float* bias;  // or nullptr
  float* y;
  std::ptrdiff_t y_stride;
  bool accumulate;
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

// One row of a tile, [columns] from `sums`, to y. Not inlined: beside it the compiler would keep
// the sums of the product in memory instead of registers.
template <class Dot>
__attribute__((noinline)) void StoreRow(const Job<Dot>& job, std::int64_t row, std::int64_t column,
                                        std::int64_t columns, const float* sums) {
  float* y = job.y + row * job.y_stride + column;
  for (std::int64_t i = 0; i < columns; i += kLanes) {
    const std::int64_t count = job.n - column - i;
    if (count <= 0) return;
    Vec sum = Load(sums + i);
    if (job.bias != nullptr) sum = sum + LoadPartial(job.bias + column + i, count, 0.0f);
    if (job.accumulate) sum = sum + LoadPartial(y + i, count, 0.0f);
    StorePartial(y + i, sum, count);
  }
}

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
      StoreRow(job, row + m, panel * kPanelWidth + column, kColumns, tile[m]);
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

// Work items are (group of tiles, panel), panels innermost. Tiles share the rows evenly: 8 rows are
// 4 + 4, not 6 + 2, because a tile of few rows waits for its weights.
template <class Dot>
void Run(const Job<Dot>& job, ThreadPool& pool) {
  const std::int64_t panels = PanelCount(job.n);
  const std::int64_t tiles = (job.m + kTileRows - 1) / kTileRows;
  if (panels == 0 || tiles == 0) return;
  std::int64_t groups = (job.m + kBlockRows - 1) / kBlockRows;
  // Few panels do not divide evenly among the threads; tiles of the same panel do.
  if (panels < 16 * pool.threads() && groups < pool.threads()) {
    groups = tiles < pool.threads() ? tiles : pool.threads();
  }
  ForEachItem(pool, groups * panels, [&](std::int64_t item) {
    const std::int64_t group = item / panels, panel = item % panels;
    const std::int64_t last = tiles * (group + 1) / groups;
    for (std::int64_t tile = tiles * group / groups; tile < last; ++tile) {
      const std::int64_t row = job.m * tile / tiles;
      TileOf(job, panel, row, job.m * (tile + 1) / tiles - row);
    }
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
  return {static_cast<const typename Dot::Lane*>(weight.data.data()),
          nullptr,
          0,
          args.x.shape[0],
          weight.n,
          StepCount(weight.k, weight.dtype),
          static_cast<const float*>(args.bias.data),
          static_cast<float*>(args.y.data),
          args.y.stride[0],
          args.accumulate};
}

}  // namespace

void Gemm(const GemmArgs& args, KernelContext& context) {
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
      context.Scratch(static_cast<std::size_t>(job.m * job.x_stride) * sizeof(Bf16Dot::X)));
  job.x = x;
  ForRange(context.pool(), job.m, args.weight->k / 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      ConvertRow(Row(args.x, r), args.weight->k, x + r * job.x_stride);
    }
  });
  Run(job, context.pool());
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
