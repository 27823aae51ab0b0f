#include "io/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/log.h"
#include "io/foreign_format.h"

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
  bool is_regular() const { return !waits_; }

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
  bool is_as_stored() const override { return file_.is_regular(); }
  std::int64_t bytes_taken() const override { return file_.taken(); }

 private:
  RawFile file_;
};

bool LooksLikeGzip(const RawFile& file) {
  return file.size() >= 2 && std::memcmp(file.data(), "\x1f\x8b", 2) == 0;
}

// A frame of zstd, or one that its readers skip.
bool LooksLikeZstd(const RawFile& file) {
  std::uint32_t magic = 0;
  if (file.size() < sizeof magic) return false;
  std::memcpy(&magic, file.data(), sizeof magic);
  return magic == 0xFD2FB528u || (magic & 0xFFFFFFF0u) == 0x184D2A50u;
}

// A file that is a row of compressed streams: gzip members or zstd frames.
class CompressedSource : public ByteSource {
 public:
  explicit CompressedSource(RawFile file) : file_(std::move(file)) {}

  Result<std::size_t> Read(char* data, std::size_t size) override {
    std::size_t count = 0;
    while (count == 0 && !finished_) {
      // What came out before the damage is handed over first.
      if (!damage_.ok()) return damage_.error();
      damage_ = ReadSome(data, size, count);
    }
    return count;
  }
  std::int64_t bytes_taken() const override { return file_.taken(); }

 protected:
  // Decompresses some of what lies in the file; sets `count` even when it fails.
  virtual Status Decompress(char* data, std::size_t size, std::size_t& count) = 0;
  virtual bool LooksLikeStream() const = 0;
  virtual const char* Name() const = 0;

  void EndStream() { between_streams_ = true; }
  Error Damage(const std::string& reason) const {
    return ReadError(file_.path(), std::string("damaged ") + Name() + " stream: " + reason);
  }

  RawFile file_;

 private:
  Status ReadSome(char* data, std::size_t size, std::size_t& count) {
    if (between_streams_) return BeginNext();
    if (file_.size() == 0) SGLRUN_RETURN_IF_ERROR(file_.Fill(1));
    const bool no_input = file_.size() == 0;
    SGLRUN_RETURN_IF_ERROR(Decompress(data, size, count));
    if (!no_input || count > 0 || between_streams_) return {};
    return ReadError(file_.path(), std::string("the ") + Name() + " stream is cut off");
  }

  // Zeros after the last stream are padding of tapes.
  Status BeginNext() {
    SGLRUN_RETURN_IF_ERROR(file_.Fill(kMagicBytes));
    while (file_.size() > 0 && *file_.data() == 0) {
      file_.Take(1);
      SGLRUN_RETURN_IF_ERROR(file_.Fill(kMagicBytes));
    }
    between_streams_ = false;
    finished_ = file_.size() == 0 || !LooksLikeStream();
    if (file_.size() > 0 && finished_) {
      LogWarning(Quoted(file_.path()) + ": what follows the " + Name() + " stream at byte " +
                 std::to_string(file_.taken() + 1) + " is no " + Name() + " and is ignored");
    }
    return {};
  }

  static constexpr std::size_t kMagicBytes = 4;
  bool between_streams_ = false;
  bool finished_ = false;
  Status damage_;
};

class GzipSource : public CompressedSource {
 public:
  explicit GzipSource(RawFile file) : CompressedSource(std::move(file)) {
    // 16: a gzip header is expected, none of zlib's own.
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 private:
  Status Decompress(char* data, std::size_t size, std::size_t& count) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file_.data()));
    stream_.avail_in = static_cast<uInt>(file_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(data);
    stream_.avail_out = static_cast<uInt>(std::min(size, kChunk));
    const uInt room = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    file_.Take(file_.size() - stream_.avail_in);
    count = room - stream_.avail_out;
    if (code == Z_STREAM_END) {
      inflateReset(&stream_);
      EndStream();
    } else if (code == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return Damage(stream_.msg != nullptr ? stream_.msg : "no message");
    }
    return {};
  }
  bool LooksLikeStream() const override { return LooksLikeGzip(file_); }
  const char* Name() const override { return "gzip"; }

  z_stream stream_{};
};

class ZstdSource : public CompressedSource {
 public:
  explicit ZstdSource(RawFile file)
      : CompressedSource(std::move(file)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

 private:
  Status Decompress(char* data, std::size_t size, std::size_t& count) override {
    ZSTD_inBuffer in{file_.data(), file_.size(), 0};
    ZSTD_outBuffer out{data, size, 0};
    const std::size_t code = ZSTD_decompressStream(stream_, &out, &in);
    count = out.pos;
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(code) != 0) return Failure(code);
    file_.Take(in.pos);
    if (code == 0) EndStream();
    return {};
  }
  // A frame may ask for a window of up to gigabytes, which every reader has to hold.
  Error Failure(std::size_t code) const {
    if (ZSTD_getErrorCode(code) != ZSTD_error_frameParameter_windowTooLarge) {
      return Damage(ZSTD_getErrorName(code));
    }
    return ReadError(
        file_.path(),
        "its zstd stream was made with a window of more than 128 MiB (zstd --long), the maximum "
        "that is supported; unpack it with zstd -d --long=31 and use the result");
  }
  bool LooksLikeStream() const override { return LooksLikeZstd(file_); }
  const char* Name() const override { return "zstd"; }

  ZSTD_DStream* stream_;
};

// It may have been closed, or be open for writing only.
Status CheckStandardInput() {
  const int flags = fcntl(STDIN_FILENO, F_GETFL);
  const bool readable = flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_WRONLY;
  return readable ? Status() : ReadError("-", std::strerror(EBADF));
}

}  // namespace

Result<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path,
                                                     const std::atomic<bool>* stop,
                                                     bool lines_are_json) {
  const bool is_stdin = path == "-";
  FileDescriptor fd(is_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC), !is_stdin);
  if (fd.get() < 0) return ReadError(path, std::strerror(errno));
  RawFile file(path, std::move(fd), stop);
  SGLRUN_RETURN_IF_ERROR(file.Fill(4));  // and what comes with them: a pipe may give no more
  if (LooksLikeGzip(file)) {
    return std::unique_ptr<ByteSource>(std::make_unique<GzipSource>(std::move(file)));
  }
  if (LooksLikeZstd(file)) {
    return std::unique_ptr<ByteSource>(std::make_unique<ZstdSource>(std::move(file)));
  }
  if (const std::string what = ForeignFormat({file.data(), file.size()}, lines_are_json);
      !what.empty()) {
    return ReadError(path, what);
  }
  return std::unique_ptr<ByteSource>(std::make_unique<PlainSource>(std::move(file)));
}

Status CheckReadable(const std::string& path) {
  if (path == "-") return CheckStandardInput();
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
