// The nouns between the steps of encoding.
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace sglrun::tokenizer {

// A piece of text that is passed to the model.
struct Piece {
  std::string_view text;
  bool at_start = false;  // begins where the whole input begins
};

// Texts created by steps. They must live as long as the pieces that refer to them; a deque never
// moves them.
using TextArena = std::deque<std::string>;

}  // namespace sglrun::tokenizer
