// The schemas of one document by address, for the validator of the tests: $id, $anchor, pointers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace sglrun::grammar {

enum class Draft { k4, k6, k7, k201909, k202012 };

class SchemaIndex {
 public:
  // A schema and the address against which its references are read.
  struct Place {
    const Json* schema = nullptr;  // nullptr: none
    std::string base;
  };

  explicit SchemaIndex(Json root);

  Draft draft() const { return draft_; }
  Place root() const { return {&root_, BaseOf(root_, "")}; }
  // The address of a schema found below one with the address `base`.
  std::string BaseOf(const Json& schema, const std::string& base) const;
  Place Resolve(const std::string& reference, const std::string& base) const;
  // The schema with $dynamicAnchor `name` in the resource `base`.
  const Json* DynamicAnchor(const std::string& base, const std::string& name) const;
  const Json* Resource(const std::string& base) const;

 private:
  void Collect(const Json& value, const std::string& base);

  Json root_;
  Draft draft_ = Draft::k202012;
  std::map<std::string, const Json*> resources_;  // by address without fragment
  std::map<std::string, Place> anchors_;          // by address#name
  std::map<std::string, const Json*> dynamic_anchors_;
};

}  // namespace sglrun::grammar
