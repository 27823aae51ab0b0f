// Quantised checkpoints: a line with a quantization_config, then a safetensors file. Any bytes give
// matrices whose rows can be read, or a sentence.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mapped_file.h"
#include "formats/safetensors.h"
#include "model/files/quantized_tensors.h"
#include "model/spec/plain_decoder.h"

namespace {

namespace model = sglrun::model;

// One file of this process, which every input overwrites.
const std::string& WriteFile(std::string_view bytes) {
  static std::string path;
  static const int file = [] {
    path = std::filesystem::temp_directory_path() / "checkpoint_fuzz.XXXXXX";
    const int made = mkstemp(path.data());
    CHECK(made >= 0);
    std::atexit([] { unlink(path.c_str()); });
    return made;
  }();
  CHECK(ftruncate(file, 0) == 0);
  CHECK(pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return path;
}

void ReadAll(std::string_view bytes, const model::Quantization& config) {
  auto entries = sglrun::formats::ParseSafetensors(bytes, "fuzz");
  if (!entries.ok()) return;
  auto mapped = sglrun::MappedFile::Open(WriteFile(bytes));
  CHECK(mapped.ok());
  std::vector<model::StoredTensor> tensors;
  for (auto& entry : *entries) {
    tensors.push_back({.name = entry.name,
                       .shape = entry.shape,
                       .type = entry.dtype,
                       .file = &*mapped,
                       .begin = entry.begin,
                       .bytes = entry.end - entry.begin});
  }
  static const model::ModelSpec spec = model::PlainDecoder({.hidden = 32,
                                                            .inner = 32,
                                                            .layers = 1,
                                                            .heads = 2,
                                                            .kv_heads = 1,
                                                            .head_dim = 16,
                                                            .vocab = 32,
                                                            .context = 8});
  const auto joined = model::JoinQuantizedTensors(spec, {}, "fuzz", config, tensors);
  if (!joined.ok()) {
    CHECK(!joined.error().message.empty());
    return;
  }
  for (const model::StoredTensor& tensor : tensors) {
    if (tensor.matrix == nullptr) continue;
    const auto source = model::MakeTensorSource(tensor);
    CHECK(source.ok());
    std::vector<float> rows(static_cast<std::size_t>(tensor.shape[0] * tensor.shape[1]));
    source->read_rows(0, tensor.shape[0], rows.data());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sglrun::SetLogLevel(sglrun::LogLevel::kError);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t line = bytes.find('\n');
  const auto json = sglrun::ParseJson(std::string(bytes.substr(0, line)));
  if (!json.ok() || !json->value.is_object()) return 0;
  const auto config = model::ParseQuantization(json->value, "fuzz");
  if (!config.ok()) {
    CHECK(!config.error().message.empty());
    return 0;
  }
  if (line != std::string_view::npos) ReadAll(bytes.substr(line + 1), *config);
  return 0;
}
