#include "schema_index.h"

#include <cstdlib>
#include <utility>

namespace sglrun::grammar {
namespace {

// Enough of RFC 3986 section 5 for the addresses of tests.
std::string Join(const std::string& base, const std::string& reference) {
  const std::size_t colon = reference.find(':');
  if (colon != std::string::npos && colon < reference.find('/')) return reference;
  if (reference.empty()) return base;
  const std::size_t authority = base.find("://");
  const std::size_t path =
      authority == std::string::npos ? std::string::npos : base.find('/', authority + 3);
  if (reference[0] == '/') return base.substr(0, path) + reference;
  const std::size_t slash = base.rfind('/');
  return (slash == std::string::npos ? "" : base.substr(0, slash + 1)) + reference;
}

std::string Unescaped(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '%' && i + 2 < part.size()) {
      text +=
          static_cast<char>(std::strtol(std::string(part.substr(i + 1, 2)).c_str(), nullptr, 16));
      i += 2;
    } else {
      text += part[i];
    }
  }
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '~' && i + 1 < text.size();
    plain += escape ? (text[++i] == '1' ? '/' : '~') : text[i];
  }
  return plain;
}

Draft DraftOf(const Json& root) {
  const Json* uri = root.Find("$schema");
  if (uri == nullptr || !uri->is_string()) return Draft::k202012;
  const std::string& text = uri->as_string();
  if (text.find("draft-04") != std::string::npos) return Draft::k4;
  if (text.find("draft-06") != std::string::npos) return Draft::k6;
  if (text.find("draft-07") != std::string::npos) return Draft::k7;
  if (text.find("2019-09") != std::string::npos) return Draft::k201909;
  return Draft::k202012;
}

}  // namespace

SchemaIndex::SchemaIndex(Json root) : root_(std::move(root)), draft_(DraftOf(root_)) {
  resources_[""] = &root_;
  Collect(root_, "");
}

std::string SchemaIndex::BaseOf(const Json& schema, const std::string& base) const {
  const Json* id = schema.Find(draft_ == Draft::k4 ? "id" : "$id");
  if (id == nullptr || !id->is_string()) return base;
  if (draft_ <= Draft::k7 && schema.Find("$ref") != nullptr) return base;
  const std::string address = id->as_string().substr(0, id->as_string().find('#'));
  return address.empty() ? base : Join(base, address);
}

void SchemaIndex::Collect(const Json& value, const std::string& outer) {
  if (value.is_array()) {
    for (const Json& item : value.as_array()) Collect(item, outer);
  }
  if (!value.is_object()) return;
  const std::string base = BaseOf(value, outer);
  if (base != outer) resources_.emplace(base, &value);
  const auto text = [&](const char* key) {
    const Json* member = value.Find(key);
    return member != nullptr && member->is_string() ? member->as_string() : std::string();
  };
  for (const char* key : {"$anchor", "$dynamicAnchor"}) {
    if (!text(key).empty()) anchors_.emplace(base + '#' + text(key), Place{&value, base});
  }
  if (!text("$dynamicAnchor").empty()) {
    dynamic_anchors_.emplace(base + '#' + text("$dynamicAnchor"), &value);
  }
  // Before 2019-09 an id that is a fragment was an anchor.
  const std::string id = text(draft_ == Draft::k4 ? "id" : "$id");
  if (draft_ <= Draft::k7 && id.find('#') != std::string::npos) {
    anchors_.emplace(base + id.substr(id.find('#')), Place{&value, base});
  }
  for (const auto& [key, member] : value.as_object()) {
    if (key != "enum" && key != "const" && key != "default" && key != "examples") {
      Collect(member, base);
    }
  }
}

const Json* SchemaIndex::Resource(const std::string& base) const {
  const auto at = resources_.find(base);
  return at == resources_.end() ? nullptr : at->second;
}

const Json* SchemaIndex::DynamicAnchor(const std::string& base, const std::string& name) const {
  const auto at = dynamic_anchors_.find(base + '#' + name);
  return at == dynamic_anchors_.end() ? nullptr : at->second;
}

SchemaIndex::Place SchemaIndex::Resolve(const std::string& reference,
                                        const std::string& base) const {
  const std::size_t hash = reference.find('#');
  const std::string address = Join(base, reference.substr(0, hash));
  const std::string fragment = hash == std::string::npos ? "" : reference.substr(hash + 1);
  if (!fragment.empty() && fragment[0] != '/') {
    const auto at = anchors_.find(address + '#' + fragment);
    return at == anchors_.end() ? Place{} : at->second;
  }
  Place place{Resource(address), address};
  for (std::size_t begin = 1; place.schema != nullptr && begin <= fragment.size();) {
    const std::size_t end = std::min(fragment.find('/', begin), fragment.size());
    const std::string key = Unescaped(std::string_view(fragment).substr(begin, end - begin));
    begin = end + 1;
    if (place.schema->is_array()) {
      const auto index = static_cast<std::size_t>(std::atol(key.c_str()));
      const Json::Array& items = place.schema->as_array();
      place.schema = index < items.size() ? &items[index] : nullptr;
    } else {
      place.schema = place.schema->Find(key);
    }
    if (place.schema != nullptr) place.base = BaseOf(*place.schema, place.base);
  }
  return place;
}

}  // namespace sglrun::grammar
