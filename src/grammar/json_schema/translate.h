// Translates the keywords of one place to its formula. Only this code knows what a keyword means.
// Subschemas are represented by places, so nothing recurses here.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/json_schema/document.h"
#include "grammar/json_schema/formula.h"

namespace sglrun::grammar {

using FormulaResult = Result<FormulaId, GrammarError>;

class Translator {
 public:
  Translator(Document& document, Formulas& formulas, FrontEnd& front)
      : document_(document), formulas_(formulas), front_(front) {}

  // Remembered: the same place, stance and scope, the same formula.
  FormulaResult FormulaOf(const formula::AtPlace& at);
  // The same where it has been asked for; nullopt: never.
  std::optional<FormulaId> KnownFormulaOf(const formula::AtPlace& at) const;

  // What not, oneOf and if of the places asked for exclude.
  struct Exclusion {
    PlaceId place;
    const char* keyword;
    FormulaId excluded;
  };
  const std::vector<Exclusion>& exclusions() const { return exclusions_; }

 private:
  struct Here {
    PlaceId place;
    Stance stance;
    ScopeId scope;
    const Json& schema;
    std::vector<FormulaId>& parts;
  };

  FormulaResult Translate(const formula::AtPlace& at);
  Result<void, GrammarError> AddParts(const Here& here);

  // translate_scalars.cc
  void AddTypes(const Here& here);
  void AddValues(const Here& here);
  Result<void, GrammarError> AddNumbers(const Here& here);
  void AddStrings(const Here& here);
  void AddFormat(const Here& here);
  void AddContent(const Here& here);

  // translate_containers.cc
  void AddObjects(const Here& here);
  void AddDependencies(const Here& here);
  void AddDependency(const Here& here, const std::string& name, const Json& value);
  void AddArrays(const Here& here);
  FormulaId WrapUnevaluated(const Here& here, FormulaId inner);
  FormulaId KeysMatching(const Here& here, const std::string& pattern);

  // translate.cc
  Result<void, GrammarError> AddReferences(const Here& here);
  Result<void, GrammarError> AddReference(const Here& here, const std::string& keyword,
                                          const std::string& reference);
  Result<void, GrammarError> AddChoices(const Here& here);
  Result<void, GrammarError> AddOneOf(const Here& here, const Json::Array& members);
  void AddCondition(const Here& here);

  FormulaId Excluding(const Here& here, const char* keyword, const Json& schema);
  FormulaId Sub(const Here& here, const Json& schema, Stance stance);
  FormulaId Sub(const Here& here, const Json& schema) { return Sub(here, schema, here.stance); }

  Document& document_;
  Formulas& formulas_;
  FrontEnd& front_;
  std::unordered_map<std::int64_t, FormulaId> known_;
  std::unordered_map<std::string, FormulaId> keys_by_pattern_;
  std::vector<Exclusion> exclusions_;
};

// A place is read once for every stance, and spoken of once.
void ReportOnce(std::vector<std::string>& list, std::string entry);

// A formula that holds for objects without the property (and for all other values).
FormulaId WithoutProperty(Formulas& formulas, const std::string& name);

}  // namespace sglrun::grammar
