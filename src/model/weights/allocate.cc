#include "model/weights/weights.h"

#include "base/strings.h"
#include "kernels/cpu/form_of_floats.h"
#include "model/weights/available_memory.h"
#include "model/weights/quant_rows.h"

namespace sglrun::model {
namespace {

Error NoMemory(std::int64_t needed, const LoadOptions& options, std::int64_t available) {
  const bool is_smallest = options.dtype == tensor::DType::kI4;
  return Error{"the weights need " + FormatByteSize(needed) + " of memory in " +
                   tensor::DTypeName(options.dtype) + ", " + FormatByteSize(available) +
                   " are available" + (options.backend->device != nullptr ? " on the device" : ""),
               is_smallest ? Shortage::kWeightsInInt4 : Shortage::kWeights};
}

// Gives every matrix the form that it will have. Where int8 or int4 arithmetic is asked for, a
// quantised source keeps its own integers.
class FormChooser : public WeightList {
 public:
  FormChooser(const LoadOptions& options, const ModelFiles* files)
      : options_(options), files_(files) {}

  void Matrix(const MatrixEntry& entry) override {
    kernels::WeightForm form = kernels::FormOfFloats(*options_.backend, options_.dtype, entry.k);
    if (entry.is_vocabulary && options_.dtype == tensor::DType::kI4) form = kVocabularyDTypeOfInt4;
    if (files_ != nullptr && kernels::WeightForm(options_.dtype).quantized()) {
      form = FormOf(SourcesOf(entry), form);
    }
    if (entry.use.is_exact) form = tensor::DType::kF32;
    entry.to->dtype = form.dtype;
    entry.to->quant = form.quant;
  }
  void Vector(const VectorEntry&) override {}

 private:
  std::vector<const TensorSource*> SourcesOf(const MatrixEntry& entry) const {
    std::vector<const TensorSource*> sources;
    for (const Source& source : entry.from) sources.push_back(files_->Find(FullName(source)));
    return sources;
  }

  const LoadOptions& options_;
  const ModelFiles* files_;
};

DecoderBlocks InTheirForms(const ModelSpec& spec, const LoadOptions& options,
                           const ModelFiles* files) {
  DecoderBlocks blocks(spec);
  FormChooser chooser(options, files);
  blocks.List(chooser);
  return blocks;
}

// The sum of size(bytes) over all weights.
template <class SizeFn>
std::int64_t TotalBytes(const LoadOptions& options, DecoderBlocks& blocks, SizeFn size) {
  std::size_t total = 0;
  ForEachWeight(
      blocks,
      [&](const MatrixEntry& matrix) {
        total +=
            size(options.backend->table.packed_weight_bytes(matrix.n, matrix.k, matrix.to->form()));
      },
      [&](const VectorEntry& vector) { total += size(static_cast<std::size_t>(vector.n) * 4); });
  return static_cast<std::int64_t>(total);
}

std::int64_t TotalBytes(const LoadOptions& options, DecoderBlocks& blocks) {
  return TotalBytes(options, blocks, [](std::size_t bytes) { return bytes; });
}

// False when a buffer could not be allocated.
bool AllocateAll(const LoadOptions& options, tensor::Allocator& allocator, DecoderBlocks& blocks) {
  bool ok = true;
  // The vectors lie next to each other: one thread fills them, which would touch, and so zero,
  // most huge pages of the matrices if it wrote between them.
  ForEachWeight(
      blocks, [](const MatrixEntry&) {},
      [&](const VectorEntry& vector) {
        const auto bytes = static_cast<std::size_t>(vector.n) * sizeof(float);
        *vector.to = {vector.n, tensor::Buffer(allocator, bytes)};
        ok = ok && vector.to->data.ok();
      });
  ForEachWeight(
      blocks,
      [&](const MatrixEntry& matrix) {
        kernels::PackedWeight& to = *matrix.to;
        to.n = matrix.n;
        to.k = matrix.k;
        to.data = tensor::Buffer(allocator,
                                 options.backend->table.packed_weight_bytes(to.n, to.k, to.form()));
        ok = ok && to.data.ok();
      },
      [](const VectorEntry&) {});
  return ok;
}

}  // namespace

std::int64_t ResidentBytes(DecoderBlocks& blocks) {
  std::size_t total = 0;
  ForEachWeight(
      blocks,
      [&](const MatrixEntry& matrix) {
        total += matrix.to->data.bytes();
        if (matrix.updates != nullptr) total += static_cast<std::size_t>(matrix.updates->bytes());
      },
      [&](const VectorEntry& vector) { total += vector.to->data.bytes(); });
  return static_cast<std::int64_t>(total) + blocks.embedding.updates().bytes() +
         blocks.head.updates().bytes();
}

std::int64_t WeightBytes(const ModelSpec& spec, const LoadOptions& options,
                         const ModelFiles* files) {
  DecoderBlocks blocks = InTheirForms(spec, options, files);
  return TotalBytes(options, blocks);
}

Result<DecoderBlocks> AllocateWeights(const ModelSpec& spec, const LoadOptions& options,
                                      const ModelFiles* files) {
  DecoderBlocks blocks = InTheirForms(spec, options, files);
  const std::int64_t total = TotalBytes(options, blocks);
  const std::optional<std::int64_t> available = AvailableMemory(*options.backend);
  if (available && total > *available) return NoMemory(total, options, *available);
  tensor::Allocator* allocator = options.backend->allocator;
  bool ok = true;
  if (options.backend->device == nullptr) {
    const std::int64_t taken = TotalBytes(options, blocks, tensor::Arena::Taken);
    blocks.memory = std::make_unique<tensor::Arena>(*allocator, static_cast<std::size_t>(taken));
    allocator = blocks.memory.get();
    ok = blocks.memory->ok();
  }
  ok = AllocateAll(options, *allocator, blocks) && ok;
  if (!ok) return NoMemory(total, options, available.value_or(0));
  return blocks;
}

}  // namespace sglrun::model
