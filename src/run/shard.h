// `--shard`: one process of several that share an input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace sglrun::run {

// The shard of a record, from the hash of its content.
inline std::int64_t ShardOfContent(const Hash128& content, std::int64_t shards) {
  return static_cast<std::int64_t>(content.low % static_cast<std::uint64_t>(shards));
}

// Serves the records whose hash leaves the remainder `index` by `count`.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;

  bool Has(const Hash128& content) const { return ShardOfContent(content, count) == index; }
  std::string ToString() const { return std::to_string(index) + "/" + std::to_string(count); }
  // "00017-of-00256", for names of files.
  std::string FileName() const;
};

// "2/8"; nothing if the text has another form.
std::optional<Shard> ParseShard(std::string_view text);

// The value of `--shard`.
struct ShardChoice {
  enum class Kind : std::uint8_t {
    kNamed,     // "2/8"
    kLauncher,  // "auto", "auto/8": the launcher of the process names the shard
    kAny,       // "any/8": one after the other, whichever no other process has
  };
  Kind kind = Kind::kNamed;
  Shard shard;                             // kNamed
  std::optional<std::int64_t> count = {};  // kAny; kLauncher if stated

  std::string ToString() const;
};

// What a value of `--shard` must look like, for error messages.
inline constexpr std::string_view kShardForm = "I/N with I from 0 to N-1, auto, auto/N or any/N";
std::optional<ShardChoice> ParseShardChoice(std::string_view text);

// Replaces every "{shard}" in the name of a file.
std::string WithShard(std::string name, const Shard& shard);
bool NamesShard(std::string_view name);

}  // namespace sglrun::run
