#include "model/files/quantization_config.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "model/families/config_reader.h"

namespace sglrun::model {
namespace {

constexpr const char* kAdvice = "; use the plain weights or a GGUF file";

std::string ListOf(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

void RequireOneOf(ConfigReader& reader, const std::string& key, const std::string& value,
                  const std::vector<std::string_view>& supported) {
  if (std::find(supported.begin(), supported.end(), value) != supported.end()) return;
  reader.Fail(key + " \"" + value + "\" is not supported; supported are " + ListOf(supported) +
              kAdvice);
}

bool IsFilled(const Json* value) {
  if (value == nullptr) return false;
  return value->is_object() ? !value->as_object().empty()
                            : value->is_array() && !value->as_array().empty();
}

// [128, 128], or "128x128" in old files.
void ReadBlock(ConfigReader& reader, std::string_view key, Quantization& to) {
  const Json* value = reader.Find(key);
  if (value == nullptr) return;
  if (value->is_string() && value->as_string() == "128x128") {
    to.block = {128, 128};
    return;
  }
  const bool is_pair = value->is_array() && value->as_array().size() == 2 &&
                       value->as_array()[0].is_int() && value->as_array()[1].is_int();
  if (is_pair) to.block = {value->as_array()[0].as_int(), value->as_array()[1].as_int()};
  if (!is_pair || to.block->first < 1 || to.block->second < 1) {
    reader.Fail(std::string(key) + " is " + value->Excerpt() +
                ", expected two positive numbers of rows and columns");
  }
}

void ReadNumbers(ConfigReader& reader, Quantization& to) {
  to.bits = reader.OptionalInt("bits");
  to.group_size = reader.OptionalInt("group_size");
  to.symmetric = reader.Bool("sym", false);
}

void ReadAwq(ConfigReader& reader, Quantization& to) {
  ReadNumbers(reader, to);
  if (!to.bits) to.bits = reader.OptionalInt("w_bit");
  if (!to.group_size) to.group_size = reader.OptionalInt("q_group_size");
  RequireOneOf(reader, "awq version", AsciiLowerCase(reader.String("version", "gemm")), {"gemm"});
}

void ReadGptq(ConfigReader& reader, Quantization& to) {
  ReadNumbers(reader, to);
  const std::string format = reader.String("checkpoint_format", reader.String("format", "gptq"));
  RequireOneOf(reader, "checkpoint_format", format, {"gptq", "gptq_v2"});
  if (reader.Bool("is_marlin_format", false)) {
    reader.Fail(std::string("is_marlin_format is true, which is not supported") + kAdvice);
  }
  to.zeros_less_one = format == "gptq";
  to.varies = IsFilled(reader.Find("dynamic"));
}

void ReadAutoRound(ConfigReader& reader, Quantization& to) {
  ReadNumbers(reader, to);
  const std::string packing = reader.String("packing_format", "auto_round:auto_gptq");
  RequireOneOf(reader, "packing_format", packing,
               {"auto_round", "auto_round:gptq", "auto_round:auto_gptq", "auto_round:awq",
                "auto_round:auto_awq"});
  RequireOneOf(reader, "data_type", reader.String("data_type", "int"), {"int"});
  to.zeros_less_one = packing.ends_with("gptq");
  to.varies = IsFilled(reader.Find("extra_config"));
}

void ReadFp8(ConfigReader& reader, Quantization& to) {
  RequireOneOf(reader, "fmt", reader.String("fmt", "e4m3"), {"e4m3"});
  ReadBlock(reader, "weight_block_size", to);
}

void ReadFbgemm(ConfigReader&, Quantization&) {}

void ReadModelopt(ConfigReader& reader, Quantization&) {
  RequireOneOf(reader, "quant_algo", reader.String("quant_algo", ""),
               {"FP8", "FP8_PER_CHANNEL_PER_TOKEN"});
}

const std::vector<std::string_view> kCompressedFormats = {
    "pack-quantized", "int-quantized", "float-quantized", "naive-quantized", "dense"};

// One of config_groups.
void ReadScheme(ConfigReader& reader, const Json& scheme, Quantization& to) {
  ConfigReader group(scheme, reader.place() + ".config_groups");
  const std::string format = group.String("format", "dense");
  RequireOneOf(group, "format", format, kCompressedFormats);
  if (const Json* weights = group.Find("weights"); weights != nullptr && weights->is_object()) {
    ConfigReader numbers(*weights, group.place() + ": weights");
    to.bits = numbers.OptionalInt("num_bits");
    to.group_size = numbers.OptionalInt("group_size");
    ReadBlock(numbers, "block_structure", to);
    if (const Status status = numbers.status(); !status.ok()) reader.Fail(status.error());
  }
  if (const Status status = group.status(); !status.ok()) reader.Fail(status.error());
}

void ReadCompressed(ConfigReader& reader, Quantization& to) {
  const std::string format = reader.String("format", "dense");
  if (format != "mixed-precision") RequireOneOf(reader, "format", format, kCompressedFormats);
  if (IsFilled(reader.Find("transform_config"))) {
    reader.Fail(std::string("transform_config changes the activations, which is not supported") +
                kAdvice);
  }
  if (const Json* sparsity = reader.Find("sparsity_config"); IsFilled(sparsity)) {
    ConfigReader sparse(*sparsity, reader.place() + ".sparsity_config");
    RequireOneOf(reader, "sparsity_config: format", sparse.String("format", "dense"), {"dense"});
  }
  const Json* groups = reader.Find("config_groups");
  if (groups == nullptr || !groups->is_object()) return;
  to.varies = groups->as_object().size() > 1;
  for (const auto& [name, scheme] : groups->as_object()) {
    if (scheme.is_object()) ReadScheme(reader, scheme, to);
  }
}

// Numbers that no layout has would only be refused with odd shapes later.
void CheckNumbers(ConfigReader& reader, const Quantization& to) {
  if (to.bits && (*to.bits < 2 || *to.bits > 8)) {
    reader.Fail("bits is " + std::to_string(*to.bits) + ", must be 2 to 8");
  }
  if (to.group_size && *to.group_size < -1) {
    reader.Fail("group_size is " + std::to_string(*to.group_size) +
                ", must be positive, or -1 for whole rows");
  }
}

struct Method {
  std::string_view name;
  void (*read)(ConfigReader& reader, Quantization& to);
};

constexpr Method kMethods[] = {
    {"auto-round", ReadAutoRound}, {"awq", ReadAwq}, {"compressed-tensors", ReadCompressed},
    {"fbgemm_fp8", ReadFbgemm},    {"fp8", ReadFp8}, {"gptq", ReadGptq},
    {"modelopt", ReadModelopt},
};

}  // namespace

Result<Quantization> ParseQuantization(const Json& object, const std::string& place,
                                       const std::string& default_method) {
  Quantization to;
  to.place = place;
  ConfigReader reader(object, place);
  to.method = reader.String("quant_method", default_method);
  SGLRUN_RETURN_IF_ERROR(reader.status());
  if (to.method == "intel/auto-round") to.method = "auto-round";  // its first name
  std::vector<std::string_view> names;
  for (const Method& method : kMethods) {
    if (method.name == to.method) {
      method.read(reader, to);
      CheckNumbers(reader, to);
      SGLRUN_RETURN_IF_ERROR(reader.status());
      return to;
    }
    names.push_back(method.name);
  }
  return Error{place + ": quant_method \"" + to.method + "\" is not supported; supported are " +
               ListOf(names) + kAdvice};
}

}  // namespace sglrun::model
