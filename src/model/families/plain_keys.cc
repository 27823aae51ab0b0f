#include "model/families/plain_keys.h"

#include <algorithm>
#include <string>

#include "model/spec/faults.h"
#include "model/spec/plain_decoder.h"
#include "model/spec/rope.h"

namespace sglrun::model {
namespace {

void RefuseOtherActivations(ConfigReader& reader) {
  const std::string act = reader.String("hidden_act", "silu");
  if (act != "silu" && act != "swish") {
    reader.Fail("hidden_act is \"" + act + "\", which is not supported; supported are silu, swish");
  }
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
  sizes.norm_eps =
      static_cast<float>(keys.Float("rms_norm_eps", static_cast<double>(defaults.rms_norm_eps)));
  sizes.head_dim = ReadHeadDim(keys, defaults, sizes);
  return sizes;
}

// Asked before there are so many layers and angles of so large a head.
std::optional<std::string> FaultOf(const PlainSizes& sizes) {
  PlainSizes one_layer = sizes;
  one_layer.layers = 1;
  const auto fault = FaultOf(PlainDecoder(one_layer));
  return fault ? fault : RangeFault("num_hidden_layers", sizes.layers, kMostLayers);
}

RopeSettings ReadRopeObject(const Json& object, ConfigReader& reader, RopeSettings settings) {
  ConfigReader rope(object, reader.place() + ": rope scaling");
  settings.type = rope.String("rope_type", rope.String("type", "default"));
  settings.theta = rope.Float("rope_theta", settings.theta);
  settings.factor = rope.OptionalFloat("factor");
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
  for (const auto& [key, value] : object.as_object()) {
    if (value.is_object()) {
      rope.Fail("\"" + key + "\" has angles of its own; one rope for all layers is supported");
    }
  }
  if (!rope.status().ok()) reader.Fail(rope.status().error());
  return settings;
}

RopeSettings ReadRopeSettings(ConfigReader& reader, const PlainSizes& sizes) {
  RopeSettings settings;
  settings.theta = reader.Float("rope_theta", 10000.0);
  settings.max_position_embeddings = sizes.context;
  // Phi-style files state it beside rope_scaling; it wins there and here.
  settings.original_max_position_embeddings =
      reader.OptionalFloat("original_max_position_embeddings");
  double partial = reader.Float("partial_rotary_factor", 1.0);
  const Json* object = reader.Find("rope_scaling");
  if (object == nullptr) object = reader.Find("rope_parameters");
  if (object != nullptr && object->is_object()) {
    settings = ReadRopeObject(*object, reader, settings);
    if (const Json* nested = object->Find("partial_rotary_factor"); nested && nested->is_number()) {
      partial = nested->as_double();
    }
  } else if (object != nullptr) {
    reader.Fail("rope_scaling is " + object->Excerpt() + ", must be an object");
  }
  if (!(partial > 0 && partial <= 1)) {
    reader.Fail("partial_rotary_factor is " + std::to_string(partial) + ", must be in (0, 1]");
    partial = 1;
  }
  settings.rotary_dim = static_cast<std::int64_t>(static_cast<double>(sizes.head_dim) * partial);
  return settings;
}

void ReadRope(ConfigReader& keys, const PlainSizes& sizes, ModelSpec& model) {
  const RopeSettings settings =
      keys.gguf() != nullptr ? keys.gguf()->rope : ReadRopeSettings(keys, sizes);
  if (!keys.status().ok()) return;
  Result<RopeSpec> rope = BuildRope(settings, keys.place());
  if (!rope.ok()) return keys.Fail(rope.error());
  model.rope = std::move(*rope);
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
  RefuseOtherActivations(keys);
  const PlainSizes sizes = ReadSizes(keys, defaults);
  if (const auto fault = FaultOf(sizes)) keys.Fail(*fault);
  if (!keys.status().ok()) return {};
  ModelSpec model = PlainDecoder(sizes);
  if (keys.gguf() != nullptr) TakeStatements(*keys.gguf(), model);
  ReadRope(keys, sizes, model);
  model.tied_head = keys.Bool("tie_word_embeddings", false);
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

}  // namespace sglrun::model
