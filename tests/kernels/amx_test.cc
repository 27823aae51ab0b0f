// What only the products on matrix tiles promise. Shapes, tolerances and the bits of rows in
// batches are tested with the other backends' (ProductBackends).
#include "emulated_amx.h"
#include "kernels/gemm.h"
#include "support.h"

namespace sglrun::kernels {
namespace {

using tensor::DType;
using testing::Matrix;

Matrix Product(const Backend& backend, Matrix& x, Matrix& w, const WeightForm& form) {
  ThreadPool pool(2);
  KernelContext context(pool);
  const PackedWeight weight = testing::Pack(backend, w, form, context);
  Matrix y(x.rows(), w.rows());
  backend.table.gemm({.x = x.view(), .weight = &weight, .bias = {}, .y = y.view()}, context);
  return y;
}

TEST_CASE("int8 products on tiles have the bits of those on vectors") {
  std::mt19937 random(testing::Seed(41));
  for (const std::int32_t group : {64, 32}) {
    const WeightForm form(DType::kI8, {.group = group});
    for (const std::int64_t m : {1, 9, 16, 17, 33, 70}) {
      Matrix x(m, 330), w(130, 330);
      x.FillNormal(random);
      w.FillNormal(random);
      for (const testing::EmulatedAmx& amx : testing::EmulatedAmxBackends()) {
        Matrix got = Product(*amx.with_tiles, x, w, form);
        Matrix want = Product(*amx.without_tiles, x, w, form);
        ExpectSameBits({"gemm", amx.with_tiles, "m " + std::to_string(m)}, got, want);
      }
    }
  }
}

TEST_CASE("bf16 products on tiles have the same bits whatever the rest is compiled for") {
  std::mt19937 random(testing::Seed(42));
  Matrix x(40, 330), w(130, 330);
  x.FillNormal(random);
  w.FillNormal(random);
  Matrix want = Product(*testing::EmulatedAmxBackends().front().with_tiles, x, w, DType::kBF16);
  for (const testing::EmulatedAmx& amx : testing::EmulatedAmxBackends()) {
    Matrix got = Product(*amx.with_tiles, x, w, DType::kBF16);
    ExpectSameBits({"gemm", amx.with_tiles, "bf16"}, got, want);
  }
}

TEST_CASE("a bf16 product on tiles adds even and odd elements apart, 32 of K at a time") {
  constexpr float kHalf = 0x1p-24f;  // half of what is between 1 and the next float32
  Matrix ones(1, 64), x(6, 64);
  ones.Fill([](std::int64_t, std::int64_t) { return 1.0f; });
  x.Fill([](std::int64_t, std::int64_t) { return 0.0f; });
  // One after the other the halves would be lost; odd ones meet each other first.
  x(0, 0) = 1, x(0, 1) = kHalf, x(0, 3) = kHalf;
  // Even ones meet the 1, to even.
  x(1, 0) = 1, x(1, 2) = kHalf, x(1, 4) = kHalf;
  // The next 32 elements begin from zero.
  x(2, 0) = 1, x(2, 32) = kHalf, x(2, 34) = kHalf;
  // Even and odd of one stretch come together before they meet the sum of those before.
  x(3, 0) = 1, x(3, 32) = kHalf, x(3, 33) = kHalf;
  // Subnormals are zeros, as operands and as sums.
  x(4, 0) = 0x1p-127f;
  x(5, 0) = 0x1.8p-126f, x(5, 1) = -0x1p-126f;
  for (const testing::EmulatedAmx& amx : testing::EmulatedAmxBackends()) {
    Matrix y = Product(*amx.with_tiles, x, ones, DType::kBF16);
    CHECK(y(0, 0) == 1.0f + 2 * kHalf);
    CHECK(y(1, 0) == 1.0f);
    CHECK(y(2, 0) == 1.0f + 2 * kHalf);
    CHECK(y(3, 0) == 1.0f + 2 * kHalf);
    CHECK(y(4, 0) == 0.0f);
    CHECK(y(5, 0) == 0.0f);
  }
}

}  // namespace
}  // namespace sglrun::kernels
