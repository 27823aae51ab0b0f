// What is done with the weights of a decoder before it runs. Matrices are packed by the backend,
// vectors are float32.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/backend.h"
#include "model/blocks/decoder_blocks.h"
#include "model/files/model_files.h"
#include "model/weights/load_options.h"

namespace sglrun::model {

// Rows of the vocabulary are used one by one, as inputs and as logits, so fewer bits cost most
// there.
inline constexpr tensor::DType kVocabularyDTypeOfInt4 = tensor::DType::kI8;

// Blocks with memory for all weights, contents undefined. Refuses with the sizes when the memory is
// not there. `files`: where the weights will come from, which decides the form of quantised ones;
// nullptr for random ones.
Result<DecoderBlocks> AllocateWeights(const ModelSpec& spec, const LoadOptions& options,
                                      const ModelFiles* files);

// The bytes of all that, without allocating it.
std::int64_t WeightBytes(const ModelSpec& spec, const LoadOptions& options,
                         const ModelFiles* files);

// The bytes that the weights of `blocks` have.
std::int64_t ResidentBytes(DecoderBlocks& blocks);

// Fills the weights from `files`, dequantising and packing block by block on all threads, and lets
// go of the source pages once they are packed.
void FillWeights(const ModelFiles& files, const LoadOptions& options,
                 kernels::KernelContext& context, DecoderBlocks& blocks);

// Fills the weights with random numbers of the size that keeps activations near one.
void RandomiseWeights(const LoadOptions& options, kernels::KernelContext& context,
                      DecoderBlocks& blocks);

}  // namespace sglrun::model
