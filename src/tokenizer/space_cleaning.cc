#include "tokenizer/space_cleaning.h"

#include <utility>

#include "tokenizer/word_decoders.h"

namespace sglrun::tokenizer {
namespace {

// Applied one after the other, each to what the one before left (transformers 5.24.0,
// PreTrainedTokenizerBase.clean_up_tokenization).
constexpr std::pair<std::string_view, std::string_view> kCleanings[] = {
    {" .", "."},     {" ?", "?"},   {" !", "!"},   {" ,", ","},     {" ' ", "'"},
    {" n't", "n't"}, {" 'm", "'m"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};

bool Parts(char c) {
  return c == ' ' || c == '\'';
}

}  // namespace

std::string CleanUpTokenizationSpaces(std::string text) {
  for (const auto& [from, to] : kCleanings) {
    if (text.find(from) != std::string::npos) text = LiteralReplaced(text, from, to);
  }
  return text;
}

// Every pattern begins with a space, and where it is cut in two, a space or an apostrophe is among
// the last two bytes of the first part. No cleaning brings other bytes to the end of a text.
std::size_t SettledBytes(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && (Parts(text[end - 1]) || (end > 1 && Parts(text[end - 2])))) --end;
  return end;
}

}  // namespace sglrun::tokenizer
