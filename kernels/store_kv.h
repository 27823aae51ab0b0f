// store_kv: writes the keys and values of this step's tokens into their cache slots, rounding to
// the cache's dtype (nearest even; with int8 each head has its own scale, common/round_head.h). No
// two tokens of a step share a slot.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/context.h"
#include "kernels/kv_cache.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels {

struct StoreKvArgs {
  tensor::TensorView k;                 // f32 [T, Hkv * D], row stride free
  tensor::TensorView v;                 // f32 [T, Hkv * D], row stride free
  std::span<const std::int32_t> slots;  // [T]
  KvCacheView cache;
};

std::string Check(const StoreKvArgs& args);

}  // namespace sglrun::kernels
