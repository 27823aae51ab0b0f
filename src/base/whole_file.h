// Replaces files completely or not at all: after a full disk or a kill the old file is unchanged.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun {

// The path to which the new content is written before it is renamed. A kill can leave this file
// behind; the next replacement of the same file reuses and removes it.
std::string UnfinishedPath(const std::string& path);

// The new content of a file. Commit makes it appear under the file's name; without Commit nothing
// changes. Processes that replace the same file at the same time wait for each other.
//
//   SGLRUN_ASSIGN_OR_RETURN(FileReplacement file, FileReplacement::Begin(path, "the page x.html"));
//   SGLRUN_RETURN_IF_ERROR(file.Append(text));
//   SGLRUN_RETURN_IF_ERROR(file.Commit());
class FileReplacement {
 public:
  // `name` is used in error messages: "cannot write NAME: No space left on device". If the path is
  // a link, its target is replaced. The mode of the old file is kept.
  static Result<FileReplacement> Begin(const std::string& path, std::string name);
  FileReplacement(FileReplacement&& other) noexcept;
  FileReplacement& operator=(FileReplacement&&) = delete;
  ~FileReplacement();

  Status Append(std::string_view bytes);
  Status Commit();

 private:
  FileReplacement(std::string target, std::string name, int fd)
      : target_(std::move(target)), name_(std::move(name)), fd_(fd) {}
  Error Failure() const;

  std::string target_;
  std::string name_;
  int fd_;  // -1 once it has its name
};

// Writes the whole file, replacing an existing one. `what` describes the file in error messages:
// "the run file".
Status WriteWholeFile(std::string_view what, const std::string& path, std::string_view content);

// Refuses a name that is taken.
Status WriteNewFile(std::string_view what, const std::string& path, std::string_view content);

}  // namespace sglrun
