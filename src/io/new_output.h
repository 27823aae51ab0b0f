// A file that is written in one go: it appears under its name when it is complete, and replaces an
// earlier one. A pipe or a device gets the bytes as they come. Compressed if its name says so.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/whole_file.h"
#include "io/output_file.h"

namespace sglrun::io {

class NewOutput {
 public:
  // "-" is standard output.
  static Result<std::unique_ptr<NewOutput>> Open(const std::string& path);
  NewOutput(const NewOutput&) = delete;
  NewOutput& operator=(const NewOutput&) = delete;

  Status Append(std::string_view bytes);
  Status Finish();

 private:
  NewOutput() = default;
  Status Flush();

  Compression compression_ = Compression::kNone;
  std::optional<FileReplacement> file_;
  std::unique_ptr<OutputFile> stream_;  // in place of file_
  std::string buffer_;
};

}  // namespace sglrun::io
