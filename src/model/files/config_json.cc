#include "model/files/config_json.h"

#include <algorithm>

#include "base/strings.h"
#include "model/families/config_reader.h"
#include "model/families/family.h"
#include "model/spec/faults.h"

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
  if (!causal_class.empty() && causal_class != family->causal_class &&
      causal_class != family->other_class) {
    reader.Fail("architectures names \"" + causal_class + "\", which is not supported; for " +
                std::string(family->name) + " it must be " + std::string(family->causal_class));
    return nullptr;
  }
  return family;
}

// The end ids of all sources are merged: letting one replace another is a common bug.
void UniteEosIds(const std::vector<std::int32_t>& ids, std::vector<std::int32_t>& all) {
  for (const std::int32_t id : ids) {
    if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(id);
  }
}

Result<GenerationDefaults> ReadGeneration(ConfigReader reader) {
  GenerationDefaults defaults;
  defaults.place = "generation_config.json";
  defaults.temperature = reader.OptionalFloat("temperature");
  defaults.top_p = reader.OptionalFloat("top_p");
  defaults.min_p = reader.OptionalFloat("min_p");
  defaults.repetition_penalty = reader.OptionalFloat("repetition_penalty");
  defaults.top_k = reader.OptionalInt("top_k");
  SGLRUN_RETURN_IF_ERROR(reader.status());
  return defaults;
}

Status ReadSpecialTokens(ConfigReader& text, const Json& root, const Json* generation,
                         const Family& family, const std::string& directory,
                         SpecialTokens& tokens) {
  ConfigReader top(root, text.place());
  static const Json kEmpty{Json::Object()};
  ConfigReader sampling(generation == nullptr ? kEmpty : *generation,
                        directory + "/generation_config.json");
  bool named = false;
  for (ConfigReader* reader : {&text, &top, &sampling}) {
    named = named || reader->Has("eos_token_id");
    UniteEosIds(reader->Ids("eos_token_id"), tokens.eos);
    const std::vector<std::int32_t> bos = reader->Ids("bos_token_id");
    if (!tokens.bos && !bos.empty()) tokens.bos = bos[0];
    SGLRUN_RETURN_IF_ERROR(reader->status());
  }
  // The class default stands in only where no file says anything.
  if (!named) UniteEosIds(family.eos_token_ids, tokens.eos);
  if (!tokens.bos && !text.Has("bos_token_id") && !top.Has("bos_token_id")) {
    tokens.bos = family.bos_token_id;
  }
  return {};
}

Result<ModelSpec> ReadSpec(const Family& family, ConfigReader& reader) {
  ModelSpec spec = family.read(reader);
  spec.family = family.name;
  SGLRUN_RETURN_IF_ERROR(reader.status());
  if (const auto fault = FaultOf(spec)) reader.Fail(*fault);
  SGLRUN_RETURN_IF_ERROR(reader.status());
  return spec;
}

}  // namespace

Result<HfConfig> ParseHfConfig(const Json& root, const Json* generation,
                               const std::string& directory) {
  const std::string place = directory + "/config.json";
  if (!root.is_object()) return Error{place + " is not a JSON object"};
  const Json* text_config = root.Find("text_config");
  HfConfig result;
  result.nested = text_config != nullptr && text_config->is_object();
  const Json& text = result.nested ? *text_config : root;
  ConfigReader reader(text, place + (result.nested ? ": text_config" : ""));

  const Family* family = ChooseFamily(text, reader);
  SGLRUN_RETURN_IF_ERROR(reader.status());
  result.family = family;
  SGLRUN_ASSIGN_OR_RETURN(result.spec, ReadSpec(*family, reader));
  if (ConfigReader(root, place).Bool("tie_word_embeddings", false)) result.spec.tied_head = true;
  SGLRUN_RETURN_IF_ERROR(
      ReadSpecialTokens(reader, root, generation, *family, directory, result.tokens));
  if (generation != nullptr) {
    SGLRUN_ASSIGN_OR_RETURN(
        result.defaults,
        ReadGeneration(ConfigReader(*generation, directory + "/generation_config.json")));
  }
  return result;
}

}  // namespace sglrun::model
