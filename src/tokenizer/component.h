// Components of a tokenizer.json: each names its kind in "type"; a "Sequence" holds a list of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/json_view.h"

namespace sglrun::tokenizer {

// How the kind of a component is read.
template <class Step>
struct ComponentKind {
  std::string_view name;
  Result<Step> (*parse)(const JsonView&);
};

// Calls visit(type, component) for every component in order: `json` itself, or those in the lists
// `list_key` of sequences, however nested.
template <class Visit>
Status VisitComponents(const JsonView& json, std::string_view list_key, const Visit& visit) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string type, json.Type());
  if (type != "Sequence") return visit(type, json);
  SGLRUN_ASSIGN_OR_RETURN(const JsonView list, json.Member(list_key));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<JsonView> elements, list.Elements());
  for (const JsonView& element : elements) {
    SGLRUN_RETURN_IF_ERROR(VisitComponents(element, list_key, visit));
  }
  return {};
}

// Refuses a component whose kind is not among `names`.
inline Error UnknownComponent(const JsonView& json, std::string_view type,
                              std::span<const std::string_view> names) {
  const Result<JsonView> member = json.Member("type");
  return member.ok() ? member->Unsupported(type, names) : member.error();
}

// Reads a component by its row of `kinds`; `others` are further names that the caller supports.
template <class Step>
Result<Step> ParseComponent(const JsonView& json, std::string_view type,
                            std::span<const ComponentKind<Step>> kinds,
                            std::vector<std::string_view> others) {
  for (const ComponentKind<Step>& kind : kinds) {
    if (kind.name == type) return kind.parse(json);
    others.push_back(kind.name);
  }
  return UnknownComponent(json, type, others);
}

}  // namespace sglrun::tokenizer
