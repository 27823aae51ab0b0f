// gemm: y[m, n] = alpha * (sum_k x[m, k] * W[n, k] (+ bias[n])) (+ y[m, n] before the call)
//
// x [M, K] f32, W packed [N, K], bias f32 [N] or empty, y [M, N] f32. With bf16 weights x is
// rounded to bf16 (nearest even) before the product; products and sums are float32. The same
// holds for f16 weights, which keep all of their bits; with them an infinity in x may make its row
// NaN.
//
// With quantised weights x is rounded to integers of -127 to 127, in the groups of W and with a
// scale each (RoundActivations in kernels/common/quantize.h), and
//
//   y[m, n] = sum_g sx (sw sum (code_w - zero) code_x + minimum_w sum code_x)    over the groups g
//
// where the inner sums are exact integers. A group of x with NaN or an infinity makes the whole row
// NaN.
//
// The order of the sum over k depends on K alone, never on M, on the row's place or on the threads:
// the same row of x gives the same bits in any batch. y must not alias x.
//
// Error against the exact sum of the rounded operands: at most about K * 2^-24 * sum |x w|; tests
// use 2 * sqrt(K) * 2^-24 * |x| |w|, the expected size for errors of random sign, times a small
// factor. For quantised weights that holds against the exact sum of the rounded operands, with the
// number of groups for K.
#pragma once

#include <string>

#include "kernels/context.h"
#include "kernels/packed_weight.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct GemmArgs {
  tensor::TensorView x = {};             // f32 [M, K], row stride free
  const PackedWeight* weight = nullptr;  // [N, K]
  tensor::TensorView bias = {};          // f32 [N] or empty
  tensor::TensorView y = {};             // f32 [M, N], row stride free
  bool accumulate = false;               // add to what y holds
  float alpha = 1.0f;                    // factor of the product and its bias
};

// "" when the shapes fit, else a sentence naming both sizes.
std::string Check(const GemmArgs& args);

double Flops(const GemmArgs& args);
double Bytes(const GemmArgs& args);  // weights once, x and y once

}  // namespace sglrun::kernels
