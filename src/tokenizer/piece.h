// The nouns between the steps of encoding.
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace sglrun::tokenizer {

// A stretch of text on its way to the model.
struct Piece {
  std::string_view text;
  bool at_start = false;  // begins where the whole input begins
};

// Texts that steps made up, alive as long as the pieces that view them. A deque never moves them.
using TextArena = std::deque<std::string>;

}  // namespace sglrun::tokenizer
