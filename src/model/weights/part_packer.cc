#include "model/weights/part_packer.h"

#include <algorithm>
#include <new>
#include <string_view>

namespace sglrun::model {
namespace {

// Elements of one block: with their floats and the panels that they become, 0.5 MiB stays in
// the second-level cache between hashing, dequantising and packing.
constexpr std::int64_t kBlockElements = std::int64_t{1} << 16;
// Blocks begin at multiples of this row, so that packing fills whole panels.
constexpr std::int64_t kRowMultiple = 64;

// The first row of a panel that begins at `byte` or after it: the thread that has a part of a
// tensor packs
// the panels that begin in it.
std::int64_t PanelRowAt(const TensorSource& source, std::size_t byte) {
  const std::int64_t panel_bytes = source.bytes / source.shape[0] * kRowMultiple;
  const std::int64_t panel = (static_cast<std::int64_t>(byte) + panel_bytes - 1) / panel_bytes;
  return std::min(panel * kRowMultiple, source.shape[0]);
}

// Hashes a part as far as it is asked for, in order.
class PartHasher {
 public:
  PartHasher(StreamHash& stream, std::string_view stored, const TensorPart& part)
      : stream_(stream), stored_(stored), at_(part.begin), end_(part.end()) {}

  void AddUpTo(std::int64_t byte) {
    const std::size_t to = std::min(static_cast<std::size_t>(byte), end_);
    if (to <= at_) return;
    stream_.Add(stored_.substr(at_, to - at_));
    at_ = to;
  }
  Hash128 Finish() {
    AddUpTo(static_cast<std::int64_t>(end_));
    return stream_.Finish();
  }

 private:
  StreamHash& stream_;
  std::string_view stored_;
  std::size_t at_, end_;
};

}  // namespace

// Rows [row, row + count) of `source`, which become rows from first_row on of `weight`.
struct PartPacker::Block {
  const TensorSource* source = nullptr;
  kernels::PackedWeight* weight = nullptr;
  std::int64_t row = 0, count = 0, first_row = 0;
};

PartPacker::PartPacker(const kernels::Backend& backend) : backend_(backend), context_(one_thread_) {
  context_.set_device(backend.device);
}

void PartPacker::Pack(const TensorSource& source, const TensorPart& part, const Place& place,
                      Hash128* hash) {
  PartHasher hasher(stream_, source.stored, part);
  if (place.weight != nullptr) {
    const std::int64_t row_bytes = source.bytes / source.shape[0];
    const std::int64_t end = PanelRowAt(source, part.end());
    const std::int64_t at_once =
        std::max(kBlockElements / source.shape[1] / kRowMultiple, std::int64_t{1}) * kRowMultiple;
    for (std::int64_t row = PanelRowAt(source, part.begin); row < end; row += at_once) {
      const std::int64_t count = std::min(at_once, end - row);
      if (hash != nullptr) hasher.AddUpTo((row + count) * row_bytes);
      PackBlock({&source, place.weight, row, count, place.first_row + row});
    }
  }
  if (hash != nullptr) *hash = hasher.Finish();
  // Another thread may still read the end of this part: a dropped page comes back from the file.
  source.drop_pages(part.begin, part.bytes);
}

void PartPacker::PackBlock(const Block& block) {
  if (block.weight->form().quantized() && block.source->form) {
    PackCodes(block);
  } else if (TakesStored(block)) {
    PackStored(block);
  } else {
    PackFloats(block);
  }
}

// Whether pack_rows takes the rows as they lie in the file.
bool PartPacker::TakesStored(const Block& block) const {
  const std::optional<tensor::DType> plain = block.source->plain;
  if (!plain || backend_.device != nullptr) return false;
  return *plain == tensor::DType::kF32 || *plain == block.weight->dtype;
}

void PartPacker::PackStored(const Block& block) {
  for (std::int64_t done = 0; done < block.count;) {
    const tensor::TensorView rows = block.source->stored_rows(block.row + done, block.count - done);
    backend_.table.pack_rows(
        {.weight = block.weight, .first_row = block.first_row + done, .rows = rows}, context_);
    done += rows.shape[0];
  }
}

void PartPacker::PackCodes(const Block& block) {
  quant_rows_.Read(*block.source, block.row, block.count, block.weight->form());
  backend_.table.pack_codes({.weight = block.weight,
                             .first_row = block.first_row,
                             .rows = block.count,
                             .codes = quant_rows_.codes(),
                             .scales = quant_rows_.scales(),
                             .minima = quant_rows_.minima()},
                            context_);
}

void PartPacker::PackFloats(const Block& block) {
  const std::int64_t columns = block.weight->k;
  const std::size_t bytes = static_cast<std::size_t>(block.count * columns) * sizeof(float);
  if (rows_.bytes() < bytes) rows_ = tensor::Buffer(tensor::HostAllocator(), bytes);
  if (!rows_.ok()) throw std::bad_alloc();
  block.source->read_rows(block.row, block.count, rows_.as<float>());
  backend_.table.pack_rows(
      {.weight = block.weight,
       .first_row = block.first_row,
       .rows = tensor::MakeView(rows_.data(), tensor::DType::kF32, {block.count, columns})},
      context_);
}

}  // namespace sglrun::model
