// A file mapped read-only into memory. The view stays valid while the object lives.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun {

class MappedFile {
 public:
  static Result<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  std::size_t size() const { return size_; }
  const std::string& path() const { return path_; }

  // Tells the kernel that these bytes will not be read again, so that source pages of weights do
  // not stay in memory next to their packed copies.
  void DropPages(std::size_t offset, std::size_t length) const;

 private:
  MappedFile(std::string path, void* data, std::size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}

  std::string path_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// The content of a small file. `limit` bounds the cost of a wrong path.
Result<std::string> ReadFile(const std::string& path, std::size_t limit = std::size_t{1} << 30);

}  // namespace sglrun
