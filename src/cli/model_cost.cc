#include "cli/model_cost.h"

#include "model/kv_cache.h"

namespace sglrun::cli {

ModelCost CostOf(const model::ModelConfig& config, tensor::DType dtype, tensor::DType kv_dtype,
                 const kernels::Backend& backend) {
  const auto hidden = static_cast<double>(config.hidden_size);
  const auto layers = static_cast<double>(config.num_hidden_layers);
  const auto query = static_cast<double>(config.num_attention_heads * config.head_dim);
  const auto keys = static_cast<double>(config.num_key_value_heads * config.head_dim);
  const auto intermediate = static_cast<double>(config.intermediate_size);
  ModelCost cost;
  cost.weights = layers * hidden * (2 * query + 2 * keys + 3 * intermediate) +
                 hidden * static_cast<double>(config.vocab_size);
  cost.weight_bytes = cost.weights * kernels::BytesPerWeight(dtype);
  cost.kv_bytes_per_token =
      static_cast<double>(model::KvPageBytes(config, kv_dtype, backend) / kernels::kPageSize);
  cost.attention_flops = layers * query * 4;
  return cost;
}

}  // namespace sglrun::cli
