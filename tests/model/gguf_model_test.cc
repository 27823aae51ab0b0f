#include <string>
#include <vector>

#include "formats/file_builders.h"
#include "model/families/family.h"
#include "model/files/gguf_model.h"
#include "model/files/gguf_names.h"
#include "model/spec/plain_decoder.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

bool Says(const std::string& sentence, std::string_view part) {
  INFO(sentence);
  return sentence.find(part) != std::string::npos;
}

// A one-layer llama of hidden size 8 and 3 tokens; parts of it can be left out or changed.
struct TinyGguf {
  std::string architecture = "llama";
  std::string without_key;
  std::string without_tensor;
  std::uint32_t heads = 1;
  std::vector<float> rope_freqs;

  void AddKeys(formats::GgufBuilder& builder) const {
    if (without_key != "general.architecture") {
      builder.String("general.architecture", architecture);
    }
    const std::pair<const char*, std::uint32_t> sizes[] = {
        {"embedding_length", 8}, {"feed_forward_length", 4},      {"block_count", 1},
        {"context_length", 64},  {"attention.head_count", heads},
    };
    for (const auto& [key, value] : sizes) {
      if (key != without_key) builder.U32(architecture + "." + key, value);
    }
    if (without_key != "attention.layer_norm_rms_epsilon") {
      builder.F32(architecture + ".attention.layer_norm_rms_epsilon", 1e-5f);
    }
  }

  void AddTensors(formats::GgufBuilder& builder, bool head = true, bool rest = true) const {
    const auto add = [&](const std::string& name, const std::vector<std::int64_t>& dims) {
      if (name == without_tensor) return;
      std::size_t bytes = 4;
      for (const std::int64_t dim : dims) bytes *= static_cast<std::size_t>(dim);
      builder.Tensor(name, dims, 0, std::string(bytes, '\0'));
    };
    if (head) add("token_embd.weight", {8, 3});
    if (!rest) return;
    add("output_norm.weight", {8});
    for (const char* name : {"attn_norm", "ffn_norm"}) {
      add("blk.0." + std::string(name) + ".weight", {8});
    }
    for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
      add("blk.0." + std::string(name) + ".weight", {8, 8});
    }
    for (const char* name : {"ffn_gate", "ffn_up"}) {
      add("blk.0." + std::string(name) + ".weight", {8, 4});
    }
    add("blk.0.ffn_down.weight", {4, 8});
    if (!rope_freqs.empty()) {
      std::string data;
      for (const float factor : rope_freqs) data += formats::Bytes(factor);
      builder.Tensor("rope_freqs.weight", {static_cast<std::int64_t>(rope_freqs.size())}, 0, data);
    }
  }

  formats::GgufBuilder Builder() const {
    formats::GgufBuilder builder;
    AddKeys(builder);
    AddTensors(builder);
    return builder;
  }
};

Result<GgufModel> Open(const formats::GgufBuilder& builder) {
  const formats::TempDirectory directory;
  return OpenGgufModel(directory.Write("m.gguf", builder.Build()));
}

std::string ErrorOf(const formats::GgufBuilder& builder) {
  const auto model = Open(builder);
  REQUIRE_FALSE(model.ok());
  return model.error().message;
}

}  // namespace

TEST_CASE("GGUF tensor names are translated to Hugging Face's, unknown ones to none") {
  ModelSpec spec = PlainDecoder({.hidden = 8,
                                 .inner = 4,
                                 .layers = 1,
                                 .heads = 2,
                                 .kv_heads = 1,
                                 .head_dim = 8,
                                 .vocab = 3,
                                 .context = 8});
  spec.layers[0].mixer.qkv_bias = true;
  const GgufNames names(spec);
  const auto name_of = [&](const char* gguf) {
    const auto found = names.Find(gguf);
    return found.value_or("");
  };
  CHECK(name_of("token_embd.weight") == "model.embed_tokens.weight");
  CHECK(name_of("output.weight") == "lm_head.weight");
  // Layers that the model has not got are known by name, too: which are too many is said elsewhere.
  CHECK(name_of("blk.12.attn_q.bias") == "model.layers.12.self_attn.q_proj.bias");
  CHECK(name_of("blk.0.ffn_norm.weight") == "model.layers.0.post_attention_layernorm.weight");
  for (const char* name :
       {"", "blk", "blk.", "blk..attn_q.weight", "blk.x.attn_q.weight", "blk.-1.attn_q.weight",
        "blk.0.attn_q", "blk.0.attn_q.scale", "blk.99999999999999999999.attn_q.weight",
        "blk.0.attn_output.bias", "blk.0.ffn_gate_exps.weight", "token_embd.weight.weight"}) {
    CAPTURE(name);
    CHECK_FALSE(names.Find(name).has_value());
  }
}

TEST_CASE("a small file opens with defaults for the keys it leaves out") {
  const auto model = Open(TinyGguf().Builder());
  REQUIRE(model.ok());
  CHECK(model->spec.layers.at(0).mixer.kv_heads == 1);
  CHECK(model->spec.layers.at(0).mixer.head_dim == 8);
  CHECK(model->spec.vocab_size == 3);
  CHECK(model->spec.ropes[0].theta == 10000.0);
  CHECK(model->spec.tied_head);
  CHECK(model->tokens.eos.empty());
}

TEST_CASE("architectures and arithmetic that are not supported are refused by name") {
  TinyGguf gguf;
  gguf.architecture = "mamba";
  CHECK(Says(ErrorOf(gguf.Builder()),
             "\"mamba\", which is not supported; supported are " + FamilyNames()));
  TinyGguf dense;
  dense.architecture = "qwen2";
  formats::GgufBuilder experts = dense.Builder();
  experts.U32("qwen2.expert_count", 8);
  CHECK(Says(ErrorOf(experts), "qwen2.expert_count is 8: mixtures of experts are not supported"));
  formats::GgufBuilder scaled = TinyGguf().Builder();
  scaled.F32("llama.logit_scale", 2);
  CHECK(Says(ErrorOf(scaled), "llama.logit_scale is not supported"));
  formats::GgufBuilder longrope = TinyGguf().Builder();
  longrope.String("llama.rope.scaling.type", "longrope");
  CHECK(Says(ErrorOf(longrope), "short_factor has 0 entries"));
  formats::GgufBuilder uneven = TinyGguf().Builder();
  uneven.Key("llama.attention.head_count_kv", 9,
             formats::Bytes(std::uint32_t{4}) + formats::Bytes(std::uint64_t{2}) +
                 formats::Bytes(1) + formats::Bytes(2));
  CHECK(Says(ErrorOf(uneven), "differs between layers"));
}

TEST_CASE("a factor of rope without a type is linear") {
  const auto description = [](const char* key, float factor) {
    formats::GgufBuilder gguf = TinyGguf().Builder();
    gguf.F32(key, factor);
    const auto model = Open(gguf);
    REQUIRE(model.ok());
    return model->spec.ropes[0].description;
  };
  CHECK(description("llama.rope.scaling.factor", 4).starts_with("linear"));
  CHECK(description("llama.rope.scale_linear", 4).starts_with("linear"));
  CHECK_FALSE(description("llama.rope.scaling.factor", 1).starts_with("linear"));
}

TEST_CASE("keys that must be there are named") {
  for (const std::string key :
       {"embedding_length", "feed_forward_length", "block_count", "context_length",
        "attention.head_count", "attention.layer_norm_rms_epsilon"}) {
    TinyGguf gguf;
    gguf.without_key = key;
    CHECK(Says(ErrorOf(gguf.Builder()), "key llama." + key + " is missing"));
  }
  TinyGguf gguf;
  gguf.without_key = "general.architecture";
  CHECK(Says(ErrorOf(gguf.Builder()), "general.architecture is missing"));
}

TEST_CASE("tensors that are missing or unknown are named") {
  TinyGguf gguf;
  gguf.without_tensor = "token_embd.weight";
  CHECK(Says(ErrorOf(gguf.Builder()), "token_embd.weight is missing"));
  gguf.without_tensor = "blk.0.attn_k.weight";
  CHECK(Says(ErrorOf(gguf.Builder()), "do not hold model.layers.0.self_attn.k_proj.weight"));
  formats::GgufBuilder more = TinyGguf().Builder();
  more.Tensor("blk.0.ffn_gate_exps.weight", {4}, 0, std::string(16, 'x'));
  CHECK(Says(ErrorOf(more), "\"blk.0.ffn_gate_exps.weight\" has no place"));
}

TEST_CASE("rope_freqs.weight divides the angles and must fit them") {
  TinyGguf gguf;
  gguf.rope_freqs = {1, 2, 4, 8};
  const auto model = Open(gguf.Builder());
  REQUIRE(model.ok());
  CHECK(model->spec.ropes[0].inverse_frequencies[1] == doctest::Approx(0.05));
  gguf.rope_freqs = {1, 2};
  CHECK(Says(ErrorOf(gguf.Builder()), "rope_freqs.weight has 2 entries, expected 4"));
}

TEST_CASE("end of text, of turn and of message are all ends") {
  formats::GgufBuilder builder = TinyGguf().Builder();
  builder.U32("tokenizer.ggml.bos_token_id", 1);
  builder.U32("tokenizer.ggml.eos_token_id", 2);
  builder.U32("tokenizer.ggml.eot_token_id", 0);
  builder.U32("tokenizer.ggml.eom_token_id", 2);
  const auto model = Open(builder);
  REQUIRE(model.ok());
  CHECK(model->tokens.bos == 1);
  CHECK(model->tokens.eos == std::vector<std::int32_t>{2, 0});
  CHECK(model->tokenizer.eos_id == 2);
}

TEST_CASE("tokenizer fields are read field for field, lists of other lengths refused") {
  formats::GgufBuilder builder = TinyGguf().Builder();
  builder.String("tokenizer.ggml.model", "gpt2");
  builder.String("tokenizer.ggml.pre", "smollm");
  builder.String("tokenizer.chat_template", "{{ x }}");
  builder.Strings("tokenizer.ggml.tokens", {"a", "b", "ab"});
  builder.Strings("tokenizer.ggml.merges", {"a b"});
  builder.Key("tokenizer.ggml.add_bos_token", 7, "\1");
  builder.Key("tokenizer.ggml.token_type", 9,
              formats::Bytes(std::uint32_t{5}) + formats::Bytes(std::uint64_t{3}) +
                  formats::Bytes(1) + formats::Bytes(1) + formats::Bytes(3));
  const auto model = Open(builder);
  REQUIRE(model.ok());
  CHECK(model->tokenizer.model == "gpt2");
  CHECK(model->tokenizer.pre == "smollm");
  CHECK(model->tokenizer.chat_template == "{{ x }}");
  CHECK(model->tokenizer.tokens == std::vector<std::string>{"a", "b", "ab"});
  CHECK(model->tokenizer.merges == std::vector<std::string>{"a b"});
  CHECK(model->tokenizer.token_types == std::vector<std::int32_t>{1, 1, 3});
  CHECK(model->tokenizer.add_bos == true);
  CHECK_FALSE(model->tokenizer.add_eos.has_value());
  builder.Key(
      "tokenizer.ggml.scores", 9,
      formats::Bytes(std::uint32_t{6}) + formats::Bytes(std::uint64_t{1}) + formats::Bytes(0.5f));
  CHECK(Says(ErrorOf(builder), "scores has 1 entries, tokens has 3"));
}

TEST_CASE("a split model opens by its first part and refuses parts that do not belong") {
  const formats::TempDirectory directory;
  const auto part = [&](std::uint32_t number, std::uint32_t count, const char* name) {
    formats::GgufBuilder builder;
    if (number == 0) TinyGguf().AddKeys(builder);
    builder.U32("split.no", number);
    builder.U32("split.count", count);
    builder.U32("split.tensors.count", 11);
    TinyGguf().AddTensors(builder, number == 0, number == 1);
    return directory.Write(name, builder.Build());
  };
  const std::string first = part(0, 2, "m-00001-of-00002.gguf");
  CHECK(Says(OpenGgufModel(first).error().message, "cannot open"));
  const std::string second = part(1, 2, "m-00002-of-00002.gguf");
  const auto model = OpenGgufModel(first);
  INFO((model.ok() ? std::string() : model.error().message));
  REQUIRE(model.ok());
  CHECK(model->weights.files.size() == 2);
  CHECK(Says(OpenGgufModel(second).error().message, "part 2 of 2: give the name of the first"));
  part(1, 3, "m-00002-of-00002.gguf");
  CHECK(Says(OpenGgufModel(first).error().message, "part 2 of 3, expected part 2 of 2"));
  part(0, 2, "m-00002-of-00002.gguf");
  CHECK(Says(OpenGgufModel(first).error().message, "part 1 of 2, expected part 2 of 2"));
  const std::string renamed = part(0, 2, "other.gguf");
  CHECK(Says(OpenGgufModel(renamed).error().message, "must end in -00001-of-00002.gguf"));
}

TEST_CASE("a vocabulary alone is no model, but has a tokenizer") {
  formats::GgufBuilder builder;
  builder.String("tokenizer.ggml.model", "gpt2");
  builder.Strings("tokenizer.ggml.tokens", {"a"});
  const formats::TempDirectory directory;
  const std::string path = directory.Write("v.gguf", builder.Build());
  CHECK(Says(OpenGgufModel(path).error().message, "only a vocabulary"));
  const auto fields = ModelFiles::ReadGgufTokenizer(path);
  REQUIRE(fields.ok());
  REQUIRE(fields->has_value());
  CHECK((*fields)->tokens.size() == 1);
}

}  // namespace sglrun::model
