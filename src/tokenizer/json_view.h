// A JSON value with its path in the file, so that every error can state its place:
//   tokenizer.json: pre_tokenizer.pretokenizers[1].behavior is "Foo", must be one of ...
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace sglrun::tokenizer {

class JsonView {
 public:
  JsonView(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }

  bool Has(std::string_view key) const;  // present and not null
  // A member that must be there.
  Result<JsonView> Member(std::string_view key) const;
  Result<std::vector<JsonView>> Elements() const;

  // The value itself, which must be of the kind.
  Result<std::string> String() const;
  Result<bool> Bool() const;
  Result<std::int64_t> Int() const;

  // Members; absent and null give the default.
  Result<std::string> StringOr(std::string_view key, std::string_view otherwise) const;
  Result<bool> BoolOr(std::string_view key, bool otherwise) const;

  // The member "type", by which components are named.
  Result<std::string> Type() const;

  // "PATH is VALUE, must be WANTED".
  Error Expected(std::string_view wanted) const;
  // "PATH is "Foo", supported are A, B and C".
  Error Unsupported(std::string_view name, std::span<const std::string_view> supported) const;

 private:
  const Json* json_;
  std::string path_;
};

}  // namespace sglrun::tokenizer
