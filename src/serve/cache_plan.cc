#include "serve/cache_plan.h"

#include <algorithm>

#include "engine/memory_plan.h"
#include "model/kv_cache.h"
#include "model/model.h"
#include "model/weights/available_memory.h"
#include "serve/card_plan.h"
#include "serve/load.h"

namespace sglrun::serve {
namespace {

Result<std::int64_t> DevicePages(const ServeSettings& settings, const model::ModelFiles& files,
                                 const kernels::Backend& backend) {
  SGLRUN_ASSIGN_OR_RETURN(const CardPlan plan,
                          PlanMemory(settings, files, backend.device->FreeMemory()));
  return plan.pages;
}

// The sums of Engine::Create.
Result<std::int64_t> HostPages(const ServeSettings& settings, const model::ModelFiles& files,
                               const kernels::Backend& backend) {
  const model::ModelSpec& spec = files.spec();
  const tensor::DType dtype = WeightDType(settings, files, backend);
  engine::MemoryNeeds needs{
      .page_bytes = model::KvPageBytes(spec, KvDType(settings, dtype), backend),
      .max_rows = settings.max_rows,
      .context_length = PromptLimitsOf(settings, spec).context_length};
  const std::optional<std::int64_t> available = model::AvailableMemory();
  const std::int64_t loaded =
      std::max(available.value_or(0) -
                   model::Model::WeightBytes(files, {.dtype = dtype, .backend = &backend}),
               std::int64_t{0});
  needs.kv_memory_bytes = settings.kv_memory.BytesOf(loaded);
  const std::int64_t tokens = std::max(settings.max_batch_tokens, settings.max_rows);
  if (available) needs.available_bytes = loaded - model::Model::ActivationBytes(spec, tokens);
  return engine::PlanPages(needs);
}

}  // namespace

Result<std::optional<std::int64_t>> PlanCachePages(const ServeSettings& settings,
                                                   const model::ModelFiles& files,
                                                   const kernels::Backend& backend) {
  const Result<std::int64_t> pages = backend.device != nullptr
                                         ? DevicePages(settings, files, backend)
                                         : HostPages(settings, files, backend);
  if (pages.ok()) return std::optional(*pages);
  if (!settings.kv_memory.is_auto()) return pages.error();
  return std::optional<std::int64_t>();
}

}  // namespace sglrun::serve
