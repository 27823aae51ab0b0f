// What the kernel tests share: the backends to try, matrices with strides and guards, and a
// comparison that says where and by how much.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/cpu/form_of_floats.h"
#include "tests/rounds.h"

// After ours: CHECK means doctest's in a test.
#include <doctest/doctest.h>

namespace sglrun::kernels::testing {

// The seed of a case: its own number, or with SGLRUN_TEST_SEED=N another one, for fresh data.
inline std::mt19937::result_type Seed(std::uint32_t number) {
  const char* shift = std::getenv("SGLRUN_TEST_SEED");
  if (shift == nullptr) return number;
  return number + 1000 * static_cast<std::uint32_t>(std::strtoul(shift, nullptr, 10));
}

// What outputs hold before a call: a value no kernel computes.
inline constexpr float kTombstone = -7.654321e33f;

// The backends of the shelf that this program tests: cpu_shelf.cc or cuda/sim_shelf.cc.
std::vector<const Backend*> ShelfBackends();
// Those and, on the host for weights that matrix tiles multiply, the emulated ones
// (emulated_amx.h): for the tests of products.
std::vector<const Backend*> ProductBackends(tensor::DType weights);
// How slow that shelf is: 0 on the host, 1 on the simulated device, more under the checker.
int ShelfCost();
// For long lists of cases: true but for one in so many calls on a slow shelf, for fewer under the
// checker; on the host with sanitizers for one in half as many.
inline bool SkippedHere(int one_in) {
  static int calls = 0;
  const int every = ShelfCost() > 0 ? one_in * ShelfCost() : kSanitized ? (one_in + 1) / 2 : 1;
  return calls++ % every != 0;
}

// float16 weights are for devices, groups of 64 for the host; the reference has both.
inline bool Serves(const Backend& backend, const WeightForm& weights) {
  if (weights.quant.group == 64) {
    return FormOfFloats(backend, weights.dtype, 64).quant.group == 64;
  }
  return weights.dtype != tensor::DType::kF16 || backend.name != "cpu";
}

// The forms of a cache that this shelf keeps: int8 is for the host.
inline std::vector<tensor::DType> CacheTypes() {
  using tensor::DType;
  if (ShelfBackends().front()->name != "cpu") return {DType::kBF16, DType::kF32};
  return {DType::kBF16, DType::kF32, DType::kI8};
}

inline std::vector<const Backend*> CpuBackends() {
  std::vector<const Backend*> backends;
  for (const std::string_view isa : CpuIsas()) backends.push_back(*CpuBackend(isa));
  return backends;
}

// float32 [rows, columns] somewhere inside a larger allocation: rows `gap` elements apart and the
// first one `offset` elements off alignment. All that is no element is a tombstone.
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t columns, std::int64_t gap = 0, std::int64_t offset = 0)
      : rows_(rows),
        columns_(columns),
        stride_(columns + gap),
        offset_(offset),
        values_(static_cast<std::size_t>(offset + rows * (columns + gap) + 64), kTombstone) {}

  tensor::TensorView view() {
    tensor::TensorView view =
        tensor::MakeView(values_.data() + offset_, tensor::DType::kF32, {rows_, columns_});
    view.stride[0] = stride_;
    return view;
  }
  // As a vector of rank 1.
  tensor::TensorView flat() {
    return tensor::MakeView(values_.data() + offset_, tensor::DType::kF32, {rows_ * columns_});
  }
  float& operator()(std::int64_t r, std::int64_t c) {
    return values_[static_cast<std::size_t>(offset_ + r * stride_ + c)];
  }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }

  Matrix& Fill(const std::function<float(std::int64_t, std::int64_t)>& value) {
    for (std::int64_t r = 0; r < rows_; ++r) {
      for (std::int64_t c = 0; c < columns_; ++c) (*this)(r, c) = value(r, c);
    }
    return *this;
  }
  Matrix& FillNormal(std::mt19937& random, float sigma = 1.0f) {
    std::normal_distribution<float> normal(0.0f, sigma);
    return Fill([&](std::int64_t, std::int64_t) { return normal(random); });
  }

  // Everything around the elements is as it was.
  bool GuardsIntact() const {
    std::size_t intact = 0;
    for (const float value : values_) intact += value == kTombstone;
    std::size_t elements = 0;
    for (std::int64_t r = 0; r < rows_; ++r) {
      for (std::int64_t c = 0; c < columns_; ++c) {
        elements += values_[static_cast<std::size_t>(offset_ + r * stride_ + c)] == kTombstone;
      }
    }
    return intact - elements == values_.size() - static_cast<std::size_t>(rows_ * columns_);
  }

 private:
  std::int64_t rows_, columns_, stride_, offset_;
  std::vector<float> values_;
};

inline bool SameBits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// One case on one backend, for messages.
struct Where {
  std::string operation;
  const Backend* backend;
  std::string situation;

  std::string ToString() const {
    return operation + " on " + std::string(backend->name) + "/" + std::string(backend->isa) +
           ", " + situation;
  }
};

using Tolerance = std::function<double(std::int64_t, std::int64_t)>;

// Every element within its tolerance; NaN and infinities must be equal. Complains about the worst
// element with the share of the tolerance it used.
inline void ExpectClose(const Where& where, Matrix& got, Matrix& want, const Tolerance& tolerance) {
  double worst = 0;
  std::int64_t worst_row = -1, worst_column = -1;
  for (std::int64_t r = 0; r < want.rows(); ++r) {
    for (std::int64_t c = 0; c < want.columns(); ++c) {
      const double a = got(r, c), b = want(r, c);
      if (std::isnan(a) && std::isnan(b)) continue;
      if (a == b) continue;
      double share = std::fabs(a - b) / tolerance(r, c);
      if (!std::isfinite(share)) share = INFINITY;
      if (share <= worst) continue;
      worst = share;
      worst_row = r;
      worst_column = c;
    }
  }
  if (worst > 1) {
    FAIL_CHECK(where.ToString() << ": element [" << worst_row << ", " << worst_column << "] is "
                                << got(worst_row, worst_column) << ", expected "
                                << want(worst_row, worst_column) << ", " << worst
                                << " of the tolerance");
  }
  CHECK_MESSAGE(got.GuardsIntact(), where.ToString() << " wrote outside its output");
}

inline void ExpectSameBits(const Where& where, Matrix& got, Matrix& want) {
  for (std::int64_t r = 0; r < want.rows(); ++r) {
    for (std::int64_t c = 0; c < want.columns(); ++c) {
      if (SameBits(got(r, c), want(r, c))) continue;
      FAIL_CHECK(where.ToString() << ": element [" << r << ", " << c << "] is " << got(r, c)
                                  << ", expected the bits of " << want(r, c));
      return;
    }
  }
  CHECK_MESSAGE(got.GuardsIntact(), where.ToString() << " wrote outside its output");
}

// A weight packed by `backend` from rows in blocks of `block`.
inline PackedWeight Pack(const Backend& backend, Matrix& rows, const WeightForm& form,
                         KernelContext& context, std::int64_t block = 1 << 20) {
  PackedWeight weight{rows.rows(), rows.columns(), form.dtype,
                      tensor::Buffer(*backend.allocator, backend.table.packed_weight_bytes(
                                                             rows.rows(), rows.columns(), form)),
                      form.quant};
  for (std::int64_t first = 0; first < rows.rows(); first += block) {
    tensor::TensorView part = rows.view();
    part.data = part.f32() + first * part.stride[0];
    part.shape[0] = std::min(block, rows.rows() - first);
    backend.table.pack_rows({.weight = &weight, .first_row = first, .rows = part}, context);
  }
  return weight;
}

}  // namespace sglrun::kernels::testing
