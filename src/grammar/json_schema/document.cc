#include "grammar/json_schema/document.h"

#include <utility>

#include "grammar/base/json_pointer.h"
#include "grammar/base/json_text.h"
#include "grammar/json_schema/metaschema.h"
#include "grammar/json_schema/uri.h"
#include "grammar/regex/ast.h"

namespace sglrun::grammar {
namespace {

// The member of a schema when it is there and a string.
const std::string* FindString(const Json& schema, std::string_view key) {
  const Json* value = schema.Find(key);
  return value != nullptr && value->is_string() ? &value->as_string() : nullptr;
}

constexpr const char* kDynamicAnchor = "$dynamicAnchor";
constexpr const char* kRecursiveAnchor = "";  // its name among the dynamic anchors

bool IsRecursiveAnchor(const Json& schema) {
  const Json* anchor = schema.Find("$recursiveAnchor");
  return anchor != nullptr && anchor->is_bool() && anchor->as_bool();
}

// Drafts up to 7 ignore what stands beside $ref, $id included.
bool HidesSiblings(const Json& schema, SchemaDraft draft) {
  return draft <= SchemaDraft::k7 && FindString(schema, "$ref") != nullptr;
}

}  // namespace

Result<std::unique_ptr<Document>, GrammarError> Document::Create(std::string_view text,
                                                                 std::string_view prefix,
                                                                 FrontEnd& front) {
  std::unique_ptr<Document> document(new Document(prefix, front.options.limits));
  auto parsed = ParseSchemaText(text, front.options.limits);
  if (!parsed.ok()) {
    GrammarError error = std::move(parsed).error();
    error.pointer = document->prefix_ + error.pointer;
    return error;
  }
  for (const std::string& key : parsed->duplicate_keys) {
    front.report.notes.push_back(
        "the key \"" + key + "\" occurs twice in one object of the schema; the last one is used");
  }
  document->json_ = std::move(parsed->value);
  if (!document->json_.is_object() && !document->json_.is_bool()) {
    return GrammarError{
        Verdict::kInvalid,
        "a JSON schema must be an object or a boolean, but is " + document->json_.Excerpt(),
        document->prefix_};
  }
  document->resources_.push_back({});
  document->resources_by_uri_.emplace("", 0);
  SGLRUN_RETURN_IF_ERROR(document->Add(document->json_, -1, "", 0, front.report));
  return document;
}

Result<void, GrammarError> Document::Add(const Json& schema, PlaceId parent, std::string step,
                                         std::int32_t resource, GrammarReport& report) {
  const auto place = static_cast<PlaceId>(places_.size());
  if (!places_by_schema_.emplace(&schema, place).second) return {};
  places_.push_back({&schema, parent, std::move(step), resource});
  return schema.is_object() ? AddBelow(place, report) : Result<void, GrammarError>{};
}

Result<void, GrammarError> Document::AddBelow(PlaceId place, GrammarReport& report) {
  EnterResource(place, report);
  NameAnchors(place);
  const Dialect dialect = resources_[static_cast<std::size_t>(At(place).resource)].dialect;
  const bool siblings_hidden = HidesSiblings(schema(place), dialect.draft);
  for (const auto& [name, value] : schema(place).as_object()) {
    const Keyword* keyword = FindKeyword(name);
    if (keyword == nullptr) continue;
    const auto fault = FaultOf(*keyword, value, dialect);
    if (fault && siblings_hidden && keyword->effect != KeywordEffect::kStructure) continue;
    if (fault) return ErrorAt(place, name, Verdict::kInvalid, *fault);
    SGLRUN_RETURN_IF_ERROR(CheckPatterns(place, name, value));
    SGLRUN_RETURN_IF_ERROR(AddMember(place, *keyword, value, report));
  }
  return {};
}

Result<void, GrammarError> Document::CheckPatterns(PlaceId place, const std::string& keyword,
                                                   const Json& value) const {
  const auto check = [&](const std::string& pattern,
                         const std::string& where) -> Result<void, GrammarError> {
    const auto read = ParseRegex(pattern, {}, *limits_);
    // A well-formed keyword that cannot be enforced is an error only where it is used.
    if (read.ok() || read.error().verdict != Verdict::kInvalid) return {};
    return ErrorAt(place, where, Verdict::kInvalid, "cannot be used: " + read.error().message);
  };
  if (keyword == "pattern") return check(value.as_string(), keyword);
  if (keyword != "patternProperties") return {};
  for (const auto& [pattern, schema] : value.as_object()) {
    SGLRUN_RETURN_IF_ERROR(check(pattern, keyword + "/" + EscapePointerStep(pattern)));
  }
  return {};
}

Result<void, GrammarError> Document::AddMember(PlaceId place, const Keyword& keyword,
                                               const Json& value, GrammarReport& report) {
  const std::string name(keyword.name);
  const auto add = [&](const Json& schema, const std::string& step) {
    return Add(schema, place, step, At(place).resource, report);
  };
  switch (keyword.value) {
    case KeywordValue::kSchema:
    case KeywordValue::kSchemas:
    case KeywordValue::kItems:
      if (!value.is_array()) return add(value, name);
      for (std::size_t i = 0; i < value.as_array().size(); ++i) {
        SGLRUN_RETURN_IF_ERROR(add(value.as_array()[i], name + "/" + std::to_string(i)));
      }
      return {};
    case KeywordValue::kSchemaMap:
    case KeywordValue::kDependencies:
      for (const auto& [key, schema] : value.as_object()) {
        if (schema.is_array()) continue;  // names, in dependencies
        SGLRUN_RETURN_IF_ERROR(add(schema, name + "/" + EscapePointerStep(key)));
      }
      return {};
    default:
      return {};
  }
}

// A place with its own $id, or the root.
void Document::EnterResource(PlaceId place, GrammarReport& report) {
  Place& here = places_[static_cast<std::size_t>(place)];
  const Resource& outer = resources_[static_cast<std::size_t>(here.resource)];
  Dialect dialect = outer.dialect;
  if (const std::string* uri = FindString(*here.schema, "$schema")) {
    const auto draft = DraftOf(*uri);
    dialect = {draft.value_or(SchemaDraft::k2020), draft.has_value()};
    if (!draft && place == root()) {
      report.notes.push_back(Pointer(place, "$schema") + ": unknown dialect \"" + *uri +
                             "\" is read as draft 2020-12");
    }
  }
  if (place == root()) resources_.front().dialect = dialect;
  if (HidesSiblings(*here.schema, dialect.draft)) return;
  const std::string* id = FindString(*here.schema, "$id");
  if (id == nullptr && dialect.draft == SchemaDraft::k4) id = FindString(*here.schema, "id");
  if (id == nullptr) return;
  const SplitUri split = SplitFragment(*id);
  if (split.before.empty()) return;  // "#name": an anchor of old drafts
  std::string uri = ResolveUri(outer.uri, split.before);
  if (place == root()) {
    resources_.front().uri = uri;
    resources_by_uri_.emplace(std::move(uri), 0);
    return;
  }
  here.resource = static_cast<std::int32_t>(resources_.size());
  resources_by_uri_.emplace(uri, here.resource);
  resources_.push_back({place, dialect, std::move(uri)});
}

void Document::NameAnchors(PlaceId place) {
  const Json& schema = *At(place).schema;
  Resource& resource = resources_[static_cast<std::size_t>(At(place).resource)];
  if (const std::string* name = FindString(schema, "$anchor")) {
    resource.anchors.emplace(*name, place);
  }
  if (const std::string* name = FindString(schema, kDynamicAnchor)) {
    resource.anchors.emplace(*name, place);
    resource.dynamic_anchors.emplace(*name, place);
  }
  for (const char* key : {"$id", "id"}) {
    const std::string* id = FindString(schema, key);
    if (id != nullptr && id->size() > 1 && id->front() == '#' &&
        resource.dialect.draft <= SchemaDraft::k7) {
      resource.anchors.emplace(id->substr(1), place);
    }
  }
  if (place == resource.root && IsRecursiveAnchor(schema)) {
    resource.dynamic_anchors.emplace(kRecursiveAnchor, place);
  }
}

std::string Document::Pointer(PlaceId place, std::string_view keyword) const {
  std::vector<const std::string*> steps;
  PlaceId at = place;
  for (; At(at).parent >= 0; at = At(at).parent) steps.push_back(&At(at).step);
  std::string pointer = at == root() ? prefix_ : At(at).step + "#";
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) pointer += "/" + **step;
  if (!keyword.empty()) pointer += "/" + std::string(keyword);
  return pointer;
}

GrammarError Document::ErrorAt(PlaceId place, std::string_view keyword, Verdict verdict,
                               std::string_view fault) const {
  std::string pointer = Pointer(place, keyword);
  std::string message = (pointer.empty() ? "the schema" : pointer) + " " + std::string(fault);
  return {verdict, std::move(message), std::move(pointer)};
}

Result<std::int32_t, GrammarError> Document::FindResource(const std::string& uri) {
  const auto found = resources_by_uri_.find(uri);
  if (found != resources_by_uri_.end()) return std::int32_t{found->second};
  const auto text = MetaschemaText(uri);
  if (!text) return -1;
  auto parsed = ParseSchemaText(*text, *limits_);
  if (!parsed.ok()) return std::move(parsed).error();
  metaschemas_.push_back(std::move(parsed->value));
  const Json& schema = metaschemas_.back();
  // It enters its own resource, because it has an $id.
  SGLRUN_RETURN_IF_ERROR(Add(schema, -1, uri, 0, late_notes_));
  const std::int32_t resource = At(places_by_schema_.at(&schema)).resource;
  resources_by_uri_.emplace(uri, resource);  // it may have been called by another name
  return std::int32_t{resource};
}

PlaceResult Document::ResolveRef(PlaceId from, std::string_view keyword,
                                 const std::string& reference) {
  const SplitUri split = SplitFragment(reference);
  std::int32_t resource = At(from).resource;
  if (!split.before.empty()) {
    const std::string uri =
        ResolveUri(resources_[static_cast<std::size_t>(resource)].uri, split.before);
    SGLRUN_ASSIGN_OR_RETURN(resource, FindResource(uri));
    if (resource < 0) {
      return ErrorAt(from, keyword, Verdict::kUnsupported,
                     "refers to \"" + uri + "\", which is not in this document");
    }
  }
  const Resource& target = resources_[static_cast<std::size_t>(resource)];
  const std::string fragment = PercentDecode(split.fragment);
  if (fragment.empty()) return target.root;
  if (fragment.front() == '/') {
    return ResolvePointer(from, keyword, target.root, fragment, reference);
  }
  const auto anchor = target.anchors.find(fragment);
  if (anchor != target.anchors.end()) return anchor->second;
  return ErrorAt(from, keyword, Verdict::kInvalid,
                 "refers to \"" + reference + "\", but no $anchor has that name");
}

PlaceResult Document::ResolvePointer(PlaceId from, std::string_view keyword, PlaceId start,
                                     const std::string& pointer, const std::string& reference) {
  const auto missing = [&] {
    return ErrorAt(from, keyword, Verdict::kInvalid,
                   "refers to \"" + reference + "\", but there is nothing at that place");
  };
  const Json* at = At(start).schema;
  PlaceId known = start;  // the last place on the way, and the steps since
  std::string steps;
  for (std::size_t begin = 1; begin <= pointer.size();) {
    const std::size_t slash = std::min(pointer.find('/', begin), pointer.size());
    const std::string step = pointer.substr(begin, slash - begin);
    std::string key;
    for (std::size_t i = 0; i < step.size(); ++i) {
      const char next = i + 1 < step.size() ? step[i + 1] : '\0';
      const bool escape = step[i] == '~' && (next == '0' || next == '1');
      key += escape ? (next == '0' ? '~' : '/') : step[i];
      if (escape) ++i;
    }
    if (at->is_array()) {
      const bool is_index = !key.empty() && key.size() < 9 &&
                            key.find_first_not_of("0123456789") == key.npos &&
                            (key == "0" || key.front() != '0');
      if (!is_index || std::stoull(key) >= at->as_array().size()) return missing();
      at = &at->as_array()[std::stoull(key)];
    } else {
      at = at->Find(key);
      if (at == nullptr) return missing();
    }
    steps += (steps.empty() ? "" : "/") + step;
    const auto found = places_by_schema_.find(at);
    if (found != places_by_schema_.end()) {
      known = found->second;
      steps.clear();
    }
    begin = slash + 1;
  }
  if (steps.empty()) return known;
  if (!at->is_object() && !at->is_bool()) {
    return ErrorAt(from, keyword, Verdict::kInvalid,
                   "refers to \"" + reference + "\", which is not a schema but " + at->Excerpt());
  }
  // Places below an unknown keyword ("components/schemas") are read as schemas only when a
  // reference leads to them.
  SGLRUN_RETURN_IF_ERROR(Add(*at, known, std::move(steps), At(known).resource, late_notes_));
  return places_by_schema_.at(at);
}

Result<ScopeId, GrammarError> Document::ScopeInside(PlaceId place, ScopeId outer) {
  const std::int32_t resource = At(place).resource;
  const auto scope = scopes_.Enter(outer, resource,
                                   resources_[static_cast<std::size_t>(resource)].dynamic_anchors);
  if (scope) return *scope;
  return ErrorAt(place, "", Verdict::kTooLarge,
                 "is reached on too many ways that give $dynamicAnchor different meanings: more "
                 "than " +
                     std::to_string(DynamicScopes::kMost));
}

PlaceResult Document::ResolveDynamicRef(PlaceId from, const std::string& reference, ScopeId scope) {
  SGLRUN_ASSIGN_OR_RETURN(const PlaceId target, ResolveRef(from, "$dynamicRef", reference));
  const std::string name = PercentDecode(SplitFragment(reference).fragment);
  const std::string* anchor =
      schema(target).is_object() ? FindString(schema(target), kDynamicAnchor) : nullptr;
  if (anchor == nullptr || *anchor != name) return target;
  return scopes_.Find(scope, name).value_or(target);
}

PlaceResult Document::ResolveRecursiveRef(PlaceId from, const std::string& reference,
                                          ScopeId scope) {
  SGLRUN_ASSIGN_OR_RETURN(const PlaceId target, ResolveRef(from, "$recursiveRef", reference));
  if (!IsRecursiveAnchor(schema(target))) return target;
  return scopes_.Find(scope, kRecursiveAnchor).value_or(target);
}

}  // namespace sglrun::grammar
