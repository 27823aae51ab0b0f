// clean_up_tokenization_spaces: expectations by transformers 5.24.0,
// PreTrainedTokenizerBase.clean_up_tokenization(text).
#include "tokenizer/space_cleaning.h"

#include <doctest/doctest.h>

#include <string>

namespace sglrun::tokenizer {
namespace {

TEST_CASE("spaces before punctuation and contractions go") {
  CHECK(CleanUpTokenizationSpaces("I do n't know , it 's all I 've got !") ==
        "I don't know, it's all I've got!");
  CHECK(CleanUpTokenizationSpaces("we 're here . I 'm ? a ' b") == "we're here. I'm? a'b");
  CHECK(CleanUpTokenizationSpaces("a  . b") == "a . b");
  CHECK(CleanUpTokenizationSpaces("  ' s") == "'s");
  CHECK(CleanUpTokenizationSpaces("") == "");
  CHECK(CleanUpTokenizationSpaces("nothing to do:é") == "nothing to do:é");
}

TEST_CASE("cleaned text does not change when more text follows") {
  const std::string letters = " '.ntvesrm";
  // All texts of up to five of these characters.
  std::string text;
  const auto visit = [&](auto&& self) -> void {
    const std::string whole = CleanUpTokenizationSpaces(text);
    for (std::size_t size = 0; size <= text.size(); ++size) {
      const std::string_view begun = std::string_view(text).substr(0, size);
      const std::string settled(begun.substr(0, SettledBytes(begun)));
      if (!whole.starts_with(CleanUpTokenizationSpaces(settled))) FAIL(text, " ", size);
    }
    if (text.size() == 5) return;
    for (const char c : letters) {
      text.push_back(c);
      self(self);
      text.pop_back();
    }
  };
  visit(visit);
  CHECK(SettledBytes("all done") == 8);
  CHECK(SettledBytes("it '") == 2);
}

}  // namespace
}  // namespace sglrun::tokenizer
