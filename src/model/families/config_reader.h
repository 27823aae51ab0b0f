// Reads the keys of a config.json with class defaults. The first wrong value is kept as the error,
// so that callers read key after key and ask once at the end. The metadata of a GGUF file are read
// in the same way, under the names of a config.json.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/spec/rope.h"

namespace sglrun::model {

// What GGUF files say in another way than config.json does.
struct GgufStatements {
  RopeSettings rope;
  // No keys say so, the tensors do.
  bool qkv_bias = false, output_bias = false, mlp_bias = false, head_norm = false;
  std::int64_t window = 0;  // of the layers that slide
  // Which layers slide, or the period at which one does not, if the file says so.
  std::vector<bool> slides = {};
  std::optional<std::int64_t> window_period = {};
  std::optional<double> sliding_rope_theta = {};
};

class ConfigReader {
 public:
  // `object` and `gguf` must outlive the reader; `gguf` is null for a config.json.
  ConfigReader(const Json& object, std::string place, const GgufStatements* gguf = nullptr)
      : object_(&object), place_(std::move(place)), gguf_(gguf) {}

  const GgufStatements* gguf() const { return gguf_; }
  // Whether a value was asked for under the key.
  bool WasRead(std::string_view key) const { return read_.contains(key); }

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
  void Fail(const Error& error);  // which names its place
  Status status() const;

 private:
  void Mismatch(std::string_view key, const Json& found, const char* expected);

  const Json* object_;
  std::string place_;
  const GgufStatements* gguf_;
  mutable std::set<std::string, std::less<>> read_;
  std::optional<Error> error_;
};

}  // namespace sglrun::model
