// A step as values: the rows that it computes, and the draw that gives their next tokens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/sequence.h"

namespace sglrun::engine {

// Tokens [first, first + count) of a sequence, and the output rows of their states: those of
// positions [first_wanted, first + count) are output rows first_output, first_output + 1, ...
struct StepRow {
  Sequence* sequence = nullptr;  // null once the sequence has left the engine
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t first_wanted = 0;
  std::int64_t first_output = 0;

  std::int64_t end() const { return first + count; }
  // The sequence's last token is among them: the row gives the next one.
  bool gives_token() const { return end() == sequence->size(); }
};

// A forward pass that was launched.
struct StepRows {
  std::vector<StepRow> rows;
  std::int64_t output_count = 0;  // rows of the model's output

  bool AnyLeft() const {
    return std::ranges::any_of(rows, [](const StepRow& row) { return row.sequence != nullptr; });
  }
};

// The rows of a step that give a token.
struct DrawRows {
  std::vector<Sequence*> sampled;         // row r of the draw belongs to sampled[r]
  std::vector<std::int32_t> output_rows;  // and reads this row of the model's output
  std::vector<std::uint32_t> mask_words;  // a line for each sampled row with a constraint
  std::vector<Sequence*> forced;          // their constraint allows only one token
};

}  // namespace sglrun::engine
