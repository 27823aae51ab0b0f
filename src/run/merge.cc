// Joins the outputs of shards. Their journals state which record each row belongs to.
#include "run/merge.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "console/exit_codes.h"
#include "io/dialect/side_files.h"
#include "io/journal.h"
#include "io/row_reader.h"
#include "io/run_output.h"
#include "run/identity.h"
#include "run/shard.h"

namespace sglrun::run {
namespace {

struct ShardOutput {
  std::string path;
  io::JournalContents journal;
  std::unique_ptr<io::RowReader> reader;
  std::int64_t index = 0, count = 1;  // "2/8" of its run
  std::size_t next = 0;               // its first row that is not merged yet

  std::int64_t next_record() const { return journal.entries[next].index; }
};

std::string Quoted(const std::string& path) {
  return "\"" + path + "\"";
}

Result<std::int64_t> FileSize(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error{Quoted(path) + " is not a readable file"};
  }
  return static_cast<std::int64_t>(info.st_size);
}

Status ReadShard(ShardOutput& shard) {
  const Json* text = shard.journal.run.Find(kShardName);
  if (text == nullptr || !text->is_string()) {
    return Error{io::JournalPath(shard.path) + " does not state the shard"};
  }
  const std::optional<Shard> parsed = ParseShard(text->as_string());
  if (!parsed) {
    return Error{"--shard is \"" + text->as_string() + "\", must be " + std::string(kShardForm)};
  }
  shard.index = parsed->index;
  shard.count = parsed->count;
  return {};
}

io::RowLines LinesOfRows(const Json& run) {
  const Json* flatten = run.Find("flatten");
  const bool flat = flatten != nullptr && flatten->is_bool() && flatten->as_bool();
  return flat ? io::RowLines::kAny : io::RowLines::kOne;
}

Result<ShardOutput> OpenShard(const std::string& path) {
  ShardOutput shard;
  shard.path = path;
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t size, FileSize(path));
  SGLRUN_ASSIGN_OR_RETURN(std::optional<io::JournalContents> journal,
                          io::ReadJournal(io::JournalPath(path), size));
  if (!journal) {
    return Error{Quoted(path) + " has no journal (" + io::JournalPath(path) +
                 "), so it is not an output of `sglrun batch`"};
  }
  shard.journal = *std::move(journal);
  SGLRUN_RETURN_IF_ERROR(ReadShard(shard));
  if (!shard.journal.finished) {
    return Error{Quoted(path) + " is not finished; run its command again"};
  }
  SGLRUN_ASSIGN_OR_RETURN(shard.reader, io::RowReader::Open(path, io::CompressionOf(path),
                                                            LinesOfRows(shard.journal.run)));
  if (!std::ranges::is_sorted(shard.journal.entries, {}, &io::JournalEntry::index)) {
    return Error{Quoted(path) +
                 " is not in input order (--order completion), so it cannot be merged"};
  }
  return shard;
}

Status CheckSameRun(const std::vector<ShardOutput>& shards) {
  const ShardOutput& first = shards[0];
  for (const ShardOutput& other : shards) {
    const std::string difference =
        io::DescribeDifference(WithoutShard(first.journal.run), WithoutShard(other.journal.run));
    if (!difference.empty()) {
      return Error{Quoted(first.path) + " and " + Quoted(other.path) +
                   " are of different runs: " + difference};
    }
    if (other.count != first.count) {
      return Error{Quoted(first.path) + " is one of " + std::to_string(first.count) + " shards, " +
                   Quoted(other.path) + " one of " + std::to_string(other.count)};
    }
    if (*other.journal.finished != *first.journal.finished) {
      return Error{Quoted(first.path) + " saw " + FormatCount(first.journal.finished->records) +
                   " input records, " + Quoted(other.path) + " " +
                   FormatCount(other.journal.finished->records) + ": the input was not the same"};
    }
  }
  return {};
}

Status CheckAllShards(const std::vector<ShardOutput>& shards) {
  std::vector<const ShardOutput*> by_index(static_cast<std::size_t>(shards[0].count), nullptr);
  for (const ShardOutput& shard : shards) {
    const ShardOutput*& place = by_index[static_cast<std::size_t>(shard.index)];
    const std::string name = std::to_string(shard.index) + "/" + std::to_string(shard.count);
    if (place != nullptr) {
      return Error{"shard " + name + " is given twice: " + Quoted(place->path) + " and " +
                   Quoted(shard.path)};
    }
    place = &shard;
  }
  std::string missing;
  for (std::size_t i = 0; i < by_index.size(); ++i) {
    if (by_index[i] != nullptr) continue;
    missing +=
        (missing.empty() ? "" : ", ") + std::to_string(i) + "/" + std::to_string(by_index.size());
  }
  if (!missing.empty()) return Error{"missing shards: " + missing};
  return {};
}

// The shard whose next row belongs to the lowest record.
ShardOutput* NextShard(std::vector<ShardOutput>& shards) {
  ShardOutput* lowest = nullptr;
  for (ShardOutput& shard : shards) {
    if (shard.next == shard.journal.entries.size()) continue;
    if (lowest == nullptr || shard.next_record() < lowest->next_record()) lowest = &shard;
  }
  return lowest;
}

// The identity of a run without shards, so that the merged output can be continued like one.
Json MergedRun(const Json& run) {
  Json whole = WithoutShard(run);
  whole.as_object().emplace_back(kShardName, std::string("0/1"));
  return whole;
}

// Gives every row in the order of the input to visit(shard, entry, row). Fails if the shards do not
// belong together or an output is damaged.
template <class Visit>
Status ForEachRow(std::vector<ShardOutput>& shards, const Visit& visit) {
  for (ShardOutput& shard : shards) shard.next = 0;
  std::int64_t expected = 0;
  while (ShardOutput* shard = NextShard(shards)) {
    const io::JournalEntry& entry = shard->journal.entries[shard->next];
    if (entry.index != expected) {
      return Error{Quoted(shard->path) +
                   (entry.index < expected ? " repeats" : " comes after missing") + " record " +
                   FormatCount(std::min(entry.index, expected) + 1) +
                   " of the input; the shards do not belong together"};
    }
    SGLRUN_ASSIGN_OR_RETURN(const std::string row,
                            shard->reader->Read(shard->journal.entries, shard->next));
    SGLRUN_RETURN_IF_ERROR(visit(*shard, entry, row));
    ++shard->next;
    ++expected;
  }
  const std::int64_t records = shards[0].journal.finished->records;
  if (expected != records) {
    return Error{"the input had " + FormatCount(records) + " records, the shards hold " +
                 FormatCount(expected)};
  }
  return {};
}

// The row can be moved to the output, with the files that it names.
Status CheckFilesOfRow(const ShardOutput& shard, const std::string& row,
                       const std::string& output) {
  SGLRUN_ASSIGN_OR_RETURN(const auto files, io::SideFilesOf(row, shard.path));
  if (files.empty() || output != "-") return {};
  return Error{
      "rows of " + Quoted(shard.path) +
      " name files of hidden states, which are stored beside an output; give one with --output"};
}

Status WriteMerged(std::vector<ShardOutput>& shards, const std::string& path,
                   io::RunOutput& output) {
  // The first pass writes nothing, so that an earlier output is not touched before all shards are
  // known to be complete.
  const auto check = [&path](const ShardOutput& shard, const io::JournalEntry&,
                             const std::string& row) { return CheckFilesOfRow(shard, row, path); };
  SGLRUN_RETURN_IF_ERROR(ForEachRow(shards, check));
  const auto write = [&](const ShardOutput& shard, const io::JournalEntry& entry,
                         const std::string& row) -> Status {
    SGLRUN_ASSIGN_OR_RETURN(const std::string moved, io::BringSideFiles(row, shard.path, path));
    const io::RowKey place{.key = entry.key, .index = entry.index, .line = entry.line};
    const bool there = output.Find(place) == io::RowState::kServed;
    return there ? output.Reuse(place) : output.Append(place, moved, entry.failed);
  };
  SGLRUN_RETURN_IF_ERROR(ForEachRow(shards, write));
  return output.Finish(*shards[0].journal.finished);
}

}  // namespace

Result<int> RunMerge(const MergeSettings& settings) {
  std::vector<ShardOutput> shards;
  for (const std::string& path : settings.inputs) {
    SGLRUN_ASSIGN_OR_RETURN(ShardOutput shard, OpenShard(path));
    shards.push_back(std::move(shard));
  }
  SGLRUN_RETURN_IF_ERROR(CheckSameRun(shards));
  SGLRUN_RETURN_IF_ERROR(CheckAllShards(shards));
  SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<io::RunOutput> output,
                          io::RunOutput::Open({.path = settings.output,
                                               .run = MergedRun(shards[0].journal.run),
                                               .overwrite = settings.overwrite,
                                               .lines = LinesOfRows(shards[0].journal.run)}));
  SGLRUN_RETURN_IF_ERROR(WriteMerged(shards, settings.output, *output));
  return console::kExitOk;
}

}  // namespace sglrun::run
