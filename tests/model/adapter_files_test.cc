#include "model/files/adapter_files.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "formats/file_builders.h"
#include "model/files/module_pattern.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

const std::string kGoldens = std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/";
const std::string kPrefix = "base_model.model.model.layers.0.self_attn.";

struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string dtype = "F32";
};

// A safetensors file of zeros.
std::string FileOf(const std::vector<Tensor>& tensors) {
  std::string header = "{";
  std::size_t offset = 0;
  for (const Tensor& tensor : tensors) {
    std::string shape;
    std::size_t bytes = tensor.dtype == "F32" || tensor.dtype == "I32" ? 4 : 2;
    for (const std::int64_t extent : tensor.shape) {
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
      bytes *= static_cast<std::size_t>(extent);
    }
    if (header.size() > 1) header += ",";
    header += "\"" + tensor.name + R"(":{"dtype":")" + tensor.dtype + R"(","shape":[)" + shape +
              R"(],"data_offsets":[)" + std::to_string(offset) + "," +
              std::to_string(offset + bytes) + "]}";
    offset += bytes;
  }
  return formats::SafetensorsBytes(header + "}", offset);
}

// Of q_proj in a llama of 64 columns and 4 heads of 16.
std::vector<Tensor> GoodTensors() {
  return {{kPrefix + "q_proj.lora_A.weight", {4, 64}}, {kPrefix + "q_proj.lora_B.weight", {64, 4}}};
}

Result<AdapterFiles> Open(const std::string& path) {
  auto model = ModelFiles::Open(kGoldens + "models/llama3");
  REQUIRE(model.ok());
  return AdapterFiles::Open(path, *model);
}

// The error of an adapter of these tensors with `keys` in its configuration, "" for none.
std::string ErrorOf(const std::string& keys, const std::vector<Tensor>& tensors = GoodTensors()) {
  const formats::TempDirectory directory;
  directory.Write("adapter_config.json",
                  R"({"peft_type":"LORA","r":4,"lora_alpha":8)" + keys + "}");
  directory.Write("adapter_model.safetensors", FileOf(tensors));
  const auto adapter = Open(directory.File(""));
  return adapter.ok() ? "" : adapter.error().message;
}

void CheckSays(const std::string& sentence, std::initializer_list<std::string_view> parts) {
  CAPTURE(sentence);
  for (const std::string_view part : parts) {
    CAPTURE(part);
    CHECK(sentence.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("keys of adapter_config.json that change results are refused with their value") {
  CHECK(ErrorOf("") == "");
  CheckSays(ErrorOf(R"(,"bias":"lora_only")"), {"bias is \"lora_only\"", "must be \"none\""});
  CheckSays(ErrorOf(R"(,"r":0)"), {"r is 0", "a whole number above 0"});
  CheckSays(ErrorOf(R"(,"r":2.5)"), {"r is 2.5", "a whole number above 0"});
  CheckSays(ErrorOf(R"(,"lora_alpha":"x")"), {"lora_alpha is \"x\"", "a number above 0"});
  CheckSays(ErrorOf(R"(,"use_rslora":1)"), {"use_rslora is 1", "true or false"});
  CheckSays(ErrorOf(R"(,"rank_pattern":{"q_proj":0})"), {"rank_pattern.q_proj is 0"});
  CheckSays(ErrorOf(R"(,"alpha_pattern":{"q_(":1})"), {"alpha_pattern", "no regular expression"});
  for (const char* key :
       {R"("trainable_token_indices":[3])", R"("layer_replication":[[0,1]])", R"("lora_bias":true)",
        R"("target_parameters":["x"])", R"("use_qalora":true)", R"("ensure_weight_tying":true)",
        R"("fan_in_fan_out":true)", R"("alora_invocation_tokens":[1])", R"("some_new_key":"on")"}) {
    CheckSays(ErrorOf(std::string(",") + key), {"which changes results"});
  }
  CHECK(ErrorOf(R"(,"some_new_key":false,"other":[],"third":null,"lora_dropout":0.1)") == "");
}

TEST_CASE("tensors that do not fit the model are refused by name, value found and expected") {
  auto tensors = GoodTensors();
  tensors[0].shape = {4, 48};
  CheckSays(ErrorOf("", tensors), {"q_proj.lora_A.weight\" is [4, 48], must be [4, 64]"});
  tensors = GoodTensors();
  tensors[1].dtype = "I32";
  CheckSays(ErrorOf("", tensors), {"has the type I32, must be F32, F16 or BF16"});
  CheckSays(ErrorOf(R"(,"rank_pattern":{"q_proj":2})"), {"is [4, 64], must be [2, 64]"});
  tensors = GoodTensors();
  tensors.pop_back();
  CheckSays(ErrorOf("", tensors), {"self_attn.q_proj has lora_A without lora_B"});
  tensors = GoodTensors();
  tensors.push_back({kPrefix + "w_proj.lora_A.weight", {4, 64}});
  tensors.push_back({"base_model.model.model.norm.weight", {64}});
  CheckSays(ErrorOf("", tensors),
            {"no place in a llama model for", "w_proj.lora_A.weight", "model.norm.weight"});
  tensors = GoodTensors();
  tensors[0].name = "base_model.model.vision_model.layers.0.self_attn.q_proj.lora_A.weight";
  CheckSays(ErrorOf("", tensors), {"no place in a llama model for", "vision_model"});
  CheckSays(ErrorOf(R"(,"use_dora":true)"), {"has no lora_magnitude_vector, use_dora is true"});
  tensors = GoodTensors();
  tensors.push_back({kPrefix + "q_proj.lora_magnitude_vector", {64}});
  CheckSays(ErrorOf("", tensors), {"has a lora_magnitude_vector, use_dora is false"});
  tensors = GoodTensors();
  tensors.push_back({"base_model.model.lm_head.base_layer.weight", {260, 64}});
  CheckSays(ErrorOf("", tensors), {"differs from the model's", "made for other weights"});
  CheckSays(ErrorOf("", {}), {"holds no tensors of an adapter"});
}

TEST_CASE("the names that a multimodal model gives its text model are understood") {
  for (const char* prefix :
       {"base_model.model.language_model.model.layers.0.self_attn.",
        "base_model.model.model.language_model.layers.0.self_attn.", "model.layers.0.self_attn."}) {
    auto tensors = GoodTensors();
    for (Tensor& tensor : tensors) tensor.name.replace(0, kPrefix.size(), prefix);
    CHECK(ErrorOf("", tensors) == "");
  }
}

TEST_CASE("a directory that is no adapter is refused, and a damaged one") {
  const formats::TempDirectory directory;
  CheckSays(Open("nowhere").error().message, {"nowhere does not exist"});
  CheckSays(Open(directory.File("")).error().message, {"has no adapter_config.json"});
  directory.Write("adapter_config.json", R"({"peft_type":"LORA"})");
  CheckSays(Open(directory.File("")).error().message, {"has no adapter_model.safetensors"});
  directory.Write("adapter_model.bin", "x");
  CheckSays(Open(directory.File("")).error().message, {"a pickle", "safe_serialization=True"});
  directory.Write("adapter_model.safetensors", FileOf(GoodTensors()).substr(0, 500));
  CHECK_FALSE(Open(directory.File("")).ok());
  directory.Write("adapter_config.json", R"({"peft_type":"IA3"})");
  CheckSays(Open(directory.File("")).error().message, {"peft_type is \"IA3\", must be \"LORA\""});
  directory.Write("adapter_config.json", "[1]");
  CheckSays(Open(directory.File("")).error().message, {"is not a JSON object"});
  directory.Write("adapter_config.json", R"({"peft_type":"LORA","r":4})");
  directory.Write("adapter_model.safetensors", FileOf(GoodTensors()));
  CHECK(Open(directory.File("")).ok());
  directory.Write("added_tokens.json", R"({"<new>":260})");
  CheckSays(Open(directory.File("")).error().message, {"<new>", "token 260", "below 260"});
}

TEST_CASE("a pattern matches whole names at the end of a path, or the whole path") {
  const auto matches = [](const std::string& key, const char* path) {
    auto pattern = ModulePattern::Compile(key);
    REQUIRE(pattern.ok());
    const Result<bool> result = pattern->Matches(path);
    REQUIRE(result.ok());
    return *result;
  };
  CHECK(matches("q_proj", "model.layers.0.self_attn.q_proj"));
  CHECK_FALSE(matches("proj", "model.layers.0.self_attn.q_proj"));
  CHECK(matches(R"(layers\.1\.mlp\.up_proj)", "model.layers.1.mlp.up_proj"));
  CHECK_FALSE(matches(R"(layers\.1\.mlp\.up_proj)", "model.layers.11.mlp.up_proj"));
  CHECK(matches("model.layers.0", "model.layers.0"));
  CHECK_FALSE(matches("layers.0", "model.layers.0.mlp"));
  auto hostile = ModulePattern::Compile("(a+)+[bc]d?");
  REQUIRE(hostile.ok());
  CHECK_FALSE(hostile->Matches(std::string(60, 'a')).ok());
}

TEST_CASE("what an adapter computes has one fingerprint, by its files and its factors") {
  const auto fingerprint = [](const std::string& keys) {
    const formats::TempDirectory directory;
    directory.Write("adapter_config.json", R"({"peft_type":"LORA","r":4)" + keys + "}");
    directory.Write("adapter_model.safetensors", FileOf(GoodTensors()));
    auto adapter = Open(directory.File(""));
    REQUIRE(adapter.ok());
    return adapter->fingerprint();
  };
  CHECK(fingerprint(R"(,"lora_alpha":8)") == fingerprint(""));  // PEFT's default
  CHECK(fingerprint(R"(,"lora_alpha":16)") != fingerprint(""));
}

}  // namespace sglrun::model
