// What `plan` found, and its two forms.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "request/generate_request.h"
#include "request/record_error.h"
#include "serve/card_plan.h"

namespace sglrun::plan {

struct PlannedError {
  std::string place;  // "prompts.jsonl:12"
  std::int64_t line = 0;
  RecordError error;
};

// Requests whose steps have the same form. Sampling parameters, stop rules, penalties, constraints
// and logprobs of the output are entries of their row and change no form.
struct StepForm {
  HiddenStates hidden_states = HiddenStates::kNone;  // which states a step keeps
  bool prompt_logprobs = false;  // logits of prompt positions, in a pass of their own

  auto operator<=>(const StepForm&) const = default;
};

struct PlannedGroup {
  std::int64_t records = 0;  // with results in the group; a list may have some in several
  std::int64_t results = 0;
};

struct PlannedAdapter {
  std::string name;
  std::int64_t rank = 0;   // the largest of its matrices
  std::int64_t bytes = 0;  // of memory
  std::int64_t results = 0;
};

struct PlanReport {
  std::int64_t records = 0;
  std::int64_t results = 0;
  std::int64_t failed = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t max_output_tokens = 0;
  std::int64_t cached_tokens = 0;  // prompt tokens that a shared prefix saves
  std::vector<PlannedError> errors;
  std::map<StepForm, PlannedGroup> groups;
  std::vector<PlannedAdapter> adapters;  // by number

  // Of the machine here; or, with --device-memory, of a card that is somewhere else and has no
  // speed to estimate with.
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;
  std::int64_t workspace_bytes = 0;
  double estimate_low_s = 0;
  double estimate_high_s = 0;
  std::optional<serve::CardPlan> card;
};

std::string PlanJson(const PlanReport& report);
std::string PlanText(const PlanReport& report);

}  // namespace sglrun::plan
