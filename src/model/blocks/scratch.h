// Working space of a forward pass: float32 matrices that are kept from step to step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tensor/buffer.h"
#include "tensor/tensor_view.h"

namespace sglrun::model {

// What a matrix holds. Blocks that never work at the same time share one.
enum class Slot : std::uint8_t {
  kStream,      // [T, H] the residual stream
  kNormed,      // [T, H] x after a norm
  kQkv,         // queries, keys and values
  kHeads,       // what the heads of attention give
  kGateUp,      // gates, then ups
  kInner,       // the gated inner vector of an MLP
  kBranch,      // [T, H] a block's output on its way into the stream
  kKeptStream,  // kStream and kHeads of the tokens whose output is wanted
  kKeptHeads,
  kRouter,      // [T, E] logits of the experts
  kChosen,      // [T, k] the experts that a token takes, as int32
  kShares,      // [T, k] and how much of each
  kExpertRows,  // [T, H] the rows that take one expert, then what it makes of them
  kLowRank,     // A x of an adapter
  kAdapted,     // a product before an adapter's gain
};
inline constexpr std::size_t kSlots = 15;

// The width of each slot in columns: the maximum over the blocks of a model.
class Columns {
 public:
  void Need(Slot slot, std::int64_t columns);
  std::int64_t operator[](Slot slot) const { return of_[static_cast<std::size_t>(slot)]; }
  // Bytes of all slots for `rows` rows; nothing if that exceeds int64.
  std::optional<std::int64_t> Bytes(std::int64_t rows) const;

 private:
  std::array<std::int64_t, kSlots> of_ = {};
};

class Scratch {
 public:
  Scratch(const Columns& columns, tensor::Allocator& allocator)
      : columns_(columns), allocator_(&allocator) {}

  const Columns& columns() const { return columns_; }

  // Makes room for `rows` rows in every slot; false if there is no memory for them.
  bool Reserve(std::int64_t rows);

  // f32 [rows, columns] at the beginning of the slot, contents undefined. `columns` is at most what
  // was asked for. Throws std::bad_alloc where the slot must grow and there is no memory.
  tensor::TensorView Take(Slot slot, std::int64_t rows, std::int64_t columns);

 private:
  bool Grow(Slot slot, std::int64_t rows);

  Columns columns_;
  tensor::Allocator* allocator_;
  std::array<tensor::Buffer, kSlots> buffers_;
};

}  // namespace sglrun::model
