#include "run/row_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "io/byte_source.h"
#include "run/shard_output.h"

namespace sglrun::run {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10;

Error ReadError(const std::string& path) {
  const std::string reason = std::strerror(errno);
  return Error{"cannot read " + Quoted(path) + ": " + reason};
}

}  // namespace

StoredFile::~StoredFile() {
  ::close(fd_);
}

bool StoredFile::Read(std::int64_t begin, std::string& bytes) const {
  for (std::size_t got = 0; got < bytes.size();) {
    const ssize_t count = ::pread(fd_, bytes.data() + got, bytes.size() - got,
                                  static_cast<off_t>(begin + static_cast<std::int64_t>(got)));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO;  // the file has become shorter
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return true;
}

bool StoredFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    size_ += count;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

RowFiles::RowFiles(std::vector<std::string> paths, std::string folder)
    : paths_(std::move(paths)),
      folder_(std::move(folder)),
      copied_(paths_.size(), false),
      open_(paths_.size()) {}

Status RowFiles::OpenCopy() {
  if (copy_ != nullptr) return {};
  std::string name = folder_ + "/.sglrun-rows-XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) return Error{"cannot write " + Quoted(name) + ": " + std::strerror(errno)};
  ::unlink(name.c_str());  // it has no name any more and ends with the process
  copy_ = std::make_unique<StoredFile>(fd);
  return {};
}

Status RowFiles::ForEachLine(std::uint32_t file, const Visit& visit) {
  const std::string& path = paths_[file];
  SGLRUN_RETURN_IF_ERROR(io::CheckReadable(path));
  SGLRUN_ASSIGN_OR_RETURN(const auto source,
                          io::ByteSource::Open(path, nullptr, /*lines_are_json=*/true));
  copied_[file] = !source->is_as_stored();
  if (copied_[file]) SGLRUN_RETURN_IF_ERROR(OpenCopy());
  StoredLine place{.file = file, .begin = copied_[file] ? copy_->size() : 0};
  std::string chunk(kChunk, '\0'), line;
  const auto end_line = [&](bool ends) -> Status {
    place.bytes = static_cast<std::int64_t>(line.size());
    ++place.number;
    SGLRUN_RETURN_IF_ERROR(visit(line, place, ends));
    place.begin += place.bytes + 1;
    line.clear();
    return {};
  };
  while (true) {
    SGLRUN_ASSIGN_OR_RETURN(const std::size_t count, source->Read(chunk.data(), chunk.size()));
    if (count == 0) break;
    std::string_view bytes(chunk.data(), count);
    if (copied_[file] && !copy_->Append(bytes)) {
      return Error{"cannot copy " + Quoted(path) + " to " + folder_ + ": " + std::strerror(errno)};
    }
    for (std::size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos;) {
      line += bytes.substr(0, end);
      SGLRUN_RETURN_IF_ERROR(end_line(true));
      bytes.remove_prefix(end + 1);
    }
    line += bytes;
  }
  return line.empty() ? Status() : end_line(false);
}

Result<std::string> RowFiles::Read(const StoredLine& line) {
  const std::string& path = paths_[line.file];
  StoredFile* file = copy_.get();
  if (!copied_[line.file]) {
    const auto open = [&path]() -> Result<std::unique_ptr<StoredFile>> {
      const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      if (fd < 0) return ReadError(path);
      return std::make_unique<StoredFile>(fd);
    };
    SGLRUN_ASSIGN_OR_RETURN(file, open_.Get(line.file, open));
  }
  std::string text(static_cast<std::size_t>(line.bytes), '\0');
  if (!file->Read(line.begin, text)) return ReadError(path);
  return text;
}

std::string RowFiles::PlaceOf(const StoredLine& line) const {
  return paths_[line.file] + ":" + std::to_string(line.number);
}

}  // namespace sglrun::run
