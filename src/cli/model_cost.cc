#include "cli/model_cost.h"

#include "model/kv_cache.h"

namespace sglrun::cli {

ModelCost CostOf(const model::ModelConfig& config, std::int64_t weight_bytes,
                 tensor::DType kv_dtype, const kernels::Backend& backend) {
  const auto hidden = static_cast<double>(config.hidden_size);
  const auto layers = static_cast<double>(config.num_hidden_layers);
  const auto query = static_cast<double>(config.num_attention_heads * config.head_dim);
  const auto keys = static_cast<double>(config.num_key_value_heads * config.head_dim);
  const auto intermediate = static_cast<double>(config.intermediate_size);
  const double vocabulary = hidden * static_cast<double>(config.vocab_size);
  ModelCost cost;
  cost.weights = layers * hidden * (2 * query + 2 * keys + 3 * intermediate) + vocabulary;
  // Of an embedding beside the head a step reads a few rows.
  const double resident = cost.weights + (config.tie_word_embeddings ? 0 : vocabulary);
  cost.weight_bytes = static_cast<double>(weight_bytes) * cost.weights / resident;
  cost.kv_bytes_per_token =
      static_cast<double>(model::KvPageBytes(config, kv_dtype, backend) / kernels::kPageSize);
  cost.attention_flops = layers * query * 4;
  return cost;
}

}  // namespace sglrun::cli
