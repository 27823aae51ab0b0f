#include "run/shard_output.h"

#include <sys/stat.h>

#include <map>
#include <optional>

#include "base/strings.h"
#include "io/dialect/side_files.h"
#include "io/output_paths.h"
#include "run/identity.h"

namespace sglrun::run {
namespace {

Result<std::int64_t> FileSize(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error{Quoted(path) + " is not a readable file"};
  }
  return static_cast<std::int64_t>(info.st_size);
}

Status TakeShard(ShardOutput& shard) {
  const Json* text = shard.journal.run.Find(kShardName);
  if (text == nullptr || !text->is_string()) {
    return Error{io::JournalPath(shard.path) + " does not state the shard"};
  }
  const std::optional<Shard> parsed = ParseShard(text->as_string());
  if (!parsed) {
    return Error{"--shard is \"" + text->as_string() + "\", must be " + "I/N"};
  }
  shard.shard = *parsed;
  return {};
}

Status CheckSameIdentity(const ShardOutput& first, const ShardOutput& other, MixedIsa mixed) {
  const Json whole = WithoutShard(first.journal.run), part = WithoutShard(other.journal.run);
  const std::string but_isa = io::DescribeDifference(WithoutIsa(whole), WithoutIsa(part));
  const std::string difference = io::DescribeDifference(whole, part);
  if (difference.empty() || (mixed == MixedIsa::kAllowed && but_isa.empty())) return {};
  const char* advice = but_isa.empty() ? "; --mixed-isa joins them all the same" : "";
  return Error{Quoted(first.path) + " and " + Quoted(other.path) +
               " are of different runs: " + difference + advice};
}

}  // namespace

std::string Quoted(const std::string& path) {
  return "\"" + path + "\"";
}

Result<ShardOutput> ReadShardOutput(const std::string& path) {
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
  SGLRUN_RETURN_IF_ERROR(TakeShard(shard));
  return shard;
}

Status CheckSameRun(const std::vector<ShardOutput>& shards, MixedIsa mixed) {
  const ShardOutput& first = shards[0];
  for (const ShardOutput& other : shards) {
    SGLRUN_RETURN_IF_ERROR(CheckSameIdentity(first, other, mixed));
    if (other.shard.count != first.shard.count) {
      return Error{Quoted(first.path) + " is one of " + std::to_string(first.shard.count) +
                   " shards, " + Quoted(other.path) + " one of " +
                   std::to_string(other.shard.count)};
    }
    const bool both = first.journal.finished && other.journal.finished;
    if (both && *other.journal.finished != *first.journal.finished) {
      return Error{Quoted(first.path) + " saw " + FormatCount(first.journal.finished->records) +
                   " input records, " + Quoted(other.path) + " " +
                   FormatCount(other.journal.finished->records) + ": the input was not the same"};
    }
  }
  return {};
}

Status CheckNoRepeats(const std::vector<ShardOutput>& shards) {
  std::map<std::int64_t, const ShardOutput*> by_index;
  for (const ShardOutput& shard : shards) {
    const auto [at, added] = by_index.emplace(shard.shard.index, &shard);
    if (added) continue;
    return Error{"shard " + shard.shard.ToString() +
                 " is given twice: " + Quoted(at->second->path) + " and " + Quoted(shard.path)};
  }
  return {};
}

std::vector<std::int64_t> MissingShards(const std::vector<ShardOutput>& shards) {
  std::vector<bool> given(static_cast<std::size_t>(shards[0].shard.count), false);
  for (const ShardOutput& shard : shards) given[static_cast<std::size_t>(shard.shard.index)] = true;
  std::vector<std::int64_t> missing;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) missing.push_back(static_cast<std::int64_t>(i));
  }
  return missing;
}

Status CheckSideFiles(const std::string& path, const std::string& row, const std::string& output) {
  SGLRUN_ASSIGN_OR_RETURN(const auto files, io::SideFilesOf(row, path));
  if (files.empty() || !io::IsLooseOutput(output)) return {};
  return Error{
      "rows of " + Quoted(path) +
      " name files of hidden states, which are stored beside an output; give one with --output"};
}

io::RowLines LinesOfRows(const Json& run) {
  const Json* flatten = run.Find("flatten");
  const bool flat = flatten != nullptr && flatten->is_bool() && flatten->as_bool();
  return flat ? io::RowLines::kAny : io::RowLines::kOne;
}

}  // namespace sglrun::run
