// The constraints on numbers, strings and keys of an alternative as languages, and whose fault it
// is when there is no such language.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/check.h"
#include "grammar/base/json_text.h"
#include "grammar/json_schema/normal_form.h"

namespace sglrun::grammar {

NumberConstraints NormalForm::NumbersOf(const Alternative& alternative) const {
  NumberConstraints all;
  for (const FormulaId id : alternative.constraints) {
    const auto* number = formulas_.As<formula::Number>(id);
    if (number != nullptr && dropped_.count(id) == 0) all = Conjoin(all, number->constraints);
  }
  return all;
}

StringConstraints NormalForm::StringsOf(const Alternative& alternative) const {
  StringConstraints all;
  for (const FormulaId id : alternative.constraints) {
    const auto* text = formulas_.As<formula::Text>(id);
    if (text != nullptr && dropped_.count(id) == 0) all = Conjoin(all, text->constraints);
  }
  return all;
}

namespace {

// Nearly every schema asks for these two.
SharedDfa PlainNumbers(bool integer) {
  static const std::array<SharedDfa, 2> kDfas = [] {
    std::array<SharedDfa, 2> dfas;
    for (const bool is_integer : {false, true}) {
      const Limits limits = Limits::WithoutWork();
      Budget budget(limits);
      NumberConstraints constraints;
      constraints.integer = is_integer;
      auto dfa = NumberLanguage(constraints, budget);
      CHECK(dfa.ok()) << dfa.error().message;
      dfas[is_integer ? 1 : 0] = std::make_shared<const Dfa>(std::move(dfa).value());
    }
    return dfas;
  }();
  return kDfas[integer ? 1 : 0];
}

}  // namespace

Result<SharedDfa, GrammarError> NormalForm::NumberDfa(const NumberConstraints& constraints) {
  NumberConstraints plain;
  plain.integer = constraints.integer;
  if (constraints == plain) return PlainNumbers(constraints.integer);
  for (const auto& [known, dfa] : numbers_) {
    if (known == constraints) return SharedDfa(dfa);
  }
  SGLRUN_ASSIGN_OR_RETURN(Dfa language, NumberLanguage(constraints, front_.budget));
  numbers_.emplace_back(constraints, std::make_shared<const Dfa>(std::move(language)));
  return SharedDfa(numbers_.back().second);
}

Result<SharedDfa, GrammarError> NormalForm::KeyLanguage(FormulaId keys) {
  const auto known = key_languages_.find(keys);
  if (known != key_languages_.end()) return SharedDfa(known->second);
  SGLRUN_ASSIGN_OR_RETURN(const SharedAlternatives alternatives, Alternatives(keys, Kind::kString));
  Dfa all = NoText();
  for (Alternative alternative : *alternatives) {
    SGLRUN_RETURN_IF_ERROR(Settle(alternative, Kind::kString));
    SGLRUN_ASSIGN_OR_RETURN(const Dfa one, TextsOf(alternative));
    if (alternatives->size() == 1) {
      all = one;
    } else {
      SGLRUN_ASSIGN_OR_RETURN(all, Unite(all, one, front_.budget));
    }
  }
  const auto shared = std::make_shared<const Dfa>(std::move(all));
  key_languages_.emplace(keys, shared);
  return SharedDfa(shared);
}

DfaResult NormalForm::TextsOf(Alternative& alternative) {
  SGLRUN_ASSIGN_OR_RETURN(const auto survivors, Survivors(alternative, Kind::kString));
  if (survivors) {
    std::vector<std::string> words;
    for (const Json* value : *survivors) words.push_back(value->as_string());
    std::sort(words.begin(), words.end());
    return Words(words);
  }
  while (true) {
    auto values = StringValues(StringsOf(alternative), patterns_, front_.budget);
    if (values.ok()) return std::move(values).value();
    SGLRUN_ASSIGN_OR_RETURN(const bool again, Blame(alternative, values.error()));
    if (!again) return std::move(values).error();
  }
}

Result<Truth, GrammarError> NormalForm::KeyMatches(FormulaId keys, std::string_view name) {
  if (keys <= kTrue) return keys == kTrue ? Truth::kYes : Truth::kNo;
  return TruthOf(Json(std::string(name)), keys);
}

std::string NormalForm::BlamedBound(PlaceId place) {
  const Json& schema = document_.schema(place);
  if (!schema.is_object()) return "";
  enum class Role : std::uint8_t { kMin, kMax, kStep };
  constexpr std::pair<const char*, Role> kKeywords[] = {{"minimum", Role::kMin},
                                                        {"exclusiveMinimum", Role::kMin},
                                                        {"maximum", Role::kMax},
                                                        {"exclusiveMaximum", Role::kMax},
                                                        {"multipleOf", Role::kStep}};
  for (const auto& [keyword, role] : kKeywords) {
    const Json* value = schema.Find(keyword);
    if (value == nullptr || !value->is_number()) continue;
    const auto decimal = DecimalOf(*value);
    if (!decimal.ok()) return keyword;
    NumberConstraints alone;
    if (role == Role::kStep) {
      const auto step = Step::From(*decimal);
      if (!step.ok()) return keyword;
      alone.multiple_of.push_back(*step);
    } else {
      (role == Role::kMin ? alone.min : alone.max) = NumberBound{*decimal, false};
    }
    if (!NumberDfa(alone).ok()) return keyword;
  }
  return "";
}

Result<bool, GrammarError> NormalForm::Blame(Alternative& alternative, const GrammarError& error) {
  for (const FormulaId id : alternative.constraints) {
    const auto* text = formulas_.As<formula::Text>(id);
    if (text == nullptr || text->keyword.empty() || dropped_.count(id) != 0) continue;
    const auto alone = StringTest::Create(text->constraints, patterns_, front_.budget);
    if (alone.ok()) continue;
    if (alone.error().verdict == Verdict::kUnsupported && front_.options.relax_unsupported) {
      Relax(text->place, text->keyword, text->under_not);
      dropped_.insert(id);
      return true;
    }
    return document_.ErrorAt(text->place, text->keyword, alone.error().verdict,
                             "cannot be used: " + alone.error().message);
  }
  for (const FormulaId id : alternative.constraints) {  // they are too much together
    if (const auto* text = formulas_.As<formula::Text>(id)) {
      return document_.ErrorAt(text->place, text->keyword, error.verdict,
                               "cannot be used: " + error.message);
    }
    const auto* number = formulas_.As<formula::Number>(id);
    if (number == nullptr) continue;
    if (const std::string keyword = BlamedBound(number->place); !keyword.empty()) {
      return document_.ErrorAt(number->place, keyword, error.verdict,
                               "cannot be used: " + error.message);
    }
  }
  for (const FormulaId id : alternative.constraints) {
    if (const auto* number = formulas_.As<formula::Number>(id)) {
      return document_.ErrorAt(number->place, "", error.verdict,
                               "has bounds that cannot be used: " + error.message);
    }
  }
  return error;
}

Result<void, GrammarError> NormalForm::Settle(Alternative& alternative, Kind kind) {
  const auto unenforceable = [&](FormulaId id) {
    return formulas_.As<formula::Unenforceable>(id) != nullptr;
  };
  auto& all = alternative.constraints;
  if (std::none_of(all.begin(), all.end(), unenforceable)) return {};
  SGLRUN_ASSIGN_OR_RETURN(const bool dead, IsDead(alternative, kind));
  for (const FormulaId id : all) {
    const auto* keyword = formulas_.As<formula::Unenforceable>(id);
    if (keyword == nullptr || dead) continue;
    if (!front_.options.relax_unsupported) {
      return document_.ErrorAt(keyword->place, keyword->keyword, Verdict::kUnsupported,
                               keyword->reason);
    }
    Relax(keyword->place, keyword->keyword, keyword->under_not);
  }
  all.erase(std::remove_if(all.begin(), all.end(), unenforceable), all.end());
  if (dead) all.push_back(kFalse);
  return {};
}

}  // namespace sglrun::grammar
