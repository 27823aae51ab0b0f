// Random weights in the shapes of a model, for benchmarks without a download. Speed does not depend
// on their values as long as those are ordinary numbers.
#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "model/weights/weights.h"

namespace sglrun::model {
namespace {

// One pool of random numbers serves all matrices, each block of rows from another place in it:
// drawing a number for every weight would take longer than packing it.
constexpr std::int64_t kPoolFloats = std::int64_t{1} << 20;
constexpr std::int64_t kBlockFloats = std::int64_t{1} << 19;

class Randomiser : public WeightList {
 public:
  Randomiser(const LoadOptions& options, kernels::KernelContext& context)
      : options_(options), context_(context), pool_(static_cast<std::size_t>(kPoolFloats)) {
    std::uint64_t state = 1;
    for (float& value : pool_) {
      state = MixSeeds(state, 0x5317);
      value = static_cast<float>(static_cast<std::int64_t>(state >> 40)) * 0x1p-23f - 1.0f;
    }
  }

  void Matrix(const MatrixEntry& entry) override {
    const kernels::PackedWeight& weight = *entry.to;
    // Uniform in (-a, a) has the variance a^2 / 3: this a keeps the variance of the product.
    const float scale = std::sqrt(3.0f / static_cast<float>(weight.k));
    std::int64_t block = std::clamp<std::int64_t>(kBlockFloats / weight.k, 1, weight.n);
    rows_.resize(static_cast<std::size_t>(block * weight.k));
    for (std::int64_t row = 0; row < weight.n; row += block) {
      block = std::min(block, weight.n - row);
      FillRows(block * weight.k, scale);
      options_.backend->table.pack_rows(
          {.weight = entry.to,
           .first_row = row,
           .rows = tensor::MakeView(rows_.data(), tensor::DType::kF32, {block, weight.k})},
          context_);
    }
  }

  void Vector(const VectorEntry& entry) override {
    std::vector<float> values(static_cast<std::size_t>(entry.n));
    for (float& value : values) value = entry.center + 0.1f * Next();
    entry.to->Fill(values.data(), entry.n, 0, *options_.backend, context_);
  }

 private:
  float Next() {
    place_ = (place_ + 1) % kPoolFloats;
    return pool_[static_cast<std::size_t>(place_)];
  }

  void FillRows(std::int64_t count, float scale) {
    place_ = (place_ + 12345) % kPoolFloats;
    context_.pool().ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        rows_[static_cast<std::size_t>(i)] =
            scale * pool_[static_cast<std::size_t>((place_ + i) & (kPoolFloats - 1))];
      }
    });
  }

  const LoadOptions& options_;
  kernels::KernelContext& context_;
  std::vector<float> pool_;
  std::vector<float> rows_;
  std::int64_t place_ = 0;
};

}  // namespace

void RandomiseWeights(const LoadOptions& options, kernels::KernelContext& context,
                      DecoderBlocks& blocks) {
  Randomiser random(options, context);
  blocks.List(random);
}

}  // namespace sglrun::model
