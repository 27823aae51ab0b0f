// Byte-level BPE written as a list of byte strings with ranks (tiktoken, tekken). There are no
// merges: two neighbours may merge when both together have a rank, the lowest rank first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/parts.h"

namespace sglrun::tokenizer {

struct RankedToken {
  std::string bytes;
  std::int64_t rank;
};

// Fills in vocabulary, model, pre-tokenizer and decoder. Ids are ranks plus `first_id`. Every byte
// must be a token.
Status FillFromRanks(std::span<const RankedToken> tokens, std::int64_t first_id,
                     std::span<const std::string_view> patterns, TokenizerParts& parts);

}  // namespace sglrun::tokenizer
