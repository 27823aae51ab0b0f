#include "io/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sglrun::io {
namespace {

Error WriteError(const std::string& path, int code) {
  const std::string name = path == "-" ? "standard output" : "\"" + path + "\"";
  return Error{"cannot write " + name + ": " + std::strerror(code)};
}

bool IsRegular(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path,
                                                     Compression compression, std::int64_t offset) {
  const bool is_stdout = path == "-";
  const int fd =
      is_stdout ? STDOUT_FILENO : open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return WriteError(path, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(path, compression, fd, offset));
  if (is_stdout || !IsRegular(fd)) return file;
  if (ftruncate(fd, offset) != 0 || lseek(fd, offset, SEEK_SET) < 0) {
    return WriteError(path, errno);
  }
  return file;
}

OutputFile::~OutputFile() {
  if (fd_ != STDOUT_FILENO) close(fd_);
}

Status OutputFile::Flush() {
  if (failed_) return Error{"cannot write \"" + path_ + "\": an earlier write failed"};
  if (buffer_.empty()) return {};
  const Status status =
      compression_ == Compression::kNone ? Write(buffer_) : Write(Compress(buffer_, compression_));
  failed_ = !status.ok();
  buffer_.clear();
  return status;
}

Status OutputFile::Sync() {
  SGLRUN_RETURN_IF_ERROR(Flush());
  if (!IsRegular(fd_) || fdatasync(fd_) == 0) return {};
  failed_ = true;
  return WriteError(path_, errno);
}

Status OutputFile::Write(std::string_view bytes) {
  const auto total = static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    const ssize_t count = write(fd_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // the pipe is non-blocking
      pollfd ready{fd_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      broken_pipe_ = errno == EPIPE;
      return WriteError(path_, errno);
    }
  }
  offset_ += total;
  return {};
}

}  // namespace sglrun::io
