// Files that are there whole or not at all: a full disk or a kill leaves what was there.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun {

// Where the new content of a file is gathered before it takes the file's name. A kill can leave it
// there; the next replacement of the same file begins with it and takes it away.
std::string UnfinishedPath(const std::string& path);

// New content for a file, which appears under its name with Commit; without it nothing changes. Two
// processes that replace one file at a time wait for each other.
//
//   SGLRUN_ASSIGN_OR_RETURN(FileReplacement file, FileReplacement::Begin(path, "the page x.html"));
//   SGLRUN_RETURN_IF_ERROR(file.Append(text));
//   SGLRUN_RETURN_IF_ERROR(file.Commit());
class FileReplacement {
 public:
  // `name` stands in the sentences of failures: "cannot write NAME: No space left on device". What
  // a link leads to is replaced, and the link stays; an old file's mode stays.
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

// In the place of any file of that name. `what` begins the name in the sentence of a failure: "the
// run file".
Status WriteWholeFile(std::string_view what, const std::string& path, std::string_view content);

// Refuses a name that is taken.
Status WriteNewFile(std::string_view what, const std::string& path, std::string_view content);

}  // namespace sglrun
