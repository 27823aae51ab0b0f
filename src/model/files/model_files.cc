#include "model/files/model_files.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <system_error>
#include <unordered_map>

#include "base/json.h"
#include "model/files/gguf_model.h"
#include "model/files/hf_directory.h"
#include "model/files/stored_tensor.h"
#include "model/files/tensor_parts.h"

namespace sglrun::model {
namespace {

template <class T>
void AppendValue(std::string& text, const T& value) {
  text += std::to_string(value);
  text += ' ';
}

bool IsDirectory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace

struct ModelFiles::Impl {
  std::string path;
  bool is_gguf = false;
  ModelSpec spec;
  SpecialTokens tokens;
  GenerationDefaults defaults;
  std::optional<GgufTokenizerFields> tokenizer;
  WeightTable weights;
  std::vector<TensorSource> tensors;  // one for each of weights.tensors
  std::unordered_map<std::string_view, std::size_t> by_name;

  Status MakeSources() {
    for (const StoredTensor& stored : weights.tensors) {
      SGLRUN_ASSIGN_OR_RETURN(TensorSource source, MakeTensorSource(stored));
      tensors.push_back(std::move(source));
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) by_name.emplace(tensors[i].name, i);
    return {};
  }
};

Result<ModelFiles> ModelFiles::Open(const std::string& path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  if (IsDirectory(path)) {
    SGLRUN_ASSIGN_OR_RETURN(HfDirectory directory, OpenHfDirectory(path));
    impl->spec = std::move(directory.config.spec);
    impl->tokens = std::move(directory.config.tokens);
    impl->defaults = std::move(directory.config.defaults);
    impl->weights = std::move(directory.weights);
  } else {
    SGLRUN_ASSIGN_OR_RETURN(GgufModel gguf, OpenGgufModel(path));
    impl->is_gguf = true;
    impl->spec = std::move(gguf.spec);
    impl->tokens = std::move(gguf.tokens);
    impl->defaults = std::move(gguf.defaults);
    impl->tokenizer = std::move(gguf.tokenizer);
    impl->weights = std::move(gguf.weights);
  }
  SGLRUN_RETURN_IF_ERROR(impl->MakeSources());
  return ModelFiles(std::move(impl));
}

Result<std::optional<GgufTokenizerFields>> ModelFiles::ReadGgufTokenizer(const std::string& path) {
  if (IsDirectory(path)) return std::optional<GgufTokenizerFields>();
  SGLRUN_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  if (!file.bytes().starts_with("GGUF")) return std::optional<GgufTokenizerFields>();
  SGLRUN_ASSIGN_OR_RETURN(const formats::GgufFile gguf, formats::ParseGguf(file.bytes(), path));
  SGLRUN_ASSIGN_OR_RETURN(GgufTokenizerFields fields, ReadGgufTokenizerFields(gguf));
  return std::optional<GgufTokenizerFields>(std::move(fields));
}

ModelFiles::ModelFiles(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ModelFiles::ModelFiles(ModelFiles&&) noexcept = default;
ModelFiles& ModelFiles::operator=(ModelFiles&&) noexcept = default;
ModelFiles::~ModelFiles() = default;

const std::string& ModelFiles::path() const {
  return impl_->path;
}
bool ModelFiles::is_gguf() const {
  return impl_->is_gguf;
}
const ModelSpec& ModelFiles::spec() const {
  return impl_->spec;
}
const SpecialTokens& ModelFiles::special_tokens() const {
  return impl_->tokens;
}
const GenerationDefaults& ModelFiles::generation_defaults() const {
  return impl_->defaults;
}
const GgufTokenizerFields* ModelFiles::gguf_tokenizer() const {
  return impl_->tokenizer ? &*impl_->tokenizer : nullptr;
}
const std::vector<TensorSource>& ModelFiles::tensors() const {
  return impl_->tensors;
}

const TensorSource* ModelFiles::Find(std::string_view name) const {
  const auto found = impl_->by_name.find(name);
  return found == impl_->by_name.end() ? nullptr : &impl_->tensors[found->second];
}

std::int64_t ModelFiles::parameter_count() const {
  std::int64_t count = 0;
  for (const TensorSource& tensor : impl_->tensors) {
    if (tensor.is_companion) continue;
    std::int64_t elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= extent;
    count += elements;
  }
  return count;
}

std::string ModelFiles::DTypeSummary() const {
  std::map<std::string, std::int64_t> matrix_bytes;
  std::map<std::string, std::int64_t> vector_bytes;
  for (const TensorSource& tensor : impl_->tensors) {
    if (tensor.is_companion) continue;
    (tensor.shape.size() > 1 ? matrix_bytes : vector_bytes)[tensor.type] += tensor.bytes;
  }
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [type, bytes] : matrix_bytes) order.emplace_back(-bytes, type);
  std::sort(order.begin(), order.end());
  std::string text;
  for (const auto& [bytes, type] : order) text += (text.empty() ? "" : " + ") + type;
  for (const auto& [type, bytes] : vector_bytes) {
    if (!matrix_bytes.contains(type)) text += " (" + type + " norms)";
  }
  return text;
}

Hash128 ModelFiles::Fingerprint(ThreadPool& pool, const FingerprintOptions& options) const {
  const std::vector<TensorPart> parts = PartsOf(impl_->tensors);
  std::vector<Hash128> hashes(parts.size());
  std::atomic<std::size_t> next = 0;
  pool.Run([&](int, int) {
    for (std::size_t i = next++; i < parts.size(); i = next++) {
      if (options.stop != nullptr && *options.stop) return;
      const auto& [tensor, begin, bytes] = parts[i];
      hashes[i] = HashBytes(impl_->tensors[tensor].stored.substr(begin, bytes));
      if (!options.keep_pages) impl_->tensors[tensor].drop_pages(begin, bytes);
    }
  });
  return FingerprintOf(hashes);
}

Hash128 ModelFiles::FingerprintOf(std::span<const Hash128> parts) const {
  std::string text;
  text += impl_->spec.ToString();
  for (const std::int32_t id : impl_->tokens.eos) AppendValue(text, id);
  for (const TensorSource& tensor : impl_->tensors) {
    text += tensor.name + ' ' + tensor.type + ' ';
    for (const std::int64_t extent : tensor.shape) AppendValue(text, extent);
    AppendValue(text, tensor.bytes);
  }
  for (const Hash128& part : parts) text += part.ToHex();
  return HashBytes(text);
}

}  // namespace sglrun::model
