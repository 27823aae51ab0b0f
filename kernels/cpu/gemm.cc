#include "kernels/gemm.h"

#include "kernels/cpu/dot.h"
#include "kernels/cpu/gated_tiles.h"
#include "kernels/cpu/norm_row.h"
#include "kernels/cpu/ops.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

template <class Dot>
struct Job {
  const typename Dot::Lane* weights;
  const typename Dot::X* x;
  std::ptrdiff_t x_stride;
  std::int64_t steps;
};

// The weights of a panel, and what is asked for beside them.
template <class Dot, int kUnits, bool kOnlyReader>
struct PanelWeights {
  const typename Dot::Lane* lanes;
  NextPanel next;
  SGLRUN_INLINE const typename Dot::Lane* operator()(std::int64_t step, int unit) const {
    return lanes + step * kPanelWidth + unit * kLanes;
  }
  SGLRUN_INLINE void Prefetch(std::int64_t step) const {
    if constexpr (kOnlyReader) {
      const char* line = reinterpret_cast<const char*>(lanes + step * kPanelWidth) + kPrefetchAhead;
      for (int unit = 0; unit < kUnits; ++unit) __builtin_prefetch(line + unit * 64);
    } else {
      next.Prefetch(step);
    }
  }
};

template <class Dot, int kRows, bool kOnlyReader>
void Tile(const Job<Dot>& job, const GemmOutput& out, const TileOfPanel& tile) {
  constexpr int kUnits = TileUnits(kRows), kColumns = kUnits * kLanes;
  constexpr std::int64_t kPasses = kPanelWidth / kColumns;
  const std::int64_t panel_lanes = job.steps * kPanelWidth;
  const typename Dot::Lane* lanes = job.weights + tile.panel * panel_lanes;
  for (std::int64_t pass = 0; pass < kPasses; ++pass) {
    const std::int64_t column = pass * kColumns;
    alignas(64) float row_sums[kRows][kColumns];
    PrefetchOutput<kRows, kColumns>(out, tile.row, tile.panel * kPanelWidth + column);
    {
      const NextPanel next(lanes, panel_lanes * 4, job.steps, tile, pass, kPasses);
      Vec sums[kRows][kUnits] = {};
      AddProducts<Dot>(sums, PanelWeights<Dot, kUnits, kOnlyReader>{lanes + column, next},
                       job.x + tile.row * job.x_stride, job.x_stride, job.steps);
      Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
        Unrolled<kUnits>([&](auto u)
                             SGLRUN_LAMBDA_INLINE { Store(row_sums[m] + u * kLanes, sums[m][u]); });
      });
    }
    StoreTile(out, tile.row, tile.panel * kPanelWidth + column, row_sums);
  }
}

// A batch of up to 8 rows uses a taller, narrower tile: it reads the weights once, and they are
// widened once for all of its rows. With more rows the wider tile is faster, which loads fewer
// elements of x per product; with few panels two tiles keep more threads busy.
constexpr int kHighTileRows = kNativeLanes == 16 ? 8 : kTileRows;
static_assert(FitsAnItem(kTileRows) && FitsAnItem(kHighTileRows));

template <class Dot, int kRows = kHighTileRows>
void TileOf(const Job<Dot>& job, const GemmOutput& out, const TileOfPanel& tile) {
  if (tile.rows == kRows) {
    // A high tile computes for as long as memory takes for a panel: it prefetches the next one all
    // the while. Prefetched shortly before their use, the weights would arrive after the products
    // that precede them.
    const bool asks_shortly_before = tile.readers == 1 && kRows <= kTileRows;
    return asks_shortly_before ? Tile<Dot, kRows, true>(job, out, tile)
                               : Tile<Dot, kRows, false>(job, out, tile);
  }
  if constexpr (kRows > 1) TileOf<Dot, kRows - 1>(job, out, tile);
}

// The product, and the activation after it where there is one.
template <class Dot>
void Run(const Job<Dot>& job, const GemmOutput& out, const ActivationArgs* gated,
         ThreadPool& pool) {
  const std::int64_t panels = PanelCount(out.n) / (gated == nullptr ? 1 : 2);
  const bool high = out.m <= kHighTileRows && panels >= pool.threads();
  const int rows = high ? kHighTileRows : kTileRows;
  if (gated != nullptr) {
    return ForEachGatedTile(
        pool, out, rows,
        [&](const TileOfPanel& tile, const GemmOutput& to) { TileOf(job, to, tile); },
        [&](const TileOfPanel& tile, std::int64_t panel, const float* gates, const float* ups) {
          StoreGated(*gated, tile, panel, gates, ups);
        });
  }
  ForEachTile(pool, out, rows, [&](const TileOfPanel& tile) { TileOf(job, out, tile); });
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
Job<Dot> MakeJob(const PackedWeight& weight) {
  return {static_cast<const typename Dot::Lane*>(weight.data.data()), nullptr, 0,
          StepCount(weight.k, weight.dtype)};
}

void Multiply(const GemmArgs& args, const NormArgs* norm, const ActivationArgs* gated,
              KernelContext& context) {
  const PackedWeight& weight = *args.weight;
  ThreadPool& pool = context.pool();
  const std::int64_t m = args.x.shape[0];
  if (weight.dtype == tensor::DType::kF32) {
    Job<F32Dot> job = MakeJob<F32Dot>(weight);
    job.x = static_cast<const float*>(args.x.data);
    job.x_stride = args.x.stride[0];
    if (norm != nullptr) {
      ForRange(pool, m, weight.k, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) NormaliseRow(*norm, r);
      });
    }
    return Run(job, OutputOf(args), gated, pool);
  }
  Job<Bf16Dot> job = MakeJob<Bf16Dot>(weight);
  job.x_stride = job.steps * Bf16Dot::kXPerStep;
  auto* x = static_cast<Bf16Dot::X*>(
      context.Scratch(static_cast<std::size_t>(m * job.x_stride) * sizeof(Bf16Dot::X)));
  job.x = x;
  const std::int64_t cost = norm == nullptr ? weight.k / 2 : weight.k;
  ForRange(pool, m, cost, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      if (norm != nullptr) NormaliseRow(*norm, r);
      ConvertRow(Row(args.x, r), weight.k, x + r * job.x_stride);
    }
  });
  Run(job, OutputOf(args), gated, pool);
}

}  // namespace

void Gemm(const GemmArgs& args, KernelContext& context) {
  Multiply(args, nullptr, nullptr, context);
}

void NormGemm(const NormGemmArgs& args, KernelContext& context) {
  Multiply(args.gemm, &args.norm, nullptr, context);
}

void GateAndUp(const MlpArgs& args, KernelContext& context) {
  Multiply(args.gate_up, &args.norm, &args.activation, context);
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
