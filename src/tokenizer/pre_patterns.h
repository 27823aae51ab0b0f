// What the names under tokenizer.ggml.pre stand for. A GGUF file stores the name only.
#pragma once

#include <string_view>

#include "base/result.h"

namespace sglrun::tokenizer {

struct PrePattern {
  std::string_view pattern;
  bool digits_alone = false;   // each digit is a piece of its own
  bool nfc = false;            // the family's tokenizer composes characters first
  bool ignore_merges = false;  // a word that is a token is that token
  bool add_bos = false;        // when the file does not say
};

// Unknown names are refused with those that are known: a wrong pattern gives plausible nonsense.
Result<PrePattern> FindPrePattern(std::string_view name);

// 's|'t|...: the pattern of GPT-2, which ByteLevel pre-tokenizers use as well.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

}  // namespace sglrun::tokenizer
