#include "base/same_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

namespace sglrun {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as the kernel follows

std::optional<FileIdentity> IdentityOf(const struct stat& info) {
  if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode) && !S_ISBLK(info.st_mode)) {
    return std::nullopt;
  }
  return FileIdentity{info.st_dev, info.st_ino};
}

}  // namespace

std::string FollowLinks(const std::string& path) {
  std::error_code problem;
  fs::path at = path;
  for (int i = 0; fs::is_symlink(at, problem); ++i) {
    const fs::path target = fs::read_symlink(at, problem);
    if (problem || i == kMostLinks) return path;
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  // If an open file has no name, the text of its link in /proc/self/fd is only a description.
  const bool opens_another = fs::exists(path, problem) && !fs::equivalent(path, at, problem);
  return opens_another ? path : at.string();
}

std::optional<FileIdentity> IdentityOf(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return IdentityOf(info);
}

std::optional<FileIdentity> IdentityOf(int descriptor) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return std::nullopt;
  return IdentityOf(info);
}

bool IsStillAt(int descriptor, const std::string& path) {
  struct stat open_file {
  }, named{};
  return ::fstat(descriptor, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

}  // namespace sglrun
