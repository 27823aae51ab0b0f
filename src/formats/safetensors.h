// The safetensors format: an 8-byte little-endian length, a JSON header, the data. Checks are those
// of the reference implementation (huggingface/safetensors, tensor.rs), plus further checks where a
// hostile header could cost memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sglrun::formats {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // as the file spells it; one of the format's
  std::vector<std::int64_t> shape;
  std::size_t begin = 0;  // byte range in the file
  std::size_t end = 0;
};

// Verifies the whole header against the file's size. `place` names the file in errors. Entries come
// in the order of their data.
Result<std::vector<SafetensorsEntry>> ParseSafetensors(std::string_view file,
                                                       const std::string& place);

// One shard of an index: its file name and the tensors that the index expects in it.
struct SafetensorsShard {
  std::string file;
  std::vector<std::string> tensors;
};

// Reads model.safetensors.index.json. File names are plain names (no directory part).
Result<std::vector<SafetensorsShard>> ParseSafetensorsIndex(std::string_view json,
                                                            const std::string& place);

}  // namespace sglrun::formats
