// Packs weights part by part of the tensors of a file, and hashes them on the way.
#pragma once

#include <cstdint>

#include "base/hash.h"
#include "base/stream_hash.h"
#include "base/thread_pool.h"
#include "kernels/backend.h"
#include "model/files/model_files.h"
#include "model/files/tensor_parts.h"
#include "model/weights/quant_rows.h"
#include "tensor/buffer.h"

namespace sglrun::model {

// Where the rows of a source go: from first_row on of `weight`.
struct Place {
  kernels::PackedWeight* weight = nullptr;  // nowhere
  std::int64_t first_row = 0;
};

// Works on one thread. pack_rows writes the elements of its own rows alone, so that threads may
// fill one matrix together, each with a packer of its own.
class PartPacker {
 public:
  explicit PartPacker(const kernels::Backend& backend);

  // Packs the panels that begin in the part, block by block, hashes its bytes where `hash` is
  // there, and lets go of its pages.
  void Pack(const TensorSource& source, const TensorPart& part, const Place& place, Hash128* hash);

 private:
  struct Block;
  void PackBlock(const Block& block);
  bool TakesStored(const Block& block) const;
  void PackStored(const Block& block);
  void PackCodes(const Block& block);
  void PackFloats(const Block& block);

  const kernels::Backend& backend_;
  ThreadPool one_thread_{1};
  kernels::KernelContext context_;
  tensor::Buffer rows_;
  QuantRows quant_rows_;
  StreamHash stream_;
};

}  // namespace sglrun::model
