#include "chain_model.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/check.h"

namespace sglrun::engine {

namespace {

constexpr std::int64_t kHeadDim = 8;
constexpr float kEps = 1e-6f;

class SafetensorsWriter {
 public:
  void Add(const std::string& name, std::int64_t rows, std::int64_t columns,
           const std::vector<float>& values) {
    CHECK(static_cast<std::int64_t>(values.size()) == std::max<std::int64_t>(rows, 1) * columns);
    const std::size_t begin = data_.size() * sizeof(float);
    data_.insert(data_.end(), values.begin(), values.end());
    header_ += header_.empty() ? "{" : ",";
    header_ += "\"" + name + "\":{\"dtype\":\"F32\",\"shape\":[" +
               (rows > 0 ? std::to_string(rows) + "," : "") + std::to_string(columns) +
               "],\"data_offsets\":[" + std::to_string(begin) + "," +
               std::to_string(data_.size() * sizeof(float)) + "]}";
  }

  void Write(const std::filesystem::path& path) {
    header_ += "}";
    while (header_.size() % 8 != 0) header_ += ' ';
    const std::uint64_t size = header_.size();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file << header_;
    file.write(reinterpret_cast<const char*>(data_.data()),
               static_cast<std::streamsize>(data_.size() * sizeof(float)));
  }

 private:
  std::string header_;
  std::vector<float> data_;
};

std::string Config(const ChainOptions& options, std::int64_t hidden) {
  std::string eos;
  for (const std::int32_t id : options.eos_token_ids) {
    eos += (eos.empty() ? "" : ",") + std::to_string(id);
  }
  return R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_act":"silu",)"
         R"("attention_bias":false,"mlp_bias":false,"num_hidden_layers":1,"num_attention_heads":1,)"
         R"("num_key_value_heads":1,"head_dim":8,"intermediate_size":8,"rope_theta":10000.0,)"
         R"("rms_norm_eps":1e-6,"tie_word_embeddings":false,"eos_token_id":[)" +
         eos + R"(],"vocab_size":)" + std::to_string(options.vocab_size) + R"(,"hidden_size":)" +
         std::to_string(hidden) + R"(,"max_position_embeddings":)" +
         std::to_string(options.context_length) + "}";
}

}  // namespace

LogitTable Script(const std::vector<std::int32_t>& script) {
  LogitTable table;
  for (std::size_t i = 0; i + 1 < script.size(); ++i) table[script[i]][script[i + 1]] = 60.0f;
  return table;
}

std::unique_ptr<model::Model> ChainModel(const ChainOptions& options, const LogitTable& table,
                                         const kernels::Backend& backend,
                                         kernels::KernelContext& context) {
  namespace fs = std::filesystem;
  static int count = 0;
  const fs::path folder = fs::temp_directory_path() / ("sglrun_chain_" + std::to_string(getpid()) +
                                                       "_" + std::to_string(count++));
  fs::create_directories(folder);

  const std::int64_t vocab = options.vocab_size, hidden = (vocab + 15) / 16 * 16;
  const auto zeros = [](std::int64_t elements) {
    return std::vector<float>(static_cast<std::size_t>(elements), 0.0f);
  };
  std::vector<float> embed = zeros(vocab * hidden), head = embed;
  for (std::int64_t id = 0; id < vocab; ++id) {
    embed[static_cast<std::size_t>(id * hidden + id)] =
        id == options.broken_token ? std::numeric_limits<float>::quiet_NaN() : 1.0f;
  }
  // What the final norm makes of a unit vector.
  const float scale = 1.0f / std::sqrt(1.0f / static_cast<float>(hidden) + kEps);
  for (const auto& [last, row] : table) {
    for (const auto& [next, logit] : row) {
      head[static_cast<std::size_t>(next * hidden + last)] = logit / scale;
    }
  }
  SafetensorsWriter weights;
  const std::vector<float> ones(static_cast<std::size_t>(hidden), 1.0f);
  const std::string layer = "model.layers.0.";
  weights.Add("model.embed_tokens.weight", vocab, hidden, embed);
  weights.Add("lm_head.weight", vocab, hidden, head);
  weights.Add("model.norm.weight", 0, hidden, ones);
  weights.Add(layer + "input_layernorm.weight", 0, hidden, ones);
  weights.Add(layer + "post_attention_layernorm.weight", 0, hidden, ones);
  for (const char* name : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                           "mlp.gate_proj", "mlp.up_proj"}) {
    weights.Add(layer + name + ".weight", kHeadDim, hidden, zeros(kHeadDim * hidden));
  }
  for (const char* name : {"self_attn.o_proj", "mlp.down_proj"}) {
    weights.Add(layer + name + ".weight", hidden, kHeadDim, zeros(kHeadDim * hidden));
  }
  weights.Write(folder / "model.safetensors");
  std::ofstream(folder / "config.json") << Config(options, hidden);

  auto files = model::ModelFiles::Open(folder.string());
  CHECK(files.ok()) << files.error().message;
  auto loaded =
      model::Model::Load(*files, {.dtype = tensor::DType::kF32, .backend = &backend}, context);
  CHECK(loaded.ok()) << loaded.error().message;
  fs::remove_all(folder);
  return std::move(loaded).value();
}

}  // namespace sglrun::engine
