// The file beside an output, OUT.journal, that makes resuming work after a kill at any moment.
// It begins with what the run was (named option values), then holds one entry for each row that is
// completely in the output, in the order of the rows. An entry is written after the row's bytes.
//
// Layout, little endian: "SGLRUNJ1", u64 length of the JSON text, the text, u64 checksum of the
// text; then entries of 64 bytes: key (2 x u64), index, line, end, bytes (i64 each), flags (u64),
// checksum of the 56 bytes before (u64).
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
  Hash128 key;             // the record's resume key
  std::int64_t index = 0;  // number of the record over all inputs
  std::int64_t line = 0;   // physical line of its file
  std::int64_t end = 0;    // size of OUT once the row (or the frame that holds it) was in it
  std::int64_t bytes = 0;  // of the row, uncompressed, line ends included
  bool failed = false;     // an error row

  bool operator==(const JournalEntry&) const = default;
};

struct JournalContents {
  Json run;  // an object of named option values
  std::vector<JournalEntry> entries;
  // Set when the run reached its end and nothing was written since: records of the whole input,
  // those of other shards included.
  std::optional<std::int64_t> finished_records;
  std::int64_t good_bytes = 0;  // of the journal; a torn tail follows

  std::int64_t output_end() const { return entries.empty() ? 0 : entries.back().end; }
};

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
  // Goes on behind the good bytes of what was read.
  Status GoOn(std::int64_t good_bytes);

  // Entries with the same end are of one frame and must come in one call.
  Status Add(std::span<const JournalEntry> entries);
  Status AddFinished(std::int64_t records);

 private:
  JournalWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Status Write(std::string_view bytes);

  std::string path_;
  int fd_;
};

}  // namespace sglrun::io
