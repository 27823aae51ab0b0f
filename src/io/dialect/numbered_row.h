// Rows of numbered records (record_number.h), and what is left of them without their line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sglrun::io {

struct NumberedRow {
  std::int64_t line = 0;
  std::string row;  // as a run of the records that are not numbered writes it, with its line end
};

// `text` has no line end. nullopt if it is not valid JSON or does not begin with its line.
std::optional<NumberedRow> TakeLine(std::string_view text);

// Whether two rows differ in nothing but timing.
bool AreEqualButForTiming(std::string_view a, std::string_view b);

}  // namespace sglrun::io
