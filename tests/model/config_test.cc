#include "model/files/config_json.h"

#include <cmath>
#include <string>

#include "base/json.h"
#include "model/families/family.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

Json Parsed(const std::string& text) {
  auto parsed = ParseJson(text);
  REQUIRE(parsed.ok());
  return std::move(parsed->value);
}

Result<HfConfig> Parse(const std::string& config, const std::string& generation = "") {
  const Json root = Parsed(config);
  if (generation.empty()) return ParseHfConfig(root, nullptr, "m");
  const Json second = Parsed(generation);
  return ParseHfConfig(root, &second, "m");
}

HfConfig GoodConfig(const std::string& config, const std::string& generation = "") {
  auto parsed = Parse(config, generation);
  INFO((parsed.ok() ? std::string() : parsed.error().message));
  REQUIRE(parsed.ok());
  return std::move(*parsed);
}

ModelSpec Good(const std::string& config) {
  return GoodConfig(config).spec;
}

// Of models whose layers are alike.
AttentionSpec Mixer(const ModelSpec& spec) {
  REQUIRE_FALSE(spec.layers.empty());
  return spec.layers.front().mixer;
}

using Windows = std::vector<std::int64_t>;
Windows WindowsOf(const ModelSpec& spec) {
  Windows windows;
  for (const LayerSpec& layer : spec.layers) windows.push_back(layer.mixer.window);
  return windows;
}

std::string Bad(const std::string& config, const std::string& generation = "") {
  const auto parsed = Parse(config, generation);
  REQUIRE_FALSE(parsed.ok());
  return parsed.error().message;
}

bool Says(const std::string& sentence, std::string_view part) {
  INFO(sentence);
  return sentence.find(part) != std::string::npos;
}

std::string Llama(const std::string& more) {
  return R"({"model_type":"llama","hidden_size":64,"num_attention_heads":4,"intermediate_size":96,)"
         R"("num_hidden_layers":2,"vocab_size":100)" +
         (more.empty() ? "" : "," + more) + "}";
}

using Ids = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("a missing key means the class default") {
  const HfConfig llama = GoodConfig(R"({"model_type":"llama"})");
  CHECK(llama.spec.hidden_size == 4096);
  CHECK(llama.spec.layers.size() == 32);
  CHECK(llama.spec.layers[0].mlp.inner == 11008);
  CHECK(Mixer(llama.spec).kv_heads == 32);
  CHECK(Mixer(llama.spec).head_dim == 128);
  CHECK(llama.spec.context_length == 2048);
  CHECK(llama.spec.final_norm.eps == 1e-6f);
  CHECK(llama.spec.ropes[0].theta == 10000.0);
  CHECK_FALSE(llama.spec.tied_head);
  CHECK_FALSE(Mixer(llama.spec).qkv_bias);
  CHECK(llama.tokens.bos == 1);
  CHECK(llama.tokens.eos == Ids{2});
  CHECK(WindowsOf(llama.spec) == Windows(32, 0));

  const ModelSpec mistral = Good(R"({"model_type":"mistral"})");
  CHECK(Mixer(mistral).kv_heads == 8);
  CHECK(WindowsOf(mistral) == Windows(32, 4096));
  const HfConfig qwen2 = GoodConfig(R"({"model_type":"qwen2"})");
  CHECK(Mixer(qwen2.spec).qkv_bias);
  CHECK_FALSE(Mixer(qwen2.spec).output_bias);
  CHECK(qwen2.spec.vocab_size == 151936);
  CHECK(qwen2.tokens.eos.empty());
  const ModelSpec qwen3 = Good(R"({"model_type":"qwen3","hidden_size":1024})");
  CHECK(Mixer(qwen3).head_dim == 128);
  CHECK(Mixer(qwen3).head_norm == HeadNormSpec{.eps = 1e-6f});
  CHECK_FALSE(Mixer(qwen3).qkv_bias);
}

TEST_CASE("null is a value: no window, as many kv heads as heads") {
  CHECK(WindowsOf(Good(R"({"model_type":"mistral","sliding_window":null})"))[0] == 0);
  CHECK(Mixer(Good(R"({"model_type":"mistral","num_key_value_heads":null})")).kv_heads == 32);
  CHECK(Mixer(Good(R"({"model_type":"qwen3","head_dim":null})")).head_dim == 128);
}

TEST_CASE("qwen windows need use_sliding_window and begin at max_window_layers") {
  const std::string base = R"({"model_type":"qwen2","num_hidden_layers":4,"sliding_window":8,)";
  CHECK(WindowsOf(Good(base + R"("use_sliding_window":false,"max_window_layers":2})")) ==
        Windows{0, 0, 0, 0});
  CHECK(WindowsOf(Good(base + R"("use_sliding_window":true,"max_window_layers":2})")) ==
        Windows{0, 0, 8, 8});
  CHECK(WindowsOf(Good(base + R"("use_sliding_window":true,"layer_types":["full_attention",)"
                              R"("sliding_attention","full_attention","full_attention"]})")) ==
        Windows{0, 8, 0, 0});
  CHECK(Says(Bad(base + R"("layer_types":["full_attention"]})"), "a list of 4 names"));
  CHECK(Says(Bad(base + R"("layer_types":["full_attention","x","full_attention",)"
                        R"("full_attention"]})"),
             "\"x\""));
}

TEST_CASE("an unsupported family is refused by name, with what is supported") {
  CHECK(Bad(R"({"model_type":"mamba"})") ==
        "m/config.json: model_type is \"mamba\", which is not supported; supported are " +
            FamilyNames());
  CHECK(Says(FamilyNames(), "qwen2, qwen2_moe, qwen3"));
  CHECK(Says(Bad(R"({"model_type":"lama"})"), "did you mean llama?"));
  CHECK(Says(Bad(R"({"architectures":["GPT2LMHeadModel"]})"), "GPT2LMHeadModel"));
  CHECK(Says(Bad(R"({"model_type":"llama","architectures":["LlamaForSequenceClassification"]})"),
             "must be LlamaForCausalLM"));
  CHECK(Says(Bad("{}"), "model_type is missing"));
  CHECK(Good(R"({"architectures":["Qwen3ForCausalLM"]})").family == "qwen3");
}

TEST_CASE("keys that change the arithmetic are refused") {
  CHECK(Says(Bad(Llama(R"("hidden_act":"mish")")), "hidden_act is \"mish\""));
  const auto activation = [](const std::string& name) {
    return Good(Llama(R"("hidden_act":")" + name + "\"")).layers[0].mlp.activation;
  };
  CHECK(activation("swish") == kernels::ActivationKind::kSilu);
  CHECK(activation("gelu") == kernels::ActivationKind::kGelu);
  CHECK(activation("gelu_new") == kernels::ActivationKind::kGeluTanh);
}

TEST_CASE("both spellings of rope give the same angles") {
  const std::string values = R"("factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,)"
                             R"("original_max_position_embeddings":64)";
  const ModelSpec old_form =
      Good(Llama(R"("rope_theta":500000.0,"rope_scaling":{"rope_type":"llama3",)" + values + "}"));
  const ModelSpec new_form = Good(
      Llama(R"("rope_parameters":{"rope_theta":500000.0,"rope_type":"llama3",)" + values + "}"));
  CHECK(old_form.ropes[0].inverse_frequencies == new_form.ropes[0].inverse_frequencies);
  CHECK(old_form.ropes[0].theta == 500000.0);
  CHECK(old_form.ropes[0].description == "llama3, factor 8");
  const ModelSpec oldest = Good(Llama(R"("rope_scaling":{"type":"linear","factor":2})"));
  CHECK(oldest.ropes[0].inverse_frequencies[0] == 0.5f);
  CHECK(Good(Llama(R"("rope_scaling":null)")).ropes[0].description == "default");
}

TEST_CASE("angles that grow with the length are those of the lengths up to which they stay") {
  const ModelSpec plain = Good(Llama(R"("max_position_embeddings":512)"));
  const ModelSpec dynamic = Good(
      Llama(R"("max_position_embeddings":512,"rope_scaling":{"rope_type":"dynamic","factor":2})"));
  CHECK(dynamic.ropes[0].inverse_frequencies == plain.ropes[0].inverse_frequencies);
  CHECK(dynamic.context_length == 512);
  // Heads of 16: 8 pairs.
  const ModelSpec longrope = Good(Llama(
      R"("max_position_embeddings":512,"original_max_position_embeddings":64,)"
      R"("rope_scaling":{"type":"longrope","short_factor":[1,2,1,1,1,1,1,4],"long_factor":[9]})"));
  CHECK(longrope.context_length == 64);
  const auto& angles = longrope.ropes[0].inverse_frequencies;
  CHECK(angles[1] == doctest::Approx(plain.ropes[0].inverse_frequencies[1] / 2));
  CHECK(angles[7] == doctest::Approx(plain.ropes[0].inverse_frequencies[7] / 4));
  CHECK(longrope.ropes[0].attention_factor == doctest::Approx(std::sqrt(1.5)));
}

TEST_CASE("rope types that are not known are refused by name") {
  const auto scaling = [](const std::string& object) {
    return Bad(Llama(R"("rope_scaling":)" + object));
  };
  CHECK(Says(scaling(R"({"type":"longrope","short_factor":[1]})"), "short_factor has 1 entries"));
  CHECK(Says(scaling(R"({"type":"mrope"})"), "unknown rope scaling \"mrope\""));
  CHECK(Says(scaling(R"({"type":"linear"})"), "needs a positive factor"));
  CHECK(Says(scaling(R"({"type":"linear","factor":0})"), "needs a positive factor"));
  CHECK(Says(scaling(R"({"type":"llama3","factor":8})"), "low_freq_factor"));
  CHECK(Says(scaling(R"({"factor":8})"), "factor is stated without a rope_type"));
  CHECK(Says(scaling("3"), "must be an object"));
  CHECK(Says(scaling(R"({"full_attention":{"rope_type":"default"}})"), "one rope for all layers"));
  CHECK(Says(Bad(Llama(R"("rope_theta":-1)")), "rope_theta"));
}

TEST_CASE("end ids are the union of all files") {
  CHECK(GoodConfig(Llama(R"("eos_token_id":7)"), R"({"eos_token_id":[9,7,8]})").tokens.eos ==
        Ids{7, 9, 8});
  CHECK(GoodConfig(Llama(R"("eos_token_id":[5,6])")).tokens.eos == Ids{5, 6});
  CHECK(GoodConfig(Llama(""), R"({"eos_token_id":3})").tokens.eos == Ids{3});
  CHECK(GoodConfig(Llama(R"("eos_token_id":null)")).tokens.eos.empty());
  CHECK(Says(Bad(Llama(R"("eos_token_id":-1)")), "eos_token_id is -1"));
  CHECK(Says(Bad(Llama(""), R"({"eos_token_id":"x"})"), "generation_config.json: eos_token_id"));
}

TEST_CASE("the text part of a multimodal configuration is read") {
  const HfConfig config =
      GoodConfig(R"({"model_type":"llava","architectures":["LlavaForConditionalGeneration"],)"
                 R"("tie_word_embeddings":true,"eos_token_id":4,"text_config":)" +
                 Llama(R"("eos_token_id":5)") + "}");
  CHECK(config.spec.family == "llama");
  CHECK(config.spec.hidden_size == 64);
  CHECK(config.spec.tied_head);
  CHECK(config.tokens.eos == Ids{5, 4});
}

TEST_CASE("only sampling defaults that the file contains are set") {
  const auto parsed = Parse(Llama(""), R"({"temperature":0.6,"top_k":20,"top_p":null})");
  REQUIRE(parsed.ok());
  CHECK(parsed->defaults.temperature == 0.6);
  CHECK(parsed->defaults.top_k == 20);
  CHECK_FALSE(parsed->defaults.top_p.has_value());
  CHECK_FALSE(parsed->defaults.min_p.has_value());
  CHECK_FALSE(parsed->defaults.repetition_penalty.has_value());
  CHECK(Says(Bad(Llama(""), R"({"temperature":"hot"})"), "must be a number"));
}

TEST_CASE("numbers that cannot be are refused with key, value and range") {
  CHECK(Says(Bad(R"({"model_type":"llama","hidden_size":0})"), "hidden_size is 0, must be in [1,"));
  CHECK(Says(Bad(R"({"model_type":"llama","num_hidden_layers":-3})"), "num_hidden_layers is -3"));
  CHECK(Says(Bad(R"({"model_type":"llama","vocab_size":99999999999})"), "vocab_size"));
  CHECK(Says(Bad(R"({"model_type":"llama","hidden_size":"64"})"), "must be an integer"));
  CHECK(Says(Bad(R"({"model_type":"llama","hidden_size":64.5})"), "must be an integer"));
  CHECK(Says(Bad(R"({"model_type":"llama","num_attention_heads":0})"), "num_attention_heads is 0"));
  CHECK(Says(Bad(R"({"model_type":"llama","num_key_value_heads":5})"), "not a multiple"));
  CHECK(Says(Bad(R"({"model_type":"llama","hidden_size":100,"num_attention_heads":3})"),
             "hidden_size 100 is not a multiple of num_attention_heads 3"));
  CHECK(Says(Bad(Llama(R"("head_dim":12)")), "multiple of 8"));
  CHECK(Mixer(Good(Llama(R"("head_dim":256)"))).head_dim == 256);
  CHECK(Says(Bad(Llama(R"("head_dim":264)")), "head_dim is 264, must be in [1, 256]"));
  CHECK(Says(Bad(Llama(R"("rms_norm_eps":0)")), "rms_norm_eps"));
  CHECK(Says(Bad(R"({"model_type":"mistral","sliding_window":-4})"), "sliding_window is negative"));
  CHECK(Says(Bad(Llama(R"("partial_rotary_factor":1.5)")), "partial_rotary_factor"));
  CHECK(Says(Bad("[]"), "not a JSON object"));
}

}  // namespace sglrun::model
