#include "request/read_value.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace sglrun::request {
namespace {

constexpr double kExactIntegers = 0x1p53;  // beyond it a double does not represent every integer

RecordError WrongKind(const Json& value, std::string_view path, Kind expected) {
  return BadValue(path, value.Excerpt(), KindPhrase(expected));
}

std::string VocabularyPhrase(std::int64_t vocab_size) {
  return "a token id in [0, " + std::to_string(vocab_size - 1) + "]";
}

bool IsTokenId(std::int64_t id, std::int64_t vocab_size) {
  return id >= 0 && id < (vocab_size > 0 ? vocab_size : std::int64_t{1} << 31);
}

std::int64_t VocabularyBound(std::int64_t vocab_size) {
  return vocab_size > 0 ? vocab_size : std::int64_t{1} << 31;
}

}  // namespace

std::string ElementPath(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

Read<bool> ReadBool(const Json& value, std::string_view path) {
  if (!value.is_bool()) return WrongKind(value, path, Kind::kBool);
  return value.as_bool();
}

Read<std::int64_t> ReadInteger(const Json& value, std::string_view path, const Range& range) {
  if (!value.is_number()) return WrongKind(value, path, Kind::kInteger);
  if (value.is_int()) return value.as_int();
  const double number = value.as_double();
  if (number != std::floor(number)) return WrongKind(value, path, Kind::kInteger);
  if (std::fabs(number) <= kExactIntegers) return static_cast<std::int64_t>(number);
  if (!range.clips) {
    return BadValue(path, value.Excerpt(), "an integer of 64 bits without fraction or exponent");
  }
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t nearest = number > 0 ? Limits::max() : Limits::min();
  if (range.Contains(static_cast<double>(nearest))) return nearest;
  return BadValue(path, value.Excerpt(), range.ToString());
}

Read<double> ReadNumber(const Json& value, std::string_view path, const Range& range) {
  if (!value.is_number()) return WrongKind(value, path, Kind::kNumber);
  const double number = value.as_double();
  if (std::isfinite(number)) return number;
  const std::string allowed = range.ToString();
  if (std::isfinite(range.high)) return BadValue(path, value.Excerpt(), allowed);
  return BadValue(path, value.Excerpt(),
                  "a number of 64 bits" + (allowed.empty() ? "" : ", " + allowed));
}

Read<std::string> ReadString(const Json& value, std::string_view path) {
  if (!value.is_string()) return WrongKind(value, path, Kind::kString);
  return value.as_string();
}

Result<void, RecordError> CheckString(const Json& value, std::string_view path) {
  if (!value.is_string()) return WrongKind(value, path, Kind::kString);
  return {};
}

Read<std::vector<std::int64_t>> ReadIntegers(const Json& value, std::string_view path,
                                             const Range& range) {
  if (!value.is_array()) return WrongKind(value, path, Kind::kIntegers);
  std::vector<std::int64_t> integers;
  integers.reserve(value.as_array().size());
  for (const Json& element : value.as_array()) {
    if (element.is_int()) {  // the path is built only in case of an error
      integers.push_back(element.as_int());
      continue;
    }
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t integer,
                            ReadInteger(element, ElementPath(path, integers.size()), range));
    integers.push_back(integer);
  }
  return integers;
}

Read<std::vector<std::int32_t>> ReadTokenIds(const Json& value, std::string_view path,
                                             std::int64_t vocab_size) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<std::int64_t> integers,
                          ReadIntegers(value, path, Range{.clips = true}));
  std::vector<std::int32_t> ids;
  ids.reserve(integers.size());
  for (const std::int64_t id : integers) {
    if (!IsTokenId(id, vocab_size)) {
      return BadValue(ElementPath(path, ids.size()), value.as_array()[ids.size()].Excerpt(),
                      VocabularyPhrase(VocabularyBound(vocab_size)));
    }
    ids.push_back(static_cast<std::int32_t>(id));
  }
  return ids;
}

Read<std::vector<std::string>> ReadStrings(const Json& value, std::string_view path,
                                           const Field& field) {
  Json::Array single;
  if (value.is_string()) single.push_back(value);
  if (!value.is_string() && !value.is_array()) return WrongKind(value, path, field.kind);
  const Json::Array& elements = value.is_array() ? value.as_array() : single;
  if (field.max_items > 0 && elements.size() > field.max_items) {
    return BadValue(path, "an array of " + std::to_string(elements.size()),
                    "at most " + std::to_string(field.max_items) + " strings");
  }
  std::vector<std::string> strings;
  for (const Json& element : elements) {
    const std::string element_path =
        value.is_array() ? ElementPath(path, strings.size()) : std::string(path);
    SGLRUN_ASSIGN_OR_RETURN(std::string text, ReadString(element, element_path));
    if (text.empty()) return BadValue(element_path, "\"\"", "a string that is not empty");
    if (field.max_item_bytes > 0 && text.size() > field.max_item_bytes) {
      return BadValue(element_path, "a string of " + std::to_string(text.size()) + " bytes",
                      "at most " + std::to_string(field.max_item_bytes) + " bytes long");
    }
    strings.push_back(std::move(text));
  }
  return strings;
}

Read<std::vector<std::pair<std::int32_t, float>>> ReadTokenBias(const Json& value,
                                                                std::string_view path,
                                                                std::int64_t vocab_size) {
  if (!value.is_object()) return WrongKind(value, path, Kind::kTokenBias);
  std::vector<std::pair<std::int32_t, float>> bias;
  for (const auto& [key, number] : value.as_object()) {
    std::int64_t id = -1;
    const char* end = key.data() + key.size();
    const auto parsed = std::from_chars(key.data(), end, id);
    // Only one spelling per id is allowed, so that an id cannot occur twice.
    const bool canonical =
        parsed.ec == std::errc() && parsed.ptr == end && std::to_string(id) == key;
    if (!canonical || !IsTokenId(id, vocab_size)) {
      return RecordError{std::string(path) + " has the key " + Json(key).Excerpt() + ", must be " +
                             VocabularyPhrase(VocabularyBound(vocab_size)) + " in decimal digits",
                         std::string(path)};
    }
    const std::string number_path = std::string(path) + "." + key;
    SGLRUN_ASSIGN_OR_RETURN(const double amount, ReadNumber(number, number_path, Range{}));
    if (!std::isfinite(static_cast<float>(amount))) {
      return BadValue(number_path, number.Excerpt(), "a number of 32 bits");
    }
    bias.emplace_back(static_cast<std::int32_t>(id), static_cast<float>(amount));
  }
  return bias;
}

}  // namespace sglrun::request
