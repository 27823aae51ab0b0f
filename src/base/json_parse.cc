// Parsing; the only file that sees RapidJSON.
#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/json.h"
#include "base/large_json.h"
#include "base/stop_flag.h"
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
  bool obeys_stop = false;
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
    if (options_.obeys_stop && StopFlag::requested()) return Fail("stopped by a signal");
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

}  // namespace

Result<ParsedJson, JsonError> ParseJson(std::string_view text, JsonParseOptions options) {
  std::string copy(text);
  auto parsed = Scan(copy, {.parse = options});
  if (!parsed.ok()) return std::move(parsed).error().error;
  return std::move(parsed).value();
}

Result<ParsedJson, LargeJsonError> ParseLargeJson(std::string& text, std::size_t max_bytes,
                                                  JsonParseOptions options) {
  return Scan(text, {.parse = options, .max_bytes = max_bytes, .obeys_stop = true});
}

}  // namespace sglrun
