// A work item is a tile of query vectors of one (row, kv head): the query heads of the group, and
// neighbouring queries in prefill, so that a key read once serves them all. Keys are visited in
// blocks of four pages counted from position 0, with an online softmax over the blocks.
//
// Why a query's bits do not depend on its tile: every product sums in ascending order of D or of
// the slots (dot.h), a block that holds no visible key of a vector leaves the vector's state alone,
// and a masked key has weight 0, which adds +-0 to a sum. Pages in which no key of the tile is
// visible may belong to another sequence by now (window) or not exist yet: a page of zeros stands
// in for them.
//
// Of an int8 cache the products are over the codes: the scale of a key is a factor of its score,
// the scale of a value one of its weight, so that it costs a multiplication a slot.
#include "kernels/paged_attention.h"

#include "kernels/cpu/activate.h"
#include "kernels/cpu/code_dot.h"
#include "kernels/cpu/dot.h"
#include "kernels/cpu/exp.h"
#include "kernels/cpu/kv_page.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {
namespace {

constexpr int kTileVectors = 24;
constexpr int kBlockPages = 4;
constexpr int kBlockKeys = kBlockPages * kPageSize;
static_assert(kPageSize == kLanes);

alignas(64) constexpr unsigned char kZeroPage[kMaxHeadDim * kPageSize * sizeof(float)] = {};

// The part of the call that a work item serves.
struct Tile {
  std::int64_t row;
  std::int64_t kv_head;
  std::int64_t first_vector;  // vector v of a row: query v / group, head v % group of the kv head
  int vectors;
};

// What a tile keeps between blocks. X are operands of Dot.
template <class Dot>
struct State {
  static constexpr int kXPerKeyBlock = kBlockKeys / Dot::kDepth * Dot::kXPerStep;
  static constexpr int kXPerQuery = kMaxHeadDim / Dot::kDepth * Dot::kXPerStep;
  alignas(64) typename Dot::X query[kTileVectors][kXPerQuery];
  alignas(64) typename Dot::X weight[kTileVectors][kXPerKeyBlock];
  alignas(64) float score[kTileVectors][kBlockKeys];
  alignas(64) float sum[kTileVectors][kMaxHeadDim];  // of weight * value
  float max[kTileVectors];                           // of the scores so far, in units of log2
  alignas(64) float total[kTileVectors][kLanes];     // of the weights so far, lane by lane
  std::int64_t first_key[kTileVectors] = {};         // visible keys [first, end)
  std::int64_t end_key[kTileVectors] = {};
};

template <class Dot>
constexpr bool kHasScales = false;
template <>
inline constexpr bool kHasScales<CodeDot> = true;

// Two blocks fit into the first-level cache if heads are small, but not with a float32 cache.
template <class Dot>
constexpr std::int64_t kElementBytes = sizeof(typename Dot::Lane) / Dot::kDepth;
template <class Dot>
constexpr bool kTwoBlocksMayFit = kElementBytes<Dot> <= 2;
constexpr std::int64_t kTwoBlocksFitBytes = 192;  // of a key: 48 KiB

// Scores: unit u is page u of the block, steps go along D. Each prefetches the same place in the
// next block, whose pages may lie anywhere.
template <class Dot, int kUnits>
struct KeysAt {
  const typename Dot::Lane* const* pages;
  const typename Dot::Lane* const* next_pages;
  SGLRUN_INLINE const typename Dot::Lane* operator()(std::int64_t step, int unit) const {
    return pages[unit] + step * kLanes;
  }
  SGLRUN_INLINE void Prefetch(std::int64_t step) const {
    if constexpr (kTwoBlocksMayFit<Dot>) {
      for (int unit = 0; unit < kUnits; ++unit) {
        __builtin_prefetch(next_pages[unit] + step * kLanes);
      }
    }
  }
};

// Outputs: unit u is sixteen elements of D, steps go along the slots of a page.
template <class Dot, int kUnits>
struct ValuesAt {
  const typename Dot::Lane* page;
  const typename Dot::Lane* next_page;
  std::int64_t padded_dim;
  SGLRUN_INLINE const typename Dot::Lane* operator()(std::int64_t step, int unit) const {
    return page + step * padded_dim + unit * kLanes;
  }
  SGLRUN_INLINE void Prefetch(std::int64_t step) const {
    if constexpr (kTwoBlocksMayFit<Dot>) {
      for (int unit = 0; unit < kUnits; ++unit) {
        __builtin_prefetch(next_page + step * padded_dim + unit * kLanes);
      }
    }
  }
};

// Picks the instance of fn for a run of `rows` vectors, at most kTileRows.
template <class Fn>
SGLRUN_INLINE void WithRows(int rows, const Fn& fn) {
  switch (rows) {
    case 1:
      return fn.template operator()<1>();
    case 2:
      return fn.template operator()<2>();
    default:
      break;
  }
  if constexpr (kTileRows > 2) {
    switch (rows) {
      case 3:
        return fn.template operator()<3>();
      case 4:
        return fn.template operator()<4>();
      case 5:
        return fn.template operator()<5>();
      case 6:
        return fn.template operator()<6>();
      default:
        break;
    }
  }
}

template <class Dot>
class TileAttention {
 public:
  TileAttention(const PagedAttentionArgs& args, const PageGeometry& page, const Tile& tile)
      : args_(args), page_(page), tile_(tile) {
    group_ = args.num_heads / args.cache.layout.num_kv_heads;
    query_begin_ = args.query_start.data()[tile.row];
    const std::int64_t query_end = args.query_start.data()[tile.row + 1];
    first_position_ = args.kv_len.data()[tile.row] - (query_end - query_begin_);
    table_ = args.block_tables + tile.row * args.block_table_stride;
  }

  void Run() {
    for (int v = 0; v < tile_.vectors; ++v) Start(v);
    const std::int64_t begin = state_.first_key[0] / kBlockKeys;
    const std::int64_t end = (state_.end_key[tile_.vectors - 1] + kBlockKeys - 1) / kBlockKeys;
    for (std::int64_t block = begin; block < end; ++block) VisitBlock(block);
    for (int v = 0; v < tile_.vectors; ++v) Finish(v);
  }

 private:
  using Lane = typename Dot::Lane;
  static constexpr std::int64_t kLaneBytes = sizeof(Lane);

  static const Lane* ZeroPage() { return reinterpret_cast<const Lane*>(kZeroPage); }
  struct Pages {
    const Lane* keys[kBlockPages] = {ZeroPage(), ZeroPage(), ZeroPage(), ZeroPage()};
    const Lane* values[kBlockPages] = {ZeroPage(), ZeroPage(), ZeroPage(), ZeroPage()};
  };

  std::int64_t HeadOffset(int v) const {
    return (tile_.kv_head * group_ + (tile_.first_vector + v) % group_) * page_.head_dim;
  }
  std::int64_t QueryRow(int v) const { return query_begin_ + (tile_.first_vector + v) / group_; }

  void Start(int v) {
    const std::int64_t position = first_position_ + (tile_.first_vector + v) / group_;
    state_.end_key[v] = position + 1;
    state_.first_key[v] = 0;
    if (args_.window > 0 && position + 1 > args_.window) {
      state_.first_key[v] = position + 1 - args_.window;
    }
    state_.max[v] = -kInfinity;
    Store(state_.total[v], Set(0.0f));
    const float* query = Row(args_.q, QueryRow(v)) + HeadOffset(v);
    for (std::int64_t d = 0; d < page_.head_dim; d += kLanes) {
      Dot::StoreX(state_.query[v] + d / Dot::kDepth * Dot::kXPerStep,
                  LoadPartial(query + d, page_.head_dim - d, 0.0f));
    }
    for (std::int64_t d = 0; d < page_.padded_dim; d += kLanes) Store(state_.sum[v] + d, Set(0.0f));
  }

  // Positions ascend over the tile, so the vectors that see anything of a block are neighbours.
  void VisitBlock(std::int64_t block) {
    const std::int64_t first_key = block * kBlockKeys;
    int begin = 0, end = tile_.vectors;
    while (begin < end && state_.end_key[begin] <= first_key) ++begin;
    while (end > begin && state_.first_key[end - 1] >= first_key + kBlockKeys) --end;
    if (begin == end) return;
    const std::int64_t used = state_.end_key[end - 1] - first_key;
    used_keys_ = static_cast<int>(used < kBlockKeys ? used : kBlockKeys);
    pages_ = Pages();
    LocatePages(first_key, first_key + used_keys_, state_.first_key[begin], pages_);
    next_pages_ = pages_;
    if (page_.padded_dim * kElementBytes<Dot> <= kTwoBlocksFitBytes) {
      LocatePages(first_key + kBlockKeys, state_.end_key[tile_.vectors - 1], 0, next_pages_);
    }
    const int runs = (end - begin + kTileRows - 1) / kTileRows;
    for (int run = 0; run < runs; ++run) {
      const int first = begin + (end - begin) * run / runs;
      const int rows = begin + (end - begin) * (run + 1) / runs - first;
      WithRows(rows, [&]<int kRows>() {
        float rescale[kLanes];
        this->template Score<kRows>(first);
        this->template Weigh<kRows>(first, first_key, rescale);
        this->template AddValues<kRows>(first, rescale);
      });
    }
  }

  // The pages of the block that begins at first_key, as far as they hold one of the keys
  // [visible, end).
  void LocatePages(std::int64_t first_key, std::int64_t end, std::int64_t visible, Pages& pages) {
    for (int u = 0; u < kBlockPages; ++u) {
      const std::int64_t key = first_key + u * kPageSize;
      if (key + kPageSize <= visible || key >= end) continue;
      const char* page =
          static_cast<const char*>(args_.cache.data) + table_[key / kPageSize] * page_.page_bytes;
      pages.keys[u] = reinterpret_cast<const Lane*>(page + tile_.kv_head * page_.key_bytes);
      pages.values[u] = reinterpret_cast<const Lane*>(page + page_.values_offset +
                                                      tile_.kv_head * page_.value_bytes);
    }
  }

  template <int kRows>
  void Score(int first) {
    constexpr int kUnits = TileUnits(kRows);
    constexpr std::ptrdiff_t kStride = State<Dot>::kXPerQuery;
    for (int unit = 0; unit < kBlockPages; unit += kUnits) {
      Vec sums[kRows][kUnits] = {};
      AddProducts<Dot>(sums, KeysAt<Dot, kUnits>{pages_.keys + unit, next_pages_.keys + unit},
                       state_.query[first], kStride, page_.head_dim / Dot::kDepth);
      Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
        Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
          Vec score = sums[m][u];
          if constexpr (kHasScales<Dot>) score = score * KeyScales(unit + u);
          Store(state_.score[first + m] + (unit + u) * kLanes, score);
        });
      });
    }
  }

  // Turns the scores of kRows vectors into weights; rescale[m] becomes the factor for what was
  // summed before. The rows go through each stage side by side, so that none waits for another's
  // maximum.
  template <int kRows>
  void Weigh(int first, std::int64_t first_key, float (&rescale)[kLanes]) {
    float change[kLanes] = {};
    Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
      const float max = ScaleScores(first + m, first_key);
      change[m] = state_.max[first + m] - max;
      state_.max[first + m] = max;
    });
    Store(rescale, Exp2(Load(change)));
    Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
      const int v = first + m;
      const Vec max = Set(state_.max[v]);
      Vec total = Load(state_.total[v]) * Set(rescale[m]);
      for (int u = 0; u < kBlockPages; ++u) {
        total = total + StoreWeights(v, u, Exp2(Load(state_.score[v] + u * kLanes) - max));
      }
      Store(state_.total[v], total);
    });
  }

  // The weights of page u as an operand; returns what they add to the total.
  SGLRUN_INLINE Vec StoreWeights(int v, int u, Vec weights) {
    typename Dot::X* to = state_.weight[v] + u * (kLanes / Dot::kDepth) * Dot::kXPerStep;
    if constexpr (kHasScales<Dot>) {
      // The scale of a slot of weight 0 may never have been written.
      Dot::StoreX(to, Select(weights == Set(0.0f), weights, weights * ValueScales(u)));
      return weights;
    } else {
      return Dot::StoreX(to, weights);
    }
  }

  Vec KeyScales(int u) const {
    return Load(reinterpret_cast<const float*>(pages_.keys[u] + page_.key_elements / kLaneBytes));
  }
  Vec ValueScales(int u) const {
    return Load(
        reinterpret_cast<const float*>(pages_.values[u] + page_.value_elements / kLaneBytes));
  }

  // The scores of vector v in units of log2, -inf where a key is not visible; returns the largest
  // so far.
  SGLRUN_INLINE float ScaleScores(int v, std::int64_t first_key) {
    const bool is_capped = args_.softcap > 0;
    const Vec scale = Set(is_capped ? args_.scale / args_.softcap : args_.scale * kLog2E);
    const Vec cap = Set(args_.softcap * kLog2E);
    const auto low = static_cast<std::int32_t>(
        state_.first_key[v] > first_key ? state_.first_key[v] - first_key : 0);
    const std::int64_t seen = state_.end_key[v] - first_key;
    const auto high = static_cast<std::int32_t>(seen < kBlockKeys ? seen : kBlockKeys);
    const bool all_visible = low == 0 && high == kBlockKeys;
    Vec max = Set(state_.max[v]);
    for (int u = 0; u < kBlockPages; ++u) {
      float* score = state_.score[v] + u * kLanes;
      Vec scaled = Load(score) * scale;
      if (is_capped) scaled = Tanh(scaled) * cap;
      if (!all_visible) {
        const IVec key = LaneNumbers() + SetInt(u * kLanes);
        const IVec visible = (key < SetInt(high)) & ~(key < SetInt(low));
        scaled = Select(visible, scaled, Set(-kInfinity));
      }
      Store(score, scaled);
      max = Max(max, scaled);
    }
    return MaxLanes(max);
  }

  template <int kRows>
  void AddValues(int first, const float (&rescale)[kLanes]) {
    constexpr int kUnits = TileUnits(kRows);
    const int units = static_cast<int>(page_.padded_dim / kLanes);
    int unit = 0;
    for (; unit + kUnits <= units; unit += kUnits) AddUnits<kRows, kUnits>(first, unit, rescale);
    for (; unit < units; ++unit) AddUnits<kRows, 1>(first, unit, rescale);
  }

  template <int kRows, int kUnits>
  void AddUnits(int first, int unit, const float (&rescale)[kLanes]) {
    constexpr std::ptrdiff_t kStride = State<Dot>::kXPerKeyBlock;
    Vec sums[kRows][kUnits];
    Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
      Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
        sums[m][u] = Load(state_.sum[first + m] + (unit + u) * kLanes) * Set(rescale[m]);
      });
    });
    for (int p = 0; p * kPageSize < used_keys_; ++p) {
      const int left = used_keys_ - p * kPageSize, slots = left < kPageSize ? left : kPageSize;
      const ValuesAt<Dot, kUnits> values{pages_.values[p] + unit * kLanes,
                                         next_pages_.values[p] + unit * kLanes, page_.padded_dim};
      const typename Dot::X* weights =
          state_.weight[first] + p * (kPageSize / Dot::kDepth) * Dot::kXPerStep;
      // Codes that other sequences left are finite numbers too; a step's missing slots have weight
      // 0.
      constexpr int kRoundUp = kHasScales<Dot> ? Dot::kDepth - 1 : 0;
      AddProducts<Dot>(sums, values, weights, kStride, (slots + kRoundUp) / Dot::kDepth);
      if constexpr (Dot::kDepth == 2) {
        // The second slot of the last pair may never have been written.
        if (slots % 2 != 0) AddEven(sums, values, weights, slots / 2);
      }
    }
    Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
      Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
        Store(state_.sum[first + m] + (unit + u) * kLanes, sums[m][u]);
      });
    });
  }

  template <int kRows, int kUnits>
  static SGLRUN_INLINE void AddEven(Vec (&sums)[kRows][kUnits], const ValuesAt<Dot, kUnits>& values,
                                    const typename Dot::X* weights, std::int64_t step) {
    Unrolled<kUnits>([&](auto u) SGLRUN_LAMBDA_INLINE {
      const auto w = Dot::LoadEven(values(step, u));
      Unrolled<kRows>([&](auto m) SGLRUN_LAMBDA_INLINE {
        const auto operand =
            Dot::Broadcast(weights + m * State<Dot>::kXPerKeyBlock + step * Dot::kXPerStep);
        sums[m][u] = Dot::Step(sums[m][u], w, operand);
      });
    });
  }

  // Adding 0 turns -0 into 0: the sign of a zero is the one thing that masked keys could change.
  void Finish(int v) {
    const Vec scale = Set(1.0f / SumLanes(Load(state_.total[v])));
    float* out = Row(args_.out, QueryRow(v)) + HeadOffset(v);
    for (std::int64_t d = 0; d < page_.head_dim; d += kLanes) {
      StorePartial(out + d, Load(state_.sum[v] + d) * scale + Set(0.0f), page_.head_dim - d);
    }
  }

  const PagedAttentionArgs& args_;
  const PageGeometry& page_;
  const Tile& tile_;
  std::int64_t group_;
  std::int64_t query_begin_;
  std::int64_t first_position_;
  const std::int32_t* table_;
  int used_keys_ = 0;  // of the current block, by the last vector of the tile
  Pages pages_;
  Pages next_pages_;  // those of the current block where the next one has none or would not fit
  State<Dot> state_;
};

// Tiles of all rows before row r, for r in [0, R].
std::int64_t* CountTiles(const PagedAttentionArgs& args, KernelContext& context) {
  const auto rows = static_cast<std::int64_t>(args.kv_len.size());
  const std::int64_t group = args.num_heads / args.cache.layout.num_kv_heads;
  auto* before = static_cast<std::int64_t*>(
      context.Scratch(static_cast<std::size_t>(rows + 1) * sizeof(std::int64_t)));
  before[0] = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t vectors =
        (args.query_start.data()[r + 1] - args.query_start.data()[r]) * group;
    const std::int64_t tiles = (vectors + kTileVectors - 1) / kTileVectors;
    before[r + 1] = before[r] + tiles * args.cache.layout.num_kv_heads;
  }
  return before;
}

Tile TileOfItem(const PagedAttentionArgs& args, const std::int64_t* before, std::int64_t item) {
  std::int64_t row = 0, end = static_cast<std::int64_t>(args.kv_len.size());
  while (end - row > 1) {
    const std::int64_t middle = row + (end - row) / 2;
    (before[middle] <= item ? row : end) = middle;
  }
  const std::int64_t kv_heads = args.cache.layout.num_kv_heads;
  const std::int64_t group = args.num_heads / kv_heads;
  const std::int64_t vectors =
      (args.query_start.data()[row + 1] - args.query_start.data()[row]) * group;
  const std::int64_t first = (item - before[row]) / kv_heads * kTileVectors;
  const std::int64_t left = vectors - first;
  return {row, (item - before[row]) % kv_heads, first,
          static_cast<int>(left < kTileVectors ? left : kTileVectors)};
}

template <class Dot>
void Attend(const PagedAttentionArgs& args, KernelContext& context) {
  const PageGeometry page = GeometryOf(args.cache.layout);
  const std::int64_t* before = CountTiles(args, context);
  const std::int64_t items = before[args.kv_len.size()];
  // Later tiles of a prompt see more keys: hand them out first, so that the last ones are short.
  SharedCounter(context.pool(), items, [&](std::int64_t item) {
    const Tile tile = TileOfItem(args, before, items - 1 - item);
    TileAttention<Dot>(args, page, tile).Run();
  });
}

}  // namespace

void PagedAttention(const PagedAttentionArgs& args, KernelContext& context) {
  if (args.cache.layout.dtype == tensor::DType::kI8) {
    Attend<CodeDot>(args, context);
  } else if (args.cache.layout.dtype == tensor::DType::kBF16) {
    Attend<Bf16Dot>(args, context);
  } else {
    Attend<F32Dot>(args, context);
  }
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
