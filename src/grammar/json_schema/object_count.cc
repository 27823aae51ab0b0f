#include "grammar/json_schema/object_count.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace sglrun::grammar {
namespace {

// This is not "minProperties" but the negation of "maxProperties".
bool IsNegated(const formula::PropertyCount& count) {
  return count.keyword != std::string_view("minProperties");
}

// Keys that the schema does not name are those that fit a pattern: further ones are ruled out.
bool OnlyPatternsAreOpen(const ObjectPlan& plan) {
  const auto rules_out = [](const formula::Properties* one) { return one->others == kFalse; };
  const auto forbids = [](const formula::UnevaluatedProperties* one) {
    return one->value == kFalse;
  };
  return plan.closed || std::any_of(plan.properties.begin(), plan.properties.end(), rules_out) ||
         std::any_of(plan.unevaluated.begin(), plan.unevaluated.end(), forbids);
}

std::string Refusal(const ObjectPlan& plan) {
  return std::string(IsNegated(*plan.min_said_by) ? "under \"not\" or \"if\" asks for at least "
                                                  : "asks for ") +
         std::to_string(plan.min) + " properties, of which \"required\" names " +
         std::to_string(plan.required) +
         ": keys that the schema does not name may occur twice and cannot be counted; name more "
         "keys in \"required\", or " +
         (OnlyPatternsAreOpen(plan) ? "name those of patternProperties in \"properties\""
                                    : "set additionalProperties to false");
}

bool AllByName(const std::vector<KeyCell>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const KeyCell& cell) { return cell.one_key; });
}

}  // namespace

Result<bool, GrammarError> TellsKeysApart(ValueRules& rules, const ObjectPlan& plan,
                                          const std::vector<KeyCell>& cells,
                                          const ObjectOrder& order) {
  constexpr std::int64_t kMostApart = 8;  // sets of cells that are remembered
  const bool possible = !plan.max || *plan.max >= plan.min;
  if (!order.repeats() || !plan.CountsOthers() || !possible) return false;
  const auto distinct =
      static_cast<std::int64_t>(order.chain().size() + order.loop().size() + cells.size());
  const bool few = AllByName(cells) || plan.min <= plan.required + kMostApart;
  if (distinct >= plan.min && few) return true;
  SGLRUN_RETURN_IF_ERROR(CountMembers(rules, plan));
  return false;
}

void NoteKeysApart(ValueRules& rules, const ObjectPlan& plan, const std::vector<KeyCell>& cells) {
  if (AllByName(cells)) return;
  const formula::PropertyCount& count = *plan.min_said_by;
  ReportOnce(rules.front().report.notes,
             rules.normal_form().document().Pointer(count.place, count.keyword) +
                 ": of the keys that the schema does not name, only those that begin differently "
                 "count as different");
}

Result<void, GrammarError> CountMembers(ValueRules& rules, const ObjectPlan& plan) {
  const formula::PropertyCount& count = *plan.min_said_by;
  NormalForm& normal_form = rules.normal_form();
  if (!rules.front().options.relax_unsupported) {
    return normal_form.document().ErrorAt(count.place, count.keyword, Verdict::kUnsupported,
                                          Refusal(plan));
  }
  normal_form.Relax(count.place, count.keyword, IsNegated(count));
  return {};
}

}  // namespace sglrun::grammar
