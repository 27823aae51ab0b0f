#include "base/json.h"

#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "base/utf8.h"

namespace sglrun {
namespace {

constexpr std::size_t kMaxReportedDuplicates = 16;
// Objects with more members than this look for repeated keys through a sorted index.
constexpr std::size_t kLinearKeySearch = 16;
// Numbers of this size and more keep their text.
constexpr double kBeyondInt64 = 0x1p63;

// Not left to the scanner: RapidJSON 1.1 reads 0.0e308 as a small number.
Json NumberOf(std::string text) {
  const double value = std::strtod(text.c_str(), nullptr);
  std::int64_t integer = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (code == std::errc() && end == text.data() + text.size()) return Json(integer);
  if (std::fabs(value) < kBeyondInt64) return Json(value);
  return Json(JsonNumber{std::move(text)});
}

// Builds a Json from RapidJSON's events; a stack of open containers keeps it free of recursion.
class Builder {
 public:
  // `text` is what `stream` scans. `numbers` stand in place of the scanner's, in their order; may
  // be null.
  Builder(int max_depth, std::string_view text, const rapidjson::MemoryStream& stream,
          std::vector<Json>* numbers)
      : max_depth_(max_depth), text_(text), stream_(stream), numbers_(numbers) {}

  bool Null() { return Add(Json()); }
  bool Bool(bool b) { return Add(Json(b)); }
  bool Int(int i) { return Add(Json(static_cast<std::int64_t>(i))); }
  bool Uint(unsigned u) {
    if (numbers_ != nullptr) return Add(std::move((*numbers_)[next_number_++]));
    return Add(Json(static_cast<std::int64_t>(u)));
  }
  bool Int64(std::int64_t i) { return Add(Json(i)); }
  bool Uint64(std::uint64_t u) {
    if (u > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return Add(Json(JsonNumber{ScannedNumber()}));
    }
    return Add(Json(static_cast<std::int64_t>(u)));
  }
  bool Double(double) { return Add(NumberOf(ScannedNumber())); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* s, rapidjson::SizeType n, bool) {
    std::string text(s, n);
    // The scanner checks the raw bytes; a lone low surrogate escape only shows in the result.
    if (!IsValidUtf8(text)) return Fail("a string holds a lone surrogate escape");
    return Add(Json(std::move(text)));
  }
  bool StartObject() { return Push(Json(Json::Object())); }
  bool Key(const char* s, rapidjson::SizeType n, bool) {
    std::string key(s, n);
    if (!IsValidUtf8(key)) return Fail("a key holds a lone surrogate escape");
    stack_.back().as_object().emplace_back(std::move(key), Json());
    return true;
  }
  bool EndObject(rapidjson::SizeType) {
    RemoveRepeatedKeys(stack_.back().as_object());
    return Pop();
  }
  bool StartArray() { return Push(Json(Json::Array())); }
  bool EndArray(rapidjson::SizeType) { return Pop(); }

  ParsedJson Take() { return {std::move(root_), std::move(duplicate_keys_)}; }
  const std::string& failure() const { return failure_; }
  bool too_deep() const { return too_deep_; }

 private:
  bool Fail(std::string message) {
    failure_ = std::move(message);
    return false;
  }

  // The number that ends where the scanner is.
  std::string ScannedNumber() const {
    const std::string_view before = text_.substr(0, stream_.Tell());
    const std::size_t end_of_other = before.find_last_not_of("0123456789+-.eE");
    return std::string(before.substr(end_of_other + 1));  // npos + 1 is 0
  }

  bool Add(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (stack_.back().is_array()) {
      stack_.back().as_array().push_back(std::move(value));
    } else {
      stack_.back().as_object().back().second = std::move(value);
    }
    return true;
  }

  bool Push(Json container) {
    if (static_cast<int>(stack_.size()) >= max_depth_) {
      too_deep_ = true;
      return Fail("nested deeper than " + std::to_string(max_depth_) + " levels");
    }
    stack_.push_back(std::move(container));
    return true;
  }

  bool Pop() {
    Json value = std::move(stack_.back());
    stack_.pop_back();
    return Add(std::move(value));
  }

  void RemoveRepeatedKeys(Json::Object& object) {
    if (object.size() < 2) return;
    std::vector<std::size_t> order(object.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (object.size() > kLinearKeySearch) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return object[a].first < object[b].first;
      });
      MarkRepeated(object, order);
      return;
    }
    for (std::size_t i = 0; i < object.size(); ++i) {
      for (std::size_t j = i + 1; j < object.size();) {
        if (object[i].first != object[j].first) {
          ++j;
          continue;
        }
        Report(object[i].first);
        object[i].second = std::move(object[j].second);
        object.erase(object.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }

  // `order` sorts the members by key, equal keys in document order.
  void MarkRepeated(Json::Object& object, const std::vector<std::size_t>& order) {
    std::vector<bool> drop(object.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < order.size();) {
      std::size_t end = i + 1;
      while (end < order.size() && object[order[end]].first == object[order[i]].first) ++end;
      if (end - i > 1) {
        any = true;
        Report(object[order[i]].first);
        object[order[i]].second = std::move(object[order[end - 1]].second);
        for (std::size_t k = i + 1; k < end; ++k) drop[order[k]] = true;
      }
      i = end;
    }
    if (!any) return;
    Json::Object kept;
    kept.reserve(object.size());
    for (std::size_t i = 0; i < object.size(); ++i) {
      if (!drop[i]) kept.push_back(std::move(object[i]));
    }
    object = std::move(kept);
  }

  void Report(const std::string& key) {
    if (duplicate_keys_.size() < kMaxReportedDuplicates) duplicate_keys_.push_back(key);
  }

  const int max_depth_;
  const std::string_view text_;
  const rapidjson::MemoryStream& stream_;
  std::vector<Json>* const numbers_;
  std::size_t next_number_ = 0;
  bool too_deep_ = false;
  Json root_;
  std::vector<Json> stack_;
  std::vector<std::string> duplicate_keys_;
  std::string failure_;
};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// The length of the JSON number that `text` begins with, 0 when it begins with none.
std::size_t NumberLength(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return at > begin;
  };
  const auto skip = [&](std::string_view any_of) {
    const bool found = at < text.size() && any_of.find(text[at]) != std::string_view::npos;
    if (found) ++at;
    return found;
  };
  skip("-");
  if (!skip("0") && !digits()) return 0;
  if (skip(".") && !digits()) return 0;
  if (skip("eE")) {
    skip("+-");
    if (!digits()) return 0;
  }
  return at;
}

// RapidJSON's scanner refuses numbers beyond a double even when asked for their text. So it is
// given "0" and blanks in place of each number (offsets stay), and the texts come back in order.
std::string TakeNumbersOut(std::string_view text, std::vector<std::string>& numbers) {
  std::string rest(text);
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        in_string = false;
      continue;
    }
    if (text[i] == '"') in_string = true;
    if (text[i] != '-' && !IsDigit(text[i])) continue;
    const std::size_t length = NumberLength(text.substr(i));
    if (length == 0) break;  // no JSON: the scanner says so, here or before
    numbers.emplace_back(text.substr(i, length));
    rest.replace(i, length, length, ' ');
    rest[i] = '0';
    i += length - 1;
  }
  return rest;
}

std::string LowerFirst(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  while (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

// "the control character U+0009 (tab) stands raw in a string, must be written \t" where one is at
// `offset`, where the scanner stopped; else "".
std::string RawControl(std::string_view text, std::size_t offset, bool in_string) {
  if (offset >= text.size()) return "";
  const auto byte = static_cast<unsigned char>(text[offset]);
  const bool is_blank = byte == '\t' || byte == '\n' || byte == '\r';
  if (byte >= 0x20 || (is_blank && !in_string)) return "";
  char name[16];
  std::snprintf(name, sizeof name, "U+%04X", byte);
  const char* word = byte == 0      ? " (NUL)"
                     : byte == '\t' ? " (tab)"
                     : byte == '\n' ? " (newline)"
                     : byte == '\r' ? " (carriage return)"
                     : byte == 0x1B ? " (escape)"
                                    : "";
  const std::string control = std::string("the control character ") + name + word;
  if (!in_string) return control + " stands raw outside of strings";
  std::string escape;
  AppendJsonString(escape, text.substr(offset, 1));
  return control + " stands raw in a string, must be written " +
         escape.substr(1, escape.size() - 2);
}

std::string ScannerMessage(rapidjson::ParseErrorCode code, std::size_t offset,
                           std::string_view text) {
  // RapidJSON takes a raw control for a wrong escape, and a NUL for the end of the text.
  const bool in_string = code == rapidjson::kParseErrorStringEscapeInvalid ||
                         code == rapidjson::kParseErrorStringMissQuotationMark;
  std::string message = RawControl(text, offset, in_string);
  return message.empty() ? LowerFirst(rapidjson::GetParseError_En(code)) : message;
}

// One run of the scanner. With `numbers` it gets a text without them, and hands these out.
Result<ParsedJson, JsonError> Scan(std::string_view text, int max_depth, std::vector<Json>* numbers,
                                   bool& number_too_big) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  Builder builder(max_depth, text, stream, numbers);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result =
      reader.Parse<rapidjson::kParseIterativeFlag>(stream, builder);
  number_too_big = result.Code() == rapidjson::kParseErrorNumberTooBig;
  if (!result.IsError()) return builder.Take();
  std::string message = builder.failure();
  if (message.empty()) message = ScannerMessage(result.Code(), result.Offset(), text);
  return JsonError{result.Offset(), std::move(message), builder.too_deep()};
}

void AppendNumber(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

enum class Spelling : std::uint8_t {
  kPlain,
  kCanonical,  // Json::CanonicalDump
  // JsonWriter's: no character that a reader of lines, such as Python's splitlines(), takes for the
  // end of one.
  kLine,
};

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

void AppendString(std::string& out, std::string_view text, Spelling spelling) {
  const std::size_t begin = out.size();
  AppendJsonString(out, text);
  if (spelling == Spelling::kLine) EscapeLineEnds(out, begin);
}

void DumpTo(std::string& out, const Json& value, Spelling spelling);

void DumpObject(std::string& out, const Json::Object& object, Spelling spelling) {
  std::vector<const Json::Member*> members;
  members.reserve(object.size());
  for (const Json::Member& member : object) members.push_back(&member);
  if (spelling == Spelling::kCanonical) {
    std::sort(members.begin(), members.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
  }
  out.push_back('{');
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out.push_back(',');
    AppendString(out, members[i]->first, spelling);
    out.push_back(':');
    DumpTo(out, members[i]->second, spelling);
  }
  out.push_back('}');
}

void DumpTo(std::string& out, const Json& value, Spelling spelling) {
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_int()) {
    out += std::to_string(value.as_int());
  } else if (value.is_double()) {
    const double d = value.as_double();
    if (spelling == Spelling::kCanonical && d == std::floor(d) && std::fabs(d) < 9.2e18) {
      out += std::to_string(static_cast<std::int64_t>(d));
    } else {
      AppendNumber(out, d);
    }
  } else if (value.is_number_text()) {
    out += value.number_text();
  } else if (value.is_string()) {
    AppendString(out, value.as_string(), spelling);
  } else if (value.is_array()) {
    out.push_back('[');
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
      if (i > 0) out.push_back(',');
      DumpTo(out, value.as_array()[i], spelling);
    }
    out.push_back(']');
  } else {
    DumpObject(out, value.as_object(), spelling);
  }
}

}  // namespace

const Json* Json::Find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : as_object()) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

const char* Json::KindName() const {
  static constexpr const char* kNames[] = {"null",     "a boolean", "an integer", "a number",
                                           "a string", "an array",  "an object",  "a number"};
  return kNames[value_.index()];
}

double Json::as_double() const {
  if (is_int()) return static_cast<double>(as_int());
  if (is_number_text()) return std::strtod(number_text().c_str(), nullptr);
  return std::get<double>(value_);
}

std::string Json::Dump() const {
  std::string out;
  DumpTo(out, *this, Spelling::kPlain);
  return out;
}

std::string Json::CanonicalDump() const {
  std::string out;
  DumpTo(out, *this, Spelling::kCanonical);
  return out;
}

std::string Json::Excerpt(std::size_t limit) const {
  std::string text;
  if (is_array() && as_array().size() > limit) {
    text = "an array of " + std::to_string(as_array().size()) + " elements";
    return text;
  }
  text = Dump();
  if (text.size() <= limit) return text;
  text.resize(limit);
  text.resize(text.size() - IncompleteUtf8Suffix(text));
  return text + "...";
}

Result<ParsedJson, JsonError> ParseJson(std::string_view text, JsonParseOptions options) {
  if (const std::size_t bad = FindInvalidUtf8(text); bad != std::string_view::npos) {
    return JsonError{bad, "invalid UTF-8"};
  }
  bool number_too_big = false;
  if (!options.keep_number_text) {
    auto parsed = Scan(text, options.max_depth, nullptr, number_too_big);
    if (!number_too_big) return parsed;
  }
  std::vector<std::string> texts;
  const std::string rest = TakeNumbersOut(text, texts);
  std::vector<Json> numbers;
  numbers.reserve(texts.size());
  for (std::string& number : texts) {
    numbers.push_back(options.keep_number_text ? Json(JsonNumber{std::move(number)})
                                               : NumberOf(std::move(number)));
  }
  return Scan(rest, options.max_depth, &numbers, number_too_big);
}

void AppendJsonString(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '"' && c != '\\') {
      out.push_back(c);
      continue;
    }
    out.push_back('\\');
    switch (c) {
      case '"':
      case '\\':
        out.push_back(c);
        break;
      case '\n':
        out.push_back('n');
        break;
      case '\r':
        out.push_back('r');
        break;
      case '\t':
        out.push_back('t');
        break;
      case '\b':
        out.push_back('b');
        break;
      case '\f':
        out.push_back('f');
        break;
      default:
        out += "u00";
        out.push_back(kHex[byte >> 4]);
        out.push_back(kHex[byte & 15]);
    }
  }
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

void JsonWriter::Key(std::string_view key) {
  Separate();
  AppendString(out_, key, Spelling::kLine);
  out_.push_back(':');
  need_comma_ = false;
}

void JsonWriter::String(std::string_view text) {
  Separate();
  AppendString(out_, text, Spelling::kLine);
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
  AppendNumber(out_, value);
}

void JsonWriter::Value(const Json& value) {
  Separate();
  DumpTo(out_, value, Spelling::kLine);
}

void JsonWriter::Raw(std::string_view json) {
  Separate();
  out_ += json;
}

}  // namespace sglrun
