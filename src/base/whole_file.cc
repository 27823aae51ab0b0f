#include "base/whole_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/same_file.h"

namespace sglrun {
namespace {

constexpr mode_t kAllMayWrite = 0666;

Error CannotWrite(const std::string& name) {
  const std::string reason = std::strerror(errno);
  return Error{"cannot write " + name + ": " + reason};
}

std::string NameOf(std::string_view what, const std::string& path) {
  return std::string(what) + (what.empty() ? "" : " ") + path;
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Gives a new file the mode of the one that it replaces.
bool TakeMode(int fd, const std::string& target) {
  struct stat old = {};
  return ::stat(target.c_str(), &old) != 0 || ::fchmod(fd, old.st_mode & 07777) == 0;
}

// Network file systems may report only at close that the disk is full.
bool ClosesWell(int fd) {
  const int copy = ::dup(fd);
  return copy >= 0 && ::close(copy) == 0;
}

// On file systems without locks there is nothing to wait for.
void WaitForLock(int fd) {
  while (::flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
}

// Opens the file at `path`, creating it if necessary, after no other process writes it; -1 with
// errno. A process that finishes removes the name together with its lock, so the name may refer to
// another file by then.
int OpenLocked(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  while (true) {
    const int fd = ::open(path.c_str(), kFlags, kAllMayWrite);
    if (fd < 0) return -1;
    WaitForLock(fd);
    if (IsStillAt(fd, path)) return fd;
    ::close(fd);
  }
}

// Closes; false with errno when any of it failed.
bool FillAndClose(int fd, std::string_view content) {
  const bool written = WriteAll(fd, content);
  const int problem = errno;
  const bool closed = ::close(fd) == 0;
  if (!written) errno = problem;
  return written && closed;
}

}  // namespace

std::string UnfinishedPath(const std::string& path) {
  return FollowLinks(path) + ".unfinished";
}

Result<FileReplacement> FileReplacement::Begin(const std::string& path, std::string name) {
  std::string target = FollowLinks(path);
  const int fd = OpenLocked(UnfinishedPath(target));
  if (fd < 0) return CannotWrite(name);
  FileReplacement file(std::move(target), std::move(name), fd);
  if (!TakeMode(fd, file.target_) || ::ftruncate(fd, 0) != 0) return file.Failure();
  return file;
}

FileReplacement::FileReplacement(FileReplacement&& other) noexcept
    : target_(std::move(other.target_)),
      name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)) {}

FileReplacement::~FileReplacement() {
  if (fd_ < 0) return;
  ::unlink(UnfinishedPath(target_).c_str());
  ::close(fd_);
}

Error FileReplacement::Failure() const {
  return CannotWrite(name_);
}

Status FileReplacement::Append(std::string_view bytes) {
  if (WriteAll(fd_, bytes)) return {};
  return Failure();
}

Status FileReplacement::Commit() {
  const std::string unfinished = UnfinishedPath(target_);
  if (!ClosesWell(fd_) || std::rename(unfinished.c_str(), target_.c_str()) != 0) return Failure();
  ::close(std::exchange(fd_, -1));
  return {};
}

Status WriteWholeFile(std::string_view what, const std::string& path, std::string_view content) {
  SGLRUN_ASSIGN_OR_RETURN(FileReplacement file, FileReplacement::Begin(path, NameOf(what, path)));
  SGLRUN_RETURN_IF_ERROR(file.Append(content));
  return file.Commit();
}

Status WriteNewFile(std::string_view what, const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kAllMayWrite);
  if (fd < 0) return CannotWrite(NameOf(what, path));
  if (FillAndClose(fd, content)) return {};
  const Error error = CannotWrite(NameOf(what, path));
  ::unlink(path.c_str());
  return error;
}

}  // namespace sglrun
