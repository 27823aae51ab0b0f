// Chains of operations (kernels/chains.h) against the same operations one after the other.
#include <cstdint>
#include <cstring>
#include <vector>

#include "support.h"

namespace sglrun::kernels {
namespace {

using tensor::DType;
using testing::Matrix;

// Hidden size, inner size, rows: few and many, norms of one warp and of many, ends of every vector;
// gates and ups in whole panels of the CPU shelf, one and several, in tiles of each height.
struct LayerShape {
  std::int64_t rows, hidden, inner;
};
constexpr LayerShape kShapes[] = {{1, 64, 32},  {3, 260, 52}, {8, 1028, 24},
                                  {2, 9000, 8}, {9, 96, 64},  {33, 260, 36},
                                  {1, 70, 192}, {8, 64, 128}, {100, 68, 128}};

constexpr WeightForm kForms[] = {DType::kBF16, DType::kF16, DType::kF32,
                                 DType::kI4,   DType::kI8,  {DType::kI8, {.group = 64}}};

// What every backend fuses, what some do, and what none does.
struct LayerKinds {
  NormKind norm = NormKind::kRms;
  ActivationKind activation = ActivationKind::kSilu;
  bool gated = true;

  std::int64_t wide(const LayerShape& shape) const { return (gated ? 2 : 1) * shape.inner; }
};
constexpr LayerKinds kKinds[] = {{},
                                 {NormKind::kRms, ActivationKind::kGeluTanh, true},
                                 {NormKind::kLayer, ActivationKind::kSilu, true},
                                 {NormKind::kLayer, ActivationKind::kGelu, false}};

struct Layer {
  Layer(const LayerShape& shape, const LayerKinds& of, const Backend& backend,
        const WeightForm& form, KernelContext& context, std::mt19937& random)
      : kinds(of),
        x(shape.rows, shape.hidden, 4),
        weight(1, shape.hidden),
        bias(1, of.wide(shape)),
        normed(shape.rows, shape.hidden),
        wide(shape.rows, of.wide(shape)),
        inner(shape.rows, shape.inner) {
    Matrix gate_up_rows(of.wide(shape), shape.hidden), down_rows(shape.hidden, shape.inner);
    x.FillNormal(random, 2.0f);
    weight.FillNormal(random);
    bias.FillNormal(random);
    gate_up_rows.FillNormal(random, 0.2f);
    down_rows.FillNormal(random, 0.2f);
    gate_up = testing::Pack(backend, gate_up_rows, form, context);
    down = testing::Pack(backend, down_rows, form, context);
  }

  NormArgs Norm() {
    return {.kind = kinds.norm,
            .x = x.view(),
            .add = {},
            .weight = weight.flat(),
            .y = normed.view(),
            .eps = 1e-5f};
  }
  GemmArgs GateUp() {
    return {.x = normed.view(), .weight = &gate_up, .bias = bias.flat(), .y = wide.view()};
  }
  MlpArgs Mlp() {
    return {.norm = Norm(),
            .gate_up = GateUp(),
            .activation = {.kind = kinds.activation,
                           .gated = kinds.gated,
                           .x = wide.view(),
                           .y = inner.view()},
            .down = {
                .x = inner.view(), .weight = &down, .bias = {}, .y = x.view(), .accumulate = true}};
  }

  // What lies between operations must come from those of the call.
  void Forget() {
    for (Matrix* between : {&normed, &wide, &inner}) {
      between->Fill([](std::int64_t, std::int64_t) { return testing::kTombstone; });
    }
  }

  LayerKinds kinds;
  Matrix x, weight, bias, normed, wide, inner;
  PackedWeight gate_up, down;
};

void ExpectTheBitsOfOperations(Layer& one, const Backend& backend, KernelContext& context) {
  const Matrix x = one.x;
  const KernelTable& table = backend.table;
  host::NormGemm(table, {.norm = one.Norm(), .gemm = one.GateUp()}, context);
  Matrix want = one.wide;
  one.Forget();
  REQUIRE(Check(NormGemmArgs{one.Norm(), one.GateUp()}) == "");
  table.norm_gemm(table, {.norm = one.Norm(), .gemm = one.GateUp()}, context);
  ExpectSameBits({"norm_gemm", &backend, ""}, one.wide, want);

  host::Mlp(table, one.Mlp(), context);
  want = one.x;
  one.x = x;
  one.Forget();
  REQUIRE(Check(one.Mlp()) == "");
  table.mlp(table, one.Mlp(), context);
  ExpectSameBits({"mlp", &backend, ""}, one.x, want);
}

TEST_CASE("a norm with its product, and an mlp, give the bits of their operations") {
  std::mt19937 random(testing::Seed(61));
  ThreadPool pool(2);
  KernelContext context(pool);
  for (const Backend* backend : testing::ShelfBackends()) {
    for (const WeightForm& form : kForms) {
      if (!testing::Serves(*backend, form)) continue;
      for (std::size_t i = 0; i < std::size(kShapes) * std::size(kKinds); ++i) {
        const LayerShape& shape = kShapes[i / std::size(kKinds)];
        const LayerKinds& kinds = kKinds[i % std::size(kKinds)];
        if (testing::SkippedHere(1)) continue;
        INFO(shape.rows, " rows of ", shape.hidden, ", ",
             std::string(tensor::DTypeName(form.dtype)), ", kinds ", i % std::size(kKinds));
        Layer one(shape, kinds, *backend, form, context, random);
        ExpectTheBitsOfOperations(one, *backend, context);
      }
    }
  }
}

// q, k and v of some tokens, as a fused projection gives them, and pages for their keys and values.
struct Heads {
  static constexpr std::int64_t kTokens = 5, kQ = 3, kKv = 2, kPages = 2;

  // half: pairs of a head that are rotated.
  Heads(const Backend& backend, std::int64_t size, std::int64_t half, DType cache_dtype,
        std::mt19937& random)
      : head_dim(size),
        qkv(kTokens, (kQ + 2 * kKv) * size, 4),
        q_weight(1, size),
        k_weight(1, size),
        cos(kTokens, half),
        sin(kTokens, half),
        layout{kKv, size, cache_dtype},
        pages(*backend.allocator, kPages * backend.table.kv_page_bytes(layout)) {
    qkv.FillNormal(random);
    q_weight.FillNormal(random);
    k_weight.FillNormal(random);
    cos.FillNormal(random);
    sin.FillNormal(random);
    std::memset(pages.data(), 0, pages.bytes());
  }

  RotateAndStoreArgs Args(bool has_norms) {
    const auto part = [&](std::int64_t first, std::int64_t heads) {
      tensor::TensorView view = qkv.view();
      view.data = view.f32() + first * head_dim;
      view.shape[1] = heads * head_dim;
      return view;
    };
    const auto norm = [&](tensor::TensorView x, Matrix& weight, std::int64_t heads) {
      return NormArgs{
          .x = x, .add = {}, .weight = weight.flat(), .y = x, .eps = 1e-6f, .groups = heads};
    };
    const auto rope = [&](tensor::TensorView x, std::int64_t heads) {
      return RopeArgs{.x = x,
                      .heads = heads,
                      .head_dim = head_dim,
                      .positions = positions,
                      .positions_per_token = 1,
                      .axis = {},
                      .cos_table = cos.view(),
                      .sin_table = sin.view()};
    };
    const tensor::TensorView q = part(0, kQ), k = part(kQ, kKv), v = part(kQ + kKv, kKv);
    RotateAndStoreArgs args;
    if (has_norms) {
      args.q_norm = norm(q, q_weight, kQ);
      args.k_norm = norm(k, k_weight, kKv);
    }
    args.q = rope(q, kQ);
    args.k = rope(k, kKv);
    args.store = {.k = k, .v = v, .slots = slots, .cache = {layout, pages.data(), kPages}};
    return args;
  }
  Matrix Queries() {
    Matrix q(kTokens, kQ * head_dim);
    return q.Fill([&](std::int64_t t, std::int64_t i) { return qkv(t, i); });
  }
  std::vector<unsigned char> Pages() const {
    const auto* data = static_cast<const unsigned char*>(pages.data());
    return {data, data + pages.bytes()};
  }

  std::int64_t head_dim;
  Matrix qkv, q_weight, k_weight, cos, sin;
  KvLayout layout;
  tensor::Buffer pages;
  std::vector<std::int32_t> positions = {4, 0, 3, 3, 1}, slots = {0, 31, 7, 16, 2};
};

// Whole heads, as most models rotate them, and halves.
struct HeadShape {
  std::int64_t size, half;
};
constexpr HeadShape kHeads[] = {{8, 2},   {24, 6},   {24, 12},  {64, 16},  {64, 32},
                                {80, 20}, {128, 64}, {256, 64}, {256, 128}};

TEST_CASE("heads that are normalised, rotated and stored at once have the bits of one by one") {
  std::mt19937 random(testing::Seed(62));
  ThreadPool pool(2);
  KernelContext context(pool);
  for (const Backend* backend : testing::ShelfBackends()) {
    const KernelTable& table = backend->table;
    for (const HeadShape& head : kHeads) {
      for (const DType dtype : {DType::kF32, DType::kBF16}) {
        for (const bool has_norms : {false, true}) {
          if (testing::SkippedHere(1)) continue;
          INFO("head_dim ", head.size, ", rotated ", 2 * head.half, has_norms ? ", normed, " : ", ",
               tensor::DTypeName(dtype));
          Heads one(*backend, head.size, head.half, dtype, random);
          const Matrix qkv = one.qkv;
          host::RotateAndStore(table, one.Args(has_norms), context);
          Matrix want = one.Queries();
          const std::vector<unsigned char> pages = one.Pages();
          one.qkv = qkv;
          std::memset(one.pages.data(), 0, one.pages.bytes());
          REQUIRE(Check(one.Args(has_norms)) == "");
          table.rotate_and_store(table, one.Args(has_norms), context);
          Matrix got = one.Queries();
          ExpectSameBits({"rotate_and_store", backend, "q"}, got, want);
          CHECK(one.Pages() == pages);
        }
      }
    }
  }
}

TEST_CASE("a chain whose operations do not take what comes before them is refused") {
  std::mt19937 random(63);
  ThreadPool pool(1);
  KernelContext context(pool);
  Layer one({2, 64, 32}, {}, RefBackend(), DType::kF32, context, random);
  MlpArgs mlp = one.Mlp();
  mlp.down.x = one.wide.view();
  CHECK(Check(mlp) == "mlp: down does not take what comes before it");
  NormGemmArgs norm_gemm{one.Norm(), one.GateUp()};
  norm_gemm.gemm.x = one.x.view();
  CHECK(Check(norm_gemm) == "norm_gemm: gemm does not take what comes before it");
  Heads heads(RefBackend(), 8, 2, DType::kF32, random);
  RotateAndStoreArgs rotate = heads.Args(true);
  rotate.store.k = rotate.store.v;
  CHECK(Check(rotate) == "rotate_and_store: store_kv does not take what comes before it");
  rotate = heads.Args(true);
  rotate.k_norm.groups = 1;
  CHECK(Check(rotate) == "rotate_and_store: rope does not take what comes before it");
}

}  // namespace
}  // namespace sglrun::kernels
