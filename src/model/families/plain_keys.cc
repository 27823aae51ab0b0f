#include "model/families/plain_keys.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "model/spec/faults.h"
#include "model/spec/plain_decoder.h"
#include "model/spec/rope.h"
#include "tensor/dtype.h"

namespace sglrun::model {
namespace {

struct ActivationName {
  std::string_view name;
  kernels::ActivationKind kind;
};
constexpr ActivationName kActivations[] = {
    {"silu", kernels::ActivationKind::kSilu},
    {"swish", kernels::ActivationKind::kSilu},
    {"gelu", kernels::ActivationKind::kGelu},
    {"gelu_new", kernels::ActivationKind::kGeluTanh},
    {"gelu_pytorch_tanh", kernels::ActivationKind::kGeluTanh},
    {"gelu_fast", kernels::ActivationKind::kGeluTanh},
    {"relu", kernels::ActivationKind::kRelu},
    {"relu2", kernels::ActivationKind::kRelu2},
};

kernels::ActivationKind ReadActivation(ConfigReader& reader, const ClassDefaults& defaults) {
  const std::string key(defaults.activation_key);
  const std::string name = reader.String(key, std::string(defaults.activation));
  std::string known;
  for (const ActivationName& each : kActivations) {
    if (each.name == name) return each.kind;
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  reader.Fail(key + " is \"" + name + "\", which is not supported; supported are " + known);
  return {};
}

std::int64_t ReadHeadDim(ConfigReader& keys, const ClassDefaults& defaults,
                         const PlainSizes& sizes) {
  const std::int64_t stated = keys.OptionalInt("head_dim").value_or(defaults.head_dim.value_or(0));
  if (stated != 0 || sizes.heads <= 0) return stated;
  if (sizes.hidden % sizes.heads != 0) {
    keys.Fail("hidden_size " + std::to_string(sizes.hidden) +
              " is not a multiple of num_attention_heads " + std::to_string(sizes.heads));
  }
  return sizes.hidden / sizes.heads;
}

PlainSizes ReadSizes(ConfigReader& keys, const ClassDefaults& defaults) {
  PlainSizes sizes;
  sizes.hidden = keys.Int("hidden_size", defaults.hidden_size);
  sizes.inner = keys.Int("intermediate_size", defaults.intermediate_size);
  sizes.layers = keys.Int("num_hidden_layers", defaults.num_hidden_layers);
  sizes.heads = keys.Int("num_attention_heads", defaults.num_attention_heads);
  // A class default counts when the key is absent; null means "as many as query heads".
  const bool absent = !keys.Has("num_key_value_heads");
  sizes.kv_heads = keys.Int("num_key_value_heads", absent && defaults.num_key_value_heads
                                                       ? *defaults.num_key_value_heads
                                                       : sizes.heads);
  sizes.vocab = keys.Int("vocab_size", defaults.vocab_size);
  sizes.context = keys.Int("max_position_embeddings", defaults.max_position_embeddings);
  const std::string_view eps_key = keys.gguf() != nullptr ? "rms_norm_eps" : defaults.eps_key;
  sizes.norm_eps =
      static_cast<float>(keys.Float(eps_key, static_cast<double>(defaults.rms_norm_eps)));
  sizes.head_dim = ReadHeadDim(keys, defaults, sizes);
  return sizes;
}

// Checked before layers and angles of these sizes are allocated.
std::optional<std::string> FaultOf(const PlainSizes& sizes) {
  PlainSizes one_layer = sizes;
  one_layer.layers = 1;
  const auto fault = FaultOf(PlainDecoder(one_layer));
  return fault ? fault : RangeFault("num_hidden_layers", sizes.layers, kMostLayers);
}

std::vector<float> ReadFactors(const Json& list, ConfigReader& reader) {
  std::vector<float> factors;
  bool are_numbers = list.is_array();
  for (std::size_t i = 0; are_numbers && i < list.as_array().size(); ++i) {
    const Json& factor = list.as_array()[i];
    are_numbers = factor.is_number();
    if (are_numbers) factors.push_back(static_cast<float>(factor.as_double()));
  }
  if (!are_numbers)
    reader.Fail("short_factor is " + list.Excerpt() + ", must be a list of numbers");
  return factors;
}

// What an object of rope keys states; `partial`: the share of a head that rotates.
void ReadRopeObject(const Json& object, ConfigReader& reader, RopeSettings& settings,
                    double& partial) {
  ConfigReader rope(object, reader.place() + ": rope scaling");
  settings.type = rope.String("rope_type", rope.String("type", "default"));
  settings.theta = rope.Float("rope_theta", settings.theta);
  settings.factor = rope.OptionalFloat("factor");
  if (settings.factor && rope.Find("rope_type") == nullptr && rope.Find("type") == nullptr) {
    rope.Fail("factor is stated without a rope_type, which says what it does to the angles");
  }
  settings.low_freq_factor = rope.OptionalFloat("low_freq_factor");
  settings.high_freq_factor = rope.OptionalFloat("high_freq_factor");
  if (const auto original = rope.OptionalFloat("original_max_position_embeddings")) {
    settings.original_max_position_embeddings = original;
  }
  settings.attention_factor = rope.OptionalFloat("attention_factor");
  settings.beta_fast = rope.OptionalFloat("beta_fast");
  settings.beta_slow = rope.OptionalFloat("beta_slow");
  settings.mscale = rope.OptionalFloat("mscale");
  settings.mscale_all_dim = rope.OptionalFloat("mscale_all_dim");
  settings.truncate = rope.Bool("truncate", true);
  settings.alpha = rope.OptionalFloat("alpha");
  if (const Json* factors = rope.Find("short_factor")) {
    settings.short_factors = ReadFactors(*factors, rope);
  }
  partial = rope.Float("partial_rotary_factor", partial);
  for (const auto& [key, value] : object.as_object()) {
    if (value.is_object()) {
      rope.Fail("\"" + key + "\" has its own angles; only one rope for all layers is supported");
    }
  }
  if (!rope.status().ok()) reader.Fail(rope.status().error());
}

// rope_scaling, rope_parameters, or the default of the class; of one layer type where it has that.
const Json* FindRopeObject(ConfigReader& reader, const ClassDefaults& defaults,
                           std::string_view layer_type, const Json& class_default) {
  const Json* object = reader.Find("rope_scaling");
  if (object == nullptr) object = reader.Find("rope_parameters");
  const bool is_stated = object != nullptr || reader.Has("rope_theta");
  if (!is_stated && class_default.is_object()) object = &class_default;
  if (object == nullptr) return nullptr;
  if (!object->is_object()) {
    reader.Fail("rope_scaling is " + object->Excerpt() + ", must be an object");
    return nullptr;
  }
  const Json* of_type = defaults.has_sliding_rope ? object->Find(layer_type) : nullptr;
  return of_type != nullptr && of_type->is_object() ? of_type : object;
}

constexpr std::string_view kFull = "full_attention", kSliding = "sliding_attention";

// Without an object for their type, sliding layers have unscaled angles.
bool IsPlainSliding(const Json* object, std::string_view layer_type, ConfigReader& reader) {
  if (layer_type != kSliding) return false;
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const Json* all = reader.Find(key);
    if (all != nullptr && all->Find(kSliding) == object && object != nullptr) return false;
  }
  return true;
}

RopeSettings ReadRopeSettings(ConfigReader& reader, const PlainSizes& sizes,
                              const ClassDefaults& defaults, std::string_view layer_type) {
  RopeSettings settings;
  settings.theta = reader.Float("rope_theta", defaults.rope_theta);
  settings.max_position_embeddings = sizes.context;
  // Phi-style files state it beside rope_scaling; it wins there and here.
  settings.original_max_position_embeddings =
      reader.OptionalFloat("original_max_position_embeddings");
  double partial = reader.Float("partial_rotary_factor", defaults.partial_rotary_factor);
  const auto class_default = ParseJson(defaults.rope_parameters);
  const Json none;
  const Json* object = FindRopeObject(reader, defaults, layer_type,
                                      class_default.ok() ? class_default->value : none);
  if (IsPlainSliding(object, layer_type, reader)) {
    if (object != nullptr)
      settings.theta = ConfigReader(*object, "").Float("rope_theta", settings.theta);
    settings.theta =
        reader.Float("rope_local_base_freq", defaults.sliding_rope_theta.value_or(settings.theta));
  } else if (object != nullptr) {
    ReadRopeObject(*object, reader, settings, partial);
  }
  if (!(partial > 0 && partial <= 1)) {
    reader.Fail("partial_rotary_factor is " + std::to_string(partial) + ", must be in (0, 1]");
    partial = 1;
  }
  settings.rotary_dim = static_cast<std::int64_t>(static_cast<double>(sizes.head_dim) * partial);
  return settings;
}

// Of a GGUF file, which states the full layers' alone.
RopeSettings GgufRope(const GgufStatements& gguf, const ClassDefaults& defaults,
                      std::string_view layer_type) {
  if (layer_type != kSliding) return gguf.rope;
  RopeSettings settings;
  settings.theta =
      gguf.sliding_rope_theta.value_or(defaults.sliding_rope_theta.value_or(gguf.rope.theta));
  settings.rotary_dim = gguf.rope.rotary_dim;
  return settings;
}

void ReadRope(ConfigReader& keys, const PlainSizes& sizes, const ClassDefaults& defaults,
              std::string_view layer_type, ModelSpec& model) {
  const RopeSettings settings = keys.gguf() != nullptr
                                    ? GgufRope(*keys.gguf(), defaults, layer_type)
                                    : ReadRopeSettings(keys, sizes, defaults, layer_type);
  if (!keys.status().ok()) return;
  Result<RopeSpec> rope = BuildRope(settings, keys.place());
  if (!rope.ok()) return keys.Fail(rope.error());
  model.ropes.push_back(std::move(*rope));
  if (const auto most = MostPositions(settings)) {
    model.context_length = std::min(model.context_length, *most);
  }
}

void TakeStatements(const GgufStatements& gguf, ModelSpec& model) {
  for (LayerSpec& layer : model.layers) {
    layer.mixer.qkv_bias = gguf.qkv_bias;
    layer.mixer.output_bias = gguf.output_bias;
    layer.mlp.bias = gguf.mlp_bias;
    layer.mixer.window = gguf.window;
  }
}

}  // namespace

ModelSpec ReadPlainDecoder(ConfigReader& keys, const ClassDefaults& defaults) {
  const kernels::ActivationKind activation = ReadActivation(keys, defaults);
  const PlainSizes sizes = ReadSizes(keys, defaults);
  if (const auto fault = FaultOf(sizes)) keys.Fail(*fault);
  if (!keys.status().ok()) return {};
  ModelSpec model = PlainDecoder(sizes);
  if (keys.gguf() != nullptr) TakeStatements(*keys.gguf(), model);
  for (LayerSpec& layer : model.layers) layer.mlp.activation = activation;
  ReadRope(keys, sizes, defaults, kFull, model);
  if (defaults.has_sliding_rope) ReadRope(keys, sizes, defaults, kSliding, model);
  model.tied_head = keys.Bool("tie_word_embeddings", defaults.tie_word_embeddings);
  return model;
}

void ReadAttentionBias(ConfigReader& keys, ModelSpec& model) {
  for (LayerSpec& layer : model.layers) {
    layer.mixer.qkv_bias = keys.Bool("attention_bias", layer.mixer.qkv_bias);
    layer.mixer.output_bias = keys.Bool("attention_bias", layer.mixer.output_bias);
  }
}

void ReadMlpBias(ConfigReader& keys, ModelSpec& model) {
  for (LayerSpec& layer : model.layers) layer.mlp.bias = keys.Bool("mlp_bias", layer.mlp.bias);
}

void ReadQkvBias(ConfigReader& keys, std::string_view key, bool absent, ModelSpec& model) {
  for (LayerSpec& layer : model.layers) {
    const bool stated = keys.gguf() != nullptr ? layer.mixer.qkv_bias : absent;
    layer.mixer.qkv_bias = keys.Bool(key, stated);
  }
}

void ReadBiases(ConfigReader& keys, std::string_view key, bool absent, ModelSpec& model) {
  ReadQkvBias(keys, key, absent, model);
  for (LayerSpec& layer : model.layers) {
    const bool is_gguf = keys.gguf() != nullptr;
    layer.mixer.output_bias = keys.Bool(key, is_gguf ? layer.mixer.output_bias : absent);
    layer.mlp.bias = keys.Bool(key, is_gguf ? layer.mlp.bias : absent);
  }
}

void RefuseTrue(ConfigReader& keys, std::string_view key) {
  if (keys.Bool(key, false)) keys.Fail(std::string(key) + " is true, which is not supported");
}

float QueryScalarScale(ConfigReader& keys, const ModelSpec& model, std::size_t layers_of_27b) {
  const AttentionSpec& mixer = model.layers[0].mixer;
  double scalar = keys.Float("query_pre_attn_scalar", 256.0);
  if (keys.gguf() != nullptr) {
    const bool is_27b = model.layers.size() == layers_of_27b;
    scalar = static_cast<double>(is_27b ? model.hidden_size / mixer.heads : mixer.head_dim);
  }
  return static_cast<float>(1.0 / std::sqrt(scalar));
}

float RootOfHidden(ConfigReader& keys, const ModelSpec& model) {
  const float root = std::sqrt(static_cast<float>(model.hidden_size));
  if (keys.gguf() != nullptr) return root;
  const std::string type = keys.String("dtype", keys.String("torch_dtype", "bfloat16"));
  if (type == "float32" || type == "float64") return root;
  if (type == "float16") return tensor::F16ToFloat(tensor::FloatToF16(root));
  return tensor::BF16ToFloat(tensor::FloatToBF16(root));
}

float SoftcapKey(ConfigReader& keys, std::string_view key, double absent) {
  return static_cast<float>(keys.Float(key, keys.Has(key) ? 0.0 : absent));
}

float ReadLogitScale(ConfigReader& keys, double absent) {
  const char* key = keys.gguf() != nullptr ? "logits_scaling" : "logit_scale";
  return static_cast<float>(keys.Float(key, absent));
}

void ReadQueryGrowth(ConfigReader& keys, std::string_view class_default, ModelSpec& model) {
  if (model.ropes.empty()) return;
  RopeSpec& rope = model.ropes[0];
  std::optional<double> period;
  if (const GgufStatements* gguf = keys.gguf()) {
    rope.query_beta = keys.Float("llama_4_scaling_beta", 0.0);
    period = gguf->rope.original_max_position_embeddings;
  } else {
    const auto parsed = ParseJson(class_default);
    const Json none;
    const Json* object = FindRopeObject(keys, {}, kFull, parsed.ok() ? parsed->value : none);
    if (object == nullptr) return;
    ConfigReader growth(*object, keys.place() + ": rope scaling");
    rope.query_beta = growth.Float("llama_4_scaling_beta", 0.0);
    period = growth.OptionalFloat("original_max_position_embeddings");
    if (!growth.status().ok()) keys.Fail(growth.status().error());
  }
  if (rope.query_beta == 0) return;
  if (!period || *period < 1) {
    return keys.Fail(
        "llama_4_scaling_beta needs an original_max_position_embeddings of at least 1");
  }
  rope.query_period = *period;
}

}  // namespace sglrun::model
