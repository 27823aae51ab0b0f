// Whether a JSON value satisfies a JSON Schema, written plainly from the standard (drafts 4 to
// 2020-12) for tests of the converter, with which it shares nothing but the JSON parser. Slow and
// exact: numbers are compared digit by digit, patterns go through PCRE2.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace sglrun::grammar {

class SchemaIndex;

class JsonValidator {
 public:
  struct Options {
    bool assert_format = false;  // date, time, date-time, ipv4, ipv6, uuid; others are annotations
  };

  explicit JsonValidator(std::string_view schema_text) : JsonValidator(schema_text, Options{}) {}
  JsonValidator(std::string_view schema_text, Options options);
  ~JsonValidator();

  // False for a text that is no JSON, too. `error()` then says where the first fault lies.
  bool IsValid(std::string_view instance_text) const;
  // What cannot be judged: a schema that is no JSON, a reference without target or end, a pattern
  // that PCRE2 refuses. Empty: none met so far.
  const std::string& error() const { return error_; }

 private:
  Options options_;
  std::unique_ptr<SchemaIndex> index_;
  mutable std::string error_;
};

}  // namespace sglrun::grammar
