// The GGUF format (ggml's format document): metadata keys, tensor descriptions, aligned data.
// Versions 2 and 3, little-endian. Everything is checked against the size of the file before memory
// is allocated. Strings stay views into the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace sglrun::formats {

// A metadata value. Integers of every width are int64 (or double beyond it); an array of arrays is
// checked and then ignored, because no known key has one.
struct GgufValue {
  std::variant<std::monostate, std::int64_t, double, bool, std::string_view,
               std::vector<std::int64_t>, std::vector<double>, std::vector<bool>,
               std::vector<std::string_view>>
      value;
  std::uint32_t type = 0;  // the file's own number

  const char* KindName() const;
};

struct GgufTensor {
  std::string_view name;
  std::vector<std::int64_t> shape;  // row-major: slowest first, as everywhere here
  std::string_view type;            // "Q4_1", "I32", ...
  std::size_t begin = 0;            // byte range in the file
  std::size_t bytes = 0;
};

struct GgufFile {
  std::map<std::string_view, GgufValue> metadata;
  std::vector<GgufTensor> tensors;

  // Typed look-ups: nothing if the key is absent, an error if it has another type.
  Result<std::optional<std::int64_t>> Int(std::string_view key) const;
  Result<std::optional<double>> Float(std::string_view key) const;  // integers too
  Result<std::optional<bool>> Bool(std::string_view key) const;
  Result<std::optional<std::string_view>> String(std::string_view key) const;
  // nullptr when absent.
  Result<const std::vector<std::string_view>*> Strings(std::string_view key) const;
  Result<const std::vector<std::int64_t>*> Ints(std::string_view key) const;
  Result<const std::vector<double>*> Floats(std::string_view key) const;

  std::string place;  // the file, for errors
};

// `place` names the file in errors.
Result<GgufFile> ParseGguf(std::string_view file, const std::string& place);

}  // namespace sglrun::formats
