// The file OUT.journal, with which a run can be resumed after a kill at any moment. It begins with
// the identity of the run (named option values), followed by one entry for each complete row of the
// output, in the order of the rows. An entry is written after the bytes of its row.
//
// Layout, little endian: "SGLRUNJ2", u64 length of the JSON text, the text, u64 checksum of the
// text; then entries of 64 bytes: key (2 x u64), index, line, end, bytes (i64 each), flags (u32),
// check of the row (u32), checksum of the 56 bytes before (u64). The entry of a finished run holds
// the input's content hash as key and the number of its records as index.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "base/result.h"

namespace sglrun::io {

struct JournalEntry {
  Hash128 key;              // the record's resume key
  std::int64_t index = 0;   // number of the record over all inputs
  std::int64_t line = 0;    // RowKey::line
  std::int64_t end = 0;     // size of OUT once the row (or the frame that holds it) was in it
  std::int64_t bytes = 0;   // of the row, uncompressed, line ends included
  bool failed = false;      // an error row
  std::uint32_t check = 0;  // RowCheck of the row

  bool operator==(const JournalEntry&) const = default;
};

// The inputs of a run that reached their end, including the records of other shards.
struct InputEnd {
  std::int64_t records = 0;
  Hash128 content = {};  // of all records in order; equal in all shards of a run

  bool operator==(const InputEnd&) const = default;
};

struct JournalContents {
  Json run;  // an object of named option values
  std::vector<JournalEntry> entries;
  // Set when the run reached its end and nothing was written since.
  std::optional<InputEnd> finished;
  std::int64_t good_bytes = 0;  // of the journal; a torn tail follows

  std::int64_t output_end() const { return entries.empty() ? 0 : entries.back().end; }
};

// Detects rows that were edited.
std::uint32_t RowCheck(std::string_view row);

// "OUT.journal".
std::string JournalPath(const std::string& output_path);

// nullopt if there is no journal or only an incomplete header. A file of another kind or of a later
// version is an error. Reading ends at an incomplete entry, and at the first entry whose row is not
// completely within an output of `output_size` bytes. The output must be truncated after the last
// entry.
Result<std::optional<JournalContents>> ReadJournal(const std::string& journal_path,
                                                   std::int64_t output_size);

// The differences between two runs, for an error message: "seed was 42, now 43; model was ..."; ""
// if there are none.
std::string DescribeDifference(const Json& before, const Json& now);

enum class JournalLock : std::uint8_t {
  kTaken,
  kHeld,         // by another process, which writes the output
  kUnsupported,  // by the file system: another process that writes the output is not noticed
};

// Whether another process holds the lock. Does not change the file.
bool IsJournalHeld(const std::string& path);

class JournalWriter {
 public:
  // Opens (or creates) and locks the journal, so that two runs cannot write one output. Begin or
  // GoOn must follow.
  // `lock`, if given, says more about the lock than the error.
  static Result<std::unique_ptr<JournalWriter>> Open(const std::string& path,
                                                     JournalLock* lock = nullptr);
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;
  ~JournalWriter();

  // Empties the journal and writes the identity of the run.
  Status Begin(const Json& run);
  // Renames the journal, replacing an existing file; the lock is kept.
  Status MoveTo(const std::string& path);
  // Continues after the valid bytes that were read.
  Status GoOn(std::int64_t good_bytes);

  // Entries with the same end belong to one frame and must be passed in one call.
  Status Add(std::span<const JournalEntry> entries);
  Status AddFinished(const InputEnd& input);
  // Syncs the journal to disk; the output must be synced before.
  Status Sync();

 private:
  JournalWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Status Write(std::string_view bytes);

  std::string path_;
  int fd_;
};

}  // namespace sglrun::io
