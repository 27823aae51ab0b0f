#include "model/files/match_tensors.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "model/blocks/decoder_blocks.h"

namespace sglrun::model {
namespace {

class ExpectedList : public WeightList {
 public:
  void Matrix(const MatrixEntry& entry) override {
    for (const Source& source : entry.from) {
      tensors.push_back({FullName(source), {source.rows, entry.k}, source.rotated, source.fused});
    }
  }
  void Vector(const VectorEntry& entry) override {
    for (const Source& source : entry.from) {
      tensors.push_back(
          {FullName(source), {source.rows}, source.rotated, source.fused, entry.center == 1});
    }
  }

  std::vector<ExpectedTensor> tensors;
};

// The layer number in "model.layers.N.rest", or -1.
std::int64_t LayerOf(std::string_view name) {
  constexpr std::string_view kLayers = "model.layers.";
  if (!name.starts_with(kLayers)) return -1;
  std::int64_t layer = -1;
  for (name.remove_prefix(kLayers.size()); !name.empty(); name.remove_prefix(1)) {
    const char c = name.front();
    if (c == '.') return layer;
    if (c < '0' || c > '9' || layer > 1'000'000) return -1;
    layer = std::max<std::int64_t>(layer, 0) * 10 + (c - '0');
  }
  return -1;
}

bool IsLeftover(const ModelSpec& spec, const StoredForm& form, std::string_view name) {
  for (const char* buffer : {"rotary_emb.inv_freq", ".attention.bias", ".attention.masked_bias"}) {
    if (name.ends_with(buffer)) return true;
  }
  return spec.tied_head && name == form.NameInFile(kHeadName);
}

// A vector may be stored as a matrix of one row.
bool HasShape(StoredTensor& tensor, const std::vector<std::int64_t>& expected) {
  if (expected.size() == 1 && tensor.shape.size() == 2 && tensor.shape[0] == 1) {
    tensor.shape.erase(tensor.shape.begin());
  }
  return tensor.shape == expected;
}

Error MissingTensor(const ModelSpec& spec, const TensorCheckNames& names,
                    const std::string& missing, const std::vector<StoredTensor>& tensors) {
  std::set<std::int64_t> layers;
  for (const StoredTensor& tensor : tensors) layers.insert(LayerOf(tensor.name));
  layers.erase(-1);
  const std::int64_t layer = LayerOf(missing);
  if (layer >= 0 && !layers.contains(layer)) {
    return Error{"model \"" + names.model + "\": " + names.config + " names " +
                 std::to_string(spec.layers.size()) + " layers, weights hold " +
                 std::to_string(layers.size()) + " (layers." + std::to_string(layer) +
                 ".* missing)"};
  }
  return Error{"model \"" + names.model + "\": the weights do not hold " + missing};
}

Error UnknownTensor(const ModelSpec& spec, const TensorCheckNames& names,
                    const StoredTensor& tensor) {
  const std::int64_t layer = LayerOf(tensor.name);
  if (layer >= static_cast<std::int64_t>(spec.layers.size())) {
    return Error{"model \"" + names.model + "\": " + names.config + " names " +
                 std::to_string(spec.layers.size()) + " layers, weights hold layers." +
                 std::to_string(layer) + ".*"};
  }
  return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" has no place in a " +
               spec.family + " model as " + names.config + " describes it"};
}

}  // namespace

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

std::string StoredForm::NameInFile(std::string name) const {
  for (const TensorRename& rename : names) {
    const std::size_t at = name.find(rename.ours);
    if (at != std::string::npos) name.replace(at, rename.ours.size(), rename.theirs);
  }
  return name;
}

std::vector<ExpectedTensor> ExpectedTensors(const ModelSpec& spec) {
  DecoderBlocks blocks(spec);
  ExpectedList list;
  blocks.List(list);
  return std::move(list.tensors);
}

namespace {

// Of a stack of experts; nothing for other tensors.
const ExpertStackName* StackOf(const StoredTensor& tensor,
                               std::span<const ExpertStackName> stacks) {
  if (tensor.shape.size() != 3) return nullptr;
  const auto found = std::ranges::find_if(
      stacks, [&](const ExpertStackName& stack) { return tensor.name.ends_with(stack.theirs); });
  return found == stacks.end() ? nullptr : &*found;
}

// The matrices of one expert, whose names begin so. Where the rows cannot be shared equally, the
// shapes that come out are not those that the specification asks for.
void AppendParts(const StoredTensor& stack, const std::string& begin, std::int64_t expert,
                 const ExpertStackName& name, std::vector<StoredTensor>& tensors) {
  const std::size_t parts = name.ours.size();
  const std::size_t bytes = stack.bytes / static_cast<std::size_t>(stack.shape[0]) / parts;
  for (std::size_t i = 0; i < parts; ++i) {
    StoredTensor part = stack;
    part.name = begin + std::string(name.ours[i]) + ".weight";
    part.shape = {stack.shape[1] / static_cast<std::int64_t>(parts), stack.shape[2]};
    part.bytes = bytes;
    part.begin += (static_cast<std::size_t>(expert) * parts + i) * bytes;
    tensors.push_back(std::move(part));
  }
}

std::int64_t ExpertsOf(const ModelSpec& spec, std::int64_t layer) {
  if (layer < 0 || layer >= static_cast<std::int64_t>(spec.layers.size())) return 0;
  const auto& moe = spec.layers[static_cast<std::size_t>(layer)].moe;
  return moe ? moe->router.experts : 0;
}

}  // namespace

Status SplitExpertStacks(const ModelSpec& spec, const std::string& config,
                         std::span<const ExpertStackName> stacks,
                         std::vector<StoredTensor>& tensors) {
  if (stacks.empty()) return {};
  std::vector<StoredTensor> split;
  for (StoredTensor& tensor : tensors) {
    const ExpertStackName* stack = StackOf(tensor, stacks);
    if (stack == nullptr) {
      split.push_back(std::move(tensor));
      continue;
    }
    const std::int64_t experts = ExpertsOf(spec, LayerOf(tensor.name));
    if (tensor.shape[0] != experts) {
      return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" holds " +
                   FormatCount(tensor.shape[0], "expert") + ", " + config + " asks for " +
                   std::to_string(experts)};
    }
    const std::string begin =
        tensor.name.substr(0, tensor.name.size() - stack->theirs.size()) + "mlp.experts.";
    for (std::int64_t e = 0; e < experts; ++e) {
      AppendParts(tensor, begin + std::to_string(e) + ".", e, *stack, split);
    }
  }
  tensors = std::move(split);
  return {};
}

void DropLaterLayers(const ModelSpec& spec, std::vector<StoredTensor>& tensors) {
  const auto layers = static_cast<std::int64_t>(spec.layers.size());
  const std::size_t dropped = std::erase_if(
      tensors, [&](const StoredTensor& tensor) { return LayerOf(tensor.name) >= layers; });
  if (dropped == 0) return;
  LogInfo(FormatCount(static_cast<std::int64_t>(dropped), "tensor") +
          " of layers that predict further tokens are not used");
}

Status MatchTensors(const ModelSpec& spec, const TensorCheckNames& names, const StoredForm& form,
                    std::vector<StoredTensor>& tensors) {
  std::unordered_map<std::string_view, StoredTensor*> by_name;
  for (StoredTensor& tensor : tensors) {
    if (!by_name.emplace(tensor.name, &tensor).second) {
      return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" occurs twice"};
    }
  }
  std::unordered_map<std::string, std::string> ours;  // by the file's names
  for (const ExpectedTensor& expected : ExpectedTensors(spec)) {
    const std::string name = form.NameInFile(expected.name);
    const auto found = by_name.find(name);
    if (found == by_name.end()) return MissingTensor(spec, names, name, tensors);
    StoredTensor& tensor = *found->second;
    if (!HasShape(tensor, expected.shape)) {
      return Error{tensor.file->path() + ": tensor \"" + name + "\" is " + ShapeText(tensor.shape) +
                   ", " + names.config + " asks for " + ShapeText(expected.shape)};
    }
    if (form.rope_in_pairs && expected.rotated.rotary > 0) tensor.pairs = expected.rotated;
    if (form.qkv_in_groups) tensor.groups = expected.fused;
    if (form.norms_less_one && expected.is_norm) tensor.add = 1;
    ours.emplace(name, expected.name);
  }
  for (const StoredTensor& tensor : tensors) {
    if (!tensor.is_companion && !ours.contains(tensor.name) &&
        !IsLeftover(spec, form, tensor.name)) {
      return UnknownTensor(spec, names, tensor);
    }
  }
  std::erase_if(tensors,
                [&](const StoredTensor& t) { return !t.is_companion && !ours.contains(t.name); });
  for (StoredTensor& tensor : tensors) {
    if (!tensor.is_companion) tensor.name = ours.at(tensor.name);
  }
  return {};
}

}  // namespace sglrun::model
