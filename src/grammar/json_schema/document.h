// The text of one schema as places that refer to each other: every subschema with its pointer, its
// resource ($id), its dialect, and what its references mean. All keywords are checked here once,
// reachable or not; later code can rely on well-formed values.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "grammar/ir/front_end.h"
#include "grammar/json_schema/dynamic_scopes.h"
#include "grammar/json_schema/keywords.h"

namespace sglrun::grammar {

using PlaceResult = Result<PlaceId, GrammarError>;

class Document {
 public:
  // `prefix` stands before every pointer of a message.
  static Result<std::unique_ptr<Document>, GrammarError> Create(std::string_view text,
                                                                std::string_view prefix,
                                                                FrontEnd& front);

  PlaceId root() const { return 0; }
  const Json& schema(PlaceId place) const { return *At(place).schema; }
  SchemaDraft draft(PlaceId place) const {
    return resources_[static_cast<std::size_t>(At(place).resource)].dialect.draft;
  }
  // The place of a subschema that a keyword of `place` holds, by the identity of the value.
  PlaceId PlaceOf(const Json& subschema) const { return places_by_schema_.at(&subschema); }

  // JSON pointer of a place, or of a keyword in it; with the prefix.
  std::string Pointer(PlaceId place, std::string_view keyword = "") const;
  // A verdict about a keyword; `fault` follows the pointer in the sentence.
  GrammarError ErrorAt(PlaceId place, std::string_view keyword, Verdict verdict,
                       std::string_view fault) const;

  // Into this document, or into a metaschema.
  PlaceResult ResolveRef(PlaceId from, std::string_view keyword, const std::string& reference);
  // The scope of a place that is reached from a place with the scope `outer`.
  Result<ScopeId, GrammarError> ScopeInside(PlaceId place, ScopeId outer);
  // `scope`: of `from`.
  PlaceResult ResolveDynamicRef(PlaceId from, const std::string& reference, ScopeId scope);
  PlaceResult ResolveRecursiveRef(PlaceId from, const std::string& reference, ScopeId scope);

 private:
  struct Place {
    const Json* schema = nullptr;
    PlaceId parent = -1;
    // From the parent, escaped: "properties/a~1b"; of the root of a metaschema, its URI.
    std::string step;
    std::int32_t resource = 0;
  };
  struct Resource {
    PlaceId root = 0;
    Dialect dialect;
    std::string uri;
    std::unordered_map<std::string, PlaceId> anchors = {};  // dynamic ones too
    DynamicAnchors dynamic_anchors = {};
  };

  Document(std::string_view prefix, const Limits& limits) : prefix_(prefix), limits_(&limits) {}

  const Place& At(PlaceId place) const { return places_[static_cast<std::size_t>(place)]; }
  // Adds a place and all places below it. Recursion is as deep as the text, which is bounded.
  Result<void, GrammarError> Add(const Json& schema, PlaceId parent, std::string step,
                                 std::int32_t resource, GrammarReport& report);
  Result<void, GrammarError> AddBelow(PlaceId place, GrammarReport& report);
  Result<void, GrammarError> AddMember(PlaceId place, const Keyword& keyword, const Json& value,
                                       GrammarReport& report);
  Result<void, GrammarError> CheckPatterns(PlaceId place, const std::string& keyword,
                                           const Json& value) const;
  void EnterResource(PlaceId place, GrammarReport& report);
  void NameAnchors(PlaceId place);
  // The resource of an absolute URI; -1 when there is none.
  Result<std::int32_t, GrammarError> FindResource(const std::string& uri);
  PlaceResult ResolvePointer(PlaceId from, std::string_view keyword, PlaceId start,
                             const std::string& pointer, const std::string& reference);

  std::string prefix_;
  const Limits* limits_;
  Json json_;
  std::deque<Json> metaschemas_;  // those that references lead to
  std::deque<Place> places_;
  std::unordered_map<const Json*, PlaceId> places_by_schema_;
  std::deque<Resource> resources_;
  std::unordered_map<std::string, std::int32_t> resources_by_uri_;
  DynamicScopes scopes_;
  GrammarReport late_notes_;  // of places found through references only
};

}  // namespace sglrun::grammar
