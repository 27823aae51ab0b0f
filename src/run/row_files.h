// Files of rows in any order: read once from the beginning to the end, and later row by row.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/few_open.h"

namespace sglrun::run {

// Where a line of a file was found.
struct StoredLine {
  std::uint32_t file = 0;    // its number among the files
  std::uint32_t number = 0;  // in its file, from 1
  std::int64_t begin = 0;    // bytes before it, in the file or in the copy
  std::int64_t bytes = -1;   // without its end
};

// An open file.
class StoredFile {
 public:
  explicit StoredFile(int fd) : fd_(fd) {}
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;
  ~StoredFile();

  bool Read(std::int64_t begin, std::string& bytes) const;
  bool Append(std::string_view bytes);
  std::int64_t size() const { return size_; }

 private:
  int fd_;
  std::int64_t size_ = 0;  // of what was appended
};

class RowFiles {
 public:
  // What is compressed or a pipe is copied to a file without a name in `folder`.
  RowFiles(std::vector<std::string> paths, std::string folder);

  const std::vector<std::string>& paths() const { return paths_; }

  // A line without its end; `ends`: it has one.
  using Visit = std::function<Status(std::string_view text, const StoredLine& place, bool ends)>;
  Status ForEachLine(std::uint32_t file, const Visit& visit);

  Result<std::string> Read(const StoredLine& line);
  // "rows/a.jsonl:12"
  std::string PlaceOf(const StoredLine& line) const;

 private:
  Status OpenCopy();

  std::vector<std::string> paths_;
  std::string folder_;
  std::vector<bool> copied_;
  FewOpen<StoredFile> open_;
  std::unique_ptr<StoredFile> copy_;
};

}  // namespace sglrun::run
