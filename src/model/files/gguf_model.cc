#include "model/files/gguf_model.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "formats/foreign_file.h"
#include "model/files/gguf_config.h"
#include "model/files/gguf_names.h"
#include "model/files/match_tensors.h"

namespace sglrun::model {
namespace {

constexpr const char* kRopeDivisors = "rope_freqs.weight";
constexpr const char* kShortFactors = "rope_factors_short.weight";
constexpr const char* kLongFactors = "rope_factors_long.weight";
constexpr std::int64_t kMaxParts = 1000;

// One part: the mapped file and what it describes (views into it).
struct SplitPart {
  std::unique_ptr<MappedFile> file;
  formats::GgufFile gguf;
};

Result<SplitPart> OpenPart(const std::string& path) {
  SGLRUN_ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(path));
  SplitPart part{std::make_unique<MappedFile>(std::move(mapped)), {}};
  if (!part.file->bytes().starts_with("GGUF")) {
    const std::string foreign = formats::DescribeForeignFile(part.file->bytes());
    if (!foreign.empty()) return Error{path + " " + foreign};
  }
  SGLRUN_ASSIGN_OR_RETURN(part.gguf, formats::ParseGguf(part.file->bytes(), path));
  return part;
}

// ".../name-00002-of-00005.gguf" for part 1 of 5.
std::string PartSuffix(std::int64_t part, std::int64_t count) {
  char text[48];
  std::snprintf(text, sizeof text, "-%05d-of-%05d.gguf", static_cast<int>(part + 1),
                static_cast<int>(count));
  return text;
}

Status CheckPart(const formats::GgufFile& gguf, std::int64_t number, std::int64_t count) {
  SGLRUN_ASSIGN_OR_RETURN(const auto found_number, gguf.Int("split.no"));
  SGLRUN_ASSIGN_OR_RETURN(const auto found_count, gguf.Int("split.count"));
  if (found_number == number && found_count == count) return {};
  return Error{gguf.place + " says that it is part " +
               std::to_string(found_number.value_or(-1) + 1) + " of " +
               std::to_string(found_count.value_or(1)) + ", expected part " +
               std::to_string(number + 1) + " of " + std::to_string(count)};
}

// The parts after the first, when there are any.
Status OpenOtherParts(const std::string& path, std::vector<SplitPart>& parts) {
  SGLRUN_ASSIGN_OR_RETURN(const auto count, parts[0].gguf.Int("split.count"));
  if (count.value_or(1) <= 1) return {};
  if (*count > kMaxParts) {
    return Error{path + ": split.count is " + std::to_string(*count) + ", at most " +
                 std::to_string(kMaxParts) + " parts are read"};
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto number, parts[0].gguf.Int("split.no"));
  if (number.value_or(0) != 0) {
    return Error{path + " is part " + std::to_string(*number + 1) + " of " +
                 std::to_string(*count) + ": give the name of the first part"};
  }
  SGLRUN_RETURN_IF_ERROR(CheckPart(parts[0].gguf, 0, *count));
  const std::string first_suffix = PartSuffix(0, *count);
  if (!path.ends_with(first_suffix)) {
    return Error{path + " is the first of " + std::to_string(*count) +
                 " parts, its name must end in " + first_suffix};
  }
  const std::string stem = path.substr(0, path.size() - first_suffix.size());
  std::size_t tensors = parts[0].gguf.tensors.size();
  for (std::int64_t i = 1; i < *count; ++i) {
    SGLRUN_ASSIGN_OR_RETURN(SplitPart part, OpenPart(stem + PartSuffix(i, *count)));
    SGLRUN_RETURN_IF_ERROR(CheckPart(part.gguf, i, *count));
    tensors += part.gguf.tensors.size();
    parts.push_back(std::move(part));
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto expected, parts[0].gguf.Int("split.tensors.count"));
  if (expected.value_or(static_cast<std::int64_t>(tensors)) != static_cast<std::int64_t>(tensors)) {
    return Error{path + ": split.tensors.count is " + std::to_string(*expected) +
                 ", the parts hold " + std::to_string(tensors) + " tensors"};
  }
  return {};
}

StoredTensor Store(const formats::GgufTensor& tensor, std::string name, const MappedFile* file) {
  return {.name = std::move(name),
          .shape = tensor.shape,
          .type = std::string(tensor.type),
          .file = file,
          .begin = tensor.begin,
          .bytes = tensor.bytes};
}

bool IsOfRope(std::string_view name) {
  return name == kRopeDivisors || name == kShortFactors || name == kLongFactors;
}

// Empty where there is no tensor of that name.
Result<std::vector<float>> ReadRopeFactors(const std::vector<SplitPart>& parts, const char* name) {
  for (const SplitPart& part : parts) {
    for (const formats::GgufTensor& tensor : part.gguf.tensors) {
      if (tensor.name != name) continue;
      SGLRUN_ASSIGN_OR_RETURN(const TensorSource source,
                              MakeTensorSource(Store(tensor, name, part.file.get())));
      if (source.shape.size() != 1) {
        return Error{part.gguf.place + ": " + name + " must be a vector"};
      }
      std::vector<float> factors(static_cast<std::size_t>(source.shape[0]));
      source.read_rows(0, 1, factors.data());
      return factors;
    }
  }
  return std::vector<float>();
}

// The experts of "blk.3.ffn_up_exps.weight" [E, n, k] one after the other, each as files that do
// not stack them name it: "blk.3.ffn_up.7.weight".
struct ExpertStack {
  std::string begin, end;  // around the number of an expert
  std::int64_t experts = 0;
};

std::optional<ExpertStack> StackOf(const formats::GgufTensor& tensor) {
  constexpr std::string_view kStacked = "_exps.";
  const std::size_t at = tensor.name.find(kStacked);
  if (at == std::string_view::npos || tensor.shape.size() != 3) return std::nullopt;
  const std::string_view end = tensor.name.substr(at + kStacked.size() - 1);
  return ExpertStack{std::string(tensor.name.substr(0, at)) + ".", std::string(end),
                     tensor.shape[0]};
}

Error NoPlace(const formats::GgufFile& gguf, const formats::GgufTensor& tensor,
              const ModelSpec& spec) {
  return Error{gguf.place + ": tensor \"" + std::string(tensor.name) + "\" has no place in a " +
               spec.family + " model"};
}

// Another number of experts than the metadata states is an error here: of a tensor that is in the
// file, not of one made from it.
Status StoreStack(const SplitPart& part, const formats::GgufTensor& tensor,
                  const ExpertStack& stack, const GgufNames& names, const ModelSpec& spec,
                  WeightTable& table) {
  const auto with =
      std::ranges::find_if(spec.layers, [](const auto& l) { return l.moe.has_value(); });
  if (with == spec.layers.end()) return NoPlace(part.gguf, tensor, spec);
  if (with->moe->router.experts != stack.experts) {
    return Error{part.gguf.place + ": tensor \"" + std::string(tensor.name) + "\" holds " +
                 std::to_string(stack.experts) + " experts, the metadata asks for " +
                 std::to_string(with->moe->router.experts)};
  }
  for (std::int64_t e = 0; e < stack.experts; ++e) {
    const std::string each = stack.begin + std::to_string(e) + stack.end;
    std::optional<std::string> name = names.Find(each);
    if (!name) return NoPlace(part.gguf, tensor, spec);
    StoredTensor expert = Store(tensor, std::move(*name), part.file.get());
    expert.shape.erase(expert.shape.begin());
    expert.bytes = tensor.bytes / static_cast<std::size_t>(stack.experts);
    expert.begin += static_cast<std::size_t>(e) * expert.bytes;
    table.tensors.push_back(std::move(expert));
  }
  return {};
}

Status StoreTensors(const GgufConfig& config, std::vector<SplitPart>& parts, WeightTable& table) {
  const GgufNames names(config.spec);
  for (SplitPart& part : parts) {
    for (const formats::GgufTensor& tensor : part.gguf.tensors) {
      if (IsOfRope(tensor.name)) continue;
      if (config.family->predicts_further && names.IsLater(tensor.name)) continue;
      if (const std::optional<ExpertStack> stack = StackOf(tensor)) {
        SGLRUN_RETURN_IF_ERROR(StoreStack(part, tensor, *stack, names, config.spec, table));
        continue;
      }
      std::optional<std::string> found = names.Find(tensor.name);
      if (!found) return NoPlace(part.gguf, tensor, config.spec);
      StoredTensor stored = Store(tensor, std::move(*found), part.file.get());
      // A matrix of one row.
      if (tensor.name.ends_with("ffn_gate_inp_shexp.weight") && stored.shape.size() == 1) {
        stored.shape.insert(stored.shape.begin(), 1);
      }
      table.tensors.push_back(std::move(stored));
    }
    table.files.push_back(std::move(part.file));
  }
  return {};
}

}  // namespace

Result<GgufModel> OpenGgufModel(const std::string& path) {
  std::vector<SplitPart> parts;
  SGLRUN_ASSIGN_OR_RETURN(SplitPart first, OpenPart(path));
  parts.push_back(std::move(first));
  SGLRUN_RETURN_IF_ERROR(OpenOtherParts(path, parts));
  std::vector<formats::GgufTensor> tensors;
  for (const SplitPart& part : parts) {
    tensors.insert(tensors.end(), part.gguf.tensors.begin(), part.gguf.tensors.end());
  }
  if (tensors.empty()) return Error{path + " contains only a vocabulary, no weights"};

  GgufRopeFactors rope_factors;
  SGLRUN_ASSIGN_OR_RETURN(rope_factors.divisors, ReadRopeFactors(parts, kRopeDivisors));
  SGLRUN_ASSIGN_OR_RETURN(rope_factors.short_factors, ReadRopeFactors(parts, kShortFactors));
  SGLRUN_ASSIGN_OR_RETURN(GgufConfig config,
                          ReadGgufConfig(parts[0].gguf, tensors, std::move(rope_factors)));
  GgufModel model;
  SGLRUN_ASSIGN_OR_RETURN(model.tokenizer, ReadGgufTokenizerFields(parts[0].gguf));
  SGLRUN_ASSIGN_OR_RETURN(model.defaults, ReadGgufGeneration(parts[0].gguf));
  SGLRUN_RETURN_IF_ERROR(StoreTensors(config, parts, model.weights));
  model.spec = std::move(config.spec);
  model.tokens = std::move(config.tokens);
  const bool in_pairs = config.family->gguf_interleaves_rope || config.family->rotates_pairs;
  SGLRUN_RETURN_IF_ERROR(MatchTensors(model.spec, {path, "the metadata"},
                                      {.rope_in_pairs = in_pairs}, model.weights.tensors));
  return model;
}

}  // namespace sglrun::model
