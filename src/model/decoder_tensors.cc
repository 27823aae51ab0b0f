#include "model/decoder_tensors.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace sglrun::model {
namespace {

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

void AddLayer(const ModelConfig& c, std::int64_t layer, std::vector<TensorSpec>& out) {
  const std::int64_t q = c.num_attention_heads * c.head_dim;
  const std::int64_t kv = c.num_key_value_heads * c.head_dim;
  const auto add = [&](const char* suffix, std::vector<std::int64_t> shape) {
    out.push_back({LayerTensorName(layer, suffix), std::move(shape)});
  };
  const auto add_linear = [&](const std::string& name, std::int64_t rows, std::int64_t columns,
                              bool bias) {
    add((name + ".weight").c_str(), {rows, columns});
    if (bias) add((name + ".bias").c_str(), {rows});
  };
  add("input_layernorm.weight", {c.hidden_size});
  add_linear("self_attn.q_proj", q, c.hidden_size, c.qkv_bias);
  add_linear("self_attn.k_proj", kv, c.hidden_size, c.qkv_bias);
  add_linear("self_attn.v_proj", kv, c.hidden_size, c.qkv_bias);
  add_linear("self_attn.o_proj", c.hidden_size, q, c.output_bias);
  if (c.qk_norm) {
    add("self_attn.q_norm.weight", {c.head_dim});
    add("self_attn.k_norm.weight", {c.head_dim});
  }
  add("post_attention_layernorm.weight", {c.hidden_size});
  add_linear("mlp.gate_proj", c.intermediate_size, c.hidden_size, c.mlp_bias);
  add_linear("mlp.up_proj", c.intermediate_size, c.hidden_size, c.mlp_bias);
  add_linear("mlp.down_proj", c.hidden_size, c.intermediate_size, c.mlp_bias);
}

// The layer number in "model.layers.N.rest", or -1.
std::int64_t LayerOf(std::string_view name) {
  constexpr std::string_view kPrefix = "model.layers.";
  if (!name.starts_with(kPrefix)) return -1;
  std::int64_t layer = -1;
  for (name.remove_prefix(kPrefix.size()); !name.empty(); name.remove_prefix(1)) {
    const char c = name.front();
    if (c == '.') return layer;
    if (c < '0' || c > '9' || layer > 1'000'000) return -1;
    layer = std::max<std::int64_t>(layer, 0) * 10 + (c - '0');
  }
  return -1;
}

bool IsLeftover(const ModelConfig& config, std::string_view name) {
  if (name.ends_with("rotary_emb.inv_freq")) return true;
  return config.tie_word_embeddings && name == kHeadName;
}

Error MissingTensor(const ModelConfig& config, const TensorCheckNames& names,
                    const std::string& missing, const std::vector<StoredTensor>& tensors) {
  std::set<std::int64_t> layers;
  for (const StoredTensor& tensor : tensors) layers.insert(LayerOf(tensor.name));
  layers.erase(-1);
  const std::int64_t layer = LayerOf(missing);
  if (layer >= 0 && !layers.contains(layer)) {
    return Error{"model \"" + names.model + "\": " + names.config + " names " +
                 std::to_string(config.num_hidden_layers) + " layers, weights hold " +
                 std::to_string(layers.size()) + " (layers." + std::to_string(layer) +
                 ".* missing)"};
  }
  return Error{"model \"" + names.model + "\": the weights do not hold " + missing};
}

Error UnknownTensor(const ModelConfig& config, const TensorCheckNames& names,
                    const StoredTensor& tensor) {
  const std::int64_t layer = LayerOf(tensor.name);
  if (layer >= config.num_hidden_layers) {
    return Error{"model \"" + names.model + "\": " + names.config + " names " +
                 std::to_string(config.num_hidden_layers) + " layers, weights hold layers." +
                 std::to_string(layer) + ".*"};
  }
  return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" has no place in a " +
               config.architecture + " model as " + names.config + " describes it"};
}

}  // namespace

std::string LayerTensorName(std::int64_t layer, const std::string& suffix) {
  return "model.layers." + std::to_string(layer) + "." + suffix;
}

std::vector<TensorSpec> DecoderTensors(const ModelConfig& config) {
  std::vector<TensorSpec> specs;
  specs.push_back({kEmbeddingName, {config.vocab_size, config.hidden_size}});
  for (std::int64_t i = 0; i < config.num_hidden_layers; ++i) AddLayer(config, i, specs);
  specs.push_back({kFinalNormName, {config.hidden_size}});
  if (!config.tie_word_embeddings) {
    specs.push_back({kHeadName, {config.vocab_size, config.hidden_size}});
  }
  return specs;
}

Status MatchTensors(const ModelConfig& config, const TensorCheckNames& names,
                    std::vector<StoredTensor>& tensors) {
  std::unordered_map<std::string_view, const StoredTensor*> by_name;
  for (const StoredTensor& tensor : tensors) {
    if (!by_name.emplace(tensor.name, &tensor).second) {
      return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" stands twice"};
    }
  }
  std::unordered_set<std::string> wanted;
  for (const TensorSpec& spec : DecoderTensors(config)) {
    const auto found = by_name.find(spec.name);
    if (found == by_name.end()) return MissingTensor(config, names, spec.name, tensors);
    if (found->second->shape != spec.shape) {
      return Error{found->second->file->path() + ": tensor \"" + spec.name + "\" is " +
                   ShapeText(found->second->shape) + ", " + names.config + " asks for " +
                   ShapeText(spec.shape)};
    }
    wanted.insert(spec.name);
  }
  for (const StoredTensor& tensor : tensors) {
    if (!wanted.contains(tensor.name) && !IsLeftover(config, tensor.name)) {
      return UnknownTensor(config, names, tensor);
    }
  }
  std::erase_if(tensors, [&](const StoredTensor& t) { return !wanted.contains(t.name); });
  return {};
}

}  // namespace sglrun::model
