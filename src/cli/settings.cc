#include "cli/settings.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "cli/grammar_options.h"
#include "cli/written_files.h"

namespace sglrun::cli {
namespace {

bool IsTextName(std::string name) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return name.ends_with(".txt");
}

io::LineFormat LineFormatOf(const Options& options) {
  if (options.input_format == "text") return io::LineFormat::kText;
  if (options.input_format == "openai") return io::LineFormat::kOpenAi;
  if (options.input_format == "generate") return io::LineFormat::kGenerate;
  const bool text = std::ranges::all_of(options.inputs, IsTextName);
  return text ? io::LineFormat::kText : io::LineFormat::kAuto;
}

std::optional<tensor::DType> DTypeOf(std::string_view name) {
  if (name == "auto") return std::nullopt;
  if (name == "f32") return tensor::DType::kF32;
  if (name == "f16") return tensor::DType::kF16;
  if (name == "int8") return tensor::DType::kI8;
  if (name == "int4") return tensor::DType::kI4;
  return tensor::DType::kBF16;
}

// Of a value of Kind::kSize.
serve::CacheMemory CacheMemoryOf(const std::string& text) {
  if (text == "auto") return {};
  if (text.back() != '%') return {serve::CacheMemory::Kind::kBytes, *ParseByteSize(text)};
  serve::CacheMemory memory{serve::CacheMemory::Kind::kPercent};
  std::from_chars(text.data(), text.data() + text.size() - 1, memory.value);
  return memory;
}

serve::HostKernels HostKernelsOf(const std::string& isa) {
  if (isa == "auto") return serve::HostKernels::kBest;
  return isa == "ref" ? serve::HostKernels::kReference : serve::HostKernels::kNamed;
}

io::HiddenStateForm HiddenStateFormOf(const std::string& name) {
  if (name == "inline") return io::HiddenStateForm::kInline;
  return name == "npy" ? io::HiddenStateForm::kNpy : io::HiddenStateForm::kSafetensors;
}

console::ProgressMode ProgressModeOf(const Options& options) {
  if (options.progress == "always") return console::ProgressMode::kAlways;
  return options.progress == "never" || options.quiet ? console::ProgressMode::kNever
                                                      : console::ProgressMode::kAuto;
}

// All options of `batch` with their values; null for those that were not given and have no value of
// their own.
Json EffectiveOptions(const Options& options) {
  const Options unset;
  Json::Object values;
  for (const OptionSpec& option : OptionTable()) {
    // --set is part of what --sampling shows.
    if ((option.commands & Bit(Command::kBatch)) == 0 || option.kind == Kind::kAssignment) continue;
    Json value = OptionValue(option, options);
    // The value that stands for "not given" is an empty text or a number that means something else,
    // which the row of the table says in words.
    const bool has_words = !option.default_text.empty();
    const bool is_unset = has_words && value.Dump() == OptionValue(option, unset).Dump();
    if (is_unset || (value.is_string() && value.as_string().empty())) value = nullptr;
    values.emplace_back(std::string(option.name), std::move(value));
  }
  return values;
}

// Those of `batch` that are part of what makes a result.
Json::Object ShapingOptions(const Options& options) {
  Json::Object values;
  for (const OptionSpec& option : OptionTable()) {
    if (!option.shapes_results || (option.commands & Bit(Command::kBatch)) == 0) continue;
    values.emplace_back(std::string(option.name), OptionValue(option, options));
  }
  return values;
}

run::RecordSettings RecordSettingsOf(const Options& options) {
  return {.inputs = options.inputs,
          .format = LineFormatOf(options),
          .sampling = options.sampling,
          .set_names = options.set_names,
          .compat = options.compat == "2024" ? io::Compat::k2024 : io::Compat::kNone,
          .strict = options.strict,
          .seed = static_cast<std::uint64_t>(options.seed),
          .shard = options.shard.shard,
          .limit = options.limit};
}

grammar_tools::LineOptions LineOptionsOf(const Options& options) {
  return {.standard = GrammarOptionsOf(options),
          .with = [options](const Json& own) { return GrammarOptionsWith(own, options); }};
}

std::string InputOf(const Options& options, std::size_t which = 0) {
  return options.inputs.size() <= which ? "-" : options.inputs[which];
}

void NameFiles(const run::Shard& shard, Options& options) {
  for (std::string* name :
       {&options.output, &options.run_file, &options.report, &options.log_file}) {
    *name = run::WithShard(*name, shard);
  }
}

// The launcher's processes begin at shards far from each other.
std::optional<std::int64_t> FirstShard(const Options& options) {
  const std::optional<run::Launch>& launch = options.launch;
  if (!launch || launch->number.value_or(0) <= launch->index) return std::nullopt;
  return launch->index * *options.shard.count / *launch->number;
}

// Processes that share an input must not write the same file.
Status CheckNamesShard(const Options& options) {
  const std::pair<const char*, const std::string*> names[] = {
      {"output", &options.output}, {"run-file", &options.run_file}, {"report", &options.report}};
  for (const auto& [option, name] : names) {
    if (name->empty() || run::NamesShard(*name)) continue;
    return Error{std::string("--") + option + " is \"" + *name + "\", must hold {shard} with " +
                 "--shard " + options.shard.ToString() + ", as in out/{shard}.jsonl"};
  }
  return {};
}

}  // namespace

Status TakeShard(Options& options, const run::Environment& environment) {
  if (options.shard.kind == run::ShardChoice::Kind::kLauncher) {
    SGLRUN_ASSIGN_OR_RETURN(options.launch, run::FindLaunch(environment));
    SGLRUN_ASSIGN_OR_RETURN(options.shard.shard,
                            run::ShardOfLaunch(options.launch, options.shard.count));
    if (options.shard.shard.count > 1) SGLRUN_RETURN_IF_ERROR(CheckNamesShard(options));
  }
  if (options.shard.kind == run::ShardChoice::Kind::kAny) {
    if (*options.shard.count > 1) SGLRUN_RETURN_IF_ERROR(CheckNamesShard(options));
    // Only a hint, so no error if the variables are incomplete.
    const auto launch = run::FindLaunch(environment);
    if (launch.ok()) options.launch = *launch;
    return {};  // the names are those of many shards
  }
  NameFiles(options.shard.shard, options);
  return {};
}

serve::ServeSettings ServeSettingsOf(const Options& options) {
  std::vector<serve::AdapterPlace> adapters;
  for (const auto& [name, path] : options.lora.as_object()) {
    adapters.push_back({name, path.as_string()});
  }
  return {.model = options.model,
          .model_name = options.model_name,
          .tokenizer = options.tokenizer,
          .chat_template = options.chat_template,
          .adapters = std::move(adapters),
          .adapter_root = options.lora_root,
          .plain_content = options.no_special_in_content,
          .devices = serve::ParseDevices(options.device),
          .host_kernels = HostKernelsOf(options.isa),
          .isa = options.isa,
          .dtype = DTypeOf(options.dtype),
          .kv_dtype = DTypeOf(options.kv_dtype),
          .deterministic = options.deterministic,
          .threads = options.threads,
          .max_rows = options.max_rows,
          .max_batch_tokens = options.max_batch_tokens,
          .kv_memory = CacheMemoryOf(options.kv_memory),
          .context_length = options.context_length,
          .sampling_defaults = options.sampling_defaults == "openai"
                                   ? serve::SamplingDefaults::kBuiltIn
                                   : serve::SamplingDefaults::kModel,
          .logprobs_mode = options.logprobs_mode == "original" ? engine::LogprobsMode::kOriginal
                                                               : engine::LogprobsMode::kSampled,
          .grammar = GrammarOptionsOf(options),
          .jump_forward = options.grammar_jump_forward,
          .reasoning_end = options.reasoning_end,
          .partial_results = options.stream_jsonl};
}

run::RunSettings RunSettingsOf(const Options& options) {
  return {.serve = ServeSettingsOf(options),
          .records = RecordSettingsOf(options),
          .output = options.output,
          .run_file = RunFilePath(options),
          .report = options.report,
          .overwrite = options.overwrite,
          .retry_errors = options.retry_errors,
          .max_errors = options.max_errors,
          .failed_ok = options.failed_ok,
          .order = options.order == "completion" ? io::RowOrder::kCompletion : io::RowOrder::kInput,
          .flatten = options.flatten,
          .partial_rows = options.stream_jsonl,
          .no_timing = options.no_timing,
          .clean_up_spaces = options.clean_up_spaces,
          .hidden_states = HiddenStateFormOf(options.hidden_states),
          .progress = ProgressModeOf(options),
          .prints_summary = !options.quiet && !options.verbose,
          .takes_any_shard = options.shard.kind == run::ShardChoice::Kind::kAny,
          .launcher = options.launch ? options.launch->launcher : "",
          .options = EffectiveOptions(options),
          .shaping_options = ShapingOptions(options)};
}

run::AnyShardSettings AnyShardSettingsOf(const Options& options) {
  const auto settings_of = [options](const run::Shard& shard) -> Result<run::RunSettings> {
    Options own = options;
    own.shard.shard = shard;
    NameFiles(shard, own);
    SGLRUN_RETURN_IF_ERROR(CheckWrittenFiles(own, Command::kBatch));
    if (own.log_file != options.log_file) SGLRUN_RETURN_IF_ERROR(SetLogFile(own.log_file));
    return RunSettingsOf(own);
  };
  return {.common = RunSettingsOf(options),
          .shards = *options.shard.count,
          .first = FirstShard(options),
          .settings_of = settings_of};
}

plan::PlanSettings PlanSettingsOf(const Options& options) {
  return {.serve = ServeSettingsOf(options),
          .records = RecordSettingsOf(options),
          .card_memory = options.device_memory.empty() ? 0 : *ParseByteSize(options.device_memory),
          .prints_records = options.records,
          .json = options.json};
}

inspect::InspectSettings InspectSettingsOf(const Options& options) {
  inspect::InspectSettings settings{
      .serve = ServeSettingsOf(options), .json = options.json, .specification = options.verbose};
  settings.serve.model = options.inputs[0];
  return settings;
}

inspect::TokenizeSettings TokenizeSettingsOf(const Options& options) {
  return {.serve = ServeSettingsOf(options),
          .input = InputOf(options),
          .count = options.count,
          .clean_up_spaces = options.clean_up_spaces};
}

inspect::TemplateSettings TemplateSettingsOf(const Options& options) {
  return {.serve = ServeSettingsOf(options),
          .input = InputOf(options),
          .now = options.now,
          .input_ids = options.input_ids,
          .messages = options.served ? serve::Messages::kServed : serve::Messages::kAsGiven};
}

chat::ChatSettings ChatSettingsOf(const Options& options) {
  chat::ChatSettings settings{.serve = ServeSettingsOf(options),
                              .records = RecordSettingsOf(options),
                              .template_variables = options.template_variables,
                              .system_text = options.system_text,
                              .message_file = options.message_file,
                              .quiet = options.quiet};
  settings.records.format = io::LineFormat::kGenerate;
  return settings;
}

grammar_tools::GrammarCheckSettings GrammarCheckSettingsOf(const Options& options) {
  return {.serve = ServeSettingsOf(options),
          .input = InputOf(options, 1),  // the first operand is the word `check`
          .output = options.output,
          .options = LineOptionsOf(options),
          .random_masks = options.random_masks,
          .sample = options.sample,
          .seed = options.seed};
}

bench::BenchSettings BenchSettingsOf(const Options& options) {
  return {.serve = ServeSettingsOf(options),
          .shape = options.shape,
          .batch_sizes = options.batch_sizes,
          .prefill_lengths = options.prefill_lengths,
          .prompt_tokens = options.prompt_tokens,
          .output_tokens = options.output_tokens,
          .repeat = options.repeat,
          .constraints = options.grammar,
          .constraint_options = LineOptionsOf(options),
          .json = options.json};
}

run::NumberSettings NumberSettingsOf(const Options& options) {
  return {.inputs = options.inputs, .format = LineFormatOf(options), .output = options.output};
}

run::MergeSettings MergeSettingsOf(const Options& options) {
  return {.inputs = options.inputs,
          .output = options.output,
          .overwrite = options.overwrite,
          .check = options.check,
          .json = options.json,
          .lines = options.lines,
          .mixed_isa = options.mixed_isa ? run::MixedIsa::kAllowed : run::MixedIsa::kRefused,
          .records = options.records_of_lines};
}

report::ReportSettings ReportSettingsOf(const Options& options) {
  return {.run_file = options.inputs[0], .page = options.report};
}

}  // namespace sglrun::cli
