#include "grammar/json_schema/dynamic_scopes.h"

#include <algorithm>
#include <utility>

namespace sglrun::grammar {

std::optional<ScopeId> DynamicScopes::Enter(ScopeId outer, std::int32_t resource,
                                            const DynamicAnchors& anchors) {
  if (anchors.empty()) return outer;
  const std::int64_t key = std::int64_t{resource} * std::int64_t{kMost} + outer;
  const auto known = entered_.find(key);
  if (known != entered_.end()) return known->second;
  DynamicAnchors inside = scopes_[static_cast<std::size_t>(outer)];
  inside.insert(anchors.begin(), anchors.end());  // keeps what is there: the outermost wins
  const std::optional<ScopeId> scope = Intern(std::move(inside));
  if (scope) entered_.emplace(key, *scope);
  return scope;
}

std::optional<ScopeId> DynamicScopes::Intern(DynamicAnchors anchors) {
  const auto known = std::find(scopes_.begin(), scopes_.end(), anchors);
  if (known != scopes_.end()) return static_cast<ScopeId>(known - scopes_.begin());
  if (scopes_.size() == kMost) return std::nullopt;
  scopes_.push_back(std::move(anchors));
  return static_cast<ScopeId>(scopes_.size() - 1);
}

std::optional<PlaceId> DynamicScopes::Find(ScopeId scope, const std::string& anchor) const {
  const DynamicAnchors& anchors = scopes_[static_cast<std::size_t>(scope)];
  const auto found = anchors.find(anchor);
  if (found == anchors.end()) return std::nullopt;
  return found->second;
}

}  // namespace sglrun::grammar
