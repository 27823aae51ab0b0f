// The chains as the backend itself calls them (forward_calls.cc), which form they take and on what:
// the bits of their operations one after the other on the same device, with cuBLASLt (a stand-in)
// and without.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "kernels/cuda/backend.h"
#include "tensor/buffer.h"
#include "tests/kernels/cuda/surroundings.h"

#include <doctest/doctest.h>

namespace sglrun::kernels {
namespace {

using tensor::DType;
using tensor::TensorView;

struct Shape {
  std::int64_t rows, hidden, inner;
};
// Norms and gates in the product and beside it, few rows and many; the last is for the library.
constexpr Shape kShapes[] = {{1, 64, 36}, {8, 64, 36}, {8, 2052, 4},
                             {9, 64, 36}, {9, 64, 6},  {66, 64, 36}};

std::vector<float> Normal(std::int64_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

class Layer {
 public:
  Layer(const DeviceBackend& device, const Shape& shape)
      : table_(device.backend().table), allocator_(*device.backend().allocator), s_(shape) {
    context_.set_device(device.backend().device);
    for (tensor::Buffer* buffer : {&x_, &normed_}) *buffer = Floats(s_.rows * s_.hidden);
    wide_ = Floats(s_.rows * 2 * s_.inner);
    inner_ = Floats(s_.rows * s_.inner);
    norm_ = Floats(s_.hidden);
    bias_ = Floats(2 * s_.inner);
    Fill(norm_, Normal(s_.hidden, 1));
    Fill(bias_, Normal(2 * s_.inner, 2));
    Pack(2 * s_.inner, s_.hidden, 3, gate_up_);
    Pack(s_.hidden, s_.inner, 4, down_);
  }

  std::vector<float> NormGemm(bool at_once) {
    const NormGemmArgs args{.norm = Norm(), .gemm = GateUp()};
    Begin();
    at_once ? table_.norm_gemm(table_, args, context_) : host::NormGemm(table_, args, context_);
    return Read(wide_);
  }
  std::vector<float> Mlp(bool at_once) {
    const MlpArgs args{.norm = Norm(),
                       .gate_up = GateUp(),
                       .activation = {.x = View(wide_, 2 * s_.inner), .y = View(inner_, s_.inner)},
                       .down = {.x = View(inner_, s_.inner),
                                .weight = &down_,
                                .bias = {},
                                .y = View(x_, s_.hidden),
                                .accumulate = true}};
    Begin();
    at_once ? table_.mlp(table_, args, context_) : host::Mlp(table_, args, context_);
    return Read(x_);
  }

 private:
  tensor::Buffer Floats(std::int64_t count) {
    return tensor::Buffer(allocator_, static_cast<std::size_t>(count) * sizeof(float));
  }
  void Fill(tensor::Buffer& buffer, const std::vector<float>& values) {
    table_.upload(buffer.data(), values.data(), buffer.bytes(), context_);
  }
  std::vector<float> Read(const tensor::Buffer& buffer) {
    std::vector<float> values(buffer.bytes() / sizeof(float));
    table_.download(values.data(), buffer.data(), buffer.bytes(), context_);
    return values;
  }
  void Pack(std::int64_t n, std::int64_t k, std::uint32_t seed, PackedWeight& weight) {
    weight.n = n;
    weight.k = k;
    weight.dtype = DType::kBF16;
    weight.data = tensor::Buffer(allocator_, table_.packed_weight_bytes(n, k, DType::kBF16));
    std::vector<float> rows = Normal(n * k, seed);
    table_.pack_rows(
        {.weight = &weight, .rows = tensor::MakeView(rows.data(), DType::kF32, {n, k})}, context_);
  }
  // The same x, and nothing between the operations that a call could take for its own.
  void Begin() {
    Fill(x_, Normal(s_.rows * s_.hidden, 5));
    for (tensor::Buffer* between : {&normed_, &wide_, &inner_}) {
      Fill(*between, std::vector<float>(between->bytes() / sizeof(float),
                                        std::numeric_limits<float>::quiet_NaN()));
    }
  }
  TensorView View(const tensor::Buffer& buffer, std::int64_t width) const {
    return tensor::MakeView(buffer.as<float>(), DType::kF32, {s_.rows, width});
  }
  static TensorView Vector(const tensor::Buffer& buffer) {
    return tensor::MakeView(buffer.as<float>(), DType::kF32,
                            {static_cast<std::int64_t>(buffer.bytes() / sizeof(float))});
  }
  NormArgs Norm() const {
    return {.x = View(x_, s_.hidden),
            .add = {},
            .weight = Vector(norm_),
            .y = View(normed_, s_.hidden),
            .eps = 1e-5f};
  }
  GemmArgs GateUp() const {
    return {.x = View(normed_, s_.hidden),
            .weight = &gate_up_,
            .bias = Vector(bias_),
            .y = View(wide_, 2 * s_.inner)};
  }

  ThreadPool pool_{1};
  KernelContext context_{pool_};
  const KernelTable& table_;
  tensor::Allocator& allocator_;
  const Shape s_;
  tensor::Buffer x_, norm_, bias_, normed_, wide_, inner_;
  PackedWeight gate_up_, down_;
};

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::memcmp(a.data(), b.data(), b.size() * sizeof(float)) == 0;
}

TEST_CASE("a chain on the device has the bits of its operations, with the library and without") {
  const testing::Surroundings here;
  for (const Products products : {Products::kOwn, Products::kLibrary}) {
    const auto device = OpenSimBackend(products).value();
    for (const Shape& shape : kShapes) {
      CAPTURE(device->backend().isa);
      CAPTURE(shape.rows);
      CAPTURE(shape.hidden);
      CAPTURE(shape.inner);
      Layer layer(*device, shape);
      const std::vector<float> product = layer.NormGemm(false), sum = layer.Mlp(false);
      CHECK(std::isfinite(product.back() + sum.back()));
      CHECK(SameBits(layer.NormGemm(true), product));
      CHECK(SameBits(layer.Mlp(true), sum));
    }
  }
}

}  // namespace
}  // namespace sglrun::kernels
