// What `--shard any/N` knows about its input after reading it once: the shard of each record. With
// it, lines of other shards are passed over without parsing.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/dialect/record.h"
#include "io/journal.h"
#include "io/jsonl_reader.h"

namespace sglrun::run {

class InputIndex {
 public:
  // Reads all records, or the first `limit` (0: all). Ends early if a signal asks to stop.
  static Result<InputIndex> Read(io::JsonlReader& reader, io::RecordParser& parser,
                                 std::int64_t shards, std::int64_t limit);

  // `record` is InputRecord::index. False for records that the input did not have.
  bool Holds(std::int64_t record) const;
  std::int64_t ShardOf(std::int64_t record) const;
  io::RecordCounts CountsOf(std::int64_t record) const;
  // As the journals of finished shards state it.
  const io::InputEnd& end() const { return end_; }

 private:
  std::vector<std::uint32_t> shards_;
  // Of the records that have equal ones before them, sorted by record.
  std::vector<std::pair<std::int64_t, io::RecordCounts>> counts_;
  io::InputEnd end_;
};

// The hash of all records so far, with one more.
Hash128 WithRecord(const Hash128& records, const Hash128& record);

}  // namespace sglrun::run
