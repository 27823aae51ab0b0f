// How many prompt tokens the prefix cache will save, from token ids alone: pages of a prompt whose
// tokens, and all before them, were seen in an earlier prompt.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>

namespace sglrun::plan {

class PrefixEstimate {
 public:
  // The tokens of this prompt that need not be computed again.
  std::int64_t Add(std::span<const std::int32_t> prompt);

 private:
  std::unordered_set<std::uint64_t> pages_;  // hash of a page and of all before it
};

}  // namespace sglrun::plan
