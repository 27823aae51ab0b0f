// A value inside a structural tag together with its place, for reading fields one by one. Every
// refusal names the JSON pointer of what is wrong (grammar.md 4.2).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "grammar/grammar_error.h"

namespace sglrun::grammar::tag {

class Node {
 public:
  Node(const Json& json, std::string pointer) : json_(&json), pointer_(std::move(pointer)) {}

  const Json& json() const { return *json_; }
  const std::string& pointer() const { return pointer_; }
  bool Is(std::string_view text) const { return json_->is_string() && json_->as_string() == text; }

  GrammarError Error(Verdict verdict, std::string_view sentence) const;
  GrammarError Invalid(std::string_view sentence) const {
    return Error(Verdict::kInvalid, sentence);
  }
  // "a string is expected, found 3"
  GrammarError Expected(std::string_view what) const;
  // The error of an inner text (EBNF, regex, token), which knows no pointer.
  GrammarError Within(const GrammarError& error) const {
    return Error(error.verdict, error.message);
  }

  // Members of an object. A member that is not there gives an empty optional, the fallback, or the
  // error that it is missing.
  bool Has(std::string_view name) const { return json_->is_object() && json_->Find(name); }
  bool HasValue(std::string_view name) const { return Has(name) && !json_->Find(name)->is_null(); }
  Node Member(std::string_view name) const;  // Has(name)
  Result<Node, GrammarError> Require(std::string_view name) const;
  Result<bool, GrammarError> Flag(std::string_view name, bool fallback) const;
  Result<std::string, GrammarError> Text(std::string_view name) const;
  // nullopt for null and when it is not there.
  Result<std::optional<std::int64_t>, GrammarError> Count(std::string_view name) const;
  Result<std::int64_t, GrammarError> Integer(std::string_view name) const;
  Result<std::vector<Node>, GrammarError> List(std::string_view name) const;        // required
  Result<std::vector<Node>, GrammarError> ListOrNone(std::string_view name) const;  // [] if absent
  Result<std::vector<std::string>, GrammarError> Texts(std::span<const Node> items) const;

  Result<std::vector<Node>, GrammarError> Items() const;  // of an array
  Result<std::string, GrammarError> AsText() const;
  Result<std::string, GrammarError> AsNonEmptyText() const;
  Result<std::int64_t, GrammarError> AsInteger() const;

  // This is an object and every member has one of the names.
  Result<void, GrammarError> AllowMembers(std::span<const std::string_view> names) const;

 private:
  const Json* json_;
  std::string pointer_;
};

}  // namespace sglrun::grammar::tag
