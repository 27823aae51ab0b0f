// What lies on disk: a Hugging Face directory or a GGUF file, opened, mapped and verified before
// any weight is read. Everything that can be refused is refused here, with file, key, found and
// expected.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "formats/weight_format.h"
#include "kernels/packed_weight.h"
#include "model/files/config.h"
#include "model/spec/model_spec.h"
#include "tensor/tensor_view.h"

namespace sglrun::model {

// One weight tensor in its file's own form.
struct TensorSource {
  std::string name;                 // Hugging Face name, GGUF names are translated
  std::vector<std::int64_t> shape;  // row-major, [out, in] for matrices
  std::string type;                 // "F32", "BF16", "Q4_1", ... for messages
  std::int64_t bytes = 0;
  std::string_view stored;  // those bytes
  // Scales and zero points of a quantised matrix, which reads them: they have no rows.
  bool is_companion = false;
  // Writes rows [first, first + count) as float32, shape [count, in]; vectors are one row. Undoes
  // the GGUF converter's q/k permutation. Thread-safe.
  std::function<void(std::int64_t first, std::int64_t count, float* out)> read_rows;
  // Of matrices of plain elements, float32 or bfloat16: their type, and rows from `first` on where
  // they lie in the file, at most `count`, at least one: as many as are one stride apart.
  std::optional<tensor::DType> plain;
  std::function<tensor::TensorView(std::int64_t first, std::int64_t count)> stored_rows;
  // Of quantised tensors: the form of their codes, and the same rows as codes.
  std::optional<kernels::WeightForm> form;
  std::function<void(std::int64_t first, std::int64_t count, const formats::QuantOut& out)>
      read_codes;
  // Says that these stored bytes will not be needed again.
  std::function<void(std::size_t begin, std::size_t bytes)> drop_pages;
};

// The tokenizer part of a GGUF file, field for field (see tokenizer::GgufVocabulary).
struct GgufTokenizerFields {
  std::string model, pre, chat_template;
  std::vector<std::pair<std::string, std::string>> named_chat_templates;
  std::vector<std::string> tokens, merges;
  std::vector<float> scores;
  std::vector<std::int32_t> token_types;
  std::optional<std::int32_t> bos_id, eos_id, eot_id, unk_id, pad_id;
  std::optional<bool> add_bos, add_eos, add_space_prefix, remove_extra_whitespaces;
};

struct FingerprintOptions {
  // Once it is set, the rest is skipped: the result is no longer needed.
  const std::atomic<bool>* stop = nullptr;
  // For a caller that packs the weights next, into as much memory or more: mapping the pages again
  // takes a sixth of the time of packing them.
  bool keep_pages = false;
};

class ModelFiles {
 public:
  // `path`: a directory, a .gguf file, or the first shard of a split GGUF.
  static Result<ModelFiles> Open(const std::string& path);
  // For `tokenize`: a directory or GGUF whose weights may be absent.
  static Result<std::optional<GgufTokenizerFields>> ReadGgufTokenizer(const std::string& path);

  ModelFiles(ModelFiles&&) noexcept;
  ModelFiles& operator=(ModelFiles&&) noexcept;
  ~ModelFiles();

  const std::string& path() const;
  bool is_gguf() const;
  const ModelSpec& spec() const;
  const SpecialTokens& special_tokens() const;
  const GenerationDefaults& generation_defaults() const;
  const GgufTokenizerFields* gguf_tokenizer() const;  // nullptr for directories

  const std::vector<TensorSource>& tensors() const;
  const TensorSource* Find(std::string_view name) const;
  std::int64_t parameter_count() const;
  std::string DTypeSummary() const;  // "BF16", "Q4_1 (F32 norms)"

  // Identifies the model's content: what it computes, its ends, the tensor table and every byte of
  // the data, read at some gigabytes per second and thread. Packing the weights reads them again,
  // from the page cache.
  Hash128 Fingerprint(ThreadPool& pool, const FingerprintOptions& options = {}) const;
  // The same from the hashes of all parts (model/files/tensor_parts.h).
  Hash128 FingerprintOf(std::span<const Hash128> parts) const;

 private:
  struct Impl;
  explicit ModelFiles(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sglrun::model
