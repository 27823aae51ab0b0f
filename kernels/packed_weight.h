// A weight matrix W [N, K] in a backend's own layout, made once at load. Only the backend that
// packed it can read it.
//
// Rows arrive in any order and any grouping, so that a loader can stream them and several source
// matrices can share one packed matrix (q, k and v; gate and up): as float32 (pack_rows), or as the
// codes of an already quantised matrix (pack_codes).
//
// Quantised weights (kI8, kI4) are codes without sign, 8 or 4 bits each. `group` neighbours of a
// row share a scale:
//
//   w = scale * (code - zero) + minimum          zero 128 (kI8) or 8 (kI4), no minimum; or
//                                                zero 0 and a minimum per group (QuantForm::minima)
//
// each step rounded to float32. That holds the blocks of GGUF files exactly, integers and scales.
#pragma once

#include <cstdint>
#include <string>

#include "tensor/buffer.h"
#include "tensor/dtype.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct QuantForm {
  std::int32_t group = 32;   // 32 or 16; for kI8 on the host also 64
  bool wide_scales = false;  // scales and minima in float32, else float16
  bool minima = false;

  bool operator==(const QuantForm&) const = default;
};

// How the elements of a weight are kept.
struct WeightForm {
  tensor::DType dtype;  // kF32, kBF16, kF16 (not on the CPU shelf), kI8, kI4
  QuantForm quant;      // of the last two

  // The form that pack_rows gives: int8 around zero, int4 between a minimum and a maximum.
  // NOLINTNEXTLINE(google-explicit-constructor): a type alone is a form.
  constexpr WeightForm(tensor::DType type)
      : dtype(type), quant{.minima = type == tensor::DType::kI4} {}
  constexpr WeightForm(tensor::DType type, QuantForm form) : dtype(type), quant(form) {}

  constexpr bool quantized() const {
    return dtype == tensor::DType::kI8 || dtype == tensor::DType::kI4;
  }
  // The code that stands for `minimum`, or for 0 where there is none.
  constexpr std::int32_t zero() const {
    return quant.minima ? 0 : dtype == tensor::DType::kI8 ? 128 : 8;
  }
  constexpr std::int64_t Groups(std::int64_t k) const {
    return (k + quant.group - 1) / quant.group;
  }
  bool operator==(const WeightForm&) const = default;
};

// Bytes of an element with its share of the scales.
double BytesPerWeight(const WeightForm& form);

struct PackedWeight {
  std::int64_t n = 0;                         // output features
  std::int64_t k = 0;                         // input features
  tensor::DType dtype = tensor::DType::kF32;  // form of the products, see kernels/gemm.h
  tensor::Buffer data = {};
  QuantForm quant = {};

  WeightForm form() const { return {dtype, quant}; }
};

// float32 rows; for bf16 weights on the host also bf16 ones, with the bytes of those rows widened.
// For kI8 and kI4, WeightForm(dtype) or the same with groups of 64, see kernels/common/quantize.h.
struct PackRowsArgs {
  PackedWeight* weight = nullptr;  // data allocated with PackedWeightBytes
  std::int64_t first_row = 0;      // where rows[0] goes
  tensor::TensorView rows;         // f32 or bf16 [r, K], row stride free
};

std::string Check(const PackRowsArgs& args);

// Rows that are codes already, in the weight's own form.
struct PackCodesArgs {
  PackedWeight* weight = nullptr;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  const std::uint8_t* codes = nullptr;  // [rows, K], one a byte
  const float* scales = nullptr;        // [rows, Groups(K)]
  const float* minima = nullptr;        // the same, or nullptr where the form has none
};

std::string Check(const PackCodesArgs& args);

}  // namespace sglrun::kernels
