// The dynamic scope of a place: which of several schemas with the same $dynamicAnchor a $dynamicRef
// means there. It depends on the resources that evaluation has entered on its way to the place: the
// first of them that has the anchor gives its meaning (JSON Schema 2020-12, core 8.2.3.2).
// $recursiveAnchor of draft 2019-09 is a dynamic anchor without a name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sglrun::grammar {

using PlaceId = std::int32_t;
using ScopeId = std::int32_t;
inline constexpr ScopeId kNoScope = 0;  // nothing is entered yet

// What each dynamic anchor means.
using DynamicAnchors = std::map<std::string, PlaceId>;

class DynamicScopes {
 public:
  // A place has a formula in every scope from which it is reached.
  static constexpr std::size_t kMost = 1'000;

  // The scope inside a resource with these anchors, entered from `outer`; nullopt: there are too
  // many scopes.
  std::optional<ScopeId> Enter(ScopeId outer, std::int32_t resource, const DynamicAnchors& anchors);
  // What an anchor means; nullopt: nothing entered has it.
  std::optional<PlaceId> Find(ScopeId scope, const std::string& anchor) const;

 private:
  std::optional<ScopeId> Intern(DynamicAnchors anchors);

  std::vector<DynamicAnchors> scopes_{{}};
  std::unordered_map<std::int64_t, ScopeId> entered_;  // by resource and outer scope
};

}  // namespace sglrun::grammar
