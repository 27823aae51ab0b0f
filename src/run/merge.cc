// Joins the outputs of shards. Their journals state which record each row belongs to.
#include "run/merge.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/strings.h"
#include "console/exit_codes.h"
#include "io/dialect/side_files.h"
#include "io/row_reader.h"
#include "io/run_output.h"
#include "run/few_open.h"
#include "run/identity.h"
#include "run/merge_check.h"
#include "run/merge_lines.h"
#include "run/shard_output.h"

namespace sglrun::run {
namespace {

Status CheckComplete(const std::vector<ShardOutput>& shards, MixedIsa mixed) {
  for (const ShardOutput& shard : shards) {
    if (!shard.journal.finished) {
      return Error{Quoted(shard.path) + " is not finished; run its command again"};
    }
  }
  SGLRUN_RETURN_IF_ERROR(CheckSameRun(shards, mixed));
  SGLRUN_RETURN_IF_ERROR(CheckNoRepeats(shards));
  std::string missing;
  for (const std::int64_t index : MissingShards(shards)) {
    missing += (missing.empty() ? "" : ", ") + Shard{index, shards[0].shard.count}.ToString();
  }
  return missing.empty() ? Status() : Error{"missing shards: " + missing};
}

// The identity of a run without shards, so that the merged output can be continued like one. No run
// has the instruction set "mixed".
Json MergedRun(const std::vector<ShardOutput>& shards) {
  Json whole = WithoutShard(shards[0].journal.run);
  if (!CheckSameRun(shards, MixedIsa::kRefused).ok()) {
    whole = WithoutIsa(whole);
    whole.as_object().emplace_back(kIsaName, std::string("mixed"));
  }
  whole.as_object().emplace_back(kShardName, std::string("0/1"));
  return whole;
}

// The rows of all shards in the order of the input.
class RowsInOrder {
 public:
  explicit RowsInOrder(const std::vector<ShardOutput>& shards)
      : shards_(shards), readers_(shards.size()) {
    for (std::size_t i = 0; i < shards.size(); ++i) {
      order_.push_back(OrderOf(shards[i].journal.entries));
    }
  }

  // Gives every row to visit(shard, entry, row). Fails if the shards do not belong together or an
  // output is damaged.
  template <class Visit>
  Status ForEach(const Visit& visit) {
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    for (std::size_t i = 0; i < shards_.size(); ++i) Push(heads, i, 0);
    std::int64_t expected = 0;
    for (; !heads.empty(); ++expected) {
      const Head head = heads.top();
      heads.pop();
      const ShardOutput& shard = shards_[head.shard];
      if (head.record != expected) return OutOfOrder(shard, head.record, expected);
      const std::size_t ordinal = order_[head.shard][head.next];
      SGLRUN_ASSIGN_OR_RETURN(io::RowReader * reader, ReaderOf(head.shard));
      SGLRUN_ASSIGN_OR_RETURN(const std::string row, reader->Read(shard.journal.entries, ordinal));
      SGLRUN_RETURN_IF_ERROR(visit(shard, shard.journal.entries[ordinal], row));
      Push(heads, head.shard, head.next + 1);
    }
    const std::int64_t records = shards_[0].journal.finished->records;
    if (expected == records) return {};
    return Error{"the input had " + FormatCount(records) + " records, the shards hold " +
                 FormatCount(expected)};
  }

 private:
  // The next row of a shard; ordered by record, and by shard if two claim the same.
  struct Head {
    std::int64_t record;
    std::size_t shard, next;
    auto operator<=>(const Head&) const = default;
  };

  // The ordinals of the rows by record: files of --order completion have them in another order.
  static std::vector<std::uint32_t> OrderOf(const std::vector<io::JournalEntry>& entries) {
    std::vector<std::uint32_t> order(entries.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return entries[i].index; });
    return order;
  }

  template <class Heads>
  void Push(Heads& heads, std::size_t shard, std::size_t next) const {
    if (next == order_[shard].size()) return;
    heads.push({shards_[shard].journal.entries[order_[shard][next]].index, shard, next});
  }

  static Error OutOfOrder(const ShardOutput& shard, std::int64_t record, std::int64_t expected) {
    return Error{Quoted(shard.path) + (record < expected ? " repeats" : " comes after missing") +
                 " record " + FormatCount(std::min(record, expected) + 1) +
                 " of the input; the shards do not belong together"};
  }

  Result<io::RowReader*> ReaderOf(std::size_t shard) {
    const ShardOutput& output = shards_[shard];
    return readers_.Get(shard, [&output] {
      return io::RowReader::Open(output.path, io::CompressionOf(output.path),
                                 LinesOfRows(output.journal.run));
    });
  }

  const std::vector<ShardOutput>& shards_;
  std::vector<std::vector<std::uint32_t>> order_;
  FewOpen<io::RowReader> readers_;
};

Status WriteMerged(const std::vector<ShardOutput>& shards, const std::string& path,
                   io::RunOutput& output) {
  // The first pass writes nothing, so that an earlier output is not touched before all shards are
  // known to be complete.
  RowsInOrder rows(shards);
  SGLRUN_RETURN_IF_ERROR(rows.ForEach(
      [&path](const ShardOutput& shard, const io::JournalEntry&, const std::string& row) {
        return CheckSideFiles(shard.path, row, path);
      }));
  const auto write = [&](const ShardOutput& shard, const io::JournalEntry& entry,
                         const std::string& row) -> Status {
    SGLRUN_ASSIGN_OR_RETURN(const std::string moved, io::BringSideFiles(row, shard.path, path));
    const io::RowKey place{.key = entry.key, .index = entry.index, .line = entry.line};
    const bool there = output.Find(place) == io::RowState::kServed;
    return there ? output.Reuse(place) : output.Append(place, moved, entry.failed);
  };
  SGLRUN_RETURN_IF_ERROR(rows.ForEach(write));
  return output.Finish(*shards[0].journal.finished);
}

}  // namespace

Result<int> RunMerge(const MergeSettings& settings) {
  if (settings.lines) return MergeLines(settings);
  if (!settings.records.empty()) return Error{"--records belongs to merge --lines"};
  if (settings.check) return CheckMerge(settings);
  std::vector<ShardOutput> shards;
  for (const std::string& path : settings.inputs) {
    SGLRUN_ASSIGN_OR_RETURN(ShardOutput shard, ReadShardOutput(path));
    shards.push_back(std::move(shard));
  }
  SGLRUN_RETURN_IF_ERROR(CheckComplete(shards, settings.mixed_isa));
  SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<io::RunOutput> output,
                          io::RunOutput::Open({.path = settings.output,
                                               .run = MergedRun(shards),
                                               .overwrite = settings.overwrite,
                                               .lines = LinesOfRows(shards[0].journal.run)}));
  SGLRUN_RETURN_IF_ERROR(WriteMerged(shards, settings.output, *output));
  return console::kExitOk;
}

}  // namespace sglrun::run
