// expert_mlp: y[t] = alpha * sum_e weights[t, e] down_e(f(gate_up_e(x[t]))) (+ y[t] before the
// call)
//
// where e runs over the experts of row t, in ascending order: the bits of a row depend on that row
// alone, whatever experts the rows beside it take. Each product and activation is the operation of
// that name (kernels/gemm.h, kernels/activation.h), and each expert's rows go through it together.
//
// x f32 [T, H]; experts int32 [T, k], in each row ascending and different; weights f32 [T, k]; y
// f32 [T, H], which does not overlap x.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/activation.h"
#include "kernels/context.h"
#include "kernels/packed_weight.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct KernelTable;

struct ExpertWeights {
  const PackedWeight* gate_up = nullptr;  // [2 I, H], or [I, H] where the activation is not gated
  const PackedWeight* down = nullptr;     // [H, I]
  tensor::TensorView gate_up_bias = {};   // f32 [2 I] or [I], or empty
  tensor::TensorView down_bias = {};      // f32 [H] or empty
};

struct ExpertMlpArgs {
  tensor::TensorView x;                    // f32 [T, H]
  tensor::TensorView experts;              // int32 [T, k], contiguous
  tensor::TensorView weights;              // f32 [T, k], contiguous
  std::span<const ExpertWeights> of = {};  // by the experts' numbers
  ActivationArgs activation;               // x and y are working space for T rows
  tensor::TensorView rows;                 // f32 [T, H], working space
  tensor::TensorView y;                    // f32 [T, H]
  bool accumulate = false;                 // add to what y holds
  float alpha = 1.0f;
};

std::string Check(const ExpertMlpArgs& args);

// By operations of `table`, of a backend on the host.
namespace host {
void ExpertMlp(const KernelTable& table, const ExpertMlpArgs& args, KernelContext& context);
}  // namespace host

}  // namespace sglrun::kernels
