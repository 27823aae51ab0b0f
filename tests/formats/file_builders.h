// Weight files as bytes, well-formed unless a test asks for damage.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sglrun::formats {

template <class T>
std::string Bytes(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// u64 length, header, data.
inline std::string SafetensorsBytes(std::string_view header, std::size_t data_bytes) {
  return Bytes(static_cast<std::uint64_t>(header.size())) + std::string(header) +
         std::string(data_bytes, '\1');
}

class GgufBuilder {
 public:
  std::uint32_t version = 3;
  std::uint64_t extra_keys = 0;     // added to the true count
  std::uint64_t extra_tensors = 0;  // likewise
  std::uint64_t alignment = 32;     // of the data; write the key yourself

  void Key(std::string_view name, std::uint32_t type, std::string_view value) {
    keys_ += Text(name) + Bytes(type) + std::string(value);
    ++key_count_;
  }
  void U32(std::string_view name, std::uint32_t value) { Key(name, 4, Bytes(value)); }
  void F32(std::string_view name, float value) { Key(name, 6, Bytes(value)); }
  void String(std::string_view name, std::string_view value) { Key(name, 8, Text(value)); }
  void Strings(std::string_view name, const std::vector<std::string>& values) {
    std::string list = Bytes(std::uint32_t{8}) + Bytes(static_cast<std::uint64_t>(values.size()));
    for (const std::string& value : values) list += Text(value);
    Key(name, 9, list);
  }

  // Dimensions fastest first, as the format has them.
  void TensorAt(std::string_view name, const std::vector<std::int64_t>& dims, std::uint32_t type,
                std::uint64_t offset) {
    infos_ += Text(name) + Bytes(static_cast<std::uint32_t>(dims.size()));
    for (const std::int64_t dim : dims) infos_ += Bytes(dim);
    infos_ += Bytes(type) + Bytes(offset);
    ++tensor_count_;
  }
  // With its data, after what is there.
  void Tensor(std::string_view name, const std::vector<std::int64_t>& dims, std::uint32_t type,
              std::string_view data) {
    TensorAt(name, dims, type, data_.size());
    data_ += data;
    data_.resize((data_.size() + alignment - 1) / alignment * alignment, '\0');
  }
  void Data(std::size_t bytes) { data_.resize(bytes, '\1'); }

  std::string Build() const {
    std::string file = "GGUF" + Bytes(version) + Bytes(tensor_count_ + extra_tensors) +
                       Bytes(key_count_ + extra_keys) + keys_ + infos_;
    if (tensor_count_ > 0) {
      file.resize((file.size() + alignment - 1) / alignment * alignment, '\0');
    }
    return file + data_;
  }

  static std::string Text(std::string_view text) {
    return Bytes(static_cast<std::uint64_t>(text.size())) + std::string(text);
  }

 private:
  std::uint64_t key_count_ = 0, tensor_count_ = 0;
  std::string keys_, infos_, data_;
};

// A directory that goes away with the object.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  std::string path() const { return path_.string(); }
  std::string File(std::string_view name) const { return (path_ / name).string(); }
  std::string Write(std::string_view name, std::string_view bytes) const;
  void CopyFrom(const std::string& directory) const;

 private:
  std::filesystem::path path_;
};

// The file's bytes; aborts when it cannot be read.
std::string Slurp(const std::string& path);

}  // namespace sglrun::formats
