// Access to members of JSON objects that are changed or moved.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/json.h"

namespace sglrun::io {

// The value of a member; nullptr when there is none, or no object.
inline Json* FindMember(Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  for (auto& [key, value] : object.as_object()) {
    if (key == name) return &value;
  }
  return nullptr;
}

// The value of a member, taken out of the object; null when there is none.
inline Json TakeMember(Json& object, std::string_view name) {
  Json::Object& members = object.as_object();
  const auto it = std::ranges::find(members, name, &Json::Member::first);
  if (it == members.end()) return {};
  Json value = std::move(it->second);
  members.erase(it);
  return value;
}

}  // namespace sglrun::io
