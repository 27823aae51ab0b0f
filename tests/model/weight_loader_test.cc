// Weights on their way from the file into the model, and the fingerprint made on that way.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "formats/file_builders.h"
#include "model/files/tensor_parts.h"
#include "model/model_runner.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

constexpr std::int64_t kRows = 70'000, kColumns = 40;  // no row ends with its first part

std::string Golden(const std::string& name) {
  return std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/models/" + name;
}

// A model of one small layer in bfloat16, whose data begin at an odd address if `is_odd`.
void WriteModel(const formats::TempDirectory& directory, bool is_odd) {
  directory.Write("config.json",
                  R"({"model_type":"llama","hidden_size":40,"intermediate_size":4,)"
                  R"("num_hidden_layers":1,"num_attention_heads":1,"vocab_size":70000,)"
                  R"("tie_word_embeddings":true})");
  const std::string layer = "model.layers.0.";
  const std::pair<std::string, std::vector<std::int64_t>> tensors[] = {
      {"model.embed_tokens.weight", {kRows, kColumns}},
      {"model.norm.weight", {40}},
      {layer + "input_layernorm.weight", {40}},
      {layer + "post_attention_layernorm.weight", {40}},
      {layer + "self_attn.q_proj.weight", {40, 40}},
      {layer + "self_attn.k_proj.weight", {40, 40}},
      {layer + "self_attn.v_proj.weight", {40, 40}},
      {layer + "self_attn.o_proj.weight", {40, 40}},
      {layer + "mlp.gate_proj.weight", {4, 40}},
      {layer + "mlp.up_proj.weight", {4, 40}},
      {layer + "mlp.down_proj.weight", {40, 4}}};
  std::string header = "{";
  std::size_t bytes = 0;
  for (const auto& [name, shape] : tensors) {
    const std::size_t begin = bytes;
    std::string extents;
    std::size_t elements = 1;
    for (const std::int64_t extent : shape) {
      extents += (extents.empty() ? "" : ",") + std::to_string(extent);
      elements *= static_cast<std::size_t>(extent);
    }
    bytes += 2 * elements;
    header += (begin == 0 ? "\"" : ",\"") + name + R"(":{"dtype":"BF16","shape":[)" + extents +
              R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(bytes) + "]}";
  }
  header += "}";
  if (header.size() % 2 != (is_odd ? 1 : 0)) header += " ";
  std::string file = formats::SafetensorsBytes(header, bytes);
  std::mt19937 random(7);
  for (std::size_t i = file.size() - bytes; i < file.size(); i += 2) {
    const auto bits = static_cast<std::uint16_t>(random() & 0xBFFF);  // finite
    std::memcpy(file.data() + i, &bits, sizeof bits);
  }
  directory.Write("model.safetensors", file);
}

// A row of f32 or bf16 numbers, widened.
std::vector<float> RowOf(const tensor::TensorView& view, std::int64_t row) {
  if (view.dtype == tensor::DType::kF32) return {view.row(row), view.row(row) + view.shape[1]};
  const auto* bits = static_cast<const std::uint16_t*>(view.data) + row * view.stride[0];
  std::vector<float> values(static_cast<std::size_t>(view.shape[1]));
  std::transform(bits, bits + view.shape[1], values.begin(), tensor::BF16ToFloat);
  return values;
}

TEST_CASE("rows where they lie in the file are the rows that are read") {
  for (const std::string name : {"llama3", "llama3/model.gguf", "qwen3/model.gguf"}) {
    const auto files = ModelFiles::Open(Golden(name));
    REQUIRE(files.ok());
    std::size_t in_pieces = 0;
    for (const TensorSource& tensor : files->tensors()) {
      if (!tensor.stored_rows) continue;
      CAPTURE(tensor.name);
      CHECK(*tensor.plain ==
            (name.starts_with("llama3") ? tensor::DType::kF32 : tensor::DType::kBF16));
      const std::int64_t rows = tensor.shape[0], columns = tensor.shape[1];
      std::vector<float> read(static_cast<std::size_t>(rows * columns));
      tensor.read_rows(0, rows, read.data());
      for (const std::int64_t first : {std::int64_t{0}, std::int64_t{3}}) {
        for (std::int64_t r = first; r < rows;) {
          const tensor::TensorView view = tensor.stored_rows(r, rows - r);
          in_pieces += r > first;
          REQUIRE(view.shape[0] > 0);
          REQUIRE(r + view.shape[0] <= rows);
          for (std::int64_t i = 0; i < view.shape[0]; ++i, ++r) {
            const std::vector<float> row = RowOf(view, i);
            CHECK(std::equal(row.begin(), row.end(), read.data() + r * columns));
          }
        }
      }
    }
    // GGUF files of llamas have the rows of q and k in another order.
    CHECK((in_pieces > 0) == (name == "llama3/model.gguf"));
  }
}

TEST_CASE("packing gives every row and the fingerprint, wherever the data begin") {
  for (const bool is_odd : {false, true}) {
    const formats::TempDirectory directory;
    WriteModel(directory, is_odd);
    const auto files = ModelFiles::Open(directory.path());
    REQUIRE(files.ok());
    const TensorSource& embedding = *files->Find("model.embed_tokens.weight");
    CHECK((embedding.stored_rows == nullptr) == is_odd);
    CHECK(PartsOf(files->tensors()).size() == files->tensors().size() + 1);
    std::vector<float> want(static_cast<std::size_t>(kRows * kColumns));
    embedding.read_rows(0, kRows, want.data());
    ThreadPool one(1), three(3);
    const Hash128 fingerprint = files->Fingerprint(one);
    for (const std::string_view isa : {kernels::CpuIsas().front(), std::string_view("ref")}) {
      for (ThreadPool* pool : {&one, &three}) {
        kernels::KernelContext context(*pool);
        Hash128 made;
        const auto model =
            Model::Load(*files, {.backend = &BackendForTest(isa), .fingerprint = &made}, context);
        REQUIRE(model.ok());
        CHECK(made == fingerprint);
        std::vector<std::int32_t> ids(kRows);
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i);
        std::vector<float> got(want.size());
        (*model)->Embed(ids, tensor::MakeView(got.data(), tensor::DType::kF32, {kRows, kColumns}));
        CHECK(got == want);
      }
    }
  }
}

TEST_CASE("loading stops early when the model is no longer needed") {
  const auto files = ModelFiles::Open(Golden("llama3"));
  REQUIRE(files.ok());
  ThreadPool pool(1);
  kernels::KernelContext context(pool);
  const std::atomic<bool> stop{true};
  Hash128 made;
  CHECK(Model::Load(*files,
                    {.backend = &BackendForTest("portable"), .fingerprint = &made, .stop = &stop},
                    context)
            .ok());
  CHECK(made != files->Fingerprint(pool));
}

}  // namespace
}  // namespace sglrun::model
