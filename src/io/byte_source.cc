#include "io/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace sglrun::io {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10;
constexpr int kPollMilliseconds = 100;

std::string Quoted(const std::string& path) {
  return path == "-" ? "standard input" : "\"" + path + "\"";
}

Error ReadError(const std::string& path, const std::string& reason) {
  return Error{"cannot read " + Quoted(path) + ": " + reason};
}

class FileDescriptor {
 public:
  FileDescriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), owned_(other.owned_) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (owned_ && fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

// The file as it lies, with a window of bytes that were read and not yet taken.
class RawFile {
 public:
  RawFile(std::string path, FileDescriptor fd, const std::atomic<bool>* stop)
      : path_(std::move(path)), fd_(std::move(fd)), stop_(stop), buffer_(kChunk) {
    struct stat info {};
    waits_ = fstat(fd_.get(), &info) == 0 && !S_ISREG(info.st_mode);
  }

  const std::string& path() const { return path_; }
  std::int64_t taken() const { return taken_; }

  const char* data() const { return buffer_.data() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  void Take(std::size_t count) {
    begin_ += count;
    taken_ += static_cast<std::int64_t>(count);
  }

  // Makes the window at least `wanted` bytes long, shorter only at the end of the file.
  Status Fill(std::size_t wanted) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), data(), size());
      end_ -= begin_;
      begin_ = 0;
    }
    while (size() < wanted && !at_end_) {
      SGLRUN_ASSIGN_OR_RETURN(const std::size_t count,
                              ReadSome(buffer_.data() + end_, buffer_.size() - end_));
      end_ += count;
      if (count == 0) at_end_ = true;
    }
    return {};
  }

 private:
  Result<std::size_t> ReadSome(char* data, std::size_t size) {
    while (true) {
      if (waits_ && stop_ != nullptr) {
        if (stop_->load()) return std::size_t{0};
        pollfd ready{fd_.get(), POLLIN, 0};
        if (poll(&ready, 1, kPollMilliseconds) <= 0) continue;
      }
      const ssize_t count = read(fd_.get(), data, size);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR && errno != EAGAIN) return ReadError(path_, std::strerror(errno));
    }
  }

  std::string path_;
  FileDescriptor fd_;
  const std::atomic<bool>* stop_;
  bool waits_ = false;  // a pipe or a terminal, where reading may block for long
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t taken_ = 0;
  bool at_end_ = false;
};

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(RawFile file) : file_(std::move(file)) {}

  Result<std::size_t> Read(char* data, std::size_t size) override {
    if (file_.size() == 0) SGLRUN_RETURN_IF_ERROR(file_.Fill(1));
    const std::size_t count = std::min(size, file_.size());
    std::memcpy(data, file_.data(), count);
    file_.Take(count);
    return count;
  }
  std::int64_t bytes_taken() const override { return file_.taken(); }

 private:
  RawFile file_;
};

bool LooksLikeGzip(const RawFile& file) {
  return file.size() >= 2 && std::memcmp(file.data(), "\x1f\x8b", 2) == 0;
}

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(RawFile file) : file_(std::move(file)) {
    // 16: a gzip header is expected, none of zlib's own.
    CHECK(inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK) << "out of memory";
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  Result<std::size_t> Read(char* data, std::size_t size) override {
    std::size_t count = 0;
    while (count == 0 && !finished_) {
      SGLRUN_ASSIGN_OR_RETURN(count, Inflate(data, size));
    }
    return count;
  }
  std::int64_t bytes_taken() const override { return file_.taken(); }

 private:
  Result<std::size_t> Inflate(char* data, std::size_t size) {
    if (file_.size() == 0) SGLRUN_RETURN_IF_ERROR(file_.Fill(1));
    if (file_.size() == 0) return ReadError(file_.path(), "the gzip stream is cut off");
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file_.data()));
    stream_.avail_in = static_cast<uInt>(file_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(data);
    stream_.avail_out = static_cast<uInt>(std::min(size, kChunk));
    const uInt room = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    file_.Take(file_.size() - stream_.avail_in);
    if (code == Z_STREAM_END) {
      SGLRUN_RETURN_IF_ERROR(NextMember());
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return ReadError(file_.path(), std::string("damaged gzip stream: ") +
                                         (stream_.msg != nullptr ? stream_.msg : "no message"));
    }
    return std::size_t{room - stream_.avail_out};
  }

  // A gzip file is a row of members; zeros after the last are padding of tapes.
  Status NextMember() {
    SGLRUN_RETURN_IF_ERROR(file_.Fill(2));
    while (file_.size() > 0 && *file_.data() == 0) {
      file_.Take(1);
      SGLRUN_RETURN_IF_ERROR(file_.Fill(2));
    }
    finished_ = file_.size() == 0;
    if (!finished_ && !LooksLikeGzip(file_)) {
      return ReadError(file_.path(), "the gzip stream is followed by something else");
    }
    inflateReset(&stream_);
    return {};
  }

  RawFile file_;
  z_stream stream_{};
  bool finished_ = false;
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(RawFile file) : file_(std::move(file)), stream_(ZSTD_createDStream()) {
    CHECK(stream_ != nullptr) << "out of memory";
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  Result<std::size_t> Read(char* data, std::size_t size) override {
    while (true) {
      if (file_.size() == 0) SGLRUN_RETURN_IF_ERROR(file_.Fill(1));
      const bool no_input = file_.size() == 0;
      if (no_input && inside_frame_ == 0) return std::size_t{0};
      ZSTD_inBuffer in{file_.data(), file_.size(), 0};
      ZSTD_outBuffer out{data, size, 0};
      const std::size_t code = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(code) != 0) {
        return ReadError(file_.path(),
                         std::string("damaged zstd stream: ") + ZSTD_getErrorName(code));
      }
      inside_frame_ = code;
      file_.Take(in.pos);
      if (out.pos > 0) return out.pos;
      if (no_input) return ReadError(file_.path(), "the zstd stream is cut off");
    }
  }
  std::int64_t bytes_taken() const override { return file_.taken(); }

 private:
  RawFile file_;
  ZSTD_DStream* stream_;
  std::size_t inside_frame_ = 0;  // 0 at the border of two frames
};

}  // namespace

Result<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path,
                                                     const std::atomic<bool>* stop) {
  const bool is_stdin = path == "-";
  FileDescriptor fd(is_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC), !is_stdin);
  if (fd.get() < 0) return ReadError(path, std::strerror(errno));
  RawFile file(path, std::move(fd), stop);
  SGLRUN_RETURN_IF_ERROR(file.Fill(4));
  if (LooksLikeGzip(file)) {
    return std::unique_ptr<ByteSource>(std::make_unique<GzipSource>(std::move(file)));
  }
  if (file.size() >= 4 && std::memcmp(file.data(), "\x28\xb5\x2f\xfd", 4) == 0) {
    return std::unique_ptr<ByteSource>(std::make_unique<ZstdSource>(std::move(file)));
  }
  return std::unique_ptr<ByteSource>(std::make_unique<PlainSource>(std::move(file)));
}

Status CheckReadable(const std::string& path) {
  if (path == "-") return {};
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return ReadError(path, std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return ReadError(path, "it is a directory");
  if (access(path.c_str(), R_OK) != 0) return ReadError(path, std::strerror(errno));
  return {};
}

std::int64_t RegularFileSize(const std::string& path) {
  struct stat info {};
  const bool regular = stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  return regular ? static_cast<std::int64_t>(info.st_size) : -1;
}

}  // namespace sglrun::io
