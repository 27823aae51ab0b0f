#include "inspect/inspect.h"

#include <algorithm>

#include <filesystem>

#include "base/printable.h"
#include "base/strings.h"
#include "chat_template/chat_abilities.h"
#include "console/exit_codes.h"
#include "console/print.h"
#include "model/kv_cache.h"
#include "request/sampling_parser.h"
#include "serve/load.h"

namespace sglrun::inspect {
namespace {

using Facts = Json::Object;  // name and value, in the order of the report

constexpr const char* kGenerationConfig = "generation_config";
constexpr const char* kTemplateFault = "chat_template_fault";
constexpr const char* kSpecification = "specification";  // of --verbose: what the model computes

Json Number(std::int64_t value) {
  return value;
}

Json RopeText(const std::vector<model::RopeSpec>& ropes) {
  std::string text;
  for (const model::RopeSpec& rope : ropes) {
    text += (text.empty() ? "" : "; ") + ("theta " + Json(rope.theta).CanonicalDump());
    if (!rope.description.empty()) text += ", " + rope.description;
  }
  return text.empty() ? "none" : text;
}

// 0 when every layer sees all of the context.
std::int64_t LargestWindow(const model::ModelSpec& spec) {
  std::int64_t window = 0;
  for (const model::LayerSpec& layer : spec.layers) window = std::max(window, layer.mixer.window);
  return window;
}

bool HasExperts(const model::LayerSpec& layer) {
  return layer.moe.has_value();
}

void AddModelFacts(const model::ModelFiles& files, Facts& facts) {
  const model::ModelSpec& spec = files.spec();
  const model::LayerSpec& layer = spec.layers.front();
  std::int64_t bytes = 0;
  for (const model::TensorSource& tensor : files.tensors()) bytes += tensor.bytes;
  facts.emplace_back("path", files.path());
  facts.emplace_back("format", std::string(files.is_gguf() ? "GGUF" : "safetensors"));
  facts.emplace_back("architecture", spec.family);
  facts.emplace_back("parameters", Number(files.parameter_count()));
  facts.emplace_back("weights", files.DTypeSummary());
  facts.emplace_back("weight_bytes", Number(bytes));
  facts.emplace_back("num_hidden_layers", Number(static_cast<std::int64_t>(spec.layers.size())));
  facts.emplace_back("hidden_size", Number(spec.hidden_size));
  facts.emplace_back("intermediate_size", Number(layer.mlp.inner));
  if (const auto moe = std::ranges::find_if(spec.layers, &HasExperts); moe != spec.layers.end()) {
    facts.emplace_back("num_experts", Number(moe->moe->router.experts));
    facts.emplace_back("num_experts_per_tok", Number(moe->moe->router.chosen));
    facts.emplace_back("moe_intermediate_size", Number(moe->moe->expert.inner));
  }
  facts.emplace_back("num_attention_heads", Number(layer.mixer.heads));
  facts.emplace_back("num_key_value_heads", Number(layer.mixer.kv_heads));
  facts.emplace_back("head_dim", Number(layer.mixer.head_dim));
  facts.emplace_back("vocab_size", Number(spec.vocab_size));
  facts.emplace_back("context_length", Number(spec.context_length));
  facts.emplace_back("sliding_window", Number(LargestWindow(spec)));
  facts.emplace_back("rope", RopeText(spec.ropes));
  facts.emplace_back("tied_embeddings", spec.tied_head);
}

Json StopTokens(const serve::ModelSource& source) {
  Json::Object tokens;
  for (const std::int32_t id : serve::StopTokenIds(source)) {
    tokens.emplace_back(std::to_string(id), source.tokenizer->TokenName(id));
  }
  return tokens;
}

// Null if the model has neither the file nor these keys.
Json Defaults(const model::ModelFiles& files) {
  const model::GenerationDefaults& defaults = files.generation_defaults();
  if (defaults.place.empty()) return nullptr;
  Json::Object stated;
  const auto add = [&](std::string name, const auto& value) {
    if (value) stated.emplace_back(std::move(name), Json(*value));
  };
  add("temperature", defaults.temperature);
  add("top_p", defaults.top_p);
  add("top_k", defaults.top_k);
  add("min_p", defaults.min_p);
  add("repetition_penalty", defaults.repetition_penalty);
  return stated;
}

const char* ContentText(chat_template::ContentShape shape) {
  if (shape == chat_template::ContentShape::kEither) return "text or parts";
  return shape == chat_template::ContentShape::kParts ? "parts" : "text";
}

// nullopt: the model has no template.
Result<std::optional<chat_template::ChatAbilities>> FindAbilities(
    const Result<chat_template::ChatTemplateFiles>& found) {
  SGLRUN_ASSIGN_OR_RETURN(const chat_template::ChatTemplateFiles files, found);
  if (files.templates.empty()) return std::optional<chat_template::ChatAbilities>();
  SGLRUN_ASSIGN_OR_RETURN(const auto chat, chat_template::ChatTemplate::Make(files));
  SGLRUN_ASSIGN_OR_RETURN(chat_template::ChatAbilities abilities,
                          chat_template::FindChatAbilities(chat));
  return std::optional(std::move(abilities));
}

// A model with an unusable template can still complete texts.
void AddTemplateFacts(const serve::ModelSource& source, Facts& facts) {
  const auto abilities = FindAbilities(source.templates);
  facts.emplace_back("chat_template", abilities.ok() && abilities->has_value());
  if (!abilities.ok()) facts.emplace_back(kTemplateFault, abilities.error().message);
  if (!abilities.ok() || !abilities->has_value()) return;
  const chat_template::ChatAbilities& found = **abilities;
  Json::Array switches;
  for (const std::string& name : found.thinking_switches) switches.emplace_back(name);
  facts.emplace_back("takes_system", found.takes_system);
  facts.emplace_back("takes_tools", found.takes_tools);
  facts.emplace_back("takes_content", std::string(ContentText(found.content)));
  facts.emplace_back("thinking_switches", std::move(switches));
}

void AddTokenizerFacts(const serve::ModelSource& source, Facts& facts) {
  const tokenizer::Tokenizer& tokenizer = *source.tokenizer;
  facts.emplace_back("tokenizer", tokenizer.Description());
  facts.emplace_back("tokenizer_vocab_size", Number(tokenizer.vocab_size()));
  facts.emplace_back("bos_token_id",
                     tokenizer.bos_id() ? Number(*tokenizer.bos_id()) : Json(nullptr));
  facts.emplace_back("stop_tokens", StopTokens(source));
  facts.emplace_back(kGenerationConfig, Defaults(source.files));
}

void AddRunFacts(const serve::ServeSettings& serve, const serve::ModelSource& source,
                 const kernels::Backend& backend, Facts& facts) {
  const tensor::DType dtype = serve::WeightDType(serve, source.files, backend);
  const tensor::DType kv = serve::KvDType(serve, dtype);
  facts.emplace_back("runs_as", std::string(tensor::DTypeName(dtype)));
  facts.emplace_back(
      "kv_bytes_per_token",
      Number(model::KvPageBytes(source.files.spec(), kv, backend) / kernels::kPageSize));
}

// `batch` refuses this too, unless an option makes it ignore the file.
Status CheckDefaults(const serve::ServeSettings& serve, const model::ModelFiles& files) {
  SamplingParams defaults = serve::EffectiveDefaults(serve, files.generation_defaults());
  const auto finished = request::FinishSamplingParams(files.generation_defaults().place, defaults);
  if (finished.ok()) return {};
  return Error{finished.error().message + "; --sampling-defaults openai ignores it"};
}

Result<Facts> Collect(const InspectSettings& settings) {
  const serve::ServeSettings& serve = settings.serve;
  SGLRUN_ASSIGN_OR_RETURN(const serve::ModelSource source, serve::OpenModel(serve));
  SGLRUN_RETURN_IF_ERROR(CheckDefaults(serve, source.files));
  serve::Compute compute(serve);
  SGLRUN_ASSIGN_OR_RETURN(
      const kernels::Backend* backend,
      serve::ChooseBackend(serve, serve::DeviceDType(serve, source.files), compute));
  Facts facts;
  AddModelFacts(source.files, facts);
  AddTokenizerFacts(source, facts);
  AddTemplateFacts(source, facts);
  AddRunFacts(serve, source, *backend, facts);
  facts.emplace_back("usable", true);
  if (settings.specification) facts.emplace_back(kSpecification, source.files.spec().ToString());
  return facts;
}

// Large numbers with commas, byte counts as sizes, lists on one line.
std::string ValueText(const std::string& name, const Json& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_bool()) return value.as_bool() ? "yes" : "no";
  if (value.is_null()) return "none";
  if (value.is_int()) {
    return name.find("bytes") != std::string::npos ? FormatByteSize(value.as_int())
                                                   : FormatCount(value.as_int());
  }
  std::string text;
  if (value.is_array()) {
    for (const Json& item : value.as_array()) {
      text += (text.empty() ? "" : ", ") + item.as_string();
    }
    return text.empty() ? "none" : text;
  }
  for (const auto& [key, item] : value.as_object()) {
    text += (text.empty() ? "" : ", ") + key + " " +
            (item.is_string() ? item.as_string() : item.CanonicalDump());
  }
  if (!text.empty()) return text;
  return name == kGenerationConfig ? "states no defaults" : "none";
}

std::string Report(const Facts& facts) {
  std::string out;
  for (const auto& [name, value] : facts) {
    if (name == kTemplateFault) {  // follows the "no" of the previous line
      out.back() = ':';
      out += " " + Printable(value.as_string()) + "\n";
      continue;
    }
    if (name == kSpecification) {
      out += "\n" + value.as_string();
      continue;
    }
    std::string head = name;
    head.resize(22, ' ');
    out += head + Printable(ValueText(name, value)) + "\n";
  }
  return out;
}

Result<Facts> FindAndCollect(InspectSettings& settings) {
  serve::ServeSettings& serve = settings.serve;
  SGLRUN_RETURN_IF_ERROR(serve::FindModels(serve.model, serve.model_name, serve.tokenizer));
  return Collect(settings);
}

}  // namespace

Result<int> RunInspect(const InspectSettings& given) {
  InspectSettings settings = given;
  Result<Facts> facts = FindAndCollect(settings);
  if (!facts.ok()) {
    const Json verdict = Json::Object{
        {"path", settings.serve.model}, {"usable", false}, {"reason", facts.error().message}};
    SGLRUN_RETURN_IF_ERROR(
        console::Print(settings.json ? verdict.Dump() + "\n"
                                     : "not usable: " + Printable(facts.error().message) + "\n"));
    return console::kExitRecordErrors;
  }
  SGLRUN_RETURN_IF_ERROR(console::Print(settings.json ? Json(std::move(facts).value()).Dump() + "\n"
                                                      : Report(*facts)));
  return console::kExitOk;
}

}  // namespace sglrun::inspect
