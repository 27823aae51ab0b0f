// Rows of bfloat16 as they lie in files, packed without the way over float32.
#include "kernels/packed_weight.h"

#include <cstring>
#include <vector>

#include "support.h"

namespace sglrun::kernels {
namespace {

using tensor::DType;

// bf16 [rows, k] somewhere in a larger allocation, every bit pattern among its elements.
struct StoredRows {
  std::vector<std::uint16_t> halves;
  std::int64_t rows, k, stride;

  StoredRows(std::int64_t r, std::int64_t columns, std::int64_t gap, std::uint32_t seed)
      : rows(r), k(columns), stride(columns + gap) {
    std::mt19937 random(testing::Seed(seed));
    halves.resize(static_cast<std::size_t>(1 + rows * stride));
    for (std::uint16_t& half : halves) half = static_cast<std::uint16_t>(random());
    const std::uint16_t edges[] = {0x7F80, 0xFF80, 0x7F81, 0xFFBF, 0x7FC0, 0x0001, 0x8000};
    for (std::size_t i = 0; i < std::min(halves.size(), std::size(edges)); ++i) {
      halves[i] = edges[i];
    }
  }

  // Rows [first, first + count) from an odd element on.
  tensor::TensorView View(std::int64_t first, std::int64_t count) {
    tensor::TensorView view =
        tensor::MakeView(halves.data() + 1 + first * stride, DType::kBF16, {count, k});
    view.stride[0] = stride;
    return view;
  }
  testing::Matrix Widened() {
    return testing::Matrix(rows, k).Fill([&](std::int64_t r, std::int64_t c) {
      return tensor::BF16ToFloat(halves[static_cast<std::size_t>(1 + r * stride + c)]);
    });
  }
};

TEST_CASE("rows of bfloat16 give the bytes of the same rows widened to float32") {
  std::vector<const Backend*> backends = testing::ShelfBackends();
  backends.push_back(&RefBackend());
  ThreadPool pool(2);
  KernelContext context(pool);
  for (const std::int64_t k : {1, 2, 31, 32, 33, 63, 64, 65, 95, 130}) {
    StoredRows stored(150, k, k % 3, static_cast<std::uint32_t>(k));
    testing::Matrix floats = stored.Widened();
    for (const Backend* backend : backends) {
      const PackedWeight want = testing::Pack(*backend, floats, DType::kBF16, context);
      for (const std::int64_t block : {150, 64, 37}) {
        PackedWeight got{150, k, DType::kBF16,
                         tensor::Buffer(*backend->allocator, want.data.bytes())};
        for (std::int64_t first = 0; first < 150; first += block) {
          const PackRowsArgs args{.weight = &got,
                                  .first_row = first,
                                  .rows = stored.View(first, std::min(block, 150 - first))};
          CHECK(Check(args) == "");
          backend->table.pack_rows(args, context);
        }
        INFO(backend->name << "/" << backend->isa << ", k " << k << ", blocks of " << block);
        CHECK(std::memcmp(got.data.data(), want.data.data(), want.data.bytes()) == 0);
      }
    }
  }
}

TEST_CASE("rows of bfloat16 are for weights of that type") {
  StoredRows stored(3, 4, 0, 1);
  PackedWeight weight{3, 4, DType::kF32, tensor::Buffer(tensor::HostAllocator(), 4096)};
  CHECK(Check(PackRowsArgs{.weight = &weight, .rows = stored.View(0, 3)}) ==
        "pack_rows: rows is bf16[3, 4], must be f32[3, 4] with a contiguous last axis");
}

}  // namespace
}  // namespace sglrun::kernels
