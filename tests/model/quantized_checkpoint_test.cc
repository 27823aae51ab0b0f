// Quantised Hugging Face checkpoints: what the packages that write them read from them, what a
// matrix stored as plain numbers gives, and what is refused.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/json.h"
#include "formats/file_builders.h"
#include "formats/safetensors.h"
#include "model/files/model_files.h"
#include "model/model_runner.h"
#include "tensor/dtype.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

std::string Folder(const std::string& name) {
  return std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/checkpoints/" + name;
}

std::string FnvHex(const std::vector<float>& values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(float); ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::vector<float> RowsOf(const TensorSource& source) {
  const std::int64_t rows = source.shape.size() == 1 ? 1 : source.shape[0];
  std::vector<float> values(static_cast<std::size_t>(rows * source.shape.back()));
  source.read_rows(0, rows, values.data());
  return values;
}

struct Tensor {
  std::string name, type;
  std::vector<std::int64_t> shape;
  std::string data;
};

// A checkpoint in memory, which a test changes and writes.
struct Checkpoint {
  std::string config;
  std::vector<Tensor> tensors;

  explicit Checkpoint(const std::string& name)
      : config(formats::Slurp(Folder(name) + "/config.json")) {
    const std::string file = formats::Slurp(Folder(name) + "/model.safetensors");
    const auto entries = formats::ParseSafetensors(file, name);
    REQUIRE(entries.ok());
    for (const formats::SafetensorsEntry& entry : *entries) {
      tensors.push_back({entry.name, entry.dtype, entry.shape,
                         file.substr(entry.begin, entry.end - entry.begin)});
    }
  }
  Tensor& Find(const std::string& end) {
    for (Tensor& tensor : tensors) {
      if (tensor.name.ends_with(end)) return tensor;
    }
    FAIL(end);
    return tensors[0];
  }
  void Say(const std::string& from, const std::string& to) {
    const std::size_t at = config.find(from);
    REQUIRE(at != std::string::npos);
    config.replace(at, from.size(), to);
  }
  void Write(const formats::TempDirectory& directory) const {
    std::string header = "{", data;
    for (const Tensor& tensor : tensors) {
      std::string extents;
      for (const std::int64_t extent : tensor.shape) {
        extents += (extents.empty() ? "" : ",") + std::to_string(extent);
      }
      header += (header.size() > 1 ? ",\"" : "\"") + tensor.name + R"(":{"dtype":")" + tensor.type +
                R"(","shape":[)" + extents + R"(],"data_offsets":[)" + std::to_string(data.size()) +
                "," + std::to_string(data.size() + tensor.data.size()) + "]}";
      data += tensor.data;
    }
    header += "}";
    directory.Write("config.json", config);
    directory.Write("model.safetensors", formats::SafetensorsBytes(header, 0) + data);
  }
};

// The model of `name` with its numbers stored as bfloat16.
void WritePlainTwin(const std::string& name, const formats::TempDirectory& directory) {
  const auto files = ModelFiles::Open(Folder(name));
  REQUIRE(files.ok());
  Checkpoint twin(name);
  twin.tensors.clear();
  for (const TensorSource& source : files->tensors()) {
    if (source.is_companion) continue;
    Tensor tensor{source.name, "BF16", source.shape, ""};
    for (const float value : RowsOf(source)) {
      tensor.data += formats::Bytes(tensor::FloatToBF16(value));
    }
    twin.tensors.push_back(std::move(tensor));
  }
  twin.Say("\"quantization_config\"", "\"was\"");
  twin.Write(directory);
}

// The sentence with which the changed checkpoint is refused.
std::string ErrorOf(const std::string& name, const std::function<void(Checkpoint&)>& change) {
  Checkpoint checkpoint(name);
  change(checkpoint);
  formats::TempDirectory directory;
  checkpoint.Write(directory);
  const auto files = ModelFiles::Open(directory.path());
  return files.ok() ? "" : files.error().message;
}

bool Says(const std::string& sentence, std::string_view part) {
  INFO(sentence);
  return sentence.find(part) != std::string::npos;
}

Json::Object GoldenCases() {
  const auto golden = ParseJson(formats::Slurp(Folder("golden.json")));
  REQUIRE(golden.ok());
  return golden->value.Find("cases")->as_object();
}

const TensorSource& Down(const ModelFiles& files) {
  const TensorSource* found = files.Find("model.layers.0.mlp.down_proj.weight");
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("every quantised matrix is what the package that wrote it reads, bit for bit") {
  for (const auto& golden : GoldenCases()) {
    const std::string& name = golden.first;
    CAPTURE(name);
    const auto files = ModelFiles::Open(Folder(name));
    REQUIRE_MESSAGE(files.ok(), files.error().message);
    for (const auto& expected : golden.second.as_object()) {
      const std::string& matrix = expected.first;
      CAPTURE(matrix);
      const TensorSource* source = files->Find(matrix);
      REQUIRE(source != nullptr);
      const std::vector<float> values = RowsOf(*source);
      CHECK(FnvHex(values) == expected.second.as_string());
      // Single rows from the middle are those of the whole.
      std::vector<float> row(static_cast<std::size_t>(source->shape[1]));
      source->read_rows(5, 1, row.data());
      CHECK(std::equal(row.begin(), row.end(), values.begin() + 5 * source->shape[1]));
    }
  }
}

TEST_CASE("a quantised checkpoint answers as its numbers stored as bfloat16 do, in each form") {
  for (const auto& golden : GoldenCases()) {
    const std::string& name = golden.first;
    CAPTURE(name);
    formats::TempDirectory twin;
    WritePlainTwin(name, twin);
    for (const tensor::DType dtype : {tensor::DType::kBF16, tensor::DType::kI8}) {
      LoadedModel a = LoadForTest(Folder(name), "ref", dtype);
      LoadedModel b = LoadForTest(twin.path(), "ref", dtype);
      ModelRunner run_a(*a.model, 1, 8), run_b(*b.model, 1, 8);
      const auto hidden_a = run_a.Prefill(0, {3, 7, 2, 30, 11});
      const auto hidden_b = run_b.Prefill(0, {3, 7, 2, 30, 11});
      // int8 quantises the numbers themselves, which bfloat16 has rounded.
      if (dtype == tensor::DType::kBF16) CHECK(hidden_a == hidden_b);
      CHECK(std::isfinite(run_a.Logits(hidden_a.back())[0]));
      for (std::size_t i = 0; i < hidden_a.back().size(); ++i) {
        CHECK(hidden_a.back()[i] == doctest::Approx(hidden_b.back()[i]).epsilon(0.2));
      }
    }
  }
}

TEST_CASE("the summary names method, bits and groups, and counts the numbers, not the codes") {
  const auto awq = ModelFiles::Open(Folder("awq"));
  REQUIRE(awq.ok());
  CHECK(Says(awq->DTypeSummary(), "awq 4-bit group 32"));
  CHECK(awq->parameter_count() == 2 * 32 * 64 + 4 * 32 * 64 + 3 * 64 * 64 + 3 * 64);
  const auto order = ModelFiles::Open(Folder("gptq_v2_order"));
  REQUIRE(order.ok());
  CHECK(Says(order->DTypeSummary(), "gptq 4-bit group 16 act-order"));
  const auto block = ModelFiles::Open(Folder("fp8_block"));
  REQUIRE(block.ok());
  CHECK(Says(block->DTypeSummary(), "fp8 block 48x40"));
}

TEST_CASE("scales are part of the fingerprint") {
  ThreadPool pool(1);
  Checkpoint changed("awq");
  changed.Find("down_proj.scales").data[0] ^= 1;
  formats::TempDirectory directory;
  changed.Write(directory);
  const auto before = ModelFiles::Open(Folder("awq")), after = ModelFiles::Open(directory.path());
  REQUIRE(before.ok());
  REQUIRE(after.ok());
  CHECK_FALSE(before->Fingerprint(pool).ToHex() == after->Fingerprint(pool).ToHex());
}

TEST_CASE("a symmetric checkpoint's zero points tell their version, whatever its config says") {
  Checkpoint wrong("gptq_sym");
  wrong.Say("\"bits\"", R"("checkpoint_format": "gptq_v2", "bits")");
  formats::TempDirectory directory;
  wrong.Write(directory);
  const auto right = ModelFiles::Open(Folder("gptq_sym")),
             same = ModelFiles::Open(directory.path());
  REQUIRE(right.ok());
  REQUIRE(same.ok());
  CHECK(RowsOf(Down(*right)) == RowsOf(Down(*same)));
}

TEST_CASE("auto-round's names of the layouts mean the same") {
  for (const auto& [base, from, to] :
       {std::tuple{"awq", R"("awq")", R"("auto-round", "packing_format": "auto_round:auto_awq")"},
        std::tuple{"gptq_v1", R"("gptq")",
                   R"("auto-round", "packing_format": "auto_round:auto_gptq")"},
        std::tuple{"gptq_v2_order", R"("gptq")",
                   R"("auto-round", "packing_format": "auto_round")"}}) {
    const std::string folder = base;
    CAPTURE(folder);
    Checkpoint renamed(folder);
    renamed.Say(from, to);
    formats::TempDirectory directory;
    renamed.Write(directory);
    const auto a = ModelFiles::Open(Folder(folder)), b = ModelFiles::Open(directory.path());
    REQUIRE(a.ok());
    REQUIRE_MESSAGE(b.ok(), b.error().message);
    const std::string q = "model.layers.0.self_attn.q_proj.weight";
    CHECK(RowsOf(*a->Find(q)) == RowsOf(*b->Find(q)));
  }
}

TEST_CASE("a description in a file of its own serves as well") {
  Checkpoint old("gptq_v1");
  old.Say("\"quantization_config\"", "\"was\"");
  formats::TempDirectory directory;
  old.Write(directory);
  CHECK(Says(
      ModelFiles::Open(directory.path()).error().message,
      "of quantised weights, but " + directory.path() + "/config.json has no quantization_config"));
  directory.Write("quantize_config.json", R"({"bits": 4, "group_size": 32, "sym": false})");
  const auto files = ModelFiles::Open(directory.path());
  REQUIRE_MESSAGE(files.ok(), files.error().message);
  CHECK(Says(files->DTypeSummary(), "gptq 4-bit group 32"));
}

TEST_CASE("zero and negative scales are legal, NaN is not") {
  const auto with_scale = [](float value) {
    return [value](Checkpoint& c) {
      c.Find("down_proj.weight_scale_inv").data.replace(4, 4, formats::Bytes(value));
    };
  };
  CHECK(ErrorOf("fp8_block", with_scale(0)) == "");
  CHECK(ErrorOf("fp8_block", with_scale(-1)) == "");
  CHECK(Says(ErrorOf("fp8_block", with_scale(std::numeric_limits<float>::quiet_NaN())),
             "tensor \"model.layers.0.mlp.down_proj.weight_scale_inv\" holds NaN as number 1, "
             "scales must be finite"));
  CHECK(Says(ErrorOf("fp8_block", with_scale(std::numeric_limits<float>::infinity())),
             "holds infinity as number 1"));
}

TEST_CASE("shapes that do not fit are refused with both") {
  const auto reshape = [](const std::string& end, std::vector<std::int64_t> shape) {
    return [end, shape](Checkpoint& c) {
      Tensor& tensor = c.Find(end);
      std::size_t before = 1, after = 1;
      for (const std::int64_t extent : tensor.shape) before *= static_cast<std::size_t>(extent);
      for (const std::int64_t extent : shape) after *= static_cast<std::size_t>(extent);
      tensor.data.resize(tensor.data.size() / before * after, '\1');
      tensor.shape = shape;
    };
  };
  CHECK(Says(ErrorOf("awq", reshape("down_proj.scales", {1, 64})),
             "down_proj.scales\" is [1, 64], expected [2, 64]: 64 inputs in groups of 32"));
  CHECK(Says(ErrorOf("awq", reshape("down_proj.scales", {2, 63})),
             "down_proj.scales\" is [2, 63], expected [groups, 64]"));
  CHECK(Says(ErrorOf("awq", reshape("down_proj.qzeros", {2, 7})),
             "down_proj.qzeros\" is [2, 7], expected [2, 8]"));
  CHECK(Says(ErrorOf("awq", reshape("down_proj.qweight", {63, 8})),
             "down_proj.qweight\" is [63, 8], expected [64, 8] (awq) for a matrix of [64, 64]"));
  CHECK(Says(ErrorOf("gptq_8", reshape("down_proj.qweight", {15, 64})),
             "is [15, 64], expected [16, 64] (gptq)"));
  CHECK(Says(ErrorOf("gptq_8", reshape("down_proj.qzeros", {2, 15})), "expected [2, 16]"));
  CHECK(Says(ErrorOf("gptq_8", reshape("down_proj.g_idx", {63})), "expected [64]: one group"));
  CHECK(Says(ErrorOf("packed_4", reshape("down_proj.weight_packed", {64, 7})),
             "is [64, 7], expected [64, 8] for a matrix of [64, 64] of 4 bits"));
  CHECK(Says(ErrorOf("packed_4", reshape("down_proj.weight_scale", {64, 3})),
             "is [64, 3], expected [64, 2]: 64 inputs in groups of 32"));
  CHECK(
      Says(ErrorOf("packed_4", reshape("down_proj.weight_zero_point", {7, 2})), "expected [8, 2]"));
  CHECK(Says(ErrorOf("packed_4", reshape("down_proj.weight_shape", {3})), "expected [2]"));
  CHECK(Says(ErrorOf("fp8_block", reshape("down_proj.weight_scale_inv", {2, 1})),
             "is [2, 1], expected [1], [64, 1] or [2, 2] (blocks of 48x40)"));
  CHECK(Says(ErrorOf("fp8_block", reshape("down_proj.weight", {63, 64})),
             "is [63, 64], expected [64, 64]"));
  CHECK(Says(ErrorOf("int8", reshape("down_proj.weight_scale", {63, 1})),
             "is [63, 1], expected [64, groups]"));
}

TEST_CASE("a bias of zeros that the model does not have is left out, another is refused") {
  const auto with_bias = [](char byte) {
    return ErrorOf("gptq_v1", [byte](Checkpoint& c) {
      c.tensors.push_back(
          {"model.layers.0.self_attn.q_proj.bias", "F16", {32}, std::string(64, byte)});
    });
  };
  CHECK(with_bias(0) == "");
  CHECK(Says(with_bias(1), "q_proj.bias\" has no place"));
}

TEST_CASE("numbers and tensors that contradict each other are refused by name") {
  CHECK(Says(ErrorOf("gptq_v2_order",
                     [](Checkpoint& c) {
                       c.Find("down_proj.g_idx").data.replace(8, 4, formats::Bytes(4));
                     }),
             "down_proj.g_idx\" holds 4 as number 2, expected a group from 0 to 3"));
  CHECK(Says(ErrorOf("gptq_v2_order",
                     [](Checkpoint& c) {
                       c.Find("down_proj.g_idx").data.replace(8, 4, formats::Bytes(-1));
                     }),
             "holds -1 as number 2"));
  CHECK(Says(ErrorOf("gptq_8", [](Checkpoint& c) { c.Say("\"bits\": 8", "\"bits\": 4"); }),
             "which is 8 bits for 64 inputs"));
  CHECK(Says(
      ErrorOf("packed_4",
              [](Checkpoint& c) { c.Find("down_proj.weight_shape").data.replace(8, 1, "\x41"); }),
      "down_proj.weight_shape\" holds [64, 65], expected [64, 64]"));
  CHECK(
      Says(ErrorOf("int8", [](Checkpoint& c) { c.Find("down_proj.weight_scale").name = "other"; }),
           "has no model.layers.0.mlp.down_proj.weight_scale beside it"));
  CHECK(Says(ErrorOf("awq", [](Checkpoint& c) { c.Find("down_proj.scales").type = "I16"; }),
             "has the type I16, expected F32, F16, BF16, F8_E4M3 or F8_E8M0"));
  CHECK(Says(ErrorOf("awq", [](Checkpoint& c) { c.Say("\"awq\"", "\"gptq\""); }),
             "expected [8, 64] (gptq) for a matrix of [64, 64] by the method gptq"));
  CHECK(Says(ErrorOf("fp8_tensor",
                     [](Checkpoint& c) { c.Find(".input_scale").name = "x.pre_quant_scale"; }),
             "\"x.pre_quant_scale\" changes the activations, which is not supported"));
}

TEST_CASE("methods that are not read are refused by name, with advice") {
  const auto says = [](const std::string& folder, const std::string& from, const std::string& to) {
    return ErrorOf(folder, [&](Checkpoint& c) { c.Say(from, to); });
  };
  CHECK(Says(says("awq", "\"awq\"", "\"hqq\""),
             "quantization_config: quant_method \"hqq\" is not supported; supported are "
             "auto-round, awq, compressed-tensors, fbgemm_fp8, fp8, gptq, modelopt; use the plain "
             "weights or a GGUF file"));
  CHECK(Says(says("awq", "\"gemm\"", "\"GEMV\""), "awq version \"gemv\" is not supported"));
  CHECK(Says(says("gptq_v2_order", "\"gptq_v2\"", "\"marlin\""), "checkpoint_format \"marlin\""));
  CHECK(Says(says("packed_4", "\"pack-quantized\"", "\"nvfp4-pack-quantized\""),
             "format \"nvfp4-pack-quantized\" is not supported"));
  CHECK(Says(
      says("packed_4", "\"config_groups\"", R"("transform_config": {"a": 1}, "config_groups")"),
      "transform_config changes the activations"));
  CHECK(Says(says("fp8_tensor", "\"FP8\"", "\"NVFP4\""), "quant_algo \"NVFP4\" is not supported"));
  CHECK(Says(says("fp8_block", "48,", "0,"), "weight_block_size is [0,40], expected two positive"));
}

}  // namespace sglrun::model
