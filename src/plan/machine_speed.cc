#include "plan/machine_speed.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/cpu/form_of_floats.h"
#include "tensor/buffer.h"

namespace sglrun::plan {
namespace {

// Large enough not to stay in the last-level cache of most machines.
constexpr std::int64_t kOutputs = 16384;
constexpr std::int64_t kInputs = 2048;
constexpr std::int64_t kManyRows = 32;
constexpr int kTries = 3;

double BestSeconds(const kernels::Backend& backend, const kernels::GemmArgs& args,
                   serve::Compute& compute) {
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    backend.table.gemm(args, compute.context);
    // A device is waited for.
    float last = 0;
    backend.table.download(&last, args.y.f32(), sizeof last, compute.context);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    best = std::min(best, passed.count());
  }
  return std::max(best, 1e-9);
}

}  // namespace

MachineSpeed MeasureMachine(const kernels::Backend& backend, tensor::DType dtype,
                            serve::Compute& compute) {
  const kernels::WeightForm form = kernels::FormOfFloats(backend, dtype, kInputs);
  kernels::PackedWeight weight{kOutputs, kInputs, form.dtype, {}, form.quant};
  weight.data = tensor::Buffer(*backend.allocator,
                               backend.table.packed_weight_bytes(kOutputs, kInputs, form));
  if (!weight.data.ok()) return {};
  std::vector<float> row(kInputs, 0.5f);
  for (std::int64_t i = 0; i < kOutputs; ++i) {
    backend.table.pack_rows(
        {.weight = &weight,
         .first_row = i,
         .rows = tensor::MakeView(row.data(), tensor::DType::kF32, {1, kInputs})},
        compute.context);
  }
  const std::vector<float> inputs(kManyRows * kInputs, 0.25f);
  const tensor::Buffer x(*backend.allocator, inputs.size() * sizeof(float));
  const tensor::Buffer y(*backend.allocator, kManyRows * kOutputs * sizeof(float));
  if (!x.ok() || !y.ok()) return {};
  backend.table.upload(x.data(), inputs.data(), x.bytes(), compute.context);
  const auto product = [&](std::int64_t rows) {
    return kernels::GemmArgs{
        .x = tensor::MakeView(x.data(), tensor::DType::kF32, {rows, kInputs}),
        .weight = &weight,
        .bias = {},
        .y = tensor::MakeView(y.data(), tensor::DType::kF32, {rows, kOutputs})};
  };
  const double weight_bytes =
      static_cast<double>(kOutputs * kInputs) * kernels::BytesPerWeight(form);
  return {.bytes_per_s = weight_bytes / BestSeconds(backend, product(1), compute),
          .flops_per_s = 2.0 * kOutputs * kInputs * kManyRows /
                         BestSeconds(backend, product(kManyRows), compute)};
}

}  // namespace sglrun::plan
