// The file beside an output, OUT.journal, that makes resuming work after a kill at any moment.
// It begins with what the run was (named option values), then holds one entry for each row that is
// completely in the output, in the order of the rows. An entry is written after the row's bytes.
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

// What a run saw of its inputs when it reached their end, records of other shards included.
struct InputEnd {
  std::int64_t records = 0;
  Hash128 content = {};  // of all records in their order: shards of one run saw the same

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

// Tells an edited row from the one that was written.
std::uint32_t RowCheck(std::string_view row);

// "OUT.journal".
std::string JournalPath(const std::string& output_path);

// nullopt when there is no journal, or only the torn beginning of one. A file of another kind or
// of a later version is an error. Reading ends at a torn entry, and at the first entry whose row is
// not wholly in an output of `output_size` bytes; behind the end of the last entry the output has
// to be cut off.
Result<std::optional<JournalContents>> ReadJournal(const std::string& journal_path,
                                                   std::int64_t output_size);

// What differs between two runs, for a refusal: "seed was 42, now 43; model was ...". "" when
// nothing does.
std::string DescribeDifference(const Json& before, const Json& now);

class JournalWriter {
 public:
  // Opens (or creates) and locks: two runs that write one output would spoil it. Begin or GoOn
  // comes next.
  static Result<std::unique_ptr<JournalWriter>> Open(const std::string& path);
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;
  ~JournalWriter();

  // Empties the journal and writes what the run is.
  Status Begin(const Json& run);
  // Gives the journal another name, in the place of a file that has it; the lock stays.
  Status MoveTo(const std::string& path);
  // Goes on behind the good bytes of what was read.
  Status GoOn(std::int64_t good_bytes);

  // Entries with the same end are of one frame and must come in one call.
  Status Add(std::span<const JournalEntry> entries);
  Status AddFinished(const InputEnd& input);
  // Brings the journal onto the disk; the output comes before it.
  Status Sync();

 private:
  JournalWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Status Write(std::string_view bytes);

  std::string path_;
  int fd_;
};

}  // namespace sglrun::io
