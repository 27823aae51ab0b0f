// JSON values and text. Parsing is strict (RFC 8259), iterative and depth-limited, so that hostile
// text can neither overflow the stack nor smuggle in invalid UTF-8. RapidJSON does the scanning and
// is seen by json_parse.cc only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace sglrun {

// A number as its text spells it: one of 2^63 and more, of any length, and with
// JsonParseOptions::keep_number_text every number.
struct JsonNumber {
  std::string text;
};

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  // Members in document order; a repeated key stands once, with its last value.
  using Object = std::vector<Member>;

  Json() = default;
  Json(std::nullptr_t) {}                                // NOLINT: implicit by design
  Json(bool value) : value_(value) {}                    // NOLINT: implicit by design
  Json(std::int64_t value) : value_(value) {}            // NOLINT: implicit by design
  Json(double value) : value_(value) {}                  // NOLINT: implicit by design
  Json(std::string value) : value_(std::move(value)) {}  // NOLINT: implicit by design
  Json(Array value) : value_(std::move(value)) {}        // NOLINT: implicit by design
  Json(Object value) : value_(std::move(value)) {}       // NOLINT: implicit by design
  Json(JsonNumber value) : value_(std::move(value)) {}   // NOLINT: implicit by design

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_double() const { return std::holds_alternative<double>(value_); }
  bool is_number_text() const { return std::holds_alternative<JsonNumber>(value_); }
  bool is_number() const { return is_int() || is_double() || is_number_text(); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // The kind must fit; callers ask first.
  bool as_bool() const { return std::get<bool>(value_); }
  std::int64_t as_int() const { return std::get<std::int64_t>(value_); }
  double as_double() const;  // any number; of a text the nearest, infinity beyond all doubles
  const std::string& number_text() const { return std::get<JsonNumber>(value_).text; }
  const std::string& as_string() const { return std::get<std::string>(value_); }
  std::string& as_string() { return std::get<std::string>(value_); }
  const Array& as_array() const { return std::get<Array>(value_); }
  Array& as_array() { return std::get<Array>(value_); }
  const Object& as_object() const { return std::get<Object>(value_); }
  Object& as_object() { return std::get<Object>(value_); }

  // The member of an object, or nullptr when there is none or this is no object.
  const Json* Find(std::string_view key) const;

  // "null", "a boolean", "an integer", "a number", "a string", "an array", "an object".
  const char* KindName() const;

  // Compact text; object members in their order.
  std::string Dump() const;
  // Compact text with the keys of every object sorted by bytes: equal content, equal text.
  // Numbers with an integral value inside int64 print as integers, so 1, 1.0 and 1e0 agree. Not
  // so number texts: they stay as written.
  std::string CanonicalDump() const;

  // The value cut to `limit` bytes, for error sentences.
  std::string Excerpt(std::size_t limit = 60) const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object, JsonNumber>
      value_;
};

struct JsonError {
  std::size_t offset = 0;  // byte of the text
  std::string message;     // "invalid value", "nested deeper than 256 levels", ...
  bool too_deep = false;   // well-formed so far, but past max_depth
};

struct JsonParseOptions {
  int max_depth = 256;            // levels of arrays and objects
  bool keep_number_text = false;  // numbers become JsonNumber, whatever their length and size
};

struct ParsedJson {
  Json value;
  std::vector<std::string> duplicate_keys;  // names seen twice in one object, at most 16 of them
};

// Parses exactly one value; blanks around it are allowed. Numbers of 2^63 and more keep their text,
// so that sentences can quote them exactly and no reader takes a rounded one for what was written;
// as_double() gives their value. Invalid UTF-8 and lone surrogate escapes are errors.
Result<ParsedJson, JsonError> ParseJson(std::string_view text, JsonParseOptions options = {});

// Appends values to JSON text; commas and quotes are its business.
//   JsonWriter w(out);  w.BeginObject(); w.Key("id"); w.String("a"); w.EndObject();
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view key);
  void String(std::string_view text);  // must be valid UTF-8
  void Int(std::int64_t value);
  void UInt(std::uint64_t value);
  void Bool(bool value);
  void Null();
  // The fewest digits that read back to the same float32. -inf and NaN have no JSON form: -inf is
  // written as the lowest finite float32, NaN as null, +inf as the highest.
  void Float(float value);
  void Double(double value);
  void Value(const Json& value);
  void Raw(std::string_view json);  // an already formed value

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Separate();
  void AppendString(std::string_view text);

  std::string& out_;
  bool need_comma_ = false;
};

void AppendJsonString(std::string& out, std::string_view text);
void AppendJsonFloat(std::string& out, float value);

}  // namespace sglrun
