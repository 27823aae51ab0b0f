#include "model/families/config_reader.h"

#include <cmath>
#include <limits>

namespace sglrun::model {
namespace {

bool IsTokenId(const Json& value) {
  return value.is_int() && value.as_int() >= 0 &&
         value.as_int() <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

const Json* ConfigReader::Find(std::string_view key) const {
  read_.emplace(key);
  const Json* value = object_->Find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool ConfigReader::Bool(std::string_view key, bool fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (value->is_bool()) return value->as_bool();
  Mismatch(key, *value, "true or false");
  return fallback;
}

std::string ConfigReader::String(std::string_view key, std::string fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (value->is_string()) return value->as_string();
  Mismatch(key, *value, "a string");
  return fallback;
}

std::optional<std::int64_t> ConfigReader::OptionalInt(std::string_view key) {
  const Json* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_int()) return value->as_int();
  Mismatch(key, *value, "an integer");
  return std::nullopt;
}

std::optional<double> ConfigReader::OptionalFloat(std::string_view key) {
  const Json* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number() && std::isfinite(value->as_double())) return value->as_double();
  Mismatch(key, *value, "a number of 64 bits");
  return std::nullopt;
}

std::vector<std::int32_t> ConfigReader::Ids(std::string_view key) {
  const Json* value = Find(key);
  if (value == nullptr) return {};
  std::vector<std::int32_t> ids;
  const Json::Array one{*value};
  for (const Json& id : value->is_array() ? value->as_array() : one) {
    if (!IsTokenId(id)) {
      Mismatch(key, *value, "a token id or a list of them");
      return {};
    }
    ids.push_back(static_cast<std::int32_t>(id.as_int()));
  }
  return ids;
}

void ConfigReader::Mismatch(std::string_view key, const Json& found, const char* expected) {
  Fail(std::string(key) + " is " + found.Excerpt() + ", must be " + expected);
}

void ConfigReader::Fail(const std::string& sentence) {
  Fail(Error{place_ + ": " + sentence});
}

void ConfigReader::Fail(const Error& error) {
  if (!error_.has_value()) error_ = error;
}

Status ConfigReader::status() const {
  if (error_.has_value()) return *error_;
  return {};
}

}  // namespace sglrun::model
