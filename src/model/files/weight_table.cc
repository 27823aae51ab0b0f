#include "model/files/weight_table.h"

#include "formats/foreign_file.h"
#include "formats/safetensors.h"

namespace sglrun::model {

namespace fs = std::filesystem;

Result<Json> ReadJsonFile(const fs::path& path) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadFile(path.string(), kMaxJsonBytes));
  auto parsed = ParseJson(text);
  if (parsed.ok() && parsed->value.is_object()) return std::move(parsed->value);
  const std::string foreign = formats::DescribeForeignFile(text);
  if (!foreign.empty()) return Error{path.string() + " " + foreign};
  if (parsed.ok()) return Error{path.string() + " is not a JSON object"};
  return Error{path.string() + ", byte " + std::to_string(parsed.error().offset) + ": " +
               parsed.error().message};
}

Status AddSafetensors(const fs::path& path, WeightTable& table) {
  SGLRUN_ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(path.string()));
  auto file = std::make_unique<MappedFile>(std::move(mapped));
  auto entries = formats::ParseSafetensors(file->bytes(), path.string());
  if (!entries.ok()) {
    const std::string foreign = formats::DescribeForeignFile(file->bytes());
    return foreign.empty() ? std::move(entries).error() : Error{path.string() + " " + foreign};
  }
  for (formats::SafetensorsEntry& entry : *entries) {
    table.tensors.push_back({.name = std::move(entry.name),
                             .shape = std::move(entry.shape),
                             .type = std::move(entry.dtype),
                             .file = file.get(),
                             .begin = entry.begin,
                             .bytes = entry.end - entry.begin});
  }
  table.files.push_back(std::move(file));
  return {};
}

}  // namespace sglrun::model
