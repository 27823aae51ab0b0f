// A value inside a structural tag together with its place. Every refusal names the JSON pointer of
// what is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "grammar/base/grammar_error.h"

namespace sglrun::grammar::tag {

class Node {
 public:
  Node();  // null, for the members that a text leaves out
  Node(const Json& json, std::string pointer) : json_(&json), pointer_(std::move(pointer)) {}

  const Json& json() const { return *json_; }
  const std::string& pointer() const { return pointer_; }

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

  bool Is(std::string_view text) const { return json_->is_string() && json_->as_string() == text; }
  bool Has(std::string_view name) const { return json_->Find(name) != nullptr; }
  // The null Node, at the same pointer, when this is not an object with such a member. A format
  // reads its members through ReadFields (fields.h), which knows which of them must be there.
  Node Find(std::string_view name) const;

  Result<std::vector<Node>, GrammarError> Items() const;  // of an array

 private:
  const Json* json_;
  std::string pointer_;
};

}  // namespace sglrun::grammar::tag
