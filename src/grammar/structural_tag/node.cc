#include "grammar/structural_tag/node.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/strings.h"
#include "grammar/json_pointer.h"

namespace sglrun::grammar::tag {

GrammarError Node::Error(Verdict verdict, std::string_view sentence) const {
  return {verdict,
          (pointer_.empty() ? "the structural tag" : pointer_) + ": " + std::string(sentence),
          pointer_};
}

GrammarError Node::Expected(std::string_view what) const {
  return Invalid(std::string(what) + " is expected, found " + json_->Excerpt());
}

Node Node::Member(std::string_view name) const {
  return {*json_->Find(name), pointer_ + "/" + EscapePointerStep(name)};
}

Result<Node, GrammarError> Node::Require(std::string_view name) const {
  if (Has(name)) return Member(name);
  return Invalid("the field \"" + std::string(name) + "\" is missing");
}

Result<bool, GrammarError> Node::Flag(std::string_view name, bool fallback) const {
  if (!Has(name)) return fallback;
  const Node member = Member(name);
  if (!member.json().is_bool()) return member.Expected("true or false");
  return member.json().as_bool();
}

Result<std::string, GrammarError> Node::Text(std::string_view name) const {
  SGLRUN_ASSIGN_OR_RETURN(const Node member, Require(name));
  return member.AsText();
}

Result<std::optional<std::int64_t>, GrammarError> Node::Count(std::string_view name) const {
  if (!HasValue(name)) return std::optional<std::int64_t>();
  const Node member = Member(name);
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t count, member.AsInteger());
  if (count < 0) return member.Expected("a number that is not negative");
  return std::optional(count);
}

Result<std::int64_t, GrammarError> Node::Integer(std::string_view name) const {
  SGLRUN_ASSIGN_OR_RETURN(const Node member, Require(name));
  return member.AsInteger();
}

Result<std::vector<Node>, GrammarError> Node::List(std::string_view name) const {
  SGLRUN_ASSIGN_OR_RETURN(const Node member, Require(name));
  SGLRUN_ASSIGN_OR_RETURN(auto items, member.Items());
  if (items.empty()) return member.Invalid("the list is empty, it needs at least one element");
  return items;
}

Result<std::vector<Node>, GrammarError> Node::ListOrNone(std::string_view name) const {
  if (!Has(name)) return std::vector<Node>();
  return Member(name).Items();
}

Result<std::vector<std::string>, GrammarError> Node::Texts(std::span<const Node> items) const {
  std::vector<std::string> texts;
  for (const Node& item : items) {
    SGLRUN_ASSIGN_OR_RETURN(std::string text, item.AsNonEmptyText());
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<std::vector<Node>, GrammarError> Node::Items() const {
  if (!json_->is_array()) return Expected("an array");
  std::vector<Node> items;
  for (std::size_t i = 0; i < json_->as_array().size(); ++i) {
    items.emplace_back(json_->as_array()[i], pointer_ + "/" + std::to_string(i));
  }
  return items;
}

Result<std::string, GrammarError> Node::AsText() const {
  if (!json_->is_string()) return Expected("a string");
  return json_->as_string();
}

Result<std::string, GrammarError> Node::AsNonEmptyText() const {
  if (!json_->is_string() || json_->as_string().empty()) {
    return Expected("a string that is not empty");
  }
  return json_->as_string();
}

Result<std::int64_t, GrammarError> Node::AsInteger() const {
  if (!json_->is_number_text()) return Expected("an integer");
  const std::string& text = json_->number_text();
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return Expected("an integer");
  return value;
}

Result<void, GrammarError> Node::AllowMembers(std::span<const std::string_view> names) const {
  if (!json_->is_object()) return Expected("an object");
  for (const auto& [name, value] : json_->as_object()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string near = NearestName(name, names);
    return Member(name).Invalid("this field is not known here" +
                                (near.empty() ? "" : ", did you mean \"" + near + "\"?"));
  }
  return {};
}

}  // namespace sglrun::grammar::tag
