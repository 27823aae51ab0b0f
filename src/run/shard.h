// `--shard 2/8`: one process of several that share an input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace sglrun::run {

// Serves the records whose hash leaves the remainder `index` by `count`.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;

  bool Has(const Hash128& content) const {
    return content.low % static_cast<std::uint64_t>(count) == static_cast<std::uint64_t>(index);
  }
  std::string ToString() const { return std::to_string(index) + "/" + std::to_string(count); }
};

// What a shard must look like, for error sentences.
inline constexpr std::string_view kShardForm = "I/N with I from 0 to N-1";
// "2/8"; nothing where the text is none.
std::optional<Shard> ParseShard(std::string_view text);

}  // namespace sglrun::run
