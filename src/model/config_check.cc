#include "model/config_check.h"

#include <cmath>

#include "kernels/kv_cache.h"

namespace sglrun::model {
namespace {

struct SizeRange {
  const char* key;
  std::int64_t value;
  // Absurd above: no model is near it, and products stay inside int64. Of a head, what the kernels
  // have room for.
  std::int64_t limit;
};

Status CheckSizes(const ModelConfig& c, const std::string& place) {
  const SizeRange ranges[] = {
      {"hidden_size", c.hidden_size, 1 << 20},
      {"intermediate_size", c.intermediate_size, 1 << 22},
      {"num_hidden_layers", c.num_hidden_layers, 1 << 12},
      {"num_attention_heads", c.num_attention_heads, 1 << 12},
      {"num_key_value_heads", c.num_key_value_heads, 1 << 12},
      {"head_dim", c.head_dim, kernels::kMaxHeadDim},
      {"vocab_size", c.vocab_size, 1 << 24},
      {"max_position_embeddings", c.context_length, kMostContext},
  };
  for (const SizeRange& range : ranges) {
    if (range.value < 1 || range.value > range.limit) {
      return Error{place + ": " + range.key + " is " + std::to_string(range.value) +
                   ", must be in [1, " + std::to_string(range.limit) + "]"};
    }
  }
  return {};
}

}  // namespace

Status CheckModelConfig(const ModelConfig& c, const std::string& place) {
  SGLRUN_RETURN_IF_ERROR(CheckSizes(c, place));
  if (c.num_attention_heads % c.num_key_value_heads != 0) {
    return Error{place + ": num_attention_heads " + std::to_string(c.num_attention_heads) +
                 " is not a multiple of num_key_value_heads " +
                 std::to_string(c.num_key_value_heads)};
  }
  if (c.head_dim % 8 != 0) {
    return Error{place + ": head_dim is " + std::to_string(c.head_dim) +
                 ", must be a multiple of 8"};
  }
  if (c.rope.rotary_dim > c.head_dim) {
    return Error{place + ": " + std::to_string(c.rope.rotary_dim) +
                 " entries of a head rotate, head_dim is " + std::to_string(c.head_dim)};
  }
  if (!std::isfinite(c.rms_norm_eps) || c.rms_norm_eps <= 0) {
    return Error{place + ": rms_norm_eps is " + std::to_string(c.rms_norm_eps) +
                 ", must be above 0"};
  }
  return {};
}

}  // namespace sglrun::model
