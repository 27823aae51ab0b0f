// The patterns with which families of byte-level tokenizers cut text, for files that only name the
// family: GGUF files under tokenizer.ggml.pre, and vocabularies without a tokenizer.json.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace sglrun::tokenizer {

struct PrePattern {
  std::span<const std::string_view> patterns;  // applied one after the other
  bool nfc = false;                            // the family's tokenizer composes characters first
  bool ignore_merges = false;                  // a word that is a token is that token
  bool add_bos = false;                        // when the file does not say
};

// By the names of tokenizer.ggml.pre. Unknown names are refused, because a wrong pattern would give
// plausible but wrong tokens.
Result<PrePattern> FindPrePattern(std::string_view name);

// 's|'t|...: the pattern of GPT-2, which ByteLevel pre-tokenizers use as well.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

}  // namespace sglrun::tokenizer
