#include "io/new_output.h"

#include <utility>

#include "io/output_paths.h"

namespace sglrun::io {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

}  // namespace

Result<std::unique_ptr<NewOutput>> NewOutput::Open(const std::string& path) {
  std::unique_ptr<NewOutput> output(new NewOutput);
  output->compression_ = CompressionOf(path);
  if (IsLooseOutput(path)) {
    SGLRUN_ASSIGN_OR_RETURN(output->stream_, OutputFile::Open(path, output->compression_));
  } else {
    SGLRUN_ASSIGN_OR_RETURN(FileReplacement file, FileReplacement::Begin(path, "\"" + path + "\""));
    output->file_.emplace(std::move(file));
  }
  return output;
}

Status NewOutput::Append(std::string_view bytes) {
  buffer_ += bytes;
  return buffer_.size() < kFlushBytes ? Status() : Flush();
}

Status NewOutput::Flush() {
  const std::string bytes = std::exchange(buffer_, {});
  if (stream_ == nullptr) return file_->Append(Compress(bytes, compression_));
  stream_->Append(bytes);
  return stream_->Flush();
}

Status NewOutput::Finish() {
  SGLRUN_RETURN_IF_ERROR(Flush());
  return stream_ == nullptr ? file_->Commit() : Status();
}

}  // namespace sglrun::io
