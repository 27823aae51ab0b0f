#include "run/input_index.h"

#include <algorithm>

#include "base/stop_flag.h"
#include "run/shard.h"

namespace sglrun::run {

Hash128 WithRecord(const Hash128& records, const Hash128& record) {
  return {MixSeeds(records.high, record.high), MixSeeds(records.low, record.low)};
}

Result<InputIndex> InputIndex::Read(io::JsonlReader& reader, io::RecordParser& parser,
                                    std::int64_t shards, std::int64_t limit) {
  InputIndex index;
  while (StopFlag::exit_code() == 0 && (limit == 0 || index.end_.records < limit)) {
    SGLRUN_ASSIGN_OR_RETURN(std::optional<io::InputRecord> line, reader.Next());
    if (!line) break;
    const std::int64_t number = line->index;
    const auto parsed = parser.Parse(*std::move(line));
    const Hash128 content = parsed.ok() ? parsed->content_hash : parsed.error().content_hash;
    index.end_.content = WithRecord(index.end_.content, content);
    ++index.end_.records;
    index.shards_.push_back(static_cast<std::uint32_t>(ShardOfContent(content, shards)));
    if (parser.counts() != io::RecordCounts()) index.counts_.emplace_back(number, parser.counts());
  }
  return index;
}

bool InputIndex::Holds(std::int64_t record) const {
  return record < static_cast<std::int64_t>(shards_.size());
}

std::int64_t InputIndex::ShardOf(std::int64_t record) const {
  return shards_[static_cast<std::size_t>(record)];
}

io::RecordCounts InputIndex::CountsOf(std::int64_t record) const {
  const auto at =
      std::ranges::lower_bound(counts_, record, {}, [](const auto& c) { return c.first; });
  return at == counts_.end() || at->first != record ? io::RecordCounts() : at->second;
}

}  // namespace sglrun::run
