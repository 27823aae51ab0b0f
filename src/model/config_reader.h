// Reads the keys of a config.json with class defaults. The first wrong value is kept as the error,
// so that callers read key after key and ask once at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace sglrun::model {

class ConfigReader {
 public:
  // `object` must outlive the reader.
  ConfigReader(const Json& object, std::string place)
      : object_(&object), place_(std::move(place)) {}

  const std::string& place() const { return place_; }

  // False for absent keys only: null is a value ("no window").
  bool Has(std::string_view key) const { return object_->Find(key) != nullptr; }
  // The value unless it is absent or null.
  const Json* Find(std::string_view key) const;

  std::int64_t Int(std::string_view key, std::int64_t fallback) {
    return OptionalInt(key).value_or(fallback);
  }
  double Float(std::string_view key, double fallback) {
    return OptionalFloat(key).value_or(fallback);
  }
  bool Bool(std::string_view key, bool fallback);
  std::string String(std::string_view key, std::string fallback);
  std::optional<std::int64_t> OptionalInt(std::string_view key);
  std::optional<double> OptionalFloat(std::string_view key);
  // One id or a list of ids; empty when absent.
  std::vector<std::int32_t> Ids(std::string_view key);

  // "<place>: <sentence>" unless something failed before.
  void Fail(const std::string& sentence);
  Status status() const;

 private:
  void Mismatch(std::string_view key, const Json& found, const char* expected);

  const Json* object_;
  std::string place_;
  std::optional<Error> error_;
};

}  // namespace sglrun::model
