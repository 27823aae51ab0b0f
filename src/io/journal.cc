#include "io/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include "base/same_file.h"

namespace sglrun::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

constexpr std::string_view kMagic = "SGLRUNJ2";
constexpr std::size_t kEntryBytes = 64;
constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{1} << 24;
constexpr std::uint64_t kFailedFlag = 1;
constexpr std::uint64_t kFinishedFlag = 2;  // no row: `index` is the number of records
// The last entry of a frame. The entries of one frame are valid together or not at all, because the
// output cannot be cut inside a frame.
constexpr std::uint64_t kFrameEndFlag = 4;
constexpr std::size_t kEntriesAtOnce = 4096;

std::uint64_t Checksum(std::string_view bytes) {
  return HashBytes(bytes).low;
}

void AppendU64(std::string& out, std::uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint64_t ReadU64(const char* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void AppendEntry(std::string& out, const JournalEntry& entry, std::uint64_t flags) {
  const std::size_t begin = out.size();
  AppendU64(out, entry.key.high);
  AppendU64(out, entry.key.low);
  for (const std::int64_t number : {entry.index, entry.line, entry.end, entry.bytes}) {
    AppendU64(out, static_cast<std::uint64_t>(number));
  }
  AppendU64(out, flags | std::uint64_t{entry.check} << 32);
  AppendU64(out, Checksum(std::string_view(out).substr(begin)));
}

// Collects entries, and records where the last complete frame ends.
class EntryCollector {
 public:
  EntryCollector(JournalContents& contents, std::int64_t output_size)
      : contents_(contents), output_size_(output_size) {}
  ~EntryCollector() { contents_.entries.resize(whole_); }

  // False if the 64 bytes are damaged, or refer to bytes that the output does not have.
  bool Add(const char* bytes) {
    if (ReadU64(bytes + 56) != Checksum({bytes, 56})) return false;
    const auto number = [bytes](int i) {
      return static_cast<std::int64_t>(ReadU64(bytes + 8 * i));
    };
    const std::uint64_t flags_and_check = ReadU64(bytes + 48);
    const std::uint64_t flags = flags_and_check & 0xFFFFFFFF;
    read_bytes_ += kEntryBytes;
    if ((flags & kFinishedFlag) != 0) {
      Settle(InputEnd{number(2), {ReadU64(bytes), ReadU64(bytes + 8)}});
      return true;
    }
    const JournalEntry entry{{ReadU64(bytes), ReadU64(bytes + 8)},
                             number(2),
                             number(3),
                             number(4),
                             number(5),
                             (flags & kFailedFlag) != 0,
                             static_cast<std::uint32_t>(flags_and_check >> 32)};
    const auto& entries = contents_.entries;
    const std::int64_t before = entries.empty() ? 0 : entries.back().end;
    if (entry.end < before || entry.end > output_size_ || entry.bytes < 0) return false;
    contents_.entries.push_back(entry);
    if ((flags & kFrameEndFlag) != 0) Settle(std::nullopt);
    return true;
  }

 private:
  void Settle(std::optional<InputEnd> finished) {
    contents_.finished = finished;
    contents_.good_bytes += read_bytes_;
    read_bytes_ = 0;
    whole_ = contents_.entries.size();
  }

  JournalContents& contents_;
  std::int64_t output_size_;
  std::int64_t read_bytes_ = 0;  // since the last whole frame
  std::size_t whole_ = 0;
};

Error OpenError(const std::string& path) {
  return Error{"cannot open \"" + path + "\": " + std::strerror(errno)};
}

std::string HeaderText(const Json& run) {
  std::string out(kMagic);
  const std::string text = run.CanonicalDump();
  AppendU64(out, text.size());
  out += text;
  AppendU64(out, Checksum(text));
  return out;
}

// The header's options; nullopt when it is torn.
Result<std::optional<Json>> ReadHeader(std::istream& file, const std::string& path) {
  std::string start(kMagic.size() + 8, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  const auto got = static_cast<std::size_t>(file.gcount());
  const std::size_t compared = std::min(got, kMagic.size());
  if (std::string_view(start).substr(0, compared) != kMagic.substr(0, compared)) {
    return Error{"\"" + path + "\" is not a journal of this version of sglrun"};
  }
  const std::uint64_t size = ReadU64(start.data() + kMagic.size());
  if (got < start.size() || size > kMaxHeaderBytes) return std::optional<Json>();
  std::string text(size + 8, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (static_cast<std::size_t>(file.gcount()) < text.size()) return std::optional<Json>();
  const std::uint64_t checksum = ReadU64(text.data() + size);
  text.resize(size);
  auto parsed = ParseJson(text);
  if (checksum != Checksum(text) || !parsed.ok()) return std::optional<Json>();
  return std::optional<Json>(std::move(parsed->value));
}

// `merge --check` looks at the lock by taking a shared one for an instant, which is no other run.
bool TryLock(int fd) {
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

void ReadEntries(std::istream& file, std::int64_t output_size, JournalContents& contents) {
  EntryCollector collector(contents, output_size);
  std::string block(kEntriesAtOnce * kEntryBytes, '\0');
  for (bool good = true; good && file;) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const std::size_t whole = static_cast<std::size_t>(file.gcount()) / kEntryBytes;
    for (std::size_t i = 0; i < whole && good; ++i) {
      good = collector.Add(block.data() + i * kEntryBytes);
    }
  }
}

}  // namespace

std::uint32_t RowCheck(std::string_view row) {
  return static_cast<std::uint32_t>(HashBytes(row).low);
}

std::string JournalPath(const std::string& output_path) {
  return output_path + ".journal";
}

Result<std::optional<JournalContents>> ReadJournal(const std::string& journal_path,
                                                   std::int64_t output_size) {
  std::ifstream file(journal_path, std::ios::binary);
  if (!file) {
    if (errno == ENOENT) return std::optional<JournalContents>();
    return OpenError(journal_path);
  }
  SGLRUN_ASSIGN_OR_RETURN(std::optional<Json> run, ReadHeader(file, journal_path));
  if (!run.has_value()) return std::optional<JournalContents>();
  JournalContents contents;
  contents.run = *std::move(run);
  contents.good_bytes = file.tellg();
  ReadEntries(file, output_size, contents);
  return std::optional<JournalContents>(std::move(contents));
}

std::string DescribeDifference(const Json& before, const Json& now) {
  std::set<std::string> names;
  for (const Json* run : {&before, &now}) {
    if (!run->is_object()) continue;
    for (const Json::Member& member : run->as_object()) names.insert(member.first);
  }
  const auto text = [](const Json& run, const std::string& name) {
    const Json* value = run.Find(name);
    return value == nullptr ? std::string("not given") : value->CanonicalDump();
  };
  std::string sentence;
  for (const std::string& name : names) {
    const std::string old_value = text(before, name);
    const std::string new_value = text(now, name);
    if (old_value == new_value) continue;
    if (!sentence.empty()) sentence += "; ";
    sentence += name + " was " + old_value + ", now " + new_value;
  }
  return sentence;
}

// Another run that ends may remove or replace its journal between our open and our lock. The lock
// is valid only if the file still has the name.
Result<std::unique_ptr<JournalWriter>> JournalWriter::Open(const std::string& path,
                                                           JournalLock* lock) {
  while (true) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return OpenError(path);
    std::unique_ptr<JournalWriter> writer(new JournalWriter(path, fd));
    const bool locked = TryLock(fd);
    const bool held = !locked && errno == EWOULDBLOCK;
    if (lock != nullptr) {
      *lock = locked ? JournalLock::kTaken : held ? JournalLock::kHeld : JournalLock::kUnsupported;
    }
    if (held) {
      return Error{"\"" + path + "\" is in use: another run writes the same output"};
    }
    if (IsStillAt(fd, path)) return writer;
  }
}

bool IsJournalHeld(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return held;
}

Status JournalWriter::MoveTo(const std::string& path) {
  if (std::rename(path_.c_str(), path.c_str()) != 0) {
    return Error{"cannot rename \"" + path_ + "\" to \"" + path + "\": " + std::strerror(errno)};
  }
  path_ = path;
  return {};
}

Status JournalWriter::Begin(const Json& run) {
  SGLRUN_RETURN_IF_ERROR(GoOn(0));
  return Write(HeaderText(run));
}

Status JournalWriter::GoOn(std::int64_t good_bytes) {
  if (ftruncate(fd_, good_bytes) == 0 && lseek(fd_, good_bytes, SEEK_SET) >= 0) return {};
  return OpenError(path_);
}

JournalWriter::~JournalWriter() {
  close(fd_);
}

Status JournalWriter::Add(std::span<const JournalEntry> entries) {
  std::string bytes;
  bytes.reserve(entries.size() * kEntryBytes);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool frame_end = i + 1 == entries.size() || entries[i + 1].end != entries[i].end;
    AppendEntry(bytes, entries[i],
                (entries[i].failed ? kFailedFlag : 0) | (frame_end ? kFrameEndFlag : 0));
  }
  return Write(bytes);
}

Status JournalWriter::AddFinished(const InputEnd& input) {
  std::string bytes;
  AppendEntry(bytes, JournalEntry{input.content, input.records, 0, 0, 0, false, 0}, kFinishedFlag);
  return Write(bytes);
}

Status JournalWriter::Sync() {
  if (fdatasync(fd_) == 0) return {};
  return Error{"cannot write \"" + path_ + "\": " + std::strerror(errno)};
}

Status JournalWriter::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return Error{"cannot write \"" + path_ + "\": " + std::strerror(errno)};
    }
  }
  return {};
}

}  // namespace sglrun::io
