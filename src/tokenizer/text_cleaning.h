// Normalizers that clean text for a family of models: Nmt and BertNormalizer.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::tokenizer {

// Drops control characters, and replaces other separators of words by spaces.
std::string CleanForTranslation(std::string_view text);

struct BertCleaning {
  bool clean_text = true;            // no controls and U+FFFD; every blank is a space
  bool handle_chinese_chars = true;  // a space on both sides of CJK ideographs
  bool strip_accents = true;
  bool lowercase = true;
};
std::string CleanForBert(std::string_view text, const BertCleaning& options);

}  // namespace sglrun::tokenizer
