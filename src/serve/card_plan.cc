#include "serve/card_plan.h"

#include <algorithm>

#include "base/strings.h"
#include "engine/block_manager.h"
#include "engine/memory_plan.h"
#include "kernels/cuda/backend.h"
#include "model/kv_cache.h"
#include "model/model.h"
#include "serve/load.h"

namespace sglrun::serve {
namespace {

// CUDA's own memory on a card once a program runs on it: code, stacks, tables.
constexpr std::int64_t kDriverBytes = std::int64_t{600} << 20;

Error TooLarge(const CardPlan& plan, std::int64_t free, tensor::DType dtype) {
  return Error{"the weights need " + FormatByteSize(plan.weights) + " in " +
                   tensor::DTypeName(dtype) + " and a step " + FormatByteSize(plan.workspace()) +
                   ", the card has " + FormatByteSize(free),
               Shortage::kWeightsAndStep};
}

std::string CardLine(std::string_view name, const std::string& value) {
  std::string line(name);
  line.resize(15, ' ');
  return line + value + "\n";
}

}  // namespace

std::int64_t CardPlan::FullRows() const {
  return pages / engine::PagesFor(context_length);
}

std::int64_t CardPlan::TokensPerRow() const {
  return std::min(context_length, pages / max_rows * page_tokens);
}

Result<CardPlan> PlanMemory(const ServeSettings& settings, const model::ModelFiles& files,
                            std::int64_t free) {
  const kernels::Backend& backend = kernels::PlanningBackend();
  const model::ModelSpec& spec = files.spec();
  const tensor::DType dtype = DeviceDType(settings, files);
  CardPlan plan{.memory = free, .page_tokens = kernels::kPageSize};
  plan.max_rows = settings.max_rows;
  plan.context_length = PromptLimitsOf(settings, spec).context_length;
  const engine::StepSizes sizes{
      .tokens = engine::MostStepTokens(settings.max_batch_tokens, settings.max_rows),
      .rows = settings.max_rows,
      .context_length = plan.context_length};
  plan.weights = model::Model::WeightBytes(files, {.dtype = dtype, .backend = &backend});
  plan.activations = model::Model::ActivationBytes(spec, sizes.tokens);
  const std::int64_t left = free - plan.weights - plan.activations;
  const std::int64_t page_bytes = model::KvPageBytes(spec, KvDType(settings, dtype), backend);
  engine::MemoryNeeds needs{.page_bytes = page_bytes,
                            .max_rows = settings.max_rows,
                            .context_length = plan.context_length,
                            .kv_memory_bytes = settings.kv_memory.BytesOf(free - plan.weights),
                            .available_bytes = left,
                            .share = engine::kCacheShareOfDevice};
  plan.rows_of_step = engine::RowBufferBytes(engine::WithinCache(sizes, needs), spec);
  if (left < plan.rows_of_step + page_bytes) return TooLarge(plan, free, dtype);
  *needs.available_bytes -= plan.rows_of_step;
  SGLRUN_ASSIGN_OR_RETURN(plan.pages, engine::PlanPages(needs));
  plan.kv = plan.pages * page_bytes;
  if (plan.kv + plan.rows_of_step > left) {
    return Error{"beside keys and values of " + FormatByteSize(plan.kv) + ", " +
                     FormatByteSize(left - plan.kv) +
                     " are left for the rows of a step, which need " +
                     FormatByteSize(plan.rows_of_step),
                 Shortage::kDeviceStep};
  }
  return plan;
}

Result<CardPlan> PlanCard(const ServeSettings& settings, const model::ModelFiles& files,
                          std::int64_t memory) {
  SGLRUN_RETURN_IF_ERROR(CheckDeviceCache(settings));
  const bool wants_library = WantsLibrary(settings, DeviceDType(settings, files));
  const std::int64_t products = wants_library ? kernels::kProductsWorkspace : 0;
  SGLRUN_ASSIGN_OR_RETURN(
      CardPlan plan,
      PlanMemory(settings, files, std::max(memory - kDriverBytes - products, std::int64_t{0})));
  plan.memory = memory;
  plan.driver = kDriverBytes;
  plan.products = products;
  return plan;
}

Json CardPlanJson(const CardPlan& plan) {
  return Json::Object{{"memory", plan.memory},
                      {"driver", plan.driver},
                      {"products", plan.products},
                      {"weights", plan.weights},
                      {"workspace", plan.workspace()},
                      {"kv", plan.kv},
                      {"pages", plan.pages},
                      {"tokens", plan.tokens()},
                      {"rows_of_full_context", plan.FullRows()},
                      {"tokens_per_row", plan.TokensPerRow()}};
}

std::string CardPlanText(const CardPlan& plan) {
  const std::int64_t used = plan.driver + plan.products + plan.weights + plan.workspace() + plan.kv;
  std::string out = CardLine(
      "card", FormatByteSize(plan.memory) + ": CUDA " + FormatByteSize(plan.driver) +
                  (plan.products > 0 ? ", cuBLASLt " + FormatByteSize(plan.products) : "") +
                  ", weights " + FormatByteSize(plan.weights) + ", buffers of a step " +
                  FormatByteSize(plan.workspace()) + ", keys and values " +
                  FormatByteSize(plan.kv) + ", left " + FormatByteSize(plan.memory - used));
  out +=
      CardLine("cache", FormatCount(plan.pages) + " pages of " + std::to_string(plan.page_tokens) +
                            " tokens: " + FormatCount(plan.max_rows) + " rows of " +
                            FormatCount(plan.TokensPerRow()) + " tokens, or " +
                            FormatCount(plan.FullRows()) + " of the whole context of " +
                            FormatCount(plan.context_length));
  return out;
}

}  // namespace sglrun::serve
