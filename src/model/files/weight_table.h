// Reading the files of a directory: JSON, and the tensors of safetensors files.
#pragma once

#include <cstddef>
#include <filesystem>

#include "base/json.h"
#include "base/result.h"
#include "model/files/stored_tensor.h"

namespace sglrun::model {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{64} << 20;

// The object in a JSON file. A file of another kind is named as what it is.
Result<Json> ReadJsonFile(const std::filesystem::path& path);

// Adds the tensors of a safetensors file.
Status AddSafetensors(const std::filesystem::path& path, WeightTable& table);

}  // namespace sglrun::model
