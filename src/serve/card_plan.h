// Whether a model fits on a GPU that need not be in this machine (`plan --device-memory`): the same
// computations as for loading the model and starting an engine, without doing either.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "model/files/model_files.h"
#include "serve/settings.h"

namespace sglrun::serve {

struct CardPlan {
  std::int64_t memory = 0;
  std::int64_t driver = 0;    // what CUDA itself takes
  std::int64_t products = 0;  // working space of cuBLASLt
  std::int64_t weights = 0;
  std::int64_t activations = 0;   // of the largest step
  std::int64_t rows_of_step = 0;  // states and logits of its rows, and scratch
  std::int64_t kv = 0;
  std::int64_t page_tokens = 0, pages = 0;
  std::int64_t max_rows = 0, context_length = 0;

  std::int64_t workspace() const { return activations + rows_of_step; }
  std::int64_t tokens() const { return pages * page_tokens; }
  // Sequences of the whole context that the cache holds, and the tokens that each of max_rows may
  // have.
  std::int64_t FullRows() const;
  std::int64_t TokensPerRow() const;
};

// For a card with `free` free bytes before the model is loaded. If the model does not fit, the
// error states the required size and the option to change.
Result<CardPlan> PlanMemory(const ServeSettings& settings, const model::ModelFiles& files,
                            std::int64_t free);
// The same for a whole card of `memory` bytes.
Result<CardPlan> PlanCard(const ServeSettings& settings, const model::ModelFiles& files,
                          std::int64_t memory);

Json CardPlanJson(const CardPlan& plan);
std::string CardPlanText(const CardPlan& plan);

}  // namespace sglrun::serve
