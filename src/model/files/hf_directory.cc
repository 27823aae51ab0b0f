#include "model/files/hf_directory.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_set>

#include "base/log.h"
#include "formats/foreign_file.h"
#include "formats/safetensors.h"
#include "model/blocks/weight_list.h"
#include "model/files/match_tensors.h"
#include "model/files/quantization_config.h"
#include "model/files/quantized_tensors.h"
#include "model/files/weight_table.h"

namespace sglrun::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

bool Exists(const fs::path& path) {
  std::error_code ignored;  // an unreadable place is reported when the file is opened
  return fs::exists(path, ignored);
}

// Why a directory has no weights to open, by what it holds instead.
Error NoWeights(const fs::path& directory) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".bin") || name.ends_with(".pt") || name.ends_with(".pth")) {
      const std::string path = directory.string();
      return Error{
          path + " holds " + name +
          ", a pickle, which runs code when it is read; convert it to safetensors: python3 -c "
          "\"from transformers import AutoModelForCausalLM as M; M.from_pretrained('" +
          path + "', dtype='auto').save_pretrained('" + path + "')\""};
    }
    if (name.ends_with(".gguf")) {
      return Error{directory.string() + " holds " + name + ": give that file's name instead"};
    }
  }
  return Error{directory.string() + " has neither " + kSingleFile + " nor " + kIndexFile};
}

// An index comes with the model, from a stranger: its files must lie in the directory, links
// followed. The cache of huggingface_hub is the exception: snapshots/REVISION links to ../../blobs.
Status CheckInside(const fs::path& directory, const std::string& file) {
  std::error_code code;
  const fs::path home = fs::canonical(directory, code);
  const fs::path target = fs::canonical(directory / file, code);
  if (code) return Error{(directory / file).string() + ": " + code.message()};
  const bool inside = target.parent_path() == home;
  const fs::path snapshots = home.parent_path();
  const bool in_hub_cache = snapshots.filename() == "snapshots" &&
                            target.parent_path() == snapshots.parent_path() / "blobs";
  if (inside || in_hub_cache) return {};
  return Error{(directory / file).string() + " is a link that leaves the model directory"};
}

Status AddShard(const fs::path& directory, const formats::SafetensorsShard& shard,
                WeightTable& table) {
  const std::string path = (directory / shard.file).string();
  const auto named_by_index = (directory / kIndexFile).string() + ": ";
  if (!Exists(path)) return Error{named_by_index + "the file " + shard.file + " is missing"};
  SGLRUN_RETURN_IF_ERROR(CheckInside(directory, shard.file));
  const std::size_t before = table.tensors.size();
  SGLRUN_RETURN_IF_ERROR(AddSafetensors(path, table));
  std::unordered_set<std::string_view> held;
  for (std::size_t i = before; i < table.tensors.size(); ++i) held.insert(table.tensors[i].name);
  for (const std::string& name : shard.tensors) {
    if (held.erase(name) == 0) {
      return Error{named_by_index + "tensor \"" + name + "\" is not in " + shard.file};
    }
  }
  if (held.empty()) return {};
  return Error{path + ": tensor \"" + std::string(*held.begin()) + "\" is not in the index " +
               kIndexFile};
}

Result<WeightTable> OpenWeights(const fs::path& directory) {
  WeightTable table;
  if (Exists(directory / kSingleFile)) {
    SGLRUN_RETURN_IF_ERROR(AddSafetensors(directory / kSingleFile, table));
    return table;
  }
  const fs::path index = directory / kIndexFile;
  if (!Exists(index)) return NoWeights(directory);
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadFile(index.string(), kMaxJsonBytes));
  auto shards = formats::ParseSafetensorsIndex(text, index.string());
  if (!shards.ok()) {
    const std::string foreign = formats::DescribeForeignFile(text);
    return foreign.empty() ? std::move(shards).error() : Error{index.string() + " " + foreign};
  }
  for (const formats::SafetensorsShard& shard : *shards) {
    SGLRUN_RETURN_IF_ERROR(AddShard(directory, shard, table));
  }
  return table;
}

// Parts of multimodal checkpoints beside the text model.
bool IsOtherModality(std::string_view name) {
  for (const std::string_view part :
       {"vision_tower.", "vision_model.", "visual.", "multi_modal_projector.", "mm_projector.",
        "connector.", "audio_tower.", "audio_model.", "audio_projector.", "image_newline"}) {
    if (name.starts_with(part)) return true;
    if (name.starts_with("model.") && name.substr(6).starts_with(part)) return true;
  }
  return false;
}

// Gives the text part of a multimodal checkpoint the names it has alone, and leaves the rest out.
void TakeTextModel(const std::string& directory, WeightTable& table) {
  const std::size_t before = table.tensors.size();
  std::erase_if(table.tensors, [](const StoredTensor& t) { return IsOtherModality(t.name); });
  if (table.tensors.size() < before) {
    LogInfo(directory + ": " + std::to_string(before - table.tensors.size()) +
            " vision and audio tensors are left out, only the text model runs");
  }
  for (StoredTensor& tensor : table.tensors) {
    constexpr std::string_view kOuter = "language_model.";
    constexpr std::string_view kInner = "model.language_model.";
    if (tensor.name.starts_with(kOuter)) {
      tensor.name.erase(0, kOuter.size());
    } else if (tensor.name.starts_with(kInner)) {
      tensor.name.replace(0, kInner.size(), "model.");
    }
  }
}

const StoredTensor* Find(const std::vector<StoredTensor>& tensors, std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const StoredTensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

// Whether the embedding serves as the head: where the weights hold no head, or where the key says
// so and the head that is stored beside it is the same.
bool IsTied(const std::string& path, const ModelSpec& spec, const StoredForm& form,
            const std::vector<StoredTensor>& tensors) {
  const std::string head_name = form.NameInFile(kHeadName);
  const StoredTensor* head = Find(tensors, head_name);
  const StoredTensor* embedding = Find(tensors, form.NameInFile(kEmbeddingName));
  if (head == nullptr) {
    if (!spec.tied_head) {
      LogWarning(path + ": the weights hold no " + head_name +
                 ", the embedding serves as the head");
    }
    return true;
  }
  if (!spec.tied_head || embedding == nullptr) return false;
  const bool is_same = head->shape == embedding->shape && head->type == embedding->type &&
                       head->data() == embedding->data();
  if (!is_same) {
    LogWarning(path + ": " + head_name +
               " differs from the embedding, although tie_word_embeddings is true; " + head_name +
               " is the head");
  }
  return is_same;
}

// Where a quantisation is described: in config.json, or, as older tools wrote it, in a file of its
// own.
Result<std::optional<Quantization>> FindQuantization(const fs::path& directory,
                                                     const Json& config) {
  const std::string place = (directory / "config.json").string() + ": ";
  const Json* text = config.Find("text_config");
  const auto parse = [&](const Json& object, const std::string& where,
                         const std::string& method) -> Result<std::optional<Quantization>> {
    SGLRUN_ASSIGN_OR_RETURN(Quantization found, ParseQuantization(object, where, method));
    return std::optional(std::move(found));
  };
  for (const Json* parent : {&config, text}) {
    if (parent == nullptr || !parent->is_object()) continue;
    for (const char* key : {"quantization_config", "compression_config"}) {
      const Json* object = parent->Find(key);
      if (object != nullptr && object->is_object()) {
        return parse(*object, place + key, *key == 'c' ? "compressed-tensors" : "");
      }
    }
  }
  struct OwnFile {
    const char *name, *method, *key;
  };
  for (const auto& [name, method, key] :
       {OwnFile{"quantize_config.json", "gptq", ""}, OwnFile{"quant_config.json", "awq", ""},
        OwnFile{"hf_quant_config.json", "modelopt", "quantization"}}) {
    if (!Exists(directory / name)) continue;
    SGLRUN_ASSIGN_OR_RETURN(const Json file, ReadJsonFile(directory / name));
    const Json* object = *key == '\0' ? &file : file.Find(key);
    if (object != nullptr && object->is_object()) {
      return parse(*object, (directory / name).string(), method);
    }
  }
  return std::optional<Quantization>();
}

}  // namespace

Result<HfDirectory> OpenHfDirectory(const std::string& path) {
  const fs::path directory(path);
  if (!Exists(directory / "config.json")) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
      if (entry.path().extension() == ".gguf") return NoWeights(directory);
    }
    return Error{path + " has no config.json"};
  }
  SGLRUN_ASSIGN_OR_RETURN(const Json config, ReadJsonFile(directory / "config.json"));
  std::optional<Json> generation;
  if (Exists(directory / "generation_config.json")) {
    SGLRUN_ASSIGN_OR_RETURN(generation, ReadJsonFile(directory / "generation_config.json"));
  }
  HfDirectory result;
  SGLRUN_ASSIGN_OR_RETURN(result.config,
                          ParseHfConfig(config, generation ? &*generation : nullptr, path));
  SGLRUN_ASSIGN_OR_RETURN(result.weights, OpenWeights(directory));
  if (result.config.nested) TakeTextModel(path, result.weights);

  SGLRUN_ASSIGN_OR_RETURN(const std::optional<Quantization> quantization,
                          FindQuantization(directory, config));
  ModelSpec& spec = result.config.spec;
  const Family& family = *result.config.family;
  const StoredForm form{.rope_in_pairs = family.rotates_pairs,
                        .qkv_in_groups = family.groups_qkv,
                        .norms_less_one = family.norms_less_one,
                        .names = family.tensor_names};
  SGLRUN_RETURN_IF_ERROR(
      SplitExpertStacks(spec, "config.json", family.expert_stacks, result.weights.tensors));
  if (family.predicts_further) DropLaterLayers(spec, result.weights.tensors);
  SGLRUN_RETURN_IF_ERROR(
      JoinQuantizedTensors(spec, form, path, quantization, result.weights.tensors));
  spec.tied_head = IsTied(path, spec, form, result.weights.tensors);
  SGLRUN_RETURN_IF_ERROR(MatchTensors(spec, {path, "config.json"}, form, result.weights.tensors));
  return result;
}

}  // namespace sglrun::model
