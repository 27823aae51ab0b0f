// `sglrun plan`: what a batch run would do and take, without loading the model.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "run/settings.h"

namespace sglrun::plan {

struct PlanSettings {
  serve::ServeSettings serve;
  run::RecordSettings records;
  std::int64_t card_memory = 0;  // bytes of a card that need not be here, 0: plans for this machine
  bool prints_records = false;   // the plan of each record, in place of the sums
  bool json = false;
};

// Gives the exit code, or why there is no plan.
Result<int> RunPlan(const PlanSettings& settings);

}  // namespace sglrun::plan
