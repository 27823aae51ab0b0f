// Speed through the engine, with prompts of random ids and greedy sampling: the speed of `batch`
// when only the model matters.
#include "bench/bench.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <utility>

#include "base/strings.h"
#include "bench/grammar.h"
#include "bench/model.h"
#include "bench/report.h"
#include "console/exit_codes.h"
#include "console/print.h"
#include "console/process_info.h"
#include "console/stopwatch.h"
#include "engine/engine.h"
#include "engine/sequence.h"
#include "kernels/operation_clock.h"
#include "serve/load.h"
#include "serve/model_cost.h"

namespace sglrun::bench {
namespace {

constexpr std::int64_t kPrefillLength = 512;  // where none is asked for

// With fewer ids, random prompts would share pages. The prefix cache would provide them, and too
// little would be computed to measure.
constexpr std::int64_t kLeastVocabulary = 4;

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The first rows are some tokens ahead when the last row has finished its prompt, so each row gets
// that many additional tokens.
std::int64_t TokensAhead(std::int64_t rows, const BenchSettings& settings,
                         const engine::EngineOptions& engine) {
  return rows * settings.prompt_tokens / (engine.max_batch_tokens - rows) + 2;
}

class Bench {
 public:
  // `clock` is null where operations have none.
  Bench(const BenchSettings& settings, engine::Engine& engine, const serve::ModelCost& cost,
        std::int64_t vocab_size, kernels::OperationClock* clock)
      : settings_(settings), engine_(engine), cost_(cost), vocab_size_(vocab_size), clock_(clock) {
    SamplingParams greedy;
    greedy.top_k = 1;
    greedy.ignore_eos = true;
    greedy.max_new_tokens_stated = true;
    greedy_ = greedy;
  }

  // Seconds until a prompt of `tokens` has given its first token.
  Result<double> FirstToken(std::int64_t tokens) {
    SGLRUN_RETURN_IF_ERROR(Submit(tokens, 1));
    return Timed([this] { Drain(); });
  }

  Result<Measurement> Prefill(std::int64_t tokens) {
    SGLRUN_ASSIGN_OR_RETURN(const double s, MedianOf([&] { return FirstToken(tokens); }));
    const double n = static_cast<double>(tokens);
    return Measurement{tokens, n / s, cost_.StepBytes(1, n / 2) / s, cost_.Flops(n, n / 2) / s,
                       std::exchange(shares_, std::nullopt)};
  }

  Result<Measurement> Decode(std::int64_t rows) {
    SGLRUN_ASSIGN_OR_RETURN(const double seconds, MedianOf([&] { return DecodeSteps(rows); }));
    const double steps = static_cast<double>(settings_.output_tokens);
    const double s = seconds / steps, n = static_cast<double>(rows);
    const double context = static_cast<double>(settings_.prompt_tokens) + steps / 2;
    return Measurement{rows, n / s, cost_.StepBytes(n, context) / s, cost_.Flops(n, context) / s,
                       std::exchange(shares_, std::nullopt)};
  }

 private:
  // The --repeat runs. The clock of the operations runs in the last one only, because it takes half
  // a percent of a short step.
  template <class Run>
  Result<double> MedianOf(Run run) {
    std::vector<double> seconds;
    for (std::int64_t i = 0; i < settings_.repeat; ++i) {
      is_last_ = i + 1 == settings_.repeat;
      SGLRUN_ASSIGN_OR_RETURN(const double s, run());
      seconds.push_back(s);
    }
    is_last_ = false;
    return Median(std::move(seconds));
  }

  template <class Work>
  double Timed(Work work) {
    kernels::OperationClock* clock = is_last_ ? clock_ : nullptr;
    if (clock != nullptr) clock->Start();
    const console::Clock::time_point start = console::Clock::now();
    work();
    const double seconds = console::SecondsSince(start);
    if (clock != nullptr) shares_ = clock->Stop();
    return seconds;
  }

  // Random ids, so that no prompt shares a prefix with another.
  Status Submit(std::int64_t prompt_tokens, std::int64_t output_tokens) {
    GenerateRequest request;
    std::uniform_int_distribution<std::int32_t> any(0, static_cast<std::int32_t>(vocab_size_ - 1));
    request.input_ids.emplace();
    for (std::int64_t i = 0; i < prompt_tokens; ++i) request.input_ids->push_back(any(random_));
    SamplingParams params = greedy_;
    params.max_new_tokens = output_tokens;
    request.sampling = std::make_shared<const SamplingParams>(std::move(params));
    auto sequence = engine_.Admit(std::move(request));
    if (!sequence.ok()) return Error{"bench: " + sequence.error().message};
    engine_.Submit(std::move(sequence).value());
    return {};
  }

  // The seconds of --output-tokens steps in which all rows decode and none is in its prompt.
  Result<double> DecodeSteps(std::int64_t rows) {
    const std::int64_t ahead = TokensAhead(rows, settings_, engine_.options());
    const std::int64_t goal = engine_.stats().prompt_tokens + rows * settings_.prompt_tokens;
    for (std::int64_t i = 0; i < rows; ++i) {
      SGLRUN_RETURN_IF_ERROR(Submit(settings_.prompt_tokens, settings_.output_tokens + ahead));
    }
    while (engine_.stats().prompt_tokens < goal && engine_.HasWork()) engine_.Step();
    const std::int64_t before = engine_.stats().output_tokens;
    const double seconds = Timed([this] {
      for (std::int64_t i = 0; i < settings_.output_tokens; ++i) engine_.Step();
    });
    const std::int64_t made = engine_.stats().output_tokens - before;
    Drain();
    if (made != rows * settings_.output_tokens) {
      return Error{"bench: the cache does not hold " + std::to_string(rows) +
                   " rows at a time; give fewer with --batch-sizes, or more room with --kv-memory"};
    }
    return seconds;
  }

  void Drain() {
    while (engine_.HasWork()) engine_.Step();
  }

  const BenchSettings& settings_;
  engine::Engine& engine_;
  const serve::ModelCost cost_;
  const std::int64_t vocab_size_;
  kernels::OperationClock* const clock_;
  bool is_last_ = false;                            // of the repetitions
  std::optional<kernels::OperationShares> shares_;  // of the last one
  SamplingParams greedy_;
  std::mt19937 random_{1};
};

struct Loaded {
  std::unique_ptr<model::Model> model;
  tensor::DType dtype = tensor::DType::kBF16;
};

// Nothing with --shape.
Result<std::optional<model::ModelFiles>> FilesForBench(const BenchSettings& settings) {
  if (settings.serve.model.empty() == settings.shape.empty()) {
    return Error{"bench needs one of --model PATH and --shape NAME"};
  }
  if (!settings.shape.empty()) return std::optional<model::ModelFiles>();
  SGLRUN_ASSIGN_OR_RETURN(model::ModelFiles files, model::ModelFiles::Open(settings.serve.model));
  return std::optional(std::move(files));
}

Result<Loaded> LoadForBench(const BenchSettings& settings, std::optional<model::ModelFiles> files,
                            const kernels::Backend& backend, serve::Compute& compute) {
  if (files) {
    SGLRUN_ASSIGN_OR_RETURN(auto model, serve::LoadModel(settings.serve, *files, backend, compute));
    return Loaded{std::move(model), serve::WeightDType(settings.serve, *files, backend)};
  }
  const tensor::DType dtype = settings.serve.dtype.value_or(tensor::DType::kBF16);
  SGLRUN_ASSIGN_OR_RETURN(
      auto model, model::Model::Synthetic(ShapeSpec(settings.shape),
                                          {.dtype = dtype, .backend = &backend}, compute.context));
  return Loaded{std::move(model), dtype};
}

// Either all requested lengths are measured, or none.
Status CheckLengths(const BenchSettings& settings, const engine::EngineOptions& engine) {
  const auto check = [&engine](const std::string& run, std::int64_t tokens) -> Status {
    if (tokens <= engine.context_length) return {};
    return Error{run + " needs " + FormatCount(tokens) + " tokens, the context length is " +
                 FormatCount(engine.context_length)};
  };
  for (const std::int64_t length : settings.prefill_lengths) {
    SGLRUN_RETURN_IF_ERROR(check("a run of --prefill-lengths", length + 1));
  }
  const std::int64_t most_rows = std::ranges::max(settings.batch_sizes);
  return check(
      "a row of the decode runs (--prompt-tokens, --output-tokens)",
      settings.prompt_tokens + settings.output_tokens + TokensAhead(most_rows, settings, engine));
}

Result<BenchReport> Measure(const BenchSettings& settings) {
  serve::Compute compute(settings.serve);
  SGLRUN_ASSIGN_OR_RETURN(std::optional<model::ModelFiles> files, FilesForBench(settings));
  const tensor::DType on_device = files ? serve::DeviceDType(settings.serve, *files)
                                        : settings.serve.dtype.value_or(tensor::DType::kBF16);
  SGLRUN_ASSIGN_OR_RETURN(const kernels::Backend* chosen,
                          serve::ChooseBackend(settings.serve, on_device, compute));
  std::optional<kernels::OperationClock> clock;
  if (chosen->device == nullptr) clock.emplace(*chosen, compute.context);
  const kernels::Backend& backend = clock ? clock->backend() : *chosen;
  const console::Clock::time_point start = console::Clock::now();
  SGLRUN_ASSIGN_OR_RETURN(const Loaded loaded,
                          LoadForBench(settings, std::move(files), backend, compute));
  BenchReport report;
  report.load_s = console::SecondsSince(start);
  const tensor::DType kv_dtype = serve::KvDType(settings.serve, loaded.dtype);
  engine::EngineOptions engine_options = serve::EngineOptionsOf(settings.serve, kv_dtype, backend);
  engine_options.max_rows = std::ranges::max(settings.batch_sizes);
  // Capacity for prompts in addition to a full batch of decoding rows.
  engine_options.max_batch_tokens =
      std::max(engine_options.max_batch_tokens, 2 * engine_options.max_rows);
  const std::int64_t vocab_size = loaded.model->spec().vocab_size;
  if (vocab_size < kLeastVocabulary) {
    return Error{"bench: the model has a vocabulary of " + std::to_string(vocab_size) +
                 ", so random prompts would repeat and come from the prefix cache; at least " +
                 std::to_string(kLeastVocabulary) + " tokens are needed to measure"};
  }
  const auto tokenizer = MakeNumericTokenizer(vocab_size);
  SGLRUN_ASSIGN_OR_RETURN(
      const auto engine,
      engine::Engine::Create(*loaded.model, *tokenizer, engine_options, compute.context));

  const serve::ModelCost cost =
      serve::CostOf(loaded.model->spec(), loaded.model->weight_bytes(), kv_dtype, backend);
  Bench bench(settings, *engine, cost, vocab_size, clock ? &*clock : nullptr);
  SGLRUN_RETURN_IF_ERROR(CheckLengths(settings, engine->options()));
  SGLRUN_ASSIGN_OR_RETURN(report.first_token_s, bench.FirstToken(settings.prompt_tokens));
  std::vector<std::int64_t> lengths = settings.prefill_lengths;
  if (lengths.empty()) lengths = {std::min(kPrefillLength, engine->options().context_length - 1)};
  for (const std::int64_t length : lengths) {
    SGLRUN_ASSIGN_OR_RETURN(const Measurement m, bench.Prefill(length));
    report.prefill.push_back(m);
  }
  for (const std::int64_t rows : settings.batch_sizes) {
    SGLRUN_ASSIGN_OR_RETURN(const Measurement m, bench.Decode(rows));
    report.decode.push_back(m);
  }
  report.machine = compute.device ? compute.device->Describe()
                                  : console::CpuName() + ", " + std::string(backend.isa) + ", " +
                                        std::to_string(compute.pool.threads()) + " threads";
  report.model = settings.shape.empty() ? settings.serve.model : settings.shape;
  report.dtype = tensor::DTypeName(loaded.dtype);
  report.kv_dtype = tensor::DTypeName(kv_dtype);
  report.peak_rss_bytes = console::PeakResidentBytes();
  return report;
}

}  // namespace

Result<int> RunBench(const BenchSettings& settings) {
  if (!settings.constraints.empty()) return RunGrammarBench(settings);
  if (!settings.serve.tokenizer.empty()) {
    return Error{"bench: --tokenizer goes with --grammar; speed is measured on random ids"};
  }
  SGLRUN_ASSIGN_OR_RETURN(const BenchReport report, Measure(settings));
  SGLRUN_RETURN_IF_ERROR(console::Print(settings.json ? AsJson(report) : AsText(report)));
  return console::kExitOk;
}

}  // namespace sglrun::bench
