// Tensor types of GGUF by number (enum ggml_type).
#pragma once

#include <cstdint>
#include <string_view>

namespace sglrun::formats {

struct GgufTensorType {
  std::uint32_t id = 0;
  std::string_view name;
  // Both 0 for types that are known by name and not supported.
  std::int64_t block_elements = 0;
  std::int64_t block_bytes = 0;
};

// nullptr for a number that no type has.
const GgufTensorType* FindGgufTensorType(std::uint32_t id);

}  // namespace sglrun::formats
