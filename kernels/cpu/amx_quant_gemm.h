// gemm with int8 weights on matrix tiles: a group of K is the depth of one product of tiles, whose
// sums are exact integers; then the float32 steps are those of quant_gemm.cc, in the same order. So
// a row has the same bits by tiles and without them, and either may take it.
#pragma once

#include "kernels/cpu/amx_block.h"
#include "kernels/cpu/quant_x.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// x lies group by group like the weights, words and facts [groups][m]: a tile of it is one stretch
// of memory.
struct TileQuantJob {
  const std::uint8_t* weights;
  QuantPanel panel;
  bool wide_scales, minima;
  std::int32_t depth;  // elements of a group
  QuantX x;
  GemmOutput out;

  template <class Tiles, class Block>
  void Multiply(const TileOfPanel& tile) const;

 private:
  template <int kColumns>
  void AddScaled(const std::uint8_t* scales, std::int64_t column, const GroupOfX* facts,
                 std::int64_t rows, const std::int32_t (&products)[kBlockHeight][kColumns],
                 float (&sums)[kBlockHeight][kColumns]) const;
};

// Four int8 a word.
struct TileWords {
  static constexpr int kPerStep = 1;
  static SGLRUN_INLINE void Store(std::int32_t* words, IVec codes) {
    typedef std::int8_t Bytes __attribute__((vector_size(kQuantLanes)));
    const Bytes bytes = __builtin_convertvector(__builtin_bit_cast(QuantInts, codes), Bytes);
    __builtin_memcpy(words, &bytes, sizeof bytes);
  }
};

// A group's integers, scaled, to the sums of a block's rows.
template <int kColumns>
SGLRUN_INLINE void TileQuantJob::AddScaled(const std::uint8_t* scales, std::int64_t column,
                                           const GroupOfX* facts, std::int64_t rows,
                                           const std::int32_t (&products)[kBlockHeight][kColumns],
                                           float (&sums)[kBlockHeight][kColumns]) const {
  constexpr int kUnits = kColumns / kLanes;
  Vec scale[kUnits], minimum[kUnits] = {};
  Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
    scale[u] = LoadScales(scales, column + u * kLanes, wide_scales);
    if (minima) {
      minimum[u] = LoadScales(scales + panel.minima, column + u * kLanes, wide_scales);
    }
  });
  for (std::int64_t m = 0; m < rows; ++m) {
    const GroupOfX& row = facts[m];
    Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
      float* sum = sums[m] + u * kLanes;
      const IVec exact = LoadInt(products[m] + u * kLanes) + SetInt(row.start);
      Vec total = Fma(ToFloat(exact) * scale[u], Set(row.scale), Load(sum));
      if (minima) total = Fma(minimum[u], Set(row.scaled_sum), total);
      Store(sum, total);
    });
  }
}

// While the tiles multiply a group, the vectors scale the one before.
template <class Tiles, class Block>
void TileQuantJob::Multiply(const TileOfPanel& tile) const {
  constexpr int kColumns = Block::kColumns;
  const std::uint8_t* groups = weights + tile.panel * panel.bytes();
  for (int pass = 0; pass < Block::kPasses; ++pass) {
    const std::int64_t column = pass * kColumns;
    const Ahead ahead(reinterpret_cast<const char*>(groups), panel.bytes(), panel.groups, tile,
                      pass, Block::kPasses);
    const auto multiply = [&](std::int64_t g) SGLRUN_LAMBDA_INLINE {
      const std::uint8_t* codes = groups + g * panel.group_bytes + panel.codes;
      ahead.Prefetch(g);
      Block::template Zero<Tiles>();
      Block::template Multiply<Tiles, TileProduct::kInt8>(
          reinterpret_cast<const char*>(x.words + g * x.words_group + tile.row * x.words_row),
          depth, reinterpret_cast<const char*>(codes + column * kQuantStep), kPanelRowBytes);
    };
    alignas(64) std::int32_t products[kBlockHeight][kColumns];
    alignas(64) float sums[kBlockHeight][kColumns] = {};
    if (panel.groups > 0) multiply(0);
    for (std::int64_t g = 0; g < panel.groups; ++g) {
      Block::template Store<Tiles>(products);
      if (g + 1 < panel.groups) multiply(g + 1);
      AddScaled(groups + g * panel.group_bytes, column, x.facts + g * x.facts_group + tile.row,
                tile.rows, products, sums);
    }
    for (std::int64_t m = 0; m < tile.rows; ++m) {
      StoreTileRow(out, tile.row + m, tile.panel * kPanelWidth + column, kColumns, sums[m]);
    }
  }
}

template <class Tiles>
void TileQuantGemm(const GemmArgs& args, KernelContext& context) {
  const PackedWeight& weight = *args.weight;
  const WeightForm form = weight.form();
  const GemmOutput out = OutputOf(args);
  const QuantPanel panel = QuantPanelOf(weight.k, form);
  const std::int32_t row_words = form.quant.group / 4;
  const std::int64_t words = panel.groups * out.m * row_words;
  char* scratch = static_cast<char*>(context.Scratch(QuantX::Bytes(words, panel.groups * out.m)));
  const QuantX x = {reinterpret_cast<std::int32_t*>(scratch),         row_words, out.m * row_words,
                    reinterpret_cast<GroupOfX*>(scratch + words * 4), 1,         out.m};
  if (panel.groups > 0) RoundRows<TileWords>(args, x, context.pool());
  const TileQuantJob job = {static_cast<const std::uint8_t*>(weight.data.data()),
                            panel,
                            form.quant.wide_scales,
                            form.quant.minima,
                            form.quant.group,
                            x,
                            out};
  ForEachBlock<Tiles>(job, job.depth, context.pool());
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
