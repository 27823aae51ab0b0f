#include "tokenizer/text_cleaning.h"

#include <algorithm>
#include <array>

#include "base/stop_flag.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace sglrun::tokenizer {
namespace {

// Rewrites each character: append(c, its text, out).
template <class Append>
std::string ForEachCharacter(std::string_view text, Append append) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size() && !StopFlag::requested();) {
    const std::size_t begin = pos;
    const char32_t c = DecodeUtf8(text, pos);
    append(c, text.substr(begin, pos - begin), out);
  }
  return out;
}

bool IsDroppedForTranslation(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
         c == 0x8F || c == 0x9F;
}

bool IsSpaceForTranslation(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
         c == kReplacementCharacter;
}

// The blocks of CJK ideographs that BERT knows; extension E begins at U+2B920 in the reference.
bool IsIdeograph(char32_t c) {
  struct Block {
    char32_t first, last;
  };
  static constexpr std::array<Block, 8> kBlocks = {{{0x4E00, 0x9FFF},
                                                    {0x3400, 0x4DBF},
                                                    {0x20000, 0x2A6DF},
                                                    {0x2A700, 0x2B73F},
                                                    {0x2B740, 0x2B81F},
                                                    {0x2B920, 0x2CEAF},
                                                    {0xF900, 0xFAFF},
                                                    {0x2F800, 0x2FA1F}}};
  return std::any_of(kBlocks.begin(), kBlocks.end(),
                     [c](const Block& block) { return c >= block.first && c <= block.last; });
}

std::string WithoutControls(std::string_view text) {
  return ForEachCharacter(text, [](char32_t c, std::string_view own, std::string& out) {
    const bool blank = unicode::IsWhitespace(c);
    const bool line = c == '\t' || c == '\n' || c == '\r';
    if (c == 0 || c == kReplacementCharacter || (unicode::IsControl(c) && !line)) return;
    out.append(blank ? " " : own);
  });
}

std::string WithSpacedIdeographs(std::string_view text) {
  return ForEachCharacter(text, [](char32_t c, std::string_view own, std::string& out) {
    if (IsIdeograph(c)) {
      out.append(" ").append(own).append(" ");
    } else {
      out.append(own);
    }
  });
}

std::string WithoutAccents(std::string_view text) {
  return ForEachCharacter(unicode::ToNormalForm(text, unicode::NormalForm::kNfd),
                          [](char32_t c, std::string_view own, std::string& out) {
                            if (!unicode::IsNonSpacingMark(c)) out.append(own);
                          });
}

}  // namespace

std::string CleanForTranslation(std::string_view text) {
  return ForEachCharacter(text, [](char32_t c, std::string_view own, std::string& out) {
    if (!IsDroppedForTranslation(c)) out.append(IsSpaceForTranslation(c) ? " " : own);
  });
}

std::string CleanForBert(std::string_view text, const BertCleaning& options) {
  std::string out(text);
  if (options.clean_text) out = WithoutControls(out);
  if (options.handle_chinese_chars) out = WithSpacedIdeographs(out);
  if (options.strip_accents) out = WithoutAccents(out);
  if (options.lowercase) out = unicode::ToLowerCase(out);
  return out;
}

}  // namespace sglrun::tokenizer
