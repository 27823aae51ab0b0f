#include "model/files/quantized_tensors.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/log.h"
#include "model/files/quantized_module.h"

namespace sglrun::model {
namespace {

// With what activations and caches would be rounded. They are not: the results are nearer to those
// of the plain weights.
constexpr std::string_view kOfActivations[] = {
    ".input_scale", ".activation_scale", ".input_zero_point", ".input_scale_ub", ".output_scale",
    ".k_scale",     ".v_scale",          ".q_scale",          ".prob_scale",     ".kv_scale",
};

struct Refused {
  std::string_view suffix, what;
};

constexpr Refused kRefused[] = {
    {".pre_quant_scale", "changes the activations"},
    {".weight_scale_2", "belongs to NVFP4"},
    {".weight_global_scale", "belongs to NVFP4"},
};

bool EndsWithOneOf(std::string_view name, std::span<const std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

Status RefuseForms(const std::vector<StoredTensor>& tensors) {
  for (const StoredTensor& tensor : tensors) {
    for (const Refused& refused : kRefused) {
      if (!tensor.name.ends_with(refused.suffix)) continue;
      return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" " +
                   std::string(refused.what) +
                   ", which is not supported; use the plain weights or a GGUF file"};
    }
  }
  return {};
}

void LeaveOutActivations(const std::string& directory, std::vector<StoredTensor>& tensors) {
  const std::size_t before = tensors.size();
  std::erase_if(tensors,
                [](const StoredTensor& t) { return EndsWithOneOf(t.name, kOfActivations); });
  if (tensors.size() == before) return;
  LogInfo(directory + ": " + std::to_string(before - tensors.size()) +
          " scales of activations and caches are left out, which are not quantised here");
}

using Shapes = std::unordered_map<std::string, std::vector<std::int64_t>>;

// Of all tensors that the model may have, by their names in the file.
Shapes ShapesOf(const ModelSpec& spec, const StoredForm& form) {
  ModelSpec with_head = spec;
  with_head.tied_head = false;
  Shapes shapes;
  for (ExpectedTensor& expected : ExpectedTensors(with_head)) {
    shapes[form.NameInFile(expected.name)] = std::move(expected.shape);
  }
  return shapes;
}

// GPTQ's first writer gave every matrix a bias, of zeros where the model has none.
void LeaveOutZeroBiases(const Shapes& shapes, std::vector<StoredTensor>& tensors) {
  std::erase_if(tensors, [&](const StoredTensor& t) {
    return t.name.ends_with(".bias") && !shapes.contains(t.name) &&
           t.data().find_first_not_of('\0') == std::string_view::npos;
  });
}

}  // namespace

Status JoinQuantizedTensors(const ModelSpec& spec, const StoredForm& form,
                            const std::string& directory, const std::optional<Quantization>& config,
                            std::vector<StoredTensor>& tensors) {
  const Shapes shapes = ShapesOf(spec, form);
  if (config) {
    SGLRUN_RETURN_IF_ERROR(RefuseForms(tensors));
    LeaveOutActivations(directory, tensors);
    LeaveOutZeroBiases(shapes, tensors);
  }
  std::unordered_map<std::string, StoredTensor*> by_name;
  for (StoredTensor& tensor : tensors) by_name.emplace(tensor.name, &tensor);
  std::int64_t warnings = 0;
  for (StoredTensor& tensor : tensors) {
    const QuantizedKind* kind = FindQuantizedKind(tensor);
    if (kind == nullptr) continue;
    const std::string module = tensor.name.substr(0, tensor.name.size() - kind->suffix.size());
    const auto shape = shapes.find(module + ".weight");
    if (shape == shapes.end() || shape->second.size() != 2)
      continue;  // no matrix of the model, which is refused later
    if (!config) {
      return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" has the type " +
                   tensor.type + " of quantised weights, but " + directory +
                   "/config.json has no quantization_config that says how to read them"};
    }
    SGLRUN_ASSIGN_OR_RETURN(ModuleMatrix found,
                            kind->read({.name = module,
                                        .codes = &tensor,
                                        .rows = shape->second[0],
                                        .columns = shape->second[1],
                                        .config = &*config,
                                        .find = [&](const std::string& name) -> StoredTensor* {
                                          const auto at = by_name.find(name);
                                          return at == by_name.end() ? nullptr : at->second;
                                        }}));
    if (!found.warning.empty() && warnings++ == 0) LogWarning(found.warning);
    for (StoredTensor* companion : found.companions) companion->is_companion = true;
    tensor.matrix = std::make_shared<const formats::QuantizedMatrix>(std::move(found.matrix));
    tensor.name = shape->first;
    tensor.shape = shape->second;
    tensor.type = std::move(found.type);
  }
  if (warnings > 1) {
    LogWarning(directory + ": so do " + std::to_string(warnings - 1) + " other tensors");
  }
  return {};
}

}  // namespace sglrun::model
