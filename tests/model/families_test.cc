// What families read and refuse, beyond what their goldens show.
#include <cmath>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/files/config_json.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

Result<HfConfig> ParseFamily(const std::string& type, const std::string& more) {
  const auto root = ParseJson(R"({"model_type":")" + type +
                              R"(","hidden_size":64,"num_attention_heads":4,"head_dim":16,)"
                              R"("num_key_value_heads":2,"num_hidden_layers":8,"vocab_size":100)" +
                              (more.empty() ? "" : ",") + more + "}");
  REQUIRE(root.ok());
  return ParseHfConfig(root->value, nullptr, "m");
}

ModelSpec SpecOf(const std::string& type, const std::string& more) {
  const auto config = ParseFamily(type, more);
  INFO((config.ok() ? std::string() : config.error().message));
  REQUIRE(config.ok());
  return config->spec;
}

std::string RefusalOf(const std::string& type, const std::string& more) {
  const auto config = ParseFamily(type, more);
  REQUIRE_FALSE(config.ok());
  return config.error().message;
}

std::vector<std::int64_t> LayersWithWindow(const ModelSpec& spec) {
  std::vector<std::int64_t> layers;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    if (spec.layers[i].mixer.window > 0) layers.push_back(static_cast<std::int64_t>(i));
  }
  return layers;
}

std::vector<std::int64_t> LayersWithoutRope(const ModelSpec& spec) {
  std::vector<std::int64_t> layers;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    if (!spec.layers[i].mixer.rope) layers.push_back(static_cast<std::int64_t>(i));
  }
  return layers;
}

using Layers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("gemma's embedding is scaled as the type of its weights rounds the factor") {
  const std::string wide = R"("hidden_size":3072,"dtype":)";
  CHECK(SpecOf("gemma", wide + R"("bfloat16")").embedding_scale == 55.5f);
  CHECK(SpecOf("gemma", wide + R"("float32")").embedding_scale == std::sqrt(3072.0f));
}

TEST_CASE("layers slide in the pattern of the family, or as the configuration lists them") {
  CHECK(LayersWithWindow(SpecOf("gemma2", "")) == Layers{0, 2, 4, 6});
  CHECK(LayersWithWindow(SpecOf("gemma3_text", "")) == Layers{0, 1, 2, 3, 4, 6, 7});
  CHECK(LayersWithWindow(SpecOf("gemma3_text", R"("sliding_window_pattern":4)")) ==
        Layers{0, 1, 2, 4, 5, 6});
  CHECK(LayersWithWindow(SpecOf("olmo3", "")) == Layers{0, 1, 2, 4, 5, 6});
  CHECK(LayersWithWindow(SpecOf("exaone4", R"("sliding_window_pattern":"LG")")) ==
        Layers{0, 2, 4, 6});
  const std::string types =
      R"("layer_types":["full_attention","sliding_attention","full_attention","full_attention",)"
      R"("full_attention","full_attention","full_attention","full_attention"])";
  for (const std::string family : {"gemma2", "olmo3", "exaone4", "cohere2", "ministral"}) {
    CAPTURE(family);
    CHECK(LayersWithWindow(SpecOf(family, types)) == Layers{1});
  }
  CHECK(LayersWithWindow(SpecOf("exaone4", R"("sliding_window":null)")).empty());
}

TEST_CASE("layers without a rope follow from a list, an interval or the windows") {
  CHECK(LayersWithoutRope(SpecOf("smollm3", "")) == Layers{3, 7});
  CHECK(LayersWithoutRope(SpecOf("smollm3", R"("no_rope_layer_interval":3)")) == Layers{2, 5});
  CHECK(LayersWithoutRope(SpecOf("smollm3", R"("no_rope_layers":[1,1,0,1,1,1,1,0])")) ==
        Layers{2, 7});
  CHECK(LayersWithoutRope(SpecOf("cohere2", "")) == Layers{3, 7});
  CHECK(LayersWithoutRope(SpecOf("exaone4", "")) == Layers{3, 7});
  CHECK(LayersWithoutRope(SpecOf("exaone4", R"("sliding_window":null)")).empty());
}

TEST_CASE("ropes of both spellings are the same, the sliding layers' own unscaled") {
  const std::string old_form =
      R"("rope_theta":1e6,"rope_local_base_freq":1e4,"rope_scaling":{"rope_type":"linear","factor":8})";
  const std::string new_form =
      R"("rope_parameters":{"full_attention":{"rope_type":"linear","factor":8,"rope_theta":1e6},)"
      R"("sliding_attention":{"rope_type":"default","rope_theta":1e4}})";
  const ModelSpec spec = SpecOf("gemma3_text", old_form);
  CHECK(spec.ToString() == SpecOf("gemma3_text", new_form).ToString());
  REQUIRE(spec.ropes.size() == 2);
  CHECK(spec.ropes[0].inverse_frequencies[0] == 0.125f);
  CHECK(spec.ropes[1].inverse_frequencies[0] == 1.0f);
  CHECK(spec.layers[5].mixer.rope == 0);
  CHECK(spec.layers[4].mixer.rope == 1);
  // Equal ropes are one.
  CHECK(SpecOf("olmo3", "").ropes.size() == 1);
  CHECK(RefusalOf("llama", new_form).find("one rope for all layers") != std::string::npos);
}

TEST_CASE("an absent soft cap is the default of the class, null is none") {
  CHECK(SpecOf("gemma2", "").logit_softcap == 30.0f);
  CHECK(SpecOf("gemma2", "").layers[0].mixer.softcap == 50.0f);
  CHECK(SpecOf("gemma2", R"("final_logit_softcapping":null)").logit_softcap == 0.0f);
  CHECK(SpecOf("gemma3_text", "").logit_softcap == 0.0f);
  CHECK(RefusalOf("gemma2", R"("final_logit_softcapping":-1)").find("final_logit_softcapping") !=
        std::string::npos);
}

TEST_CASE("what a family cannot compute is refused by its key and value") {
  struct Refusal {
    const char *family, *key, *value;
  };
  for (const Refusal& one :
       {Refusal{"cohere", "use_qk_norm", "true"},
        {"smollm3", "use_sliding_window", "true"},
        {"gemma3_text", "use_bidirectional_attention", "true"},
        {"exaone4", "sliding_window_pattern", "\"LGL\""},
        {"smollm3", "no_rope_layers", "[1]"},
        {"granite", "logits_scaling", "\"2\""},
        {"ministral3", "rope_parameters", R"({"rope_theta":1e4,"llama_4_scaling_beta":0.1})"}}) {
    CAPTURE(one.family);
    const std::string sentence =
        RefusalOf(one.family, "\"" + std::string(one.key) + "\":" + one.value);
    CAPTURE(sentence);
    const bool names_key = sentence.find(one.key) != std::string::npos ||
                           sentence.find("llama_4_scaling_beta") != std::string::npos;
    CHECK(names_key);
  }
}

}  // namespace sglrun::model
