// An adapter (LoRA) on disk: a directory that PEFT wrote, opened and compared with the model before
// any weight is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "model/files/model_files.h"

namespace sglrun::model {

// What the adapter adds to one matrix of the model, or puts in its place.
struct AdapterMatrix {
  std::string name;  // of the tensor in the model: "model.layers.0.self_attn.q_proj.weight"
  float scale = 1;   // of the product B A
  // [rank, in] and [out, rank]; of the embedding [rank, vocabulary] and [hidden, rank]; absent where
  // only the replacement is there.
  std::optional<TensorSource> a = {}, b = {};
  std::optional<TensorSource> magnitude = {};    // [out], of DoRA
  std::optional<TensorSource> replacement = {};  // in the shape of the matrix

  std::int64_t rank() const { return a ? a->shape[0] : 0; }
};

class AdapterFiles {
 public:
  // Refuses what the model has no place for, and what would change results in a way that is not
  // served, with file, key or tensor, found and expected.
  static Result<AdapterFiles> Open(const std::string& path, const ModelFiles& model);

  AdapterFiles(AdapterFiles&&) noexcept;
  AdapterFiles& operator=(AdapterFiles&&) noexcept;
  ~AdapterFiles();

  const std::string& path() const;
  const std::vector<AdapterMatrix>& matrices() const;
  std::int64_t most_rank() const;
  // Identifies what the adapter computes.
  const Hash128& fingerprint() const;

 private:
  struct Impl;
  explicit AdapterFiles(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sglrun::model
