#include "io/dialect/numberer.h"

#include <utility>

namespace sglrun::io {
namespace {

// The text of an object with one more member, the first one. Everything else stays as it is.
std::string WithMember(const std::string& member, const std::string& object, bool is_empty) {
  const std::size_t after_brace = object.find('{') + 1;
  return object.substr(0, after_brace) + member + (is_empty ? "" : ",") +
         object.substr(after_brace);
}

// Everything of the line is in its number.
std::string OnlyNumber(const RecordNumber& number) {
  return "{" + NumberMember(number) + "}";
}

}  // namespace

RecordNumber Numberer::NumberOf(const InputRecord& line, ParsedLine& parsed, LineFormat format) {
  const bool is_object = !parsed.error.has_value();
  Hash128 with_id;
  if (is_object) HashContent(parsed, dialects_.IdName(), with_id);
  RecordNumber number{.line = line.index + 1,
                      .copy = contents_.Add(parsed.content.low),
                      .file = names_file_ ? line.file : "",
                      .file_line = line.line,
                      .too_long = line.too_long};
  number.repeats_id = parsed.rid && ids_.Add(HashBytes(*parsed.rid).low) > 0;
  if (dialects_.is_openai()) number.format = LineFormat::kOpenAi;
  if (!is_object && format == LineFormat::kText) number.format = LineFormat::kText;
  return number;
}

Result<std::string> Numberer::Number(InputRecord line) {
  const LineFormat format = dialects_.FormatOf(line);
  const std::string text = line.text;
  ParsedLine parsed = ParseLine(line, format);
  if (parsed.number) {
    return Error{line.file + ":" + std::to_string(line.line) +
                 " is numbered already; number the original input"};
  }
  dialects_.Settle(line, parsed, /*again=*/false);
  const bool is_empty = parsed.object.is_object() && parsed.object.as_object().empty();
  RecordNumber number = NumberOf(line, parsed, format);
  std::string numbered;
  if (parsed.error) {
    if (!number.too_long) number.bytes = text;
    numbered = OnlyNumber(number);
  } else {
    const bool is_text = format == LineFormat::kText;
    numbered = WithMember(NumberMember(number), is_text ? parsed.object.Dump() : text, is_empty);
  }
  if (numbered.size() > kMaxLineBytes) {  // no run could read it
    number.bytes.reset();
    number.too_long = true;
    numbered = OnlyNumber(number);
  }
  return numbered + "\n";
}

}  // namespace sglrun::io
