#include "base/json.h"

#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/large_json.h"
#include "base/stream_hash.h"
#include "base/utf8.h"

namespace sglrun {
namespace {

constexpr std::size_t kMaxReportedDuplicates = 16;
// Objects with more members than this look for repeated keys through a sorted index.
constexpr std::size_t kLinearKeySearch = 16;
// Numbers of this size and more keep their text.
constexpr double kBeyondInt64 = 0x1p63;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool MayBeginNumber(char c) {
  return c == '-' || IsDigit(c);
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

// The text as RapidJSON's scanner sees it. Strings are decoded in place. Numbers are not left to the
// scanner, which refuses those beyond a double and reads 0.0e308 as a small one: it is given "0" and
// a blank for each, and number() is what stands there. Offsets are those of the text.
class TextStream {
 public:
  using Ch = char;

  explicit TextStream(std::string& text) : text_(text) {}

  char Peek() const {
    if (in_string_) return Raw();
    if (blank_is_next_) return ' ';
    if (NumberHere() > 0) return '0';
    // The scanner takes a NUL for the end.
    return at_ < text_.size() && Raw() == '\0' ? '\1' : Raw();
  }
  char Take() {
    if (blank_is_next_) {
      blank_is_next_ = false;
      return ' ';
    }
    const std::size_t length = in_string_ ? 0 : NumberHere();
    if (length == 0) {
      is_malformed_ = is_malformed_ || (!in_string_ && MayBeginNumber(Raw()));
      return text_[at_++];
    }
    number_ = std::string_view(text_).substr(at_, length);
    at_ += length;
    blank_is_next_ = true;
    return '0';
  }
  std::size_t Tell() const { return at_; }

  // A string begins, is written over itself, ends.
  char* PutBegin() {
    in_string_ = true;
    put_ = text_.data() + at_;
    return put_;
  }
  void Put(char c) { *put_++ = c; }
  std::size_t PutEnd(const char* begin) {
    in_string_ = false;
    return static_cast<std::size_t>(put_ - begin);
  }
  static void Flush() {}

  std::string_view number() const { return number_; }

 private:
  char Raw() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  // The length of the number that begins here.
  std::size_t NumberHere() const {
    if (is_malformed_ || !MayBeginNumber(Raw())) return 0;
    if (measured_at_ != at_) {
      measured_at_ = at_;
      measured_ = NumberLength(std::string_view(text_).substr(at_));
    }
    return measured_;
  }

  std::string& text_;
  std::size_t at_ = 0;
  bool in_string_ = false;
  bool blank_is_next_ = false;  // after a number
  bool is_malformed_ = false;   // a number is, as the scanner is about to find
  char* put_ = nullptr;
  std::string_view number_;
  mutable std::size_t measured_at_ = std::numeric_limits<std::size_t>::max();
  mutable std::size_t measured_ = 0;
};

Json NumberOf(std::string_view text) {
  std::int64_t integer = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (code == std::errc() && end == text.data() + text.size()) return Json(integer);
  std::string whole(text);
  const double value = std::strtod(whole.c_str(), nullptr);
  if (std::fabs(value) < kBeyondInt64) return Json(value);
  return Json(JsonNumber{std::move(whole)});
}

// What an allocation takes beside what was asked for, and what a string holds without one.
constexpr std::size_t kHeapBlock = 16;
constexpr std::size_t kShortString = 15;

std::size_t TextBytes(std::size_t size) {
  return size <= kShortString ? 0 : size + 1 + kHeapBlock;
}

struct ScanOptions {
  JsonParseOptions parse;
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();  // of the values
};

// Builds a Json from RapidJSON's events; a stack of open containers keeps it free of recursion.
class Builder {
 public:
  Builder(const ScanOptions& options, const TextStream& stream)
      : options_(options), stream_(stream) {}

  bool Null() { return Add(Json()); }
  bool Bool(bool b) { return Add(Json(b)); }
  // Every number that is one looks like this to the scanner.
  bool Uint(unsigned) {
    if (!options_.parse.keep_number_text) return Add(NumberOf(stream_.number()));
    return Hold(TextBytes(stream_.number().size())) &&
           Add(Json(JsonNumber{std::string(stream_.number())}));
  }
  static bool Int(int) { return false; }
  static bool Int64(std::int64_t) { return false; }
  static bool Uint64(std::uint64_t) { return false; }
  static bool Double(double) { return false; }
  static bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* s, rapidjson::SizeType n, bool) {
    if (!Hold(TextBytes(n))) return false;
    std::string text(s, n);
    // The scanner checks the raw bytes; a lone low surrogate escape only shows in the result.
    if (!IsValidUtf8(text)) return Fail("a string holds a lone surrogate escape");
    return Add(Json(std::move(text)));
  }
  bool StartObject() { return Push(Json(Json::Object())); }
  bool Key(const char* s, rapidjson::SizeType n, bool) {
    Json::Object& object = stack_.back().as_object();
    if (!Hold(TextBytes(n)) || !MakeRoom(object)) return false;
    std::string key(s, n);
    if (!IsValidUtf8(key)) return Fail("a key holds a lone surrogate escape");
    object.emplace_back(std::move(key), Json());
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
  bool too_large() const { return too_large_; }

 private:
  bool Fail(std::string message) {
    failure_ = std::move(message);
    return false;
  }

  // Counts memory before it is taken.
  bool Hold(std::size_t bytes) {
    held_ += bytes;
    if (held_ <= options_.max_bytes) return true;
    too_large_ = true;
    return Fail("its values take more than " + std::to_string(options_.max_bytes >> 20) +
                " MiB of memory");
  }

  // Room for one more element. Old and new elements stand side by side while they move.
  template <class Elements>
  bool MakeRoom(Elements& elements) {
    constexpr std::size_t kFirst = 4;
    const std::size_t old = elements.capacity();
    if (elements.size() < old) return true;
    const std::size_t grown = std::max(kFirst, 2 * old);
    if (!Hold(grown * sizeof(elements[0]) + kHeapBlock)) return false;
    elements.reserve(grown);
    if (old > 0) held_ -= old * sizeof(elements[0]) + kHeapBlock;
    return true;
  }

  bool Add(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (stack_.back().is_array()) {
      Json::Array& array = stack_.back().as_array();
      if (!MakeRoom(array)) return false;
      array.push_back(std::move(value));
    } else {
      stack_.back().as_object().back().second = std::move(value);
    }
    return true;
  }

  bool Push(Json container) {
    if (static_cast<int>(stack_.size()) >= options_.parse.max_depth) {
      too_deep_ = true;
      return Fail("nested deeper than " + std::to_string(options_.parse.max_depth) + " levels");
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

  const ScanOptions& options_;
  const TextStream& stream_;
  std::size_t held_ = 0;
  bool too_deep_ = false;
  bool too_large_ = false;
  Json root_;
  std::vector<Json> stack_;
  std::vector<std::string> duplicate_keys_;
  std::string failure_;
};

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
  if (!in_string) return control + " is not allowed outside of strings";
  std::string escape;
  AppendJsonString(escape, text.substr(offset, 1));
  return control + " in a string must be written " + escape.substr(1, escape.size() - 2);
}

std::string ScannerMessage(rapidjson::ParseErrorCode code, std::size_t offset,
                           std::string_view text) {
  // RapidJSON takes a raw control character for a wrong escape, and a NUL for the end of the text.
  const bool in_string = code == rapidjson::kParseErrorStringEscapeInvalid ||
                         code == rapidjson::kParseErrorStringMissQuotationMark;
  std::string message = RawControl(text, offset, in_string);
  return message.empty() ? LowerFirst(rapidjson::GetParseError_En(code)) : message;
}

// Uses the text up.
Result<ParsedJson, LargeJsonError> Scan(std::string& text, const ScanOptions& options) {
  if (const std::size_t bad = FindInvalidUtf8(text); bad != std::string_view::npos) {
    return LargeJsonError{.error = {.offset = bad, .message = "invalid UTF-8"}};
  }
  TextStream stream(text);
  Builder builder(options, stream);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result =
      reader.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag>(stream, builder);
  if (!result.IsError()) return builder.Take();
  std::string message = builder.failure();
  if (message.empty()) message = ScannerMessage(result.Code(), result.Offset(), text);
  return LargeJsonError{{result.Offset(), std::move(message), builder.too_deep()},
                        builder.too_large()};
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

void AppendEscaped(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
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
}

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

// Where a dump goes: a text, or what a hash is made of, in which case little of it is there at once.
class DumpTarget {
 public:
  DumpTarget(std::string& out, bool hashes) : out_(out), hashes_(hashes) {}

  std::string& text() { return out_; }
  void String(std::string_view text) {
    out_.push_back('"');
    for (std::size_t at = 0; at < text.size(); at += kSlice) {
      AppendEscaped(out_, text.substr(at, kSlice));
      Drain();
    }
    out_.push_back('"');
  }
  // To be called now and then.
  void Drain() {
    if (!hashes_ || out_.size() < kSlice) return;
    if (!hash_) hash_.emplace();
    hash_->Add(out_);
    out_.clear();
  }
  Hash128 Finish() {
    if (!hash_) return HashBytes(out_);
    hash_->Add(out_);
    return hash_->Finish();
  }

 private:
  static constexpr std::size_t kSlice = std::size_t{64} << 10;

  std::string& out_;
  const bool hashes_;
  std::optional<StreamHash> hash_;
};

void DumpTo(DumpTarget& target, const Json& value, bool canonical);

void DumpObject(DumpTarget& target, const Json::Object& object, bool canonical) {
  std::vector<const Json::Member*> members;
  members.reserve(object.size());
  for (const Json::Member& member : object) members.push_back(&member);
  if (canonical) {
    std::sort(members.begin(), members.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
  }
  target.text().push_back('{');
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) target.text().push_back(',');
    target.String(members[i]->first);
    target.text().push_back(':');
    DumpTo(target, members[i]->second, canonical);
  }
  target.text().push_back('}');
}

void DumpTo(DumpTarget& target, const Json& value, bool canonical) {
  std::string& out = target.text();
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_int()) {
    out += std::to_string(value.as_int());
  } else if (value.is_double()) {
    const double d = value.as_double();
    if (canonical && d == std::floor(d) && std::fabs(d) < 9.2e18) {
      out += std::to_string(static_cast<std::int64_t>(d));
    } else {
      AppendNumber(out, d);
    }
  } else if (value.is_number_text()) {
    out += value.number_text();
  } else if (value.is_string()) {
    target.String(value.as_string());
  } else if (value.is_array()) {
    out.push_back('[');
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
      if (i > 0) out.push_back(',');
      DumpTo(target, value.as_array()[i], canonical);
    }
    out.push_back(']');
  } else {
    DumpObject(target, value.as_object(), canonical);
  }
  target.Drain();
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
  DumpTarget target(out, /*hashes=*/false);
  DumpTo(target, *this, /*canonical=*/false);
  return out;
}

std::string Json::CanonicalDump() const {
  std::string out;
  DumpTarget target(out, /*hashes=*/false);
  DumpTo(target, *this, /*canonical=*/true);
  return out;
}

Hash128 CanonicalHash(const Json& value, std::string_view prefix) {
  std::string out(prefix);
  DumpTarget target(out, /*hashes=*/true);
  DumpTo(target, value, /*canonical=*/true);
  return target.Finish();
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
  std::string copy(text);
  auto parsed = Scan(copy, {.parse = options});
  if (!parsed.ok()) return std::move(parsed).error().error;
  return std::move(parsed).value();
}

Result<ParsedJson, LargeJsonError> ParseLargeJson(std::string& text, std::size_t max_bytes,
                                                  JsonParseOptions options) {
  return Scan(text, {.parse = options, .max_bytes = max_bytes});
}

void AppendJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  AppendEscaped(out, text);
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
  AppendNumber(out_, value);
}

void JsonWriter::Value(const Json& value) {
  Separate();
  const std::size_t begin = out_.size();
  DumpTarget target(out_, /*hashes=*/false);
  DumpTo(target, value, /*canonical=*/false);
  EscapeLineEnds(out_, begin);
}

void JsonWriter::Raw(std::string_view json) {
  Separate();
  out_ += json;
}

}  // namespace sglrun
