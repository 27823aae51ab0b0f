// Adapters on their way from files into the blocks of a model.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "model/blocks/decoder_blocks.h"
#include "model/files/adapter_files.h"
#include "model/files/model_files.h"
#include "model/weights/load_options.h"

namespace sglrun::model {

// The form of an adapter's matrices: that of the model's weights, and bf16 beside quantised ones.
tensor::DType AdapterDType(tensor::DType weights);

// The bytes that an adapter takes, for a plan.
std::int64_t AdapterBytes(const AdapterFiles& adapter, const LoadOptions& options);

// Gives the blocks what the adapters change; adapter i of the list gets the number i. Refuses with
// the sizes when the memory is not there.
Status LoadAdapters(std::span<const AdapterFiles> adapters, const ModelFiles& model,
                    const LoadOptions& options, kernels::KernelContext& context,
                    DecoderBlocks& blocks);

}  // namespace sglrun::model
