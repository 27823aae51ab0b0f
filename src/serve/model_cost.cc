#include "serve/model_cost.h"

#include "model/blocks/decoder_blocks.h"
#include "model/kv_cache.h"

namespace sglrun::serve {

ModelCost CostOf(const model::ModelSpec& spec, std::int64_t weight_bytes, tensor::DType kv_dtype,
                 const kernels::Backend& backend) {
  ModelCost cost;
  double resident = 0;
  for (const model::MatrixSize& matrix : model::MatrixSizes(spec)) {
    const double numbers = static_cast<double>(matrix.n) * static_cast<double>(matrix.k);
    resident += numbers;
    // If the embedding is separate from the head, a step reads only a few of its rows.
    if (matrix.is_multiplied) cost.weights += numbers;
  }
  cost.weight_bytes = static_cast<double>(weight_bytes) * cost.weights / resident;
  cost.kv_bytes_per_token =
      static_cast<double>(model::KvPageBytes(spec, kv_dtype, backend) / kernels::kPageSize);
  for (const model::LayerSpec& layer : spec.layers) {
    cost.attention_flops += 4 * static_cast<double>(layer.mixer.query_width());
  }
  return cost;
}

}  // namespace sglrun::serve
