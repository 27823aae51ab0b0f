// The text of a structural tag: read, compiled and walked along (constraint_fuzz.h). Bytes that are
// changed seldom leave a tag that is wrong in one member only; so each tag is read again with one
// of its members left out, and with values of other types in its place.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "constraint_fuzz.h"

namespace sglrun::grammar {
namespace {

constexpr auto kTag = ConstraintKind::kStructuralTag;

// Every member of every object below `json`: the object, and the index in it.
void CollectMembers(Json& json, std::vector<std::pair<Json*, std::size_t>>& members) {
  if (json.is_array()) {
    for (Json& item : json.as_array()) CollectMembers(item, members);
  }
  if (!json.is_object()) return;
  for (std::size_t i = 0; i < json.as_object().size(); ++i) {
    members.emplace_back(&json, i);
    CollectMembers(json.as_object()[i].second, members);
  }
}

void FuzzWithout(Json& root, Json& object, std::size_t index) {
  Json::Object& members = object.as_object();
  const auto at = members.begin() + static_cast<std::ptrdiff_t>(index);
  Json::Member kept = std::move(*at);  // moved back too: what is inside it stays where it is
  members.erase(at);
  FuzzConstraint(kTag, root.Dump());
  members.insert(members.begin() + static_cast<std::ptrdiff_t>(index), std::move(kept));
}

void FuzzWith(Json& root, Json& place, Json value) {
  std::swap(place, value);
  FuzzConstraint(kTag, root.Dump());
  std::swap(place, value);
}

void FuzzMembers(std::string_view text) {
  constexpr std::size_t kMost = 4;  // a text; another start for another text
  auto parsed = ParseJson(text, {.max_depth = 100, .keep_number_text = true});
  if (!parsed.ok()) return;
  std::vector<std::pair<Json*, std::size_t>> members;
  CollectMembers(parsed->value, members);
  const std::size_t first = members.empty() ? 0 : HashBytes(text).low % members.size();
  for (std::size_t i = 0; i < std::min(kMost, members.size()); ++i) {
    const auto [object, index] = members[(first + i) % members.size()];
    FuzzWithout(parsed->value, *object, index);
    Json& place = object->as_object()[index].second;
    const Json values[] = {nullptr,         true,          std::int64_t{7}, std::string("y"),
                           std::string(""), Json::Array(), Json::Object()};
    for (const Json& value : values) FuzzWith(parsed->value, place, value);
  }
}

}  // namespace
}  // namespace sglrun::grammar

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  sglrun::grammar::FuzzConstraint(sglrun::grammar::kTag, text);
  sglrun::grammar::FuzzMembers(text);
  return 0;
}
