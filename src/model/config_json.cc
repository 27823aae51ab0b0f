#include "model/config_json.h"

#include <algorithm>

#include "base/strings.h"
#include "model/config_check.h"
#include "model/config_reader.h"
#include "model/families/family.h"
#include "model/rope_config.h"

namespace sglrun::model {
namespace {

std::string Unsupported(const std::string& what, std::string_view name) {
  std::vector<std::string_view> known;
  for (const Family* family : Families()) known.push_back(family->name);
  const std::string near = NearestName(name, known);
  return what + " \"" + std::string(name) + "\", which is not supported; supported are " +
         FamilyNames() + (near.empty() ? "" : "; did you mean " + near + "?");
}

const Json* FirstArchitecture(const Json& config) {
  const Json* list = config.Find("architectures");
  if (list == nullptr || !list->is_array() || list->as_array().empty()) return nullptr;
  const Json& first = list->as_array()[0];
  return first.is_string() ? &first : nullptr;
}

// The family of a configuration: by model_type, else by the class in `architectures`.
const Family* ChooseFamily(const Json& config, ConfigReader& reader) {
  const std::string type = reader.String("model_type", "");
  const Json* architecture = FirstArchitecture(config);
  const std::string causal_class = architecture == nullptr ? "" : architecture->as_string();
  const Family* family = FindFamily(type);
  if (type.empty()) {
    for (const Family* each : Families()) {
      if (each->causal_class == causal_class) family = each;
    }
  }
  if (family == nullptr) {
    if (!type.empty()) {
      reader.Fail(Unsupported("model_type is", type));
    } else if (!causal_class.empty()) {
      reader.Fail(Unsupported("architectures names", causal_class));
    } else {
      reader.Fail("model_type is missing; supported are " + FamilyNames());
    }
    return nullptr;
  }
  if (!causal_class.empty() && causal_class != family->causal_class) {
    reader.Fail("architectures names \"" + causal_class + "\", which is not supported; for " +
                std::string(family->name) + " it must be " + std::string(family->causal_class));
    return nullptr;
  }
  return family;
}

void ReadSizes(const FamilyDefaults& defaults, ConfigReader& reader, ModelConfig& config) {
  config.hidden_size = reader.Int("hidden_size", defaults.hidden_size);
  config.intermediate_size = reader.Int("intermediate_size", defaults.intermediate_size);
  config.num_hidden_layers = reader.Int("num_hidden_layers", defaults.num_hidden_layers);
  config.num_attention_heads = reader.Int("num_attention_heads", defaults.num_attention_heads);
  // A class default counts when the key is absent; null means "as many as query heads".
  const bool absent = !reader.Has("num_key_value_heads");
  config.num_key_value_heads = reader.Int(
      "num_key_value_heads", absent && defaults.num_key_value_heads ? *defaults.num_key_value_heads
                                                                    : config.num_attention_heads);
  config.vocab_size = reader.Int("vocab_size", defaults.vocab_size);
  config.context_length = reader.Int("max_position_embeddings", defaults.max_position_embeddings);
  config.rms_norm_eps = static_cast<float>(reader.Float("rms_norm_eps", 1e-6));

  const std::optional<std::int64_t> head_dim = reader.OptionalInt("head_dim");
  config.head_dim = head_dim.value_or(defaults.head_dim.value_or(0));
  if (config.head_dim != 0 || config.num_attention_heads <= 0) return;
  if (config.hidden_size % config.num_attention_heads != 0) {
    reader.Fail("hidden_size " + std::to_string(config.hidden_size) +
                " is not a multiple of num_attention_heads " +
                std::to_string(config.num_attention_heads));
  }
  config.head_dim = config.hidden_size / config.num_attention_heads;
}

// Keys that would change the arithmetic and that the plain decoder does not have.
void RefuseOtherArithmetic(ConfigReader& reader) {
  if (const Json* quantization = reader.Find("quantization_config")) {
    const Json* method = quantization->Find("quant_method");
    reader.Fail("quantization_config names " +
                (method == nullptr ? std::string("a quantized form") : method->Excerpt()) +
                ", which is not supported; use the plain weights or a GGUF file");
  }
  const std::string act = reader.String("hidden_act", "silu");
  if (act != "silu" && act != "swish") {
    reader.Fail("hidden_act is \"" + act + "\", which is not supported; supported are silu, swish");
  }
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
  if (!rope.status().ok()) reader.Fail(rope.status().error().message);
  return settings;
}

Result<RopeConfig> ReadRope(ConfigReader& reader, const ModelConfig& config) {
  RopeSettings settings;
  settings.theta = reader.Float("rope_theta", 10000.0);
  settings.max_position_embeddings = config.context_length;
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
  }
  SGLRUN_RETURN_IF_ERROR(reader.status());
  settings.rotary_dim = static_cast<std::int64_t>(static_cast<double>(config.head_dim) * partial);
  return BuildRope(settings, reader.place());
}

// The end ids of all sources together: one replacing another is a classic bug.
void UniteEosIds(const std::vector<std::int32_t>& ids, ModelConfig& config) {
  for (const std::int32_t id : ids) {
    auto& all = config.eos_token_ids;
    if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(id);
  }
}

Result<GenerationDefaults> ReadGeneration(ConfigReader reader) {
  GenerationDefaults defaults;
  defaults.temperature = reader.OptionalFloat("temperature");
  defaults.top_p = reader.OptionalFloat("top_p");
  defaults.min_p = reader.OptionalFloat("min_p");
  defaults.repetition_penalty = reader.OptionalFloat("repetition_penalty");
  defaults.top_k = reader.OptionalInt("top_k");
  SGLRUN_RETURN_IF_ERROR(reader.status());
  return defaults;
}

Status ReadSpecialIds(ConfigReader& text, const Json& root, const Json* generation,
                      const FamilyDefaults& defaults, const std::string& directory,
                      ModelConfig& config) {
  ConfigReader top(root, text.place());
  static const Json kEmpty{Json::Object()};
  ConfigReader sampling(generation == nullptr ? kEmpty : *generation,
                        directory + "/generation_config.json");
  bool named = false;
  for (ConfigReader* reader : {&text, &top, &sampling}) {
    named = named || reader->Has("eos_token_id");
    UniteEosIds(reader->Ids("eos_token_id"), config);
    const std::vector<std::int32_t> bos = reader->Ids("bos_token_id");
    if (!config.bos_token_id && !bos.empty()) config.bos_token_id = bos[0];
    SGLRUN_RETURN_IF_ERROR(reader->status());
  }
  // The class default stands in only where no file says anything.
  if (!named && defaults.eos_token_id) UniteEosIds({*defaults.eos_token_id}, config);
  if (!config.bos_token_id && !text.Has("bos_token_id") && !top.Has("bos_token_id")) {
    config.bos_token_id = defaults.bos_token_id;
  }
  return {};
}

}  // namespace

Result<HfConfig> ParseHfConfig(const Json& root, const Json* generation,
                               const std::string& directory) {
  const std::string place = directory + "/config.json";
  if (!root.is_object()) return Error{place + " is no JSON object"};
  const Json* text_config = root.Find("text_config");
  HfConfig result;
  result.nested = text_config != nullptr && text_config->is_object();
  const Json& text = result.nested ? *text_config : root;
  ConfigReader reader(text, place + (result.nested ? ": text_config" : ""));

  ModelConfig& config = result.config;
  const Family* family = ChooseFamily(text, reader);
  SGLRUN_RETURN_IF_ERROR(reader.status());
  config.architecture = family->name;
  RefuseOtherArithmetic(reader);
  ReadSizes(family->defaults, reader, config);
  SGLRUN_RETURN_IF_ERROR(reader.status());
  SGLRUN_RETURN_IF_ERROR(CheckModelConfig(config, reader.place()));

  config.tie_word_embeddings = reader.Bool("tie_word_embeddings", false) ||
                               ConfigReader(root, place).Bool("tie_word_embeddings", false);
  config.sliding_window.assign(static_cast<std::size_t>(config.num_hidden_layers), 0);
  family->set_structure(config);
  family->read_keys(reader, config);
  SGLRUN_ASSIGN_OR_RETURN(config.rope, ReadRope(reader, config));
  SGLRUN_RETURN_IF_ERROR(
      ReadSpecialIds(reader, root, generation, family->defaults, directory, config));
  if (generation != nullptr) {
    SGLRUN_ASSIGN_OR_RETURN(
        result.defaults,
        ReadGeneration(ConfigReader(*generation, directory + "/generation_config.json")));
  }
  for (const std::int64_t window : config.sliding_window) {
    if (window < 0) reader.Fail("sliding_window is negative");
  }
  SGLRUN_RETURN_IF_ERROR(reader.status());
  return result;
}

}  // namespace sglrun::model
