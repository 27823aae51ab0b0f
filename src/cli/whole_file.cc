#include "cli/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace sglrun::cli {
namespace {

constexpr mode_t kAllMayWrite = 0666;

Error CannotWriteFile(std::string_view what, const std::string& path) {
  const std::string reason = std::strerror(errno);
  return Error{"cannot write " + std::string(what) + (what.empty() ? "" : " ") + path + ": " +
               reason};
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

// The mode of the file that is replaced, or what a new one would get.
mode_t ModeFor(const std::string& target) {
  struct stat old = {};
  if (::stat(target.c_str(), &old) == 0) return old.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return kAllMayWrite & ~mask;
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

Status WriteWholeFile(std::string_view what, const std::string& path, std::string_view content) {
  // Where a link leads, so that the link stays.
  std::error_code code;
  const std::string resolved = std::filesystem::weakly_canonical(path, code).string();
  const std::string& target = code ? path : resolved;
  std::string fresh = target + ".XXXXXX";
  const int fd = ::mkostemp(fresh.data(), O_CLOEXEC);
  if (fd < 0) return CannotWriteFile(what, path);
  const bool is_ready = ::fchmod(fd, ModeFor(target)) == 0;
  if (FillAndClose(fd, content) && is_ready && std::rename(fresh.c_str(), target.c_str()) == 0) {
    return {};
  }
  const Error error = CannotWriteFile(what, path);
  ::unlink(fresh.c_str());
  return error;
}

Status WriteNewFile(std::string_view what, const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kAllMayWrite);
  if (fd < 0) return CannotWriteFile(what, path);
  if (FillAndClose(fd, content)) return {};
  const Error error = CannotWriteFile(what, path);
  ::unlink(path.c_str());
  return error;
}

}  // namespace sglrun::cli
