// gemm with quantised weights: exact integer sums inside a group, one float32 step a group for its
// scales. groups of a row never mix before that step, and groups follow in ascending order,
// which makes a row's bits independent of the tile it lies in.
#include "kernels/cpu/gated_tiles.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/quant_x.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

struct QuantJob {
  const std::uint8_t* weights;
  QuantPanel panel;
  bool wide_scales, minima;
  const std::int32_t* x;  // words, see quant_dot.h
  std::ptrdiff_t x_stride;
  const GroupOfX* groups;
  std::ptrdiff_t groups_stride;
};

// The integers of a tile lie in registers, its float sums in memory, where a group visits them
// once: so a tile is high enough for the weights to come from the second-level cache in time.
#if defined(__AVX512VNNI__)
constexpr int kQuantTileRows = 6;
#else
constexpr int kQuantTileRows = kNativeLanes == 16 ? 3 : kNativeLanes == 8 ? 4 : 1;
#endif
static_assert(FitsAnItem(kQuantTileRows));
constexpr int kQuantTileUnits = kNativeLanes == 16 ? 4 : 1;

// Steps whose codes share a stretch of kQuantStepBytes.
template <int kBits>
constexpr int kStepsAtOnce = kBits == 4 ? 2 : 1;

template <int kBits, int kSteps, bool kOnlyReader, int kRows, int kUnits>
SGLRUN_INLINE void AddGroup(const std::uint8_t* codes, const NextPanel& next, const std::int32_t* x,
                            std::ptrdiff_t x_stride, IVec (&products)[kRows][kUnits]) {
  for (int step = 0; step < kSteps; step += kStepsAtOnce<kBits>, codes += kQuantStepBytes) {
    if constexpr (kOnlyReader) {
      for (int unit = 0; unit < kUnits; ++unit) {
        __builtin_prefetch(codes + kPrefetchAhead + unit * 64);
      }
    } else {
      next.Prefetch(step / kStepsAtOnce<kBits>);
    }
    IVec stored[kUnits];
    Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE { stored[u] = LoadInt(codes + u * 64); });
    Unrolled<kStepsAtOnce<kBits>>([&](auto part) SGLRUN_LAMBDA_INLINE {
      IVec w[kUnits];
      Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
        if constexpr (kBits == 8) {
          w[u] = stored[u];
        } else {
          w[u] = (part == 0 ? stored[u] : ShiftRight(stored[u], 4)) & SetInt(0x0F0F0F0F);
        }
      });
      Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
        IVec operand[kQuantWords];
        Unrolled<kQuantWords>([&](auto word) SGLRUN_LAMBDA_INLINE {
          operand[word] = SetInt(x[m * x_stride + (step + part) * kQuantWords + word]);
        });
        Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
          products[m][u] = QuantStep(products[m][u], w[u], operand);
        });
      });
    });
  }
}

template <int kBits, int kSteps, int kRows, bool kOnlyReader>
void QuantTile(const QuantJob& job, const GemmOutput& out, const TileOfPanel& tile) {
  constexpr int kUnits = kQuantTileUnits, kColumns = kUnits * kLanes;
  constexpr std::int64_t kPasses = kPanelWidth / kColumns;
  constexpr std::int64_t kStretches = kSteps / kStepsAtOnce<kBits>;  // of a group
  for (std::int64_t pass = 0; pass < kPasses; ++pass) {
    const std::int64_t column = pass * kColumns;
    alignas(64) float sums[kRows][kColumns] = {};
    PrefetchOutput<kRows, kColumns>(out, tile.row, tile.panel * kPanelWidth + column);
    const std::uint8_t* group = job.weights + tile.panel * job.panel.bytes();
    const std::int32_t* x = job.x + tile.row * job.x_stride;
    const GroupOfX* facts = job.groups + tile.row * job.groups_stride;
    NextPanel next(group, job.panel.bytes(), job.panel.groups * kStretches, tile, pass, kPasses);
    for (std::int64_t g = 0; g < job.panel.groups; ++g, ++facts) {
      IVec products[kRows][kUnits];
      Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
        Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
          products[m][u] = SetInt(facts[m * job.groups_stride].start);
        });
      });
      AddGroup<kBits, kSteps, kOnlyReader>(group + job.panel.codes + column * kQuantStep, next, x,
                                           job.x_stride, products);
      const int first = static_cast<int>(column);
      Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
        const Vec scale = LoadScales(group, first + u * kLanes, job.wide_scales);
        Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
          float* sum = sums[m] + u * kLanes;
          Store(sum, Fma(ToFloat(products[m][u]) * scale, Set(facts[m * job.groups_stride].scale),
                         Load(sum)));
        });
      });
      if (job.minima) {
        Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
          const Vec minimum =
              LoadScales(group + job.panel.minima, first + u * kLanes, job.wide_scales);
          Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
            float* sum = sums[m] + u * kLanes;
            Store(sum, Fma(minimum, Set(facts[m * job.groups_stride].scaled_sum), Load(sum)));
          });
        });
      }
      group += job.panel.group_bytes;
      next.from += kStretches * next.advance;
      x += kSteps * kQuantWords;
    }
    StoreTile(out, tile.row, tile.panel * kPanelWidth + column, sums);
  }
}

template <int kBits, int kSteps, int kRows = kQuantTileRows>
void QuantTileOf(const QuantJob& job, const GemmOutput& out, const TileOfPanel& tile) {
  if (tile.rows == kRows) {
    return tile.readers == 1 ? QuantTile<kBits, kSteps, kRows, true>(job, out, tile)
                             : QuantTile<kBits, kSteps, kRows, false>(job, out, tile);
  }
  if constexpr (kRows > 1) QuantTileOf<kBits, kSteps, kRows - 1>(job, out, tile);
}

struct DotWords {
  static constexpr int kPerStep = kQuantWords;
  static SGLRUN_INLINE void Store(std::int32_t* words, IVec codes) {
    StoreQuantSteps(words, codes);
  }
};

// Where the outputs of the activation go: to its y, or rounded, for the product that comes next. A
// panel of them is a group of its x.
struct GatedOutput {
  ActivationArgs activation;
  const QuantX* rounded = nullptr;
  std::int32_t zero = 0;  // of the next product's weights
};

void StoreGated(const GatedOutput& to, const TileOfPanel& tile, std::int64_t panel,
                const float* gates, float* ups) {
  if (to.rounded == nullptr) return StoreGated(to.activation, tile, panel, gates, ups);
  GateTile(to.activation, gates, ups, tile.rows, ups, kPanelWidth);
  const QuantX& x = *to.rounded;
  for (std::int64_t m = 0; m < tile.rows; ++m, ups += kPanelWidth) {
    QuantFloats group[kPanelWidth / kQuantLanes];
    __builtin_memcpy(&group, ups, sizeof group);
    const std::int64_t row = tile.row + m;
    RoundGroup<DotWords>(group, to.zero, x.words + row * x.words_row + panel * x.words_group,
                         x.facts + row * x.facts_row + panel * x.facts_group);
  }
}

// The product, and the activation after it where there is one.
template <int kBits, int kSteps>
void RunQuant(const QuantJob& job, const GemmOutput& out, const GatedOutput* gated,
              ThreadPool& pool) {
  if (gated != nullptr) {
    return ForEachGatedTile(
        pool, out, kQuantTileRows,
        [&](const TileOfPanel& tile, const GemmOutput& to) {
          QuantTileOf<kBits, kSteps>(job, to, tile);
        },
        [&](const TileOfPanel& tile, std::int64_t panel, const float* gates, float* ups) {
          StoreGated(*gated, tile, panel, gates, ups);
        });
  }
  ForEachTile(pool, out, kQuantTileRows,
              [&](const TileOfPanel& tile) { QuantTileOf<kBits, kSteps>(job, out, tile); });
}

// The integers of m rows of x in memory that is `Bytes` long.
struct RoundedX {
  std::int64_t m, groups, group_words;

  RoundedX(const PackedWeight& weight, std::int64_t rows)
      : m(rows),
        groups(weight.form().Groups(weight.k)),
        group_words(weight.quant.group / kQuantStep * kQuantWords) {}
  std::size_t Bytes() const { return QuantX::Bytes(m * groups * group_words, m * groups); }
  QuantX In(char* memory) const {
    const std::int64_t row_words = groups * group_words;
    return {reinterpret_cast<std::int32_t*>(memory),
            row_words,
            group_words,
            reinterpret_cast<GroupOfX*>(memory + m * row_words * 4),
            groups,
            1};
  }
};

void MultiplyRounded(const GemmArgs& args, const QuantX& x, const GatedOutput* gated,
                     ThreadPool& pool) {
  const PackedWeight& weight = *args.weight;
  const WeightForm form = weight.form();
  const QuantJob job = {static_cast<const std::uint8_t*>(weight.data.data()),
                        QuantPanelOf(weight.k, form),
                        form.quant.wide_scales,
                        form.quant.minima,
                        x.words,
                        x.words_row,
                        x.facts,
                        x.facts_row};
  const GemmOutput out = OutputOf(args);
  if (form.quant.group == 64) return RunQuant<8, 16>(job, out, gated, pool);
  const bool small_groups = form.quant.group == 16;
  if (form.dtype == tensor::DType::kI8) {
    return small_groups ? RunQuant<8, 4>(job, out, gated, pool)
                        : RunQuant<8, 8>(job, out, gated, pool);
  }
  return small_groups ? RunQuant<4, 4>(job, out, gated, pool)
                      : RunQuant<4, 8>(job, out, gated, pool);
}

void MultiplyQuant(const GemmArgs& args, const NormArgs* norm, const GatedOutput* gated,
                   KernelContext& context) {
  const RoundedX rounded(*args.weight, args.x.shape[0]);
  const QuantX x = rounded.In(static_cast<char*>(context.Scratch(rounded.Bytes())));
  RoundRows<DotWords>(args, x, context.pool(), norm);
  MultiplyRounded(args, x, gated, context.pool());
}

}  // namespace

void QuantGemm(const GemmArgs& args, KernelContext& context) {
  MultiplyQuant(args, nullptr, nullptr, context);
}

void NormQuantGemm(const NormGemmArgs& args, KernelContext& context) {
  MultiplyQuant(args.gemm, &args.norm, nullptr, context);
}

void QuantGateAndUp(const MlpArgs& args, KernelContext& context) {
  const GatedOutput gated{.activation = args.activation};
  MultiplyQuant(args.gate_up, &args.norm, &gated, context);
}

void QuantMlp(const MlpArgs& args, KernelContext& context) {
  const std::int64_t m = args.gate_up.x.shape[0];
  const RoundedX wide(*args.gate_up.weight, m), inner(*args.down.weight, m);
  char* scratch = static_cast<char*>(context.Scratch(wide.Bytes() + inner.Bytes()));
  const QuantX x = wide.In(scratch), inner_x = inner.In(scratch + wide.Bytes());
  RoundRows<DotWords>(args.gate_up, x, context.pool(), &args.norm);
  const GatedOutput gated{
      .activation = args.activation, .rounded = &inner_x, .zero = args.down.weight->form().zero()};
  MultiplyRounded(args.gate_up, x, &gated, context.pool());
  MultiplyRounded(args.down, inner_x, nullptr, context.pool());
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
