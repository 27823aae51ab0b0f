#include "model/files/model_files.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/json.h"
#include "formats/file_builders.h"
#include "model/blocks/weight_list.h"
#include "model/files/config_json.h"
#include "model/files/match_tensors.h"
#include "model/model_runner.h"
#include "model/spec/plain_decoder.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

namespace fs = std::filesystem;

std::string Golden(const std::string& name) {
  return std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/models/" + name;
}

std::string ErrorOf(const std::string& path) {
  const auto files = ModelFiles::Open(path);
  REQUIRE_FALSE(files.ok());
  return files.error().message;
}

bool Says(const std::string& sentence, std::string_view part) {
  INFO(sentence);
  return sentence.find(part) != std::string::npos;
}

void Replace(const formats::TempDirectory& directory, const std::string& name,
             const std::string& from, const std::string& to) {
  std::string text = formats::Slurp(directory.File(name));
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  directory.Write(name, text.replace(at, from.size(), to));
}

constexpr const char* kTinyConfig =
    R"({"model_type":"llama","hidden_size":8,"intermediate_size":4,"num_hidden_layers":1,)"
    R"("num_attention_heads":1,"vocab_size":3,"tie_word_embeddings":true})";

ModelSpec TinyModel() {
  ModelSpec spec = PlainDecoder({.hidden = 8,
                                 .inner = 4,
                                 .layers = 1,
                                 .heads = 1,
                                 .kv_heads = 1,
                                 .head_dim = 8,
                                 .vocab = 3,
                                 .context = 8});
  spec.tied_head = true;
  return spec;
}

// A safetensors file with the tensors of TinyModel under `rename(name)`, and `extra` ones of the
// form {"name", bytes of U8}.
template <class Rename>
std::string TinyWeights(Rename rename, const std::vector<std::string>& extra = {},
                        const std::string& two_byte_dtype = "BF16",
                        const ModelSpec& model = TinyModel()) {
  std::string header = "{";
  std::size_t offset = 0;
  const auto add = [&](const std::string& name, const std::string& dtype, const std::string& shape,
                       std::size_t bytes) {
    if (header.size() > 1) header += ",";
    header += "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + shape +
              R"(],"data_offsets":[)" + std::to_string(offset) + "," +
              std::to_string(offset + bytes) + "]}";
    offset += bytes;
  };
  for (const ExpectedTensor& spec : ExpectedTensors(model)) {
    std::string shape;
    std::size_t bytes = 2;
    for (const std::int64_t extent : spec.shape) {
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
      bytes *= static_cast<std::size_t>(extent);
    }
    add(rename(spec.name), two_byte_dtype, shape, bytes);
  }
  for (const std::string& name : extra) add(name, "U8", "1", 1);
  return formats::SafetensorsBytes(header + "}", offset);
}

std::string Same(const std::string& name) {
  return name;
}

}  // namespace

TEST_CASE("a directory and the GGUF of the same weights hold the same table of tensors") {
  auto directory = ModelFiles::Open(Golden("llama3"));
  auto gguf = ModelFiles::Open(Golden("llama3") + "/model.gguf");
  REQUIRE(directory.ok());
  REQUIRE(gguf.ok());
  CHECK_FALSE(directory->is_gguf());
  CHECK(gguf->is_gguf());
  CHECK(directory->gguf_tokenizer() == nullptr);
  CHECK(gguf->gguf_tokenizer() != nullptr);
  CHECK(directory->parameter_count() == gguf->parameter_count());
  CHECK(directory->tensors().size() == gguf->tensors().size());
  for (const TensorSource& tensor : directory->tensors()) {
    CAPTURE(tensor.name);
    const TensorSource* other = gguf->Find(tensor.name);
    REQUIRE(other != nullptr);
    CHECK(other->shape == tensor.shape);
    const auto count = static_cast<std::size_t>(
        tensor.shape.size() == 1 ? tensor.shape[0] : tensor.shape[0] * tensor.shape[1]);
    std::vector<float> a(count), b(count);
    const std::int64_t rows = tensor.shape.size() == 1 ? 1 : tensor.shape[0];
    tensor.read_rows(0, rows, a.data());
    other->read_rows(0, rows, b.data());
    CHECK(a == b);
    tensor.drop_pages(0, tensor.stored.size());
    tensor.read_rows(0, rows, b.data());  // dropped pages come back from the file
    CHECK(a == b);
  }
  CHECK(directory->Find("nothing") == nullptr);
}

void CheckSameAngles(const RopeSpec& x, const RopeSpec& y) {
  CHECK(x.rotary_dim == y.rotary_dim);
  CHECK(std::abs(x.attention_factor - y.attention_factor) < 1e-6f);
  REQUIRE(x.inverse_frequencies.size() == y.inverse_frequencies.size());
  for (std::size_t i = 0; i < x.inverse_frequencies.size(); ++i) {
    CHECK(x.inverse_frequencies[i] == doctest::Approx(y.inverse_frequencies[i]));
  }
}

TEST_CASE(
    "GGUF metadata and config.json give one specification, except for the rounding of angles") {
  for (const std::string& name : GoldenGgufModels()) {
    CAPTURE(name);
    auto a = ModelFiles::Open(Golden(name));
    auto b = ModelFiles::Open(Golden(name) + "/model.gguf");
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    ModelSpec x = a->spec(), y = b->spec();
    REQUIRE(x.ropes.size() == y.ropes.size());
    for (std::size_t i = 0; i < x.ropes.size(); ++i) CheckSameAngles(x.ropes[i], y.ropes[i]);
    // GGUF files of Mistral name llama, and those of llama3 list what the angles are divided by.
    x.family = y.family;
    x.ropes = y.ropes;
    CHECK(x.ToString() == y.ToString());
  }
}

TEST_CASE("what a golden model computes is written beside it, field for field") {
  for (const std::string& name : GoldenModels()) {
    CAPTURE(name);
    auto files = ModelFiles::Open(Golden(name));
    REQUIRE(files.ok());
    CHECK(files->spec().ToString() == formats::Slurp(Golden(name) + "/spec.txt"));
  }
}

TEST_CASE("the keys that are stated alone give the model of the whole configuration") {
  for (const std::string& name : GoldenModels()) {
    if (!fs::exists(Golden(name) + "/stated.json")) continue;
    CAPTURE(name);
    const auto stated = ParseJson(formats::Slurp(Golden(name) + "/stated.json"));
    REQUIRE(stated.ok());
    const auto config = ParseHfConfig(stated->value, nullptr, name);
    REQUIRE(config.ok());
    CHECK(config->spec.ToString() == formats::Slurp(Golden(name) + "/spec.txt"));
  }
}

TEST_CASE("places without a model are named") {
  const formats::TempDirectory directory;
  CHECK(Says(ErrorOf(directory.File("absent")), "cannot open"));
  CHECK(Says(ErrorOf(directory.path()), "has no config.json"));
  directory.Write("x.gguf", "GGUF");
  CHECK(Says(ErrorOf(directory.path()), "holds x.gguf: give that file's name instead"));
  directory.Write("config.json", kTinyConfig);
  CHECK(Says(ErrorOf(directory.path()), "x.gguf"));
  fs::remove(directory.File("x.gguf"));
  CHECK(Says(ErrorOf(directory.path()), "neither model.safetensors nor"));
  directory.Write("pytorch_model.bin", "PK");
  CHECK(Says(ErrorOf(directory.path()), "a pickle, which runs code"));
}

TEST_CASE("files that are something else are named in words") {
  const formats::TempDirectory directory;
  directory.Write("config.json", kTinyConfig);
  const auto weights = [&](std::string_view bytes) {
    directory.Write("model.safetensors", bytes);
    return ErrorOf(directory.path());
  };
  CHECK(Says(weights("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"),
             "Git LFS pointer"));
  CHECK(Says(weights("\n <!DOCTYPE html><html>404</html>"), "HTML page"));
  CHECK(Says(weights("<HTML>404</HTML>   "), "HTML page"));
  CHECK(Says(weights(""), "is empty"));
  CHECK(Says(weights("PK\x03\x04 0123456789"), "zip archive"));
  CHECK(Says(weights("GGUF 0123456789"), "GGUF"));
  const std::string whole = TinyWeights(Same);
  CHECK(Says(weights(whole.substr(0, whole.size() - 1)), "cut short"));
  CHECK(Says(weights(whole + "x"), "1 bytes after"));
  CHECK(Says(ErrorOf(directory.Write("a.gguf", "version https://git-lfs.github.com/spec/v1")),
             "Git LFS pointer"));
  CHECK(Says(ErrorOf(directory.Write("a.gguf", "<html>")), "HTML page"));
  CHECK(Says(ErrorOf(directory.Write("a.gguf", "something")), "begin with GGUF"));
  directory.Write("config.json", "version https://git-lfs.github.com/spec/v1");
  CHECK(Says(ErrorOf(directory.path()), "config.json is a Git LFS pointer"));
  directory.Write("config.json", "{\"model_type\":");
  CHECK(Says(ErrorOf(directory.path()), "config.json, byte 14"));
}

TEST_CASE("weights that do not fit the configuration are named") {
  const formats::TempDirectory directory;
  directory.CopyFrom(Golden("llama_tied"));
  REQUIRE(ModelFiles::Open(directory.path()).ok());
  Replace(directory, "config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3");
  CHECK(ErrorOf(directory.path()) ==
        "model \"" + directory.path() +
            "\": config.json names 3 layers, weights hold 2 (layers.2.* missing)");
  Replace(directory, "config.json", "\"num_hidden_layers\": 3", "\"num_hidden_layers\": 1");
  CHECK(Says(ErrorOf(directory.path()), "config.json names 1 layers, weights hold layers.1.*"));
  Replace(directory, "config.json", "\"num_hidden_layers\": 1", "\"num_hidden_layers\": 2");
  Replace(directory, "config.json", "\"intermediate_size\": 96", "\"intermediate_size\": 97");
  CHECK(Says(ErrorOf(directory.path()),
             "tensor \"model.layers.0.mlp.gate_proj.weight\" is [96, 64], config.json asks for "
             "[97, 64]"));
  Replace(directory, "config.json", "\"intermediate_size\": 97", "\"intermediate_size\": 96");
  Replace(directory, "config.json", "\"attention_bias\": false", "\"attention_bias\": true");
  CHECK(Says(ErrorOf(directory.path()), "do not hold model.layers.0.self_attn.q_proj.bias"));
}

TEST_CASE("experts that do not fit the configuration are named") {
  const formats::TempDirectory directory;
  directory.CopyFrom(Golden("qwen3_moe"));
  const auto after = [&](const std::string& was, const std::string& is) {
    Replace(directory, "config.json", was, is);
    const std::string error = ErrorOf(directory.path());
    Replace(directory, "config.json", is, was);
    return error;
  };
  REQUIRE(ModelFiles::Open(directory.path()).ok());
  const std::string count = "\"num_local_experts\": 7", chosen = "\"num_experts_per_tok\": 2";
  CHECK(Says(after(count, "\"num_local_experts\": 8"),
             "tensor \"model.layers.0.mlp.gate.weight\" is [7, 48], config.json asks for [8, 48]"));
  CHECK(Says(after(count, "\"num_local_experts\": 0"), "num_experts is 0, must be in [1, 1024]"));
  CHECK(Says(after(count, "\"num_local_experts\": 2000"),
             "num_experts is 2000, must be in [1, 1024]"));
  CHECK(Says(after(chosen, "\"num_experts_per_tok\": 8"),
             "num_experts_per_tok is 8, must be in [1, 7]"));
  CHECK(Says(after("\"decoder_sparse_step\": 1", "\"decoder_sparse_step\": 0"),
             "decoder_sparse_step is 0, must be at least 1"));
  CHECK(Says(after("\"mlp_only_layers\": []", "\"mlp_only_layers\": [1]"),
             "do not hold model.layers.1.mlp.gate_proj.weight"));
  // Transposed, and absent.
  const std::string down =
      "\"model.layers.1.mlp.experts.3.down_proj.weight\":"
      "{\"dtype\":\"BF16\",\"shape\":[";
  Replace(directory, "model.safetensors", down + "48,16", down + "16,48");
  CHECK(
      Says(ErrorOf(directory.path()),
           "tensor \"model.layers.1.mlp.experts.3.down_proj.weight\" is [16, 48], config.json asks "
           "for [48, 16]"));
  Replace(directory, "model.safetensors", "layers.1.mlp.experts.3.down",
          "layers.1.mlp.experts.9.down");
  CHECK(Says(ErrorOf(directory.path()),
             "the weights do not hold model.layers.1.mlp.experts.3.down_proj.weight"));
}

TEST_CASE("a stack of experts in a Hugging Face file holds as many as the configuration states") {
  const formats::TempDirectory directory;
  directory.CopyFrom(Golden("granitemoe"));
  REQUIRE(ModelFiles::Open(directory.path()).ok());
  Replace(directory, "config.json", "\"num_local_experts\": 5", "\"num_local_experts\": 4");
  CHECK(
      Says(ErrorOf(directory.path()), "_linear.weight\" holds 5 experts, config.json asks for 4"));
}

TEST_CASE("the keys of a router by sigmoid count or are refused") {
  const formats::TempDirectory directory;
  directory.CopyFrom(Golden("dots1"));
  const auto after = [&](const std::string& was, const std::string& is) {
    Replace(directory, "config.json", was, is);
    const std::string error = ErrorOf(directory.path());
    Replace(directory, "config.json", is, was);
    return error;
  };
  REQUIRE(ModelFiles::Open(directory.path()).ok());
  CHECK(Says(after("\"n_group\": 1", "\"n_group\": 2"), "n_group is 2, only 1 is supported"));
  CHECK(Says(after("\"n_shared_experts\": 2", "\"n_shared_experts\": 3"),
             "shared_experts.gate_proj.weight\" is [32, 48], config.json asks for [48, 48]"));
  CHECK(Says(after("\"n_shared_experts\": 2", "\"n_shared_experts\": 4611686018427387904"),
             "must be in"));
  CHECK(Says(after("\"first_k_dense_replace\": 1", "\"first_k_dense_replace\": 0"),
             "do not hold model.layers.0.mlp.gate.weight"));
}

TEST_CASE("layers that predict further tokens are left out where a family has them") {
  const auto without_last = [](const std::string& name) {
    const formats::TempDirectory directory;
    directory.CopyFrom(Golden(name));
    Replace(directory, "config.json", "\"num_hidden_layers\": 3", "\"num_hidden_layers\": 2");
    const auto files = ModelFiles::Open(directory.path());
    return files.ok() ? "" : files.error().message;
  };
  CHECK(without_last("glm4_moe") == "");
  CHECK(Says(without_last("solar_open"), "config.json names 2 layers, weights hold layers.2.*"));

  const formats::TempDirectory directory;
  std::string file = formats::Slurp(Golden("glm4_moe") + "/model.gguf");
  const std::string key = "glm4moe.block_count";
  file[file.find(key) + key.size() + 4] = 2;
  const auto gguf = ModelFiles::Open(directory.Write("a.gguf", file));
  REQUIRE(gguf.ok());
  CHECK(gguf->spec().layers.size() == 2);
}

TEST_CASE("a stack of experts in a GGUF file holds as many as the metadata states") {
  const formats::TempDirectory directory;
  const std::string file = formats::Slurp(Golden("qwen3_moe") + "/model.gguf");
  const std::string key = "qwen3moe.expert_count";
  std::string changed = file;
  // The key, its type of four bytes, its value.
  changed[changed.find(key) + key.size() + 4] = 6;
  CHECK(Says(ErrorOf(directory.Write("a.gguf", changed)),
             "_exps.weight\" holds 7 experts, the metadata asks for 6"));
  CHECK(Says(ErrorOf(directory.Write("b.gguf", file.substr(0, file.size() - 4000))), "b.gguf"));
}

TEST_CASE("a head that is absent is the embedding, whatever the key says") {
  const formats::TempDirectory directory;
  directory.Write("model.safetensors", TinyWeights(Same));
  for (const std::string key : {"true", "false"}) {
    directory.Write("config.json", kTinyConfig);
    Replace(directory, "config.json", R"("tie_word_embeddings":true)",
            R"("tie_word_embeddings":)" + key);
    const auto files = ModelFiles::Open(directory.path());
    REQUIRE(files.ok());
    CHECK(files->spec().tied_head);
  }
}

TEST_CASE("a head that is stored beside a tied embedding counts where it differs from it") {
  const formats::TempDirectory directory;
  directory.Write("config.json", kTinyConfig);
  ModelSpec untied = TinyModel();
  untied.tied_head = false;
  std::string weights = TinyWeights(Same, {}, "BF16", untied);
  directory.Write("model.safetensors", weights);
  auto files = ModelFiles::Open(directory.path());
  REQUIRE(files.ok());
  CHECK(files->spec().tied_head);
  CHECK(files->Find("lm_head.weight") == nullptr);

  weights.back() = static_cast<char>(weights.back() + 1);  // the head comes last
  directory.Write("model.safetensors", weights);
  files = ModelFiles::Open(directory.path());
  REQUIRE(files.ok());
  CHECK_FALSE(files->spec().tied_head);
  CHECK(files->Find("lm_head.weight") != nullptr);
}

TEST_CASE("unknown tensors are errors, rotary tables are not") {
  const formats::TempDirectory directory;
  directory.Write("config.json", kTinyConfig);
  directory.Write("model.safetensors",
                  TinyWeights(Same, {"model.layers.0.self_attn.rotary_emb.inv_freq"}));
  CHECK(ModelFiles::Open(directory.path()).ok());
  for (const std::string name :
       {"model.layers.0.self_attn.k_proj.bias", "model.layers.0.mlp.experts.0.up_proj.weight",
        "vision_tower.weight", "x"}) {
    CAPTURE(name);
    directory.Write("model.safetensors", TinyWeights(Same, {name}));
    CHECK(Says(ErrorOf(directory.path()), "tensor \"" + name + "\" has no place in a llama model"));
  }
}

TEST_CASE("weights of integers and other types are refused by name") {
  const formats::TempDirectory directory;
  directory.Write("config.json", kTinyConfig);
  directory.Write("model.safetensors", TinyWeights(Same, {}, "I16"));
  CHECK(Says(ErrorOf(directory.path()), "has the type I16, which is not supported"));
}

TEST_CASE("the text model of a multimodal checkpoint is found under its prefixes") {
  const formats::TempDirectory directory;
  directory.Write("config.json",
                  R"({"model_type":"llava","text_config":)" + std::string(kTinyConfig) + "}");
  const std::vector<std::string> others = {"vision_tower.a", "model.multi_modal_projector.b"};
  for (const bool inner : {false, true}) {
    directory.Write("model.safetensors", TinyWeights(
                                             [&](const std::string& name) {
                                               return inner
                                                          ? "model.language_model." + name.substr(6)
                                                          : "language_model." + name;
                                             },
                                             others));
    auto files = ModelFiles::Open(directory.path());
    INFO((files.ok() ? std::string() : files.error().message));
    REQUIRE(files.ok());
    CHECK(files->Find(kEmbeddingName) != nullptr);
    CHECK(files->tensors().size() == ExpectedTensors(TinyModel()).size());
  }
}

TEST_CASE("shards must hold what the index says") {
  const formats::TempDirectory directory;
  directory.CopyFrom(Golden("llama3"));
  REQUIRE(ModelFiles::Open(directory.path()).ok());
  const std::string index = "model.safetensors.index.json";
  const std::string good = formats::Slurp(directory.File(index));
  Replace(directory, index, "model.embed_tokens.weight", "model.embed_tokens.weights");
  CHECK(Says(ErrorOf(directory.path()), "tensor \"model.embed_tokens.weights\" is not in model-"));
  directory.Write(index, good);
  const std::size_t at = good.find("\"model.norm.weight\"");
  REQUIRE(at != std::string::npos);
  const std::size_t comma = good.rfind(',', at);
  const std::size_t end = good.find_first_of(",}", at);
  directory.Write(index, good.substr(0, comma) + good.substr(end));
  CHECK(Says(ErrorOf(directory.path()), "tensor \"model.norm.weight\" is not in the index"));
  directory.Write(index, good);
  fs::remove(directory.File("model-00002-of-00003.safetensors"));
  CHECK(Says(ErrorOf(directory.path()), "the file model-00002-of-00003.safetensors is missing"));
}

TEST_CASE("a shard may not be a link out of the directory, except into the hub's cache") {
  const formats::TempDirectory outside;
  outside.CopyFrom(Golden("llama3"));
  const formats::TempDirectory directory;
  directory.CopyFrom(Golden("llama3"));
  const std::string shard = "model-00001-of-00003.safetensors";
  fs::remove(directory.File(shard));
  fs::create_symlink(outside.File(shard), directory.File(shard));
  CHECK(Says(ErrorOf(directory.path()), "is a link that leaves the model directory"));

  const formats::TempDirectory cache;
  fs::create_directories(cache.File("blobs"));
  fs::create_directories(cache.File("snapshots/1"));
  fs::copy(Golden("llama3"), cache.File("snapshots/1"));
  fs::rename(cache.File("snapshots/1/" + shard), cache.File("blobs/abc"));
  fs::create_symlink("../../blobs/abc", cache.File("snapshots/1/" + shard));
  CHECK(ModelFiles::Open(cache.File("snapshots/1")).ok());
}

TEST_CASE("the fingerprint follows configuration and weights, not the place") {
  const formats::TempDirectory directory;
  directory.CopyFrom(Golden("llama_tied"));
  ThreadPool one(1), three(3);
  const Hash128 original = ModelFiles::Open(Golden("llama_tied"))->Fingerprint(one);
  const auto fingerprint = [&] { return ModelFiles::Open(directory.path())->Fingerprint(three); };
  CHECK(fingerprint() == original);
  CHECK(ModelFiles::Open(directory.path())->Fingerprint(one, {.keep_pages = true}) == original);
  Replace(directory, "config.json", "1e-05", "1e-06");
  CHECK(fingerprint() != original);
  Replace(directory, "config.json", "1e-06", "1e-05");
  // Every byte counts, wherever it lies in its tensor.
  const std::string weights = formats::Slurp(directory.File("model.safetensors"));
  std::uint64_t header = 0;
  std::memcpy(&header, weights.data(), sizeof header);
  const std::size_t data = 8 + header;
  for (int i = 0; i <= 32; ++i) {
    std::string changed = weights;
    const std::size_t at = data + (weights.size() - 1 - data) * static_cast<std::size_t>(i) / 32;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    directory.Write("model.safetensors", changed);
    CHECK(fingerprint() != original);
  }
}

TEST_CASE("the summary of types names matrices first") {
  CHECK(ModelFiles::Open(Golden("llama3"))->DTypeSummary() == "F32");
  CHECK(ModelFiles::Open(Golden("llama_tied") + "/model.gguf")->DTypeSummary() ==
        "BF16 (F32 norms)");
}

TEST_CASE("a directory has no GGUF tokenizer") {
  const auto fields = ModelFiles::ReadGgufTokenizer(Golden("llama_tied"));
  REQUIRE(fields.ok());
  CHECK_FALSE(fields->has_value());
}

}  // namespace sglrun::model
