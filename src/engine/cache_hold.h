// The state of a sequence in the key-value cache. Only the scheduler changes it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/block_manager.h"

namespace sglrun::engine {

struct CacheHold {
  std::uint64_t order = 0;     // of submission
  std::int64_t computed = 0;   // tokens whose keys and values are in the cache
  std::int64_t scheduled = 0;  // tokens of the step that is being planned
  std::vector<PageId> pages;   // block table
  bool was_admitted = false;   // the tokens that came from the cache are counted
  // While a step is planned ahead: the row of the unread draw that determines the next token; -1:
  // none.
  std::int32_t drawn_row = -1;
};

}  // namespace sglrun::engine
