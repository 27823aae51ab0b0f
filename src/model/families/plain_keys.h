// The keys that families have in common, in the spelling of config.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/families/config_reader.h"
#include "model/spec/model_spec.h"
#include "model/spec/plain_decoder.h"

namespace sglrun::model {

// Defaults of the family's configuration class in transformers.
struct ClassDefaults {
  std::int64_t hidden_size = 4096;
  std::int64_t intermediate_size = 11008;
  std::int64_t num_hidden_layers = 32;
  std::int64_t num_attention_heads = 32;
  std::optional<std::int64_t> num_key_value_heads = {};  // none: as many as num_attention_heads
  std::optional<std::int64_t> head_dim = {};             // none: hidden_size / num_attention_heads
  std::int64_t vocab_size = 32000;
  std::int64_t max_position_embeddings = 2048;
  float rms_norm_eps = 1e-6f;
  std::string_view eps_key = "rms_norm_eps";
  std::string_view activation_key = "hidden_act";
  std::string_view activation = "silu";
  bool tie_word_embeddings = false;
  double rope_theta = 10000.0;
  double partial_rotary_factor = 1.0;
  // The rope_parameters that apply if no key describes the rope: JSON, or nothing.
  std::string_view rope_parameters = {};
  // Sliding layers have a rope of their own, ropes[1]: the rope_parameters of their type; else an
  // unscaled one whose theta is the key rope_local_base_freq, else this, else that of the others.
  bool has_sliding_rope = false;
  std::optional<double> sliding_rope_theta = {};
};

// The plain decoder (spec/plain_decoder.h) in the sizes, with the activation, the rope and the head
// that the keys state, and in the biases and the window that a GGUF file states. Check
// keys.status() afterwards; the specification may have no layers where it failed.
ModelSpec ReadPlainDecoder(ConfigReader& keys, const ClassDefaults& defaults);

// Biases of q, k, v and the output where attention_bias says so, of the MLP where mlp_bias does.
void ReadAttentionBias(ConfigReader& keys, ModelSpec& model);
void ReadMlpBias(ConfigReader& keys, ModelSpec& model);
// Biases of q, k and v, and of all products of a layer, where a key says so; `absent` counts where
// the key is missing. A GGUF file's tensors say it instead.
void ReadQkvBias(ConfigReader& keys, std::string_view key, bool absent, ModelSpec& model);
void ReadBiases(ConfigReader& keys, std::string_view key, bool absent, ModelSpec& model);

// Fails where the key is true: the family cannot compute that.
void RefuseTrue(ConfigReader& keys, std::string_view key);

// sqrt(hidden_size) in the type of the weights that were trained with it; in float32 of a GGUF
// file, as llama.cpp computes it.
float RootOfHidden(ConfigReader& keys, const ModelSpec& model);

// The scale of attention by query_pre_attn_scalar (Gemma 2 and 3), of a model that has layers. GGUF
// files do not state it; there the 27B model, which has `layers_of_27b` layers, takes hidden_size /
// heads and all others take the size of a head.
float QueryScalarScale(ConfigReader& keys, const ModelSpec& model, std::size_t layers_of_27b);

// A soft cap: null is none, `absent` counts where the key is missing; 0: none.
float SoftcapKey(ConfigReader& keys, std::string_view key, double absent);

// logit_scale, which multiplies.
float ReadLogitScale(ConfigReader& keys, double absent);

// Reads how queries grow with their position, from rope_parameters, or from `class_default` if no
// key describes the rope.
void ReadQueryGrowth(ConfigReader& keys, std::string_view class_default, ModelSpec& model);

// sliding_window: null is none, `absent` counts where the key is missing.
std::int64_t WindowKey(ConfigReader& keys, std::int64_t absent);

// All layers slide except every period-th; 0: all.
void SlideExceptEvery(std::int64_t period, std::int64_t window, ModelSpec& model);

// The layers that `layer_types` names, else SlideExceptEvery; of a GGUF file with its own window,
// and with the layers that it names.
void ReadWindows(ConfigReader& keys, std::int64_t window, std::int64_t period, ModelSpec& model);

// Gives the layers that slide their own rope (ClassDefaults::has_sliding_rope), once their windows
// are known.
void UseRopesByType(ModelSpec& model);

// Windows as the Qwen classes have them: none unless use_sliding_window; then `layer_types`, or
// every layer from max_window_layers on.
void ReadQwenWindows(ConfigReader& keys, ModelSpec& model);

// The layers that `layer_types` names slide, else those from max_window_layers on (`first` where the
// key is missing); of a GGUF file none.
void ReadLaterWindows(ConfigReader& keys, std::int64_t window, std::int64_t first,
                      ModelSpec& model);

}  // namespace sglrun::model
