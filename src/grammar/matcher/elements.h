// Elements that must differ from each other (node::Distinct): their values, and whether a text can
// still end with one that is new.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "grammar/matcher/frontier.h"

namespace sglrun::grammar {

// Equal for JSON texts of equal values.
Hash128 KeyOfElement(std::string_view json);

// The position in the text of a value: whether it is inside a string, and there after a backslash.
struct JsonPlace {
  bool in_string = false, escaped = false;

  void Read(char c);
  bool Skips(char c) const;  // white space between the parts of a value
};
// A text, or the beginning of one, without the white space between its parts. `end`: its place.
std::string WithoutSpace(std::string_view json, JsonPlace* end = nullptr);

// What is left of values seen before that the elements under way may still repeat.
struct Repeats {
  std::vector<std::string> rests;  // without white space
  JsonPlace place;                 // of the text so far
  bool free = false;               // some reading of the text can repeat none of them
};

// Asks of places in a text whether it can go on to a member. Every automaton can by itself; only
// elements that all have been there already are in the way. The question is answered by following
// the values that the text may still repeat, to where another one parts from them; after a fixed
// amount of work the answer is yes.
class ElementSearch {
 public:
  // `text` is changed while it is extended, and put back.
  ElementSearch(const Program& program, Stacks& stacks, std::string& text)
      : program_(program), stacks_(stacks), text_(text), stepper_(program, stacks, &text) {}

  bool CanGoOn(const Frontier& frontier);
  Repeats RepeatsAt(const Frontier& frontier) const;
  // Whether the bytes lead on from the frontier to where the text can go on.
  bool Takes(const Frontier& frontier, std::string_view bytes);
  std::int64_t work() const { return stepper_.work() + work_; }

 private:
  bool GoesOn(const Frontier& frontier);
  bool GoesOnBy(const Frontier& frontier, std::uint8_t byte);
  bool AddRepeats(StackId stack, Repeats& repeats, int depth) const;
  bool AddRepeatsOf(const Site& site, Repeats& repeats, int depth) const;
  std::int32_t ByteApart(const Program::ByteEdge& edge, const Repeats& repeats) const;

  const Program& program_;
  Stacks& stacks_;
  std::string& text_;
  Stepper stepper_;
  int depth_ = 0;
  std::int64_t work_to_stop_at_ = 0;
  mutable std::int64_t work_ = 0;
};

}  // namespace sglrun::grammar
