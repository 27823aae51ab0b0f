#include "serve/model_cost.h"

#include <algorithm>

#include "model/blocks/decoder_blocks.h"
#include "model/kv_cache.h"

namespace sglrun::serve {

ModelCost CostOf(const model::ModelSpec& spec, std::int64_t weight_bytes, tensor::DType kv_dtype,
                 const kernels::Backend& backend) {
  ModelCost cost;
  double resident = 0, always = 0, experts = 0;
  for (const model::MatrixSize& matrix : model::MatrixSizes(spec)) {
    const double numbers = static_cast<double>(matrix.n) * static_cast<double>(matrix.k);
    resident += numbers;
    // If the embedding is separate from the head, a step reads only a few of its rows.
    if (!matrix.is_multiplied) continue;
    cost.weights += numbers * matrix.share;
    (matrix.share < 1 ? experts : always) += numbers;
    cost.expert_share = std::min(cost.expert_share, matrix.share);
  }
  cost.weight_bytes = static_cast<double>(weight_bytes) * always / resident;
  cost.expert_bytes = static_cast<double>(weight_bytes) * experts / resident;
  cost.kv_bytes_per_token =
      static_cast<double>(model::KvPageBytes(spec, kv_dtype, backend) / kernels::kPageSize);
  for (const model::LayerSpec& layer : spec.layers) {
    cost.attention_flops += 4 * static_cast<double>(layer.mixer.query_width());
  }
  return cost;
}

}  // namespace sglrun::serve
