#include "io/hidden_state_file.h"

#include <bit>
#include <cstring>
#include <span>
#include <string_view>

#include "base/json.h"
#include "base/whole_file.h"

namespace sglrun::io {
namespace {

static_assert(std::endian::native == std::endian::little, "both formats are written as they lie");

// Written completely or not at all: a partial file could be mistaken for a complete one.
Status WriteFile(const std::string& path, std::string_view header, const std::vector<float>& data) {
  SGLRUN_ASSIGN_OR_RETURN(FileReplacement file, FileReplacement::Begin(path, "\"" + path + "\""));
  SGLRUN_RETURN_IF_ERROR(file.Append(header));
  const auto bytes = std::as_bytes(std::span(data));
  SGLRUN_RETURN_IF_ERROR(file.Append({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  return file.Commit();
}

// Pads with blanks so that the data after `prefix` bytes and the header is aligned.
void PadTo(std::string& header, std::size_t prefix, std::size_t alignment) {
  while ((prefix + header.size()) % alignment != 0) header.push_back(' ');
}

}  // namespace

std::vector<std::int64_t> HiddenStateShape(const HiddenStateResult& states) {
  if (states.last_only) return {states.width};
  const auto count = static_cast<std::int64_t>(states.values.size());
  return {states.width > 0 ? count / states.width : 0, states.width};
}

Status WriteSafetensors(const std::string& path, const HiddenStateResult& states) {
  std::string header;
  JsonWriter w(header);
  w.BeginObject();
  w.Key("hidden_states");
  w.BeginObject();
  w.Key("dtype");
  w.String("F32");
  w.Key("shape");
  w.BeginArray();
  for (const std::int64_t extent : HiddenStateShape(states)) w.Int(extent);
  w.EndArray();
  w.Key("data_offsets");
  w.BeginArray();
  w.Int(0);
  w.UInt(states.values.size() * sizeof(float));
  w.EndArray();
  w.EndObject();
  w.EndObject();
  PadTo(header, 8, 8);
  std::uint64_t size = header.size();
  std::string prefix(sizeof size, '\0');
  std::memcpy(prefix.data(), &size, sizeof size);
  return WriteFile(path, prefix + header, states.values);
}

Status WriteNpy(const std::string& path, const HiddenStateResult& states) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : HiddenStateShape(states)) {
    header += std::to_string(extent) + ", ";
  }
  header += "), }";
  constexpr std::size_t kPrefix = 10;  // magic, version, two bytes of length
  PadTo(header, kPrefix + 1, 64);
  header.push_back('\n');
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix.push_back(static_cast<char>(header.size() & 0xFF));
  prefix.push_back(static_cast<char>(header.size() >> 8));
  return WriteFile(path, prefix + header, states.values);
}

}  // namespace sglrun::io
