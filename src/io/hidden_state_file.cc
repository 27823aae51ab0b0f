#include "io/hidden_state_file.h"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/json.h"

namespace sglrun::io {
namespace {

static_assert(std::endian::native == std::endian::little, "both formats are written as they lie");

Error WriteError(const std::string& path) {
  return Error{"cannot write \"" + path + "\": " + std::strerror(errno)};
}

Status WriteFile(const std::string& path, std::string_view header, const std::vector<float>& data) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "wb"), close);
  if (file == nullptr) return WriteError(path);
  const bool written =
      std::fwrite(header.data(), 1, header.size(), file.get()) == header.size() &&
      std::fwrite(data.data(), sizeof(float), data.size(), file.get()) == data.size() &&
      std::fflush(file.get()) == 0;
  if (written) return {};
  const Error error = WriteError(path);
  std::remove(path.c_str());  // half of it would pass for all
  return error;
}

// Pads with blanks so that the data behind `prefix` bytes and the header is aligned.
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
