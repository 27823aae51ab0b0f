#include "grammar/structural_tag/node.h"

#include "grammar/base/json_pointer.h"

namespace sglrun::grammar::tag {
namespace {

const Json& NullJson() {
  static const Json null;
  return null;
}

}  // namespace

Node::Node() : json_(&NullJson()) {}

GrammarError Node::Error(Verdict verdict, std::string_view sentence) const {
  return {verdict,
          (pointer_.empty() ? "the structural tag" : pointer_) + ": " + std::string(sentence),
          pointer_};
}

GrammarError Node::Expected(std::string_view what) const {
  return Invalid(std::string(what) + " is expected, found " + json_->Excerpt());
}

Node Node::Find(std::string_view name) const {
  const Json* member = json_->Find(name);
  return {member == nullptr ? NullJson() : *member, pointer_ + "/" + EscapePointerStep(name)};
}

Result<std::vector<Node>, GrammarError> Node::Items() const {
  if (!json_->is_array()) return Expected("an array");
  std::vector<Node> items;
  for (std::size_t i = 0; i < json_->as_array().size(); ++i) {
    items.emplace_back(json_->as_array()[i], pointer_ + "/" + std::to_string(i));
  }
  return items;
}

}  // namespace sglrun::grammar::tag
