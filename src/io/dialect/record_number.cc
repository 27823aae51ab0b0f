#include "io/dialect/record_number.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/utf8.h"
#include "request/read_value.h"

namespace sglrun::io {
namespace {

using request::BadValue;

constexpr std::string_view kMember = "sglrun";

std::string PathOf(std::string_view name) {
  return std::string(kMember) + "." + std::string(name);
}

Result<std::int64_t, RecordError> Integer(const Json& value, std::string_view name,
                                          std::int64_t least, std::int64_t most) {
  if (value.is_int() && value.as_int() >= least && value.as_int() <= most) return value.as_int();
  return BadValue(PathOf(name), value.Excerpt(),
                  "an integer from " + std::to_string(least) + " to " + std::to_string(most));
}

Result<LineFormat, RecordError> Format(const Json& value) {
  if (value.is_string() && value.as_string() == "openai") return LineFormat::kOpenAi;
  if (value.is_string() && value.as_string() == "text") return LineFormat::kText;
  return BadValue(PathOf("format"), value.Excerpt(), "openai or text");
}

// A character from U+0000 to U+00FF for each byte, so that bytes that are no UTF-8 fit into JSON.
std::string AsCharacters(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) AppendUtf8(text, static_cast<unsigned char>(c));
  return text;
}

Result<std::string, RecordError> AsBytes(const Json& value) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, request::ReadString(value, PathOf("bytes")));
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = DecodeUtf8(text, at);
    if (c > 0xFF) {
      return BadValue(PathOf("bytes"), value.Excerpt(), "a string of characters up to U+00FF");
    }
    bytes += static_cast<char>(c);
  }
  return bytes;
}

Result<void, RecordError> ReadMember(const Json::Member& member, RecordNumber& number) {
  constexpr std::int64_t kMostLines = std::numeric_limits<std::int64_t>::max();
  const auto& [name, value] = member;
  if (name == "line") {
    SGLRUN_ASSIGN_OR_RETURN(number.line, Integer(value, name, 1, kMostLines));
  } else if (name == "copy") {
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t copy,
                            Integer(value, name, 0, std::numeric_limits<std::uint32_t>::max()));
    number.copy = static_cast<std::uint32_t>(copy);
  } else if (name == "again") {
    SGLRUN_ASSIGN_OR_RETURN(number.repeats_id, request::ReadBool(value, PathOf(name)));
  } else if (name == "file") {
    SGLRUN_ASSIGN_OR_RETURN(number.file, request::ReadString(value, PathOf(name)));
  } else if (name == "file_line") {
    SGLRUN_ASSIGN_OR_RETURN(number.file_line, Integer(value, name, 1, kMostLines));
  } else if (name == "format") {
    SGLRUN_ASSIGN_OR_RETURN(number.format, Format(value));
  } else if (name == "bytes") {
    SGLRUN_ASSIGN_OR_RETURN(number.bytes, AsBytes(value));
  } else if (name == "too_long") {
    SGLRUN_ASSIGN_OR_RETURN(number.too_long, request::ReadBool(value, PathOf(name)));
  } else {
    return RecordError{"unknown field " + Json(name).Excerpt() + " in " + std::string(kMember),
                       std::string(kMember)};
  }
  return {};
}

Result<RecordNumber, RecordError> ReadNumber(const Json& value) {
  if (!value.is_object()) return BadValue(kMember, value.Excerpt(), "an object");
  RecordNumber number;
  for (const Json::Member& member : value.as_object()) {
    SGLRUN_RETURN_IF_ERROR(ReadMember(member, number));
  }
  if (number.line == 0) return BadValue(PathOf("line"), "missing", "an integer of at least 1");
  if (number.file_line == 0) number.file_line = number.line;
  return number;
}

}  // namespace

Result<std::optional<RecordNumber>, RecordError> TakeNumber(Json& object) {
  Json::Object& members = object.as_object();
  const auto at = std::ranges::find(members, kMember, &Json::Member::first);
  if (at == members.end()) return std::optional<RecordNumber>();
  const Json value = std::move(at->second);
  members.erase(at);
  SGLRUN_ASSIGN_OR_RETURN(RecordNumber number, ReadNumber(value));
  return std::optional(std::move(number));
}

std::string NumberMember(const RecordNumber& number) {
  Json::Object members{{"line", number.line}, {"copy", std::int64_t{number.copy}}};
  if (number.repeats_id) members.emplace_back("again", true);
  if (!number.file.empty()) members.emplace_back("file", ToValidUtf8(number.file));
  if (number.file_line != number.line) members.emplace_back("file_line", number.file_line);
  if (number.format == LineFormat::kOpenAi) members.emplace_back("format", std::string("openai"));
  if (number.format == LineFormat::kText) members.emplace_back("format", std::string("text"));
  if (number.bytes) members.emplace_back("bytes", AsCharacters(*number.bytes));
  if (number.too_long) members.emplace_back("too_long", true);
  return "\"" + std::string(kMember) + "\":" + Json(std::move(members)).Dump();
}

}  // namespace sglrun::io
