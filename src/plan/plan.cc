#include "plan/plan.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>

#include "console/exit_codes.h"
#include "console/print.h"
#include "engine/engine.h"
#include "engine/grammar_state.h"
#include "engine/result_room.h"
#include "grammar/compile/constraint.h"
#include "io/dialect/result_writer.h"
#include "kernels/cuda/backend.h"
#include "model/weights/adapters.h"
#include "plan/machine_speed.h"
#include "plan/prefix_estimate.h"
#include "plan/report.h"
#include "run/adapter_paths.h"
#include "run/prepared_record.h"
#include "run/setup.h"
#include "serve/cache_plan.h"
#include "serve/load.h"
#include "serve/model_cost.h"

namespace sglrun::plan {
namespace {

// Errors kept for --json; a file of nothing else must not fill the memory.
constexpr std::size_t kMaxErrorsKept = 10000;

struct PlannedItem {
  GenerateRequest request;
  engine::PreparedPrompt prompt;
};

std::string_view HiddenStatesName(HiddenStates wanted) {
  return wanted == HiddenStates::kLast ? "last" : "all";
}

Json ItemJson(const PlannedItem& item) {
  SamplingParams params = *item.request.sampling;
  params.max_new_tokens = item.prompt.max_new_tokens;
  params.min_new_tokens = item.prompt.min_new_tokens;
  const HiddenStates hidden = item.request.return_hidden_states;
  return Json::Object{
      {"rid", item.request.rid},
      {"prompt_tokens", static_cast<std::int64_t>(item.prompt.token_ids.size())},
      {"sampling_params", run::SamplingParamsJson(params)},
      {"return_logprob", item.request.return_logprob},
      {"logprob_start_len", item.request.logprob_start_len},
      {"top_logprobs_num", item.request.top_logprobs_num},
      {"return_hidden_states",
       hidden == HiddenStates::kNone ? Json(false) : Json(std::string(HiddenStatesName(hidden)))}};
}

class Planner {
 public:
  // `pages`: of the cache; absent when its size is not known.
  Planner(const PlanSettings& settings, const serve::ModelSource& source,
          std::optional<std::int64_t> pages, io::RecordOptions record_options)
      : settings_(settings),
        source_(source),
        pages_(pages),
        limits_(serve::PromptLimitsOf(settings.serve, source.files.spec())),
        parser_(std::move(record_options)),
        writer_(io::RowOptions{}),
        constraints_(settings.serve.grammar,
                     [&source] {
                       return std::make_shared<const grammar::Vocabulary>(
                           *source.tokenizer, source.files.spec().vocab_size);
                     },
                     {}) {}

  // Plans one line; with --records, appends what is printed for it.
  void Add(io::InputRecord input, std::string& out) {
    const LinePlace line{input.file, input.line};
    Result<io::Record, io::RecordFailure> record = parser_.Parse(std::move(input));
    const Hash128 content = record.ok() ? record->content_hash : record.error().content_hash;
    if (!settings_.records.shard.Has(content)) return;
    ++report.records;
    if (!record.ok()) {
      const io::RecordFailure& failure = record.error();
      Fail(line,
           {.line = line.number,
            .rid = failure.rid,
            .key = failure.resume_key,
            .reply = failure.reply,
            .file = run::FileInRows(settings_.records, line.file)},
           failure.error, out);
      return;
    }
    warnings_.Warn(line.file, line.number, record->warnings);
    const auto prepared = run::PreparedRecord::Check(
        std::move(record->requests), [this](const GenerateRequest& r) { return Prepare(r); });
    if (!prepared.ok()) {
      Fail(line,
           {.line = line.number,
            .rid = record->rid,
            .key = record->resume_key,
            .reply = record->reply},
           record->InItsWords(prepared.error()), out);
      return;
    }
    Count(line, *record, *prepared, out);
  }

  // The most tokens that --max-rows sequences can have in the cache together.
  std::int64_t LargestCachedTokens() {
    std::int64_t sum = 0;
    for (; !largest_.empty(); largest_.pop()) sum += largest_.top();
    return pages_ ? std::min(sum, *pages_ * kernels::kPageSize) : sum;
  }

  PlanReport report;
  std::int64_t begun_twice = 0;  // prompts (engine::PreparedPrompt)

 private:
  struct LinePlace {
    std::string file;
    std::int64_t number = 0;
  };

  Result<engine::PreparedPrompt, RecordError> Prepare(const GenerateRequest& request) {
    SGLRUN_ASSIGN_OR_RETURN(engine::PreparedPrompt prompt,
                            engine::PreparePrompt(request, *source_.tokenizer, limits_));
    if (pages_) SGLRUN_RETURN_IF_ERROR(engine::CheckCacheRoom(prompt, *pages_));
    SGLRUN_RETURN_IF_ERROR(CheckConstraint(*request.sampling));
    if (prompt.begins_twice) ++begun_twice;
    return prompt;
  }

  // Compiles what `batch` would compile; equal constraints once.
  Result<void, RecordError> CheckConstraint(const SamplingParams& params) {
    if (!params.constraint) return {};
    const auto pending = constraints_.Want(*params.constraint);
    pending->Wait();
    if (pending->outcome().ok()) return {};
    return engine::RefusedConstraint(params.constraint->kind, pending->outcome().error());
  }

  void Fail(const LinePlace& line, const io::RowPlace& place, const RecordError& error,
            std::string& out) {
    ++report.failed;
    if (report.errors.size() < kMaxErrorsKept) {
      const bool openai = place.reply != nullptr;
      report.errors.push_back({run::PlaceOf(line.file, line.number), line.number,
                               openai ? io::openai::InWordsOf(*place.reply, error) : error});
    }
    if (settings_.prints_records) writer_.AppendErrorRow(place, error, out);
  }

  static StepForm FormOf(const PlannedItem& item) {
    const GenerateRequest& request = item.request;
    return {request.return_hidden_states,
            request.return_logprob && request.logprob_start_len >= 0 &&
                request.logprob_start_len + 1 <
                    static_cast<std::int64_t>(item.prompt.token_ids.size())};
  }

  // Counts the results one by one; with --records, prints them.
  void Count(const LinePlace& line, const io::Record& record, const run::PreparedRecord& prepared,
             std::string& out) {
    std::set<StepForm> forms;
    std::string items;
    for (std::size_t i = 0; i < prepared.size(); ++i) {
      GenerateRequest request = prepared[i];
      auto prompt = engine::PreparePrompt(request, *source_.tokenizer, limits_);
      CHECK(prompt.ok()) << prompt.error().message;  // it was looked at before
      const PlannedItem item{std::move(request), std::move(prompt).value()};
      forms.insert(FormOf(item));
      CountItem(item);
      if (!settings_.prints_records) continue;
      if (i > 0) items += ',';
      JsonWriter(items).Value(ItemJson(item));
    }
    for (const StepForm& form : forms) ++report.groups[form].records;
    if (!settings_.prints_records) return;
    out += "{\"line\":" + std::to_string(line.number) + ",\"key\":\"" + record.resume_key.ToHex() +
           "\",\"items\":[" + items + "]}\n";
  }

  void CountItem(const PlannedItem& item) {
    const auto prompt = static_cast<std::int64_t>(item.prompt.token_ids.size());
    ++report.results;
    ++report.groups[FormOf(item)].results;
    report.prompt_tokens += prompt;
    report.max_output_tokens += item.prompt.max_new_tokens;
    const std::int32_t adapter = item.request.adapter;
    if (adapter >= 0) ++report.adapters[static_cast<std::size_t>(adapter)].results;
    if (item.request.input_embeds == nullptr) {
      report.cached_tokens += prefixes_[adapter].Add(item.prompt.token_ids);
    }
    largest_.push(prompt + item.prompt.max_new_tokens);
    if (static_cast<std::int64_t>(largest_.size()) > settings_.serve.max_rows) largest_.pop();
  }

  const PlanSettings& settings_;
  const serve::ModelSource& source_;
  const std::optional<std::int64_t> pages_;
  const engine::PromptLimits limits_;
  io::RecordParser parser_;
  const io::ResultWriter writer_;
  grammar::ConstraintStore constraints_;
  run::WarnOnce warnings_;
  std::map<std::int32_t, PrefixEstimate> prefixes_;  // by adapter: pages are shared within one
  // The largest sequences, the smallest of them on top.
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> largest_;
};

std::vector<PlannedAdapter> AdaptersOf(const serve::ServeSettings& serve,
                                       const serve::ModelSource& source,
                                       const kernels::Backend* backend) {
  const model::LoadOptions options = serve::LoadOptionsOf(
      serve, source.files, backend == nullptr ? kernels::PlanningBackend() : *backend);
  std::vector<PlannedAdapter> adapters;
  for (std::size_t i = 0; i < source.adapters.files().size(); ++i) {
    const model::AdapterFiles& files = source.adapters.files()[i];
    adapters.push_back(
        {source.adapters.names()[i], files.most_rank(), model::AdapterBytes(files, options)});
  }
  return adapters;
}

void EstimateMemory(const serve::ServeSettings& serve, const model::ModelSpec& spec,
                    const serve::ModelCost& cost, std::int64_t cached_tokens, PlanReport& report) {
  report.kv_bytes =
      static_cast<std::int64_t>(cost.kv_bytes_per_token * static_cast<double>(cached_tokens));
  report.workspace_bytes = 4 * serve.max_rows * spec.vocab_size +
                           model::Model::ActivationBytes(spec, serve.max_batch_tokens);
}

// Prompts run at the speed of arithmetic, decode steps at that of memory or arithmetic, whichever
// is slower; a step has some cost of its own.
double EstimateSeconds(const PlanReport& report, std::int64_t max_rows,
                       const serve::ModelCost& cost, const MachineSpeed& speed,
                       double share_of_output) {
  constexpr double kStepOverhead = 1e-4;
  if (report.results == 0) return 0;
  const auto results = static_cast<double>(report.results);
  const auto prompt = static_cast<double>(report.prompt_tokens - report.cached_tokens);
  const double output = static_cast<double>(report.max_output_tokens) * share_of_output;
  const double rows = std::min(static_cast<double>(max_rows), results);
  const double context = (static_cast<double>(report.prompt_tokens) + output / 2) / results;
  const double step = std::max(cost.StepBytes(rows, context) / speed.bytes_per_s,
                               cost.Flops(rows, context) / speed.flops_per_s) +
                      kStepOverhead;
  return cost.Flops(prompt, context / 2) / speed.flops_per_s + output / rows * step;
}

Status Estimate(const serve::ServeSettings& serve, const serve::ModelSource& source,
                const kernels::Backend& backend, serve::Compute& compute,
                std::int64_t cached_tokens, PlanReport& report) {
  const tensor::DType dtype = serve::WeightDType(serve, source.files, backend);
  report.weight_bytes =
      model::Model::WeightBytes(source.files, {.dtype = dtype, .backend = &backend});
  const serve::ModelCost cost = serve::CostOf(source.files.spec(), report.weight_bytes,
                                              serve::KvDType(serve, dtype), backend);
  EstimateMemory(serve, source.files.spec(), cost, cached_tokens, report);
  if (backend.is_simulated) {
    return Error{"the simulated device has no speed to plan with; give --device cpu or cuda"};
  }
  const MachineSpeed speed = MeasureMachine(backend, dtype, compute);
  // Devices share the records.
  const auto devices = static_cast<double>(serve::DeviceCount(serve));
  const auto estimate = [&](double share_of_output) {
    return EstimateSeconds(report, serve.max_rows, cost, speed, share_of_output) / devices;
  };
  report.estimate_low_s = estimate(0.25);
  report.estimate_high_s = estimate(1.0) * 1.5;
  return {};
}

// What is planned for. Which records the cache holds is known before they are read.
struct PlanPlace {
  const kernels::Backend* backend = nullptr;  // null: a card that is not here
  std::optional<serve::CardPlan> card;
  std::optional<std::int64_t> pages;  // of the cache
};

Result<PlanPlace> FindPlanPlace(const PlanSettings& settings, const model::ModelFiles& files,
                                serve::Compute& compute) {
  PlanPlace place;
  const serve::ServeSettings& serve = settings.serve;
  if (settings.card_memory > 0) {
    SGLRUN_ASSIGN_OR_RETURN(place.card, serve::PlanCard(serve, files, settings.card_memory));
    place.pages = place.card->pages;
    return place;
  }
  SGLRUN_ASSIGN_OR_RETURN(place.backend,
                          serve::OpenDevice(serve, serve::DeviceDType(serve, files), 0, compute));
  SGLRUN_ASSIGN_OR_RETURN(place.pages, serve::PlanCachePages(serve, files, *place.backend));
  return place;
}

Status PlanAll(const run::RecordSettings& records, Planner& planner) {
  SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<io::JsonlReader> reader,
                          io::JsonlReader::Open(records.inputs, run::MakeReaderOptions(records)));
  std::string out;
  while (true) {
    SGLRUN_ASSIGN_OR_RETURN(std::optional<io::InputRecord> line, reader->Next());
    if (!line || (records.limit > 0 && line->index >= records.limit)) return {};
    planner.Add(*std::move(line), out);
    if (out.empty()) continue;
    SGLRUN_RETURN_IF_ERROR(console::Print(out));
    out.clear();
  }
}

}  // namespace

Result<int> RunPlan(const PlanSettings& settings) {
  SGLRUN_ASSIGN_OR_RETURN(const serve::ServeSettings with_adapters,
                          run::WithAdaptersOfRecords(settings.serve, settings.records));
  SGLRUN_ASSIGN_OR_RETURN(const serve::ModelSource source, serve::OpenModel(with_adapters));
  SGLRUN_ASSIGN_OR_RETURN(io::RecordOptions record_options,
                          run::MakeRecordOptions(settings.serve, settings.records, source));
  serve::Compute compute(settings.serve);
  SGLRUN_ASSIGN_OR_RETURN(const PlanPlace place, FindPlanPlace(settings, source.files, compute));
  Planner planner(settings, source, place.pages, std::move(record_options));
  planner.report.card = place.card;
  planner.report.adapters = AdaptersOf(settings.serve, source, place.backend);
  SGLRUN_RETURN_IF_ERROR(PlanAll(settings.records, planner));
  run::WarnOfBeginnings(planner.begun_twice, *source.tokenizer);
  if (!settings.prints_records) {
    if (place.backend != nullptr) {
      SGLRUN_RETURN_IF_ERROR(Estimate(settings.serve, source, *place.backend, compute,
                                      planner.LargestCachedTokens(), planner.report));
    }
    SGLRUN_RETURN_IF_ERROR(
        console::Print(settings.json ? PlanJson(planner.report) : PlanText(planner.report)));
  }
  return planner.report.failed > 0 ? console::kExitRecordErrors : console::kExitOk;
}

}  // namespace sglrun::plan
