#include <charconv>
#include <cmath>
#include <limits>

#include "base/json_text.h"
#include "base/utf8.h"

namespace sglrun {
namespace {

// The line ends of Unicode beyond ASCII: U+0085, U+2028 and U+2029. JSON demands escapes of the
// others.
std::size_t FindLineEnd(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at, 3);
    if (rest.starts_with("\xC2\x85") || rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9") return at;
  }
  return std::string_view::npos;
}

// Escapes the line ends in what has been appended to `out` since `from`, which are parts of strings.
void EscapeLineEnds(std::string& out, std::size_t from) {
  std::size_t at = FindLineEnd(out, from);
  if (at == std::string::npos) return;
  std::string escaped;
  std::size_t done = from;
  for (; at != std::string::npos; at = FindLineEnd(out, done)) {
    escaped.append(out, done, at - done);
    done = at;
    const char32_t character = DecodeUtf8(out, done);
    escaped += character == 0x85 ? "\\u0085" : character == 0x2028 ? "\\u2028" : "\\u2029";
  }
  escaped.append(out, done);
  out.replace(from, std::string::npos, escaped);
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  AppendJsonEscaped(out, text);
  out.push_back('"');
}

void AppendJsonFloat(std::string& out, float value) {
  if (std::isnan(value)) {
    out += "null";
    return;
  }
  if (std::isinf(value)) {
    // Printed with the digits that Python users know from SGLang.
    out += value < 0 ? "-3.4028234663852886e38" : "3.4028234663852886e38";
    return;
  }
  if (std::fabs(value) == std::numeric_limits<float>::max()) {
    AppendJsonFloat(out, std::copysign(std::numeric_limits<float>::infinity(), value));
    return;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

void JsonWriter::Separate() {
  if (need_comma_) out_.push_back(',');
  need_comma_ = true;
}

void JsonWriter::Open(char bracket) {
  Separate();
  out_.push_back(bracket);
  need_comma_ = false;
}

void JsonWriter::Close(char bracket) {
  out_.push_back(bracket);
  need_comma_ = true;
}

// No character that a reader of lines, such as Python's splitlines(), takes for the end of one.
void JsonWriter::AppendString(std::string_view text) {
  const std::size_t begin = out_.size();
  AppendJsonString(out_, text);
  EscapeLineEnds(out_, begin);
}

void JsonWriter::Key(std::string_view key) {
  Separate();
  AppendString(key);
  out_.push_back(':');
  need_comma_ = false;
}

void JsonWriter::String(std::string_view text) {
  Separate();
  AppendString(text);
}

void JsonWriter::Int(std::int64_t value) {
  Separate();
  out_ += std::to_string(value);
}

void JsonWriter::UInt(std::uint64_t value) {
  Separate();
  out_ += std::to_string(value);
}

void JsonWriter::Bool(bool value) {
  Separate();
  out_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  Separate();
  out_ += "null";
}

void JsonWriter::Float(float value) {
  Separate();
  AppendJsonFloat(out_, value);
}

void JsonWriter::Double(double value) {
  Separate();
  AppendJsonNumber(out_, value);
}

void JsonWriter::Value(const Json& value) {
  Separate();
  const std::size_t begin = out_.size();
  AppendJsonDump(out_, value);
  EscapeLineEnds(out_, begin);
}

void JsonWriter::Raw(std::string_view json) {
  Separate();
  out_ += json;
}

}  // namespace sglrun
