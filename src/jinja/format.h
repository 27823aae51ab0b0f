// Python's format specifications: the part after the colon in "{:>10.2f}", and the conversions of
// '%5.1f' % x, which are equivalent.
#pragma once

#include <string>
#include <string_view>

#include "jinja/callable.h"
#include "jinja/text.h"

namespace sglrun::jinja {

struct FormatSpec {
  std::string fill = " ";
  char align = 0;  // < > ^ =
  char sign = '-';
  bool alternate = false;
  bool negative_zero = false;
  std::int64_t width = 0;
  char grouping = 0;  // , or _
  std::int64_t precision = -1;
  char type = 0;
};

Try<FormatSpec> ParseFormatSpec(std::string_view text, const Value& value);
Try<void> AppendFormatted(TextBuilder& out, const Value& value, std::string_view spec);
// A number by its specification, sign and grouping included, without padding to `width`.
Try<std::string> FormatNumber(const Value& number, const FormatSpec& spec);
// Pads to the width, counted in characters; `digits_at` is where '=' puts the fill.
void AppendPadded(TextBuilder& out, const String& text, const FormatSpec& spec, char standard_align,
                  std::size_t digits_at = 0);

// "...".format(args): fields by place, by name, with attributes and items, conversions and nested
// specifications.
Try<Value> FormatBraces(Runtime& runtime, const String& format, const CallArgs& args);

}  // namespace sglrun::jinja
