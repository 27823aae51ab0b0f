#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace sglrun {
namespace {

struct OpenedFile {
  int fd = -1;
  std::size_t size = 0;
};

// Opening a pipe would wait for its writer, which may never come.
Result<OpenedFile> OpenRegularFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return Error{"cannot open " + path + ": " + std::strerror(errno)};
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return Error{path + " is not a regular file"};
  }
  return OpenedFile{fd, static_cast<std::size_t>(info.st_size)};
}

}  // namespace

Result<MappedFile> MappedFile::Open(const std::string& path) {
  SGLRUN_ASSIGN_OR_RETURN(const OpenedFile file, OpenRegularFile(path));
  if (file.size == 0) {
    ::close(file.fd);
    return MappedFile(path, nullptr, 0);
  }
  void* data = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  const int map_errno = errno;
  ::close(file.fd);
  if (data == MAP_FAILED) {
    return Error{"cannot map " + path + " into memory: " + std::strerror(map_errno)};
  }
  return MappedFile(path, data, file.size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void MappedFile::DropPages(std::size_t offset, std::size_t length) const {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = (offset + page - 1) / page * page;
  const std::size_t end = (offset + length) / page * page;
  if (begin < end && end <= size_) {
    ::madvise(static_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
  }
}

Result<std::string> ReadFile(const std::string& path, std::size_t limit) {
  SGLRUN_ASSIGN_OR_RETURN(const OpenedFile file, OpenRegularFile(path));
  if (file.size > limit) {
    ::close(file.fd);
    return Error{path + " has " + std::to_string(file.size) + " bytes, at most " +
                 std::to_string(limit) + " are read"};
  }
  std::string text(file.size, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::read(file.fd, text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  ::close(file.fd);
  if (done != text.size()) return Error{"cannot read " + path + " to its end"};
  return text;
}

}  // namespace sglrun
