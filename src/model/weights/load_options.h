// In which form and where a model is loaded.
#pragma once

#include <atomic>
#include <span>

#include "base/hash.h"
#include "kernels/backend.h"
#include "model/files/adapter_files.h"
#include "tensor/dtype.h"

namespace sglrun::model {

struct LoadOptions {
  // Arithmetic form of the weights. kI8 and kI4 leave quantised tensors their own integers and
  // quantise the others.
  tensor::DType dtype = tensor::DType::kBF16;
  const kernels::Backend* backend = nullptr;
  // What rows may add to the model, numbered by their place.
  std::span<const AdapterFiles> adapters = {};
  // If it is there, it becomes ModelFiles::Fingerprint: packing reads every byte anyway.
  Hash128* fingerprint = nullptr;
  // Once it is set, the rest is skipped: the model is no longer needed.
  const std::atomic<bool>* stop = nullptr;
};

}  // namespace sglrun::model
