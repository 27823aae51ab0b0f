#include "model/files/adapter_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "model/blocks/decoder_blocks.h"
#include "model/families/family.h"
#include "model/files/adapter_config.h"
#include "model/files/match_tensors.h"
#include "model/files/weight_table.h"
#include "tensor/dtype.h"

namespace sglrun::model {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPeftPrefix = "base_model.model.";
constexpr std::string_view kWeight = ".weight";
constexpr std::size_t kMostNamed = 4;  // tensors in one sentence

// A matrix of the model that an adapter may change.
struct Target {
  std::string name;  // ours
  std::int64_t n = 0, k = 0;
  RotatedRows rotated = {};
  FusedRows fused = {};

  bool is_embedding() const { return name == kEmbeddingName; }
};

// The parts of an adapter's tensor's name after the module's path.
enum class Role : std::uint8_t { kA, kB, kMagnitude, kBase, kReplacement };
struct RoleEnding {
  std::string_view ending;
  Role role;
  bool of_embedding = false;
};
constexpr RoleEnding kEndings[] = {
    {".lora_A.weight", Role::kA},
    {".lora_B.weight", Role::kB},
    {".lora_embedding_A", Role::kA, true},
    {".lora_embedding_B", Role::kB, true},
    {".lora_magnitude_vector", Role::kMagnitude},
    {".lora_magnitude_vector.weight", Role::kMagnitude},
    {".base_layer.weight", Role::kBase},
    {".weight", Role::kReplacement},
};

class TargetList : public WeightList {
 public:
  explicit TargetList(const StoredForm& form) : form_(form) {}

  void Matrix(const MatrixEntry& entry) override {
    if (entry.updates == nullptr) return;
    for (const Source& source : entry.from) {
      const std::string name = FullName(source);
      Add(name, {name, source.rows, entry.k, source.rotated, source.fused});
    }
  }
  void Vector(const VectorEntry&) override {}

  void Add(const std::string& name, Target target) {
    const std::string theirs = form_.NameInFile(name);
    targets.emplace(theirs.substr(0, theirs.size() - kWeight.size()), std::move(target));
  }

  std::map<std::string, Target, std::less<>> targets;  // by the path of their module

 private:
  const StoredForm& form_;
};

StoredForm FormOf(const Family& family) {
  return {.rope_in_pairs = family.rotates_pairs,
          .qkv_in_groups = family.groups_qkv,
          .norms_less_one = false,
          .names = family.tensor_names};
}

// The path of a module without what multimodal models put in front of that of their text model.
std::string TextPath(std::string path) {
  constexpr std::string_view kText = "language_model.";
  const std::size_t at = path.find(kText);
  const bool is_first = at == 0 || path.compare(0, at, "model.") == 0;
  if (at != std::string::npos && is_first) path.erase(at, kText.size());
  return path;
}

void RoundTo(std::string_view type, std::vector<float>& values) {
  if (type == "F32") return;
  for (float& value : values) {
    value = type == "F16" ? tensor::F16ToFloat(tensor::FloatToF16(value))
                          : tensor::BF16ToFloat(tensor::FloatToBF16(value));
  }
}

// One module of the adapter while its tensors are collected.
struct Module {
  std::string path;  // as the file spells it
  const Target* target = nullptr;
  std::map<Role, StoredTensor*> tensors;
};

class Opener {
 public:
  Opener(std::string path, const ModelFiles& model, WeightTable& table)
      : path_(std::move(path)), model_(model), table_(table) {}

  Result<std::vector<AdapterMatrix>> Run() {
    const fs::path directory(path_);
    const std::string config_path = (directory / "adapter_config.json").string();
    SGLRUN_RETURN_IF_ERROR(CheckDirectory(directory));
    SGLRUN_ASSIGN_OR_RETURN(const Json object, ReadJsonFile(config_path));
    SGLRUN_ASSIGN_OR_RETURN(const AdapterConfig config, AdapterConfig::Parse(object, config_path));
    place_ = (directory / "adapter_model.safetensors").string();
    SGLRUN_RETURN_IF_ERROR(AddSafetensors(place_, table_));
    SGLRUN_RETURN_IF_ERROR(CheckAddedTokens(directory));
    ListTargets();
    SGLRUN_RETURN_IF_ERROR(SortTensors());
    SayOtherBase(config);
    std::vector<AdapterMatrix> matrices;
    for (auto& [name, module] : modules_) {
      SGLRUN_ASSIGN_OR_RETURN(AdapterMatrix matrix, MatrixOf(module, config));
      if (matrix.a || matrix.replacement) matrices.push_back(std::move(matrix));
    }
    if (matrices.empty()) return Error{place_ + " holds no tensors of an adapter"};
    return matrices;
  }

 private:
  static bool Exists(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
  }

  Status CheckDirectory(const fs::path& directory) const {
    if (!Exists(directory)) return Error{path_ + " does not exist"};
    if (!Exists(directory / "adapter_config.json")) {
      return Error{path_ + " has no adapter_config.json: a directory that PEFT saved is expected"};
    }
    if (Exists(directory / "adapter_model.safetensors")) return {};
    if (Exists(directory / "adapter_model.bin")) {
      return Error{path_ +
                   " holds adapter_model.bin, a pickle, which runs code when it is read; save the "
                   "adapter with safe_serialization=True"};
    }
    return Error{path_ + " has no adapter_model.safetensors"};
  }

  // Tokens beyond the model's vocabulary have no rows.
  Status CheckAddedTokens(const fs::path& directory) const {
    const fs::path file = directory / "added_tokens.json";
    if (!Exists(file)) return {};
    SGLRUN_ASSIGN_OR_RETURN(const Json tokens, ReadJsonFile(file));
    for (const auto& [token, id] : tokens.as_object()) {
      if (id.is_int() && id.as_int() < model_.spec().vocab_size) continue;
      return Error{file.string() + ": " + Json(token).Excerpt() + " is token " + id.Excerpt() +
                   ", the model has tokens below " + FormatCount(model_.spec().vocab_size)};
    }
    return {};
  }

  void ListTargets() {
    const ModelSpec& spec = model_.spec();
    const Family* family = FindFamily(spec.family);
    CHECK(family != nullptr) << spec.family;
    form_ = FormOf(*family);
    TargetList list(form_);
    DecoderBlocks(spec).List(list);
    list.Add(kEmbeddingName, {kEmbeddingName, spec.vocab_size, spec.hidden_size});
    list.Add(kHeadName, {kHeadName, spec.vocab_size, spec.hidden_size});
    targets_ = std::move(list.targets);
  }

  // Every tensor must belong to a module that can be adapted.
  Status SortTensors() {
    std::vector<std::string> unknown;
    for (StoredTensor& tensor : table_.tensors) {
      if (!TakeTensor(tensor)) unknown.push_back(tensor.name);
    }
    if (unknown.empty()) return {};
    std::string names;
    for (std::size_t i = 0; i < std::min(unknown.size(), kMostNamed); ++i) {
      names += (i == 0 ? "" : ", ") + unknown[i];
    }
    if (unknown.size() > kMostNamed) {
      names += " and " + std::to_string(unknown.size() - kMostNamed) + " more";
    }
    return Error{place_ + ": no place in a " + model_.spec().family + " model for " + names};
  }

  bool TakeTensor(StoredTensor& tensor) {
    std::string_view name = tensor.name;
    if (name.starts_with(kPeftPrefix)) name.remove_prefix(kPeftPrefix.size());
    const RoleEnding* ending = std::ranges::find_if(
        kEndings, [&](const RoleEnding& each) { return name.ends_with(each.ending); });
    if (ending == std::end(kEndings)) return false;
    const std::string path(name.substr(0, name.size() - ending->ending.size()));
    const auto target = targets_.find(TextPath(path));
    if (target == targets_.end()) return false;
    const bool is_embedding = target->second.is_embedding();
    const bool is_low_rank = ending->role == Role::kA || ending->role == Role::kB;
    if (is_low_rank && is_embedding != ending->of_embedding) return false;
    const bool may_replace = is_embedding || target->second.name == kHeadName;
    if (ending->role == Role::kReplacement && !may_replace) return false;
    Module& module = modules_[target->second.name];
    module.path = path;
    module.target = &target->second;
    return module.tensors.emplace(ending->role, &tensor).second;
  }

  void SayOtherBase(const AdapterConfig& config) const {
    const auto last = [](const std::string& path) {
      const fs::path name = fs::path(path).lexically_normal();
      return AsciiLowerCase((name.has_filename() ? name : name.parent_path()).filename().string());
    };
    const std::string base = last(config.base_model()), model = last(model_.path());
    if (base.empty() || base == model) return;
    LogInfo("the adapter " + path_ + " was made for the model " + config.base_model());
  }

  Result<AdapterMatrix> MatrixOf(Module& module, const AdapterConfig& config) {
    const Target& target = *module.target;
    AdapterMatrix matrix{.name = target.name};
    const auto find = [&](Role role) {
      const auto at = module.tensors.find(role);
      return at == module.tensors.end() ? nullptr : at->second;
    };
    if (StoredTensor* base = find(Role::kBase)) SGLRUN_RETURN_IF_ERROR(CheckBase(*base, target));
    if (StoredTensor* whole = find(Role::kReplacement)) {
      SGLRUN_ASSIGN_OR_RETURN(matrix.replacement, Take(*whole, {target.n, target.k}, nullptr));
    }
    StoredTensor *a = find(Role::kA), *b = find(Role::kB), *magnitude = find(Role::kMagnitude);
    if (a == nullptr && b == nullptr && magnitude == nullptr) return matrix;
    if (a == nullptr || b == nullptr) {
      return Error{place_ + ": " + module.path + " has lora_" + (a == nullptr ? "B" : "A") +
                   " without lora_" + (a == nullptr ? "A" : "B")};
    }
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t rank, config.RankOf(module.path));
    SGLRUN_ASSIGN_OR_RETURN(matrix.scale, config.ScaleOf(module.path));
    const bool looks_up = target.is_embedding();
    SGLRUN_ASSIGN_OR_RETURN(matrix.a, Take(*a, {rank, looks_up ? target.n : target.k}, nullptr));
    SGLRUN_ASSIGN_OR_RETURN(
        matrix.b, Take(*b, {looks_up ? target.k : target.n, rank}, looks_up ? nullptr : &target));
    if (config.use_dora() != (magnitude != nullptr)) {
      return Error{place_ + ": " + module.path + " has " + (magnitude == nullptr ? "no" : "a") +
                   " lora_magnitude_vector, use_dora is " + (config.use_dora() ? "true" : "false")};
    }
    if (magnitude == nullptr) return matrix;
    if (looks_up) return Error{place_ + ": use_dora is not served for " + module.path};
    SGLRUN_ASSIGN_OR_RETURN(matrix.magnitude, Take(*magnitude, {target.n}, &target));
    return matrix;
  }

  // The tensor with the shape and, where they differ from ours, the order of rows of the model's
  // files.
  Result<TensorSource> Take(StoredTensor& tensor, const std::vector<std::int64_t>& shape,
                            const Target* rows) {
    const bool is_plain = tensor.type == "F32" || tensor.type == "F16" || tensor.type == "BF16";
    if (!is_plain) {
      return Error{place_ + ": tensor \"" + tensor.name + "\" has the type " + tensor.type +
                   ", must be F32, F16 or BF16"};
    }
    if (tensor.shape != shape) {
      return Error{place_ + ": tensor \"" + tensor.name + "\" is " + ShapeText(tensor.shape) +
                   ", must be " + ShapeText(shape)};
    }
    if (rows != nullptr && form_.rope_in_pairs && rows->rotated.rotary > 0) {
      tensor.pairs = rows->rotated;
    }
    if (rows != nullptr && form_.qkv_in_groups) tensor.groups = rows->fused;
    return MakeTensorSource(tensor);
  }

  // PEFT saves the base matrix, in the type of the adapter, beside an adapter of the embedding or
  // the head.
  Status CheckBase(StoredTensor& tensor, const Target& target) {
    SGLRUN_ASSIGN_OR_RETURN(const TensorSource stored, Take(tensor, {target.n, target.k}, nullptr));
    const TensorSource* own = model_.Find(target.name);
    if (own == nullptr) own = model_.Find(kEmbeddingName);  // a tied head
    std::vector<float> ours(static_cast<std::size_t>(target.k)), theirs(ours.size());
    for (std::int64_t row = 0; row < target.n; ++row) {
      own->read_rows(row, 1, ours.data());
      stored.read_rows(row, 1, theirs.data());
      RoundTo(tensor.type, ours);
      if (ours == theirs) continue;
      return Error{place_ + ": tensor \"" + tensor.name + "\" differs from the model's, in row " +
                   FormatCount(row) + ": the adapter was made for other weights"};
    }
    return {};
  }

  std::string path_, place_;
  const ModelFiles& model_;
  WeightTable& table_;
  StoredForm form_;
  std::map<std::string, Target, std::less<>> targets_;
  std::map<std::string, Module> modules_;  // by the name of their matrix
};

Hash128 FingerprintOf(const WeightTable& table, const std::vector<AdapterMatrix>& matrices) {
  std::string content;
  for (const auto& file : table.files) content += HashBytes(file->bytes()).ToHex();
  for (const AdapterMatrix& matrix : matrices) {
    content += matrix.name + ' ' + Json(static_cast<double>(matrix.scale)).Dump() + '\n';
  }
  return HashBytes(content);
}

}  // namespace

struct AdapterFiles::Impl {
  std::string path;
  WeightTable table;
  std::vector<AdapterMatrix> matrices;
  Hash128 fingerprint;
};

Result<AdapterFiles> AdapterFiles::Open(const std::string& path, const ModelFiles& model) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  SGLRUN_ASSIGN_OR_RETURN(impl->matrices, Opener(path, model, impl->table).Run());
  impl->fingerprint = FingerprintOf(impl->table, impl->matrices);
  return AdapterFiles(std::move(impl));
}

AdapterFiles::AdapterFiles(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AdapterFiles::AdapterFiles(AdapterFiles&&) noexcept = default;
AdapterFiles& AdapterFiles::operator=(AdapterFiles&&) noexcept = default;
AdapterFiles::~AdapterFiles() = default;

const std::string& AdapterFiles::path() const {
  return impl_->path;
}
const std::vector<AdapterMatrix>& AdapterFiles::matrices() const {
  return impl_->matrices;
}
const Hash128& AdapterFiles::fingerprint() const {
  return impl_->fingerprint;
}
std::int64_t AdapterFiles::most_rank() const {
  std::int64_t most = 0;
  for (const AdapterMatrix& matrix : impl_->matrices) most = std::max(most, matrix.rank());
  return most;
}

}  // namespace sglrun::model
