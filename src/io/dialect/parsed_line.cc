#include "io/dialect/parsed_line.h"

#include <algorithm>
#include <utility>

#include "base/large_json.h"
#include "base/utf8.h"
#include "io/dialect/file_dialect.h"
#include "io/dialect/record.h"
#include "io/openai/line.h"

namespace sglrun::io {
namespace {

// Seeds that keep hashes of different things apart.
constexpr std::uint64_t kRawLineSeed = 1;
constexpr std::uint64_t kLongLineSeed = 2;

std::string ByteColumn(std::size_t size, const JsonError& error) {
  std::string sentence = "malformed JSON at byte " + std::to_string(error.offset + 1) + ": ";
  sentence += error.message;
  if (error.offset >= size) return sentence + " (the line ends there)";
  return sentence;
}

// Converts a line of --input-format text to a record.
Json TextRecord(std::string text) {
  Json::Object object;
  object.emplace_back("text", Json(std::move(text)));
  return Json(std::move(object));
}

RecordError Malformed(std::size_t size, const LargeJsonError& found) {
  if (!found.too_large) return RecordError{ByteColumn(size, found.error)};
  return RecordError{found.error.message + " before byte " +
                     std::to_string(found.error.offset + 1) + " of " + std::to_string(size) +
                     ": make several records of the line"};
}

void ParseObject(std::string& text, ParsedLine& parsed) {
  const std::size_t size = text.size();
  auto json = ParseLargeJson(text, kMaxValueBytes);
  if (!json.ok()) {
    parsed.error = Malformed(size, json.error());
    return;
  }
  parsed.object = std::move(json->value);
  parsed.duplicate_keys = std::move(json->duplicate_keys);
}

ParsedLine ParseUnnumbered(InputRecord& line, LineFormat format) {
  ParsedLine parsed;
  if (line.too_long) {
    parsed.content = HashBytes(std::to_string(line.index), kLongLineSeed);
    parsed.error =
        RecordError{"the line is longer than " + std::to_string(kMaxLineBytes >> 20) + " MiB"};
    return parsed;
  }
  std::string text = std::move(line.text);
  parsed.content = HashBytes(text, kRawLineSeed);
  if (format == LineFormat::kText) {
    if (const std::size_t bad = FindInvalidUtf8(text); bad != std::string_view::npos) {
      parsed.error = RecordError{"invalid UTF-8 at byte " + std::to_string(bad + 1)};
      return parsed;
    }
    parsed.object = TextRecord(std::move(text));
  } else {
    if (format == LineFormat::kAuto) {
      parsed.has_openai_words = text.find("\"custom_id\"") != std::string::npos;
    }
    ParseObject(text, parsed);
    if (parsed.error) return parsed;
  }
  if (!parsed.object.is_object()) {
    parsed.error = RecordError{std::string("a record must be a JSON object, found ") +
                               parsed.object.KindName()};
  }
  return parsed;
}

}  // namespace

ParsedLine ParseLine(InputRecord& line, LineFormat format) {
  ParsedLine parsed = ParseUnnumbered(line, format);
  if (parsed.error || format == LineFormat::kText) return parsed;
  auto number = TakeNumber(parsed.object);
  if (!number.ok()) {
    parsed.error = std::move(number).error();
    return parsed;
  }
  if (!*number) return parsed;
  RecordNumber& found = **number;
  if (found.bytes || found.too_long) {
    InputRecord original;
    original.index = found.line - 1;
    original.too_long = found.too_long;
    if (found.bytes) original.text = *std::exchange(found.bytes, std::nullopt);
    parsed = ParseUnnumbered(original, found.format);
  }
  parsed.number = std::move(found);
  return parsed;
}

void HashContent(ParsedLine& parsed, std::string_view id_name, Hash128& with_rid) {
  Json::Object& members = parsed.object.as_object();
  const auto rid = std::find_if(members.begin(), members.end(), [&](const Json::Member& member) {
    return member.first == id_name;
  });
  Json rid_value;
  if (rid != members.end()) {
    rid_value = std::move(rid->second);
    members.erase(rid);
  }
  parsed.content = CanonicalHash(parsed.object);
  with_rid = parsed.content;
  if (rid_value.is_null()) return;
  with_rid = CanonicalHash(rid_value, parsed.content.ToHex());
  if (rid_value.is_string()) parsed.rid = rid_value.as_string();
  members.emplace_back(std::string(id_name), std::move(rid_value));
}

LineDialects::LineDialects(LineFormat format)
    : stated_(format), format_(format), is_openai_(format == LineFormat::kOpenAi) {}

LineFormat LineDialects::FormatOf(const InputRecord& line) const {
  return stated_ == LineFormat::kAuto && line.file == file_ ? format_ : stated_;
}

void LineDialects::Settle(const InputRecord& line, const ParsedLine& parsed, bool again) {
  if (stated_ != LineFormat::kAuto) return;
  if (parsed.number) {
    is_openai_ = parsed.number->format == LineFormat::kOpenAi;
    return;
  }
  if (line.file != file_) BeginFile(line.file, again);
  is_openai_ = format_ == LineFormat::kOpenAi;
  if (format_ != LineFormat::kAuto) return;
  const bool is_object = parsed.object.is_object();
  if (!is_object && !looked_ahead_) ahead_ = HoldsOpenAiLines(file_);
  looked_ahead_ = true;
  is_openai_ =
      is_object ? openai::LooksLikeLine(parsed.object) : ahead_.value_or(parsed.has_openai_words);
  if (!is_object) return;
  format_ = is_openai_ ? LineFormat::kOpenAi : LineFormat::kGenerate;
  formats_[file_] = format_;
}

void LineDialects::BeginFile(const std::string& file, bool again) {
  file_ = file;
  looked_ahead_ = false;
  // The lines so far of a file that is read again may not be those that decided.
  const auto known = formats_.find(file);
  format_ = again && known != formats_.end() ? known->second : LineFormat::kAuto;
}

}  // namespace sglrun::io
