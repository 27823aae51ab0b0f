// route: which experts a token takes, and how much of each
//
//   score[e]  = softmax(z)[e] or 1 / (1 + exp(-z[e]))
//   choice[e] = score[e] (+ choice_bias[e])
//   experts   = the k experts of the largest choice, of equal ones those of lower number; ascending
//   weight[e] = scale * score[e] (/ the sum of the scores of the k)
//
// logits f32 [T, E], choice_bias f32 [E] or empty, experts int32 [T, k], weights f32 [T, k]; k <= E
// <= kMostExperts. In a row of logits with NaN the weights are NaN and the experts are any k.
//
// Error of a weight: relative 4e-6. Where two choices lie closer than that, either may be taken.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/context.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

inline constexpr std::int64_t kMostExperts = 1024;

enum class RouteScore : std::uint8_t { kSoftmax, kSigmoid };

struct RouteArgs {
  RouteScore score = RouteScore::kSoftmax;
  bool renormalise = false;
  float scale = 1.0f;
  tensor::TensorView logits;       // f32 [T, E]
  tensor::TensorView choice_bias;  // f32 [E] or empty
  tensor::TensorView experts;      // int32 [T, k], contiguous
  tensor::TensorView weights;      // f32 [T, k], contiguous
};

std::string Check(const RouteArgs& args);

}  // namespace sglrun::kernels
