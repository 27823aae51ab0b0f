#include "cli/options.h"
#include "engine/memory_plan.h"
#include "model/spec/faults.h"

namespace sglrun::cli {
namespace {

// Larger than any useful value.
constexpr std::int64_t kMostThreads = 1 << 16;
constexpr std::int64_t kMostRepeats = 1 << 20;
constexpr std::int64_t kMostSamples = 1 << 20;

constexpr CommandSet kBatch = Bit(Command::kBatch);
// `plan` accepts all options of `batch`, so that a command line works with both.
constexpr CommandSet kRuns = kBatch | Bit(Command::kPlan);
constexpr CommandSet kChat = Bit(Command::kChat);
constexpr CommandSet kBench = Bit(Command::kBench);
constexpr CommandSet kTemplate = Bit(Command::kTemplate);
constexpr CommandSet kFilters = Bit(Command::kTokenize) | Bit(Command::kDetokenize) | kTemplate;
constexpr CommandSet kGrammar = Bit(Command::kGrammar);

std::vector<OptionSpec> InputAndOutput() {
  constexpr std::string_view kGroup = "Input and output";
  return {
      {.name = "output",
       .short_name = 'o',
       .kind = Kind::kFile,
       .member = &Options::output,
       .value = "FILE",
       .commands = kRuns,
       .group = kGroup,
       .line = "file for the results; - is standard output",
       .text = "The file is compressed if its name ends in .gz or .zst. If it holds the rows of a "
               "stopped run, that run is continued; rows whose record is not in the input are "
               "moved to OUT.dropped."},
      {.name = "output",
       .short_name = 'o',
       .kind = Kind::kFile,
       .member = &Options::output,
       .value = "FILE",
       .commands = kGrammar,
       .group = kGroup,
       .line = "file for the verdicts; - is standard output",
       .text =
           "The file is compressed if its name ends in .gz or .zst. An existing file is replaced."},
      {.name = "output",
       .short_name = 'o',
       .kind = Kind::kFile,
       .member = &Options::output,
       .value = "FILE",
       .commands = Bit(Command::kNumber),
       .group = kGroup,
       .line = "file for the numbered records; - is standard output",
       .text =
           "The file is compressed if its name ends in .gz or .zst. An existing file is replaced "
           "when the new one is complete."},
      {.name = "output",
       .short_name = 'o',
       .kind = Kind::kFile,
       .member = &Options::output,
       .value = "FILE",
       .commands = Bit(Command::kMerge),
       .group = kGroup,
       .line = "file for the joined rows; - is standard output",
       .text = "The file is compressed if its name ends in .gz or .zst. `batch` without --shard "
               "can continue it."},
      {.name = "run-file",
       .kind = Kind::kFile,
       .member = &Options::run_file,
       .value = "FILE",
       .default_text = "OUT.run.json",
       .commands = kRuns,
       .group = kGroup,
       .line = "file that describes the run",
       .text = "The run file is a JSON object with the state of the run, the effective options, "
               "the fingerprint of the model, the effective sampling defaults, the instruction "
               "set, counts, timings and the figures that `sglrun report` shows. It is written at "
               "the start with the `state` \"running\", and again at the end with \"finished\", "
               "\"stopped\" or \"failed\"; if the process is killed, the state stays \"running\". "
               "It replaces an earlier run file, but another file only with --overwrite. If the "
               "results go to standard output, it is written only if this option is given."},
      {.name = "report",
       .kind = Kind::kFile,
       .member = &Options::report,
       .value = "FILE",
       .commands = kRuns,
       .group = kGroup,
       .line = "write a report about the run: FILE.html",
       .text = "The report is one self-contained HTML file without scripts. It shows throughput "
               "and batch size over time, lengths, finish reasons, errors with the first records "
               "of each kind, the slowest results and the configuration. It contains ids, line "
               "numbers and error messages, but no prompts and no answers. `sglrun report` makes "
               "the same report from the run file."},
      {.name = "html",
       .kind = Kind::kFile,
       .member = &Options::report,
       .value = "FILE",
       .commands = Bit(Command::kReport),
       .group = kGroup,
       .line = "write the HTML report of `batch --report` instead of printing text"},
      {.name = "input-format",
       .kind = Kind::kChoice,
       .member = &Options::input_format,
       .choices = {"auto", "generate", "openai", "text"},
       .commands = kRuns | Bit(Command::kNumber),
       .shapes_results = true,
       .group = kGroup,
       .line = "format of the input lines",
       .text =
           "`generate`: each line is the body of a /generate request, a JSON object. `openai`: "
           "each line is a request of the OpenAI batch API for /v1/chat/completions or "
           "/v1/completions, and rows have the format of that API. `text`: each line is a prompt. "
           "`auto`: text if all input names end in .txt (.txt.gz, .txt.zst), openai if the first "
           "object of a file has a custom_id and a url, method or body, else generate."},
      {.name = "shard",
       .kind = Kind::kShard,
       .member = &Options::shard,
       .value = "I/N",
       .commands = kRuns,
       .group = kGroup,
       .line = "process part I of N; auto: take I and N from the launcher; any/N: processes share "
               "N parts",
       .text = "A hash of its content assigns each record to a part; I is from 0 to N-1. `sglrun "
               "merge` joins the N outputs. `auto` takes I and N from the program that started the "
               "process: Slurm, Open MPI, MPICH, torchrun, AWS Batch, or SGLRUN_SHARD=I/N. "
               "`auto/N` states N, for job arrays of Slurm and indexed jobs of Kubernetes, where a "
               "rerun of some tasks has another number. `any/N` takes one part after the other, "
               "whichever is neither finished nor held by another process, until all N are "
               "finished; N should be 8 to 32 times the number of processes. `{shard}` in the "
               "names of --output, "
               "--run-file, --report and --log-file becomes 00017-of-00256."},
      {.name = "limit",
       .kind = Kind::kInteger,
       .member = &Options::limit,
       .value = "N",
       .default_text = "all",
       .minimum = 1,
       .commands = kRuns,
       .group = kGroup,
       .line = "process only the first N records"},
      {.name = "overwrite",
       .member = &Options::overwrite,
       .commands = kRuns | Bit(Command::kMerge),
       .group = kGroup,
       .line = "start over if the output already holds results"},
      {.name = "mixed-isa",
       .member = &Options::mixed_isa,
       .commands = Bit(Command::kMerge),
       .group = kGroup,
       .line = "join shards that were computed on different instruction sets",
       .text = "Instruction sets round differently, so a record may have another answer on another "
               "one, and the rows are not those of a single run. A merged output of several sets "
               "cannot be continued."},
      {.name = "lines",
       .member = &Options::lines,
       .commands = Bit(Command::kMerge),
       .group = kGroup,
       .line = "the inputs are rows of numbered records, in any order and any number of files",
       .text = "For rows of records that `sglrun number` numbered. The rows are written in the "
               "order of the records, without their `line`, as a run of the original input would "
               "have written them. A row may occur several times if only its timing differs; two "
               "different rows of one line are an error that names both places. If rows are "
               "missing, their lines are named, nothing is written, and the exit code is 1. Files "
               "that `batch` writes beside its rows are passed over."},
      {.name = "records",
       .kind = Kind::kFile,
       .member = &Options::records_of_lines,
       .value = "N|FILE",
       .commands = Bit(Command::kMerge),
       .group = kGroup,
       .line = "with --lines: the number of records, or the file of the records"},
      {.name = "retry-errors",
       .member = &Options::retry_errors,
       .commands = kRuns,
       .group = kGroup,
       .line = "when continuing a run, run its failed records again",
       .text =
           "The options must be those of the run that is continued. If every record of that run "
           "failed, other options are accepted, for example a --template that was missing."},
      {.name = "max-errors",
       .kind = Kind::kInteger,
       .member = &Options::max_errors,
       .value = "N",
       .default_text = "any number",
       .minimum = 1,
       .commands = kRuns,
       .group = kGroup,
       .line = "stop after N failed records, exit code 1",
       .text = "The run can be continued."},
      {.name = "failed-ok",
       .member = &Options::failed_ok,
       .commands = kRuns,
       .group = kGroup,
       .line = "exit with 0 when the run has finished, even if records failed",
       .text = "For launchers that stop other processes, or repeat this one, after exit code 1. A "
               "run that --max-errors stopped still exits with 1."},
  };
}

std::vector<OptionSpec> ModelOptions() {
  constexpr std::string_view kGroup = "Model";
  return {
      {.name = "model",
       .short_name = 'm',
       .kind = Kind::kDirectory,
       .member = &Options::model,
       .value = "MODEL",
       .commands = kRuns | kFilters | kBench | kChat,
       .group = kGroup,
       .line = "a Hugging Face directory, a .gguf file, or ORG/NAME",
       .text = "For a GGUF file that is split, give its first part. `ORG/NAME` or "
               "`ORG/NAME@REVISION` is searched in the Hugging Face cache of this machine, never "
               "on the network. If a directory or a repository holds several GGUF files, a suffix "
               "`:PART` selects the file with PART in its name: `-m models/qwen:q4_k_m`."},
      {.name = "tokenizer",
       .kind = Kind::kDirectory,
       .member = &Options::tokenizer,
       .value = "PATH",
       .default_text = "the model's, if there is one",
       .commands = kRuns | kFilters | kGrammar | kBench | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "tokenizer: a directory, a tokenizer file or a .gguf file"},
      {.name = "lora",
       .kind = Kind::kNamedPath,
       .member = &Options::lora,
       .value = "NAME=DIR",
       .commands = kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "an adapter (LoRA) and the name by which records choose it",
       .text =
           "DIR is a directory that PEFT saved. The option may be given several times. A record "
           "chooses an adapter with `lora_path`, by this name, or by a directory relative to its "
           "file "
           "or to --lora-root; a line of the OpenAI API also with this name as `model`. Records "
           "with "
           "different adapters and without one share every batch. A chat begins with the first "
           "adapter; /lora chooses another."},
      {.name = "lora-root",
       .kind = Kind::kDirectory,
       .member = &Options::lora_root,
       .value = "DIR",
       .commands = kRuns | kChat,
       .group = kGroup,
       .line = "where the directories of --lora are looked up that are not found as given"},
      {.name = "template",
       .kind = Kind::kFile,
       .member = &Options::chat_template,
       .value = "FILE",
       .default_text = "the model's",
       .commands = kTemplate | kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "another chat template: a Jinja file",
       .text = "It replaces all templates of the model."},
      {.name = "no-special-in-content",
       .member = &Options::no_special_in_content,
       .commands = kTemplate | kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "treat special tokens that appear in messages as plain text",
       .text =
           "Without this option, `<|im_end|>` in a message ends the turn, as in the reference "
           "implementations. Special tokens that the chat template writes stay special tokens."},
      {.name = "shape",
       .kind = Kind::kChoice,
       .member = &Options::shape,
       .choices = {"smollm2-135m", "qwen2.5-0.5b", "llama-3.2-1b", "llama-3.1-8b"},
       .commands = kBench,
       .group = kGroup,
       .line = "random weights in the shape of a known model, instead of --model"},
      {.name = "device",
       .kind = Kind::kChoice,
       .member = &Options::device,
       .choices = {"auto", "cpu", "cuda", "cuda:N", "cuda:N,N", "sim", "sim:N"},
       .commands = kRuns | kBench | kChat,
       .group = kGroup,
       .line = "where the model runs",
       .text = "`auto`: the first GPU, or the CPU if there is no GPU. `cuda:0,1`: several GPUs; "
               "each holds the model, and `batch` distributes the records over them. Results are "
               "the same as on one GPU (with `--deterministic` bit for bit). `sim`: the GPU "
               "kernels on a simulated device, which is thousands of times slower and meant for "
               "finding bugs; `sim:2` simulates two devices."},
      {.name = "dtype",
       .kind = Kind::kChoice,
       .member = &Options::dtype,
       .choices = {"auto", "f32", "bf16", "f16", "int8", "int4"},
       .commands = kRuns | kBench | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "number format of the weights",
       .text = "`auto`: f32 for weights stored as F32, f16 on a GPU for weights stored as F16, "
               "else bf16. f16 is for GPUs only. int8 and int4 are faster and smaller than bf16 "
               "but lose quality (docs/speed.md): a matrix that is stored in quantised blocks "
               "(GGUF) keeps its integers and scales. Other matrices are rounded to 8 bits in "
               "groups of 64 (32 on a GPU, or if 64 does not divide the row) or to 4 bits in "
               "groups of 32, with one scale per group; the vocabulary matrix is rounded to 8 bits "
               "in both. Activations are rounded to 8 bits in the same groups."},
      {.name = "kv-dtype",
       .kind = Kind::kChoice,
       .member = &Options::kv_dtype,
       .choices = {"auto", "f32", "bf16", "int8"},
       .commands = kRuns | kBench | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "number format of the cached keys and values",
       .text = "`auto`: f32 if the weights are f32, else bf16. int8 is for the CPU only. It stores "
               "each head of each key and value as 8-bit integers with one scale. This takes a "
               "little more than half the memory of bf16, so nearly twice as many tokens fit, but "
               "it loses quality (docs/speed.md)."},
      {.name = "isa",
       .kind = Kind::kChoice,
       .member = &Options::isa,
       .choices = {"auto", "portable", "avx2", "avx512", "avx512-vnni", "avx512-bf16", "amx",
                   "ref"},
       .commands = kRuns | kBench | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "instruction set of the kernels",
       .text = "`auto`: the best one that this machine supports, except `amx`, which has not been "
               "tested on a real machine yet. Results are reproducible bit for bit on one "
               "instruction set. To continue a run on another machine, give the name that is in "
               "its run file. `ref` is the slow numerical reference."},
  };
}

std::vector<OptionSpec> ChatOptions() {
  constexpr std::string_view kGroup = "Conversation";
  return {
      {.name = "system",
       .short_name = 's',
       .kind = Kind::kText,
       .member = &Options::system_text,
       .value = "TEXT",
       .default_text = "none",
       .commands = kChat,
       .group = kGroup,
       .line = "the system message of the conversation"},
      {.name = "template-set",
       .kind = Kind::kAssignment,
       .member = &Options::template_variables,
       .value = "NAME=VALUE",
       .commands = kChat,
       .group = kGroup,
       .line = "set a variable of the chat template: --template-set enable_thinking=false",
       .text = "VALUE is JSON, or a plain string if it is not valid JSON. `sglrun inspect` lists "
               "the variables that control the thinking of a model. The option may be given "
               "several times."},
      {.name = "file",
       .short_name = 'f',
       .kind = Kind::kFile,
       .member = &Options::message_file,
       .value = "FILE",
       .commands = kChat,
       .group = kGroup,
       .line = "answer the message in a file and exit; - is standard input"},
  };
}

std::vector<OptionSpec> SamplingOptions() {
  constexpr std::string_view kGroup = "Sampling";
  return {
      {.name = "sampling",
       .kind = Kind::kObject,
       .member = &Options::sampling,
       .value = "JSON",
       .commands = kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "default sampling parameters, for records that do not state them",
       .text = "JSON is an object, for example '{\"temperature\": 0}'. The option may be given "
               "several times; later values take precedence. A value that a record states always "
               "takes precedence. `sglrun fields` lists the names."},
      {.name = "set",
       .kind = Kind::kAssignment,
       .member = &Options::sampling,
       .value = "NAME=VALUE",
       .commands = kRuns | kChat,
       .group = kGroup,
       .line = "one default sampling parameter: --set temperature=0",
       .text = "VALUE is JSON, or a plain string if it is not valid JSON. It takes precedence over "
               "--sampling."},
      {.name = "sampling-defaults",
       .kind = Kind::kChoice,
       .member = &Options::sampling_defaults,
       .choices = {"model", "openai"},
       .commands = kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "source of the other sampling defaults",
       .text = "`model`: temperature, top_p, top_k, min_p and repetition_penalty come from the "
               "model's generation_config.json, or from `general.sampling.*` of a GGUF file. "
               "`openai`: all defaults are those that `sglrun fields` lists."},
      {.name = "compat",
       .kind = Kind::kChoice,
       .member = &Options::compat,
       .choices = {"none", "2024"},
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "defaults of an older server",
       .text = "`2024`: the defaults of SGLang in 2024: max_new_tokens is 16, logprob_start_len is "
               "0, repetition_penalty 0 means 1, and dtype \"int\" constrains the text to an "
               "integer that ends at a blank or a newline."},
      {.name = "logprobs-mode",
       .kind = Kind::kChoice,
       .member = &Options::logprobs_mode,
       .choices = {"sampled", "original"},
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "distribution of the reported output logprobs",
       .text = "`sampled`: after division by the temperature. `original`: before it."},
      {.name = "seed",
       .kind = Kind::kInteger,
       .member = &Options::seed,
       .value = "N",
       .commands = kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "seed of the answers that have no sampling_seed"},
      {.name = "deterministic",
       .member = &Options::deterministic,
       .commands = kRuns | kBench | kChat,
       .group = kGroup,
       .line = "make results on a GPU independent of the batch",
       .text =
           "On the CPU a result never depends on the other records of the batch. On a GPU, matrix "
           "products of more than 64 rows run on cuBLASLt if it is installed, and the order in "
           "which cuBLASLt adds depends on the number of rows. With this option all products run "
           "on sglrun's own kernels, which are slower but give the same bits in any batch."},
  };
}

std::vector<OptionSpec> GrammarOptionRows() {
  constexpr std::string_view kGroup = "Grammar";
  constexpr CommandSet kCommands = kRuns | kGrammar;
  return {
      {.name = "json-schema-mode",
       .kind = Kind::kChoice,
       .member = &Options::json_schema_mode,
       .choices = {"strict", "spec"},
       .commands = kCommands | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "whether objects may have properties that the schema does not name",
       .text = "`strict`: an object whose schema has `properties` has no other properties, unless "
               "the schema says something about them. `spec`: it may have others, as in the JSON "
               "Schema standard."},
      {.name = "json-max-whitespace",
       .kind = Kind::kLimit,
       .member = &Options::json_max_whitespace,
       .value = "N",
       .commands = kCommands | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "maximum number of blanks between two parts of a JSON value, or unlimited"},
      {.name = "constrained-json-whitespace",
       .kind = Kind::kChoice,
       .member = &Options::json_whitespace,
       .choices = {"flexible", "compact", "indent"},
       .commands = kCommands | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "white space in constrained JSON",
       .text = "`flexible`: any, up to --json-max-whitespace. `compact`: one blank after , and : "
               "as Python writes. `indent`: one line per item, indented by two blanks per level."},
      {.name = "json-format",
       .kind = Kind::kChoice,
       .member = &Options::json_format,
       .choices = {"assert", "ignore"},
       .commands = kCommands | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "whether the keyword `format` is enforced"},
      {.name = "json-oneof",
       .kind = Kind::kChoice,
       .member = &Options::json_oneof,
       .choices = {"exact", "anyof"},
       .commands = kCommands | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "enforce oneOf exactly, or treat it as anyOf"},
      {.name = "grammar-unsupported",
       .kind = Kind::kChoice,
       .member = &Options::grammar_unsupported,
       .choices = {"error", "relax"},
       .commands = kCommands | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "what to do with a keyword that cannot be enforced",
       .text =
           "`error`: the record fails. `relax`: the keyword is ignored, and the result lists it."},
      {.name = "grammar-jump-forward",
       .member = &Options::grammar_jump_forward,
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "append text that a constraint forces several tokens at a time",
       .text = "This takes fewer steps. The forced text is tokenized by the tokenizer, so its "
               "tokens may differ from those that the model would have drawn one by one. Records "
               "with stop strings or stop_regex are generated token by token all the same."},
      {.name = "reasoning-end",
       .kind = Kind::kText,
       .member = &Options::reasoning_end,
       .value = "TEXT",
       .commands = kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "text that ends the reasoning of a record with require_reasoning",
       .text = "The constraint of the record begins after the tokens of this text. They must be "
               "generated one after the other, so a single special token works best."},
  };
}

std::vector<OptionSpec> RowOptions() {
  constexpr std::string_view kGroup = "Rows";
  return {
      {.name = "flatten",
       .member = &Options::flatten,
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "write one line per result instead of one line per record",
       .text = "The row of an OpenAI line always contains all its choices."},
      {.name = "order",
       .kind = Kind::kChoice,
       .member = &Options::order,
       .choices = {"input", "completion"},
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "order of the rows",
       .text = "`completion`: rows are written as soon as they are ready. Each row then has the "
               "`line` of its record, and the `file` if there are several inputs."},
      {.name = "stream-jsonl",
       .member = &Options::stream_jsonl,
       .commands = kRuns,
       .group = kGroup,
       .line = "also write partial results while they grow, one line per token",
       .text = "Each partial result has `line`, `index` (the number of the result in its record) "
               "and finish_reason null; rows then also have `line` and `index`. The option works "
               "only with a pipe or standard output, and not with OpenAI lines."},
      {.name = "no-timing",
       .member = &Options::no_timing,
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "leave out timing and cache fields, so that equal runs give equal bytes"},
      {.name = "clean-up-tokenization-spaces",
       .member = &Options::clean_up_spaces,
       .commands = kRuns | Bit(Command::kDetokenize),
       .shapes_results = true,
       .group = kGroup,
       .line = "remove spaces before punctuation and contractions in texts",
       .text =
           "\"do n't .\" becomes \"don't.\", as in transformers if clean_up_tokenization_spaces is "
           "set. `batch` searches stop strings in the text before this change."},
      {.name = "strict",
       .member = &Options::strict,
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "treat unknown fields, repeated keys and repeated rids as record errors",
       .text = "Without this option they give a warning."},
      {.name = "hidden-states",
       .kind = Kind::kChoice,
       .member = &Options::hidden_states,
       .choices = {"inline", "safetensors", "npy"},
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "where requested hidden states are written",
       .text = "`inline`: into the row, as JSON. `safetensors`, `npy`: into files in the folder "
               "OUT.hidden; the row contains the names of its files."},
  };
}

std::vector<OptionSpec> SpeedAndMemory() {
  constexpr std::string_view kGroup = "Speed and memory";
  return {
      {.name = "threads",
       .short_name = 't',
       .kind = Kind::kInteger,
       .member = &Options::threads,
       .value = "N",
       .default_text = "physical cores",
       .minimum = 1,
       .maximum = kMostThreads,
       .commands = kRuns | kBench | kChat,
       .group = kGroup,
       .line = "number of threads",
       .text = "More threads than the machine has cores are not used, because they would wait for "
               "one another."},
      {.name = "max-rows",
       .kind = Kind::kInteger,
       .member = &Options::max_rows,
       .value = "N",
       .minimum = 1,
       .maximum = engine::kMostStepTokens,
       .commands = kRuns,
       .group = kGroup,
       .line = "maximum number of sequences decoded together"},
      {.name = "max-batch-tokens",
       .kind = Kind::kInteger,
       .member = &Options::max_batch_tokens,
       .value = "N",
       .minimum = 1,
       .maximum = engine::kMostStepTokens,
       .commands = kRuns | kBench,
       .group = kGroup,
       .line = "maximum number of tokens per step, including parts of prompts"},
      {.name = "kv-memory",
       .kind = Kind::kSize,
       .member = &Options::kv_memory,
       .value = "SIZE",
       .commands = kRuns | kBench | kChat,
       .group = kGroup,
       .line = "memory for the cache of keys and values: 4GiB, 500MB, 60%",
       .text = "A percentage refers to the memory that is free at the start. `auto`: as much of "
               "the free memory as the rows need."},
      {.name = "device-memory",
       .kind = Kind::kBytes,
       .member = &Options::device_memory,
       .value = "SIZE",
       .commands = Bit(Command::kPlan),
       .group = kGroup,
       .line = "plan for a GPU with this much memory: 80GiB",
       .text = "The GPU need not be in this machine. `plan` prints how much memory the weights, "
               "the buffers of a step and the cache take, and how many rows of which length fit "
               "into the cache. It does not estimate the time."},
      {.name = "context-length",
       .kind = Kind::kInteger,
       .member = &Options::context_length,
       .value = "N",
       .default_text = "the model's",
       .minimum = 2,
       .maximum = model::kMostContext,
       .commands = kRuns | kBench | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "maximum length of prompt and output together"},
  };
}

std::vector<OptionSpec> ReportOptions() {
  constexpr std::string_view kGroup = "Report";
  return {
      {.name = "json",
       .member = &Options::json,
       .commands = Bit(Command::kPlan) | Bit(Command::kInspect) | kBench | Bit(Command::kMerge),
       .group = kGroup,
       .line = "print one JSON object"},
      {.name = "check",
       .member = &Options::check,
       .commands = Bit(Command::kMerge),
       .group = kGroup,
       .line = "only tell which shards are finished, held, begun or missing",
       .text = "Reads the journals only and writes nothing. A shard is held while a process writes "
               "it. The exit code is 0 if the shards can be merged, else 1. With --json: one JSON "
               "object."},
      {.name = "records",
       .member = &Options::records,
       .commands = Bit(Command::kPlan),
       .group = kGroup,
       .line = "print one JSON line per record, with its effective parameters"},
      {.name = "count",
       .member = &Options::count,
       .commands = Bit(Command::kTokenize),
       .group = kGroup,
       .line = "print only the number of tokens of each text"},
      {.name = "input-ids",
       .member = &Options::input_ids,
       .commands = kTemplate,
       .group = kGroup,
       .line = "add the token ids of each text"},
      {.name = "served",
       .member = &Options::served,
       .commands = kTemplate,
       .group = kGroup,
       .line = "check and prepare messages as `batch` does",
       .text = "The texts of content parts are joined if the template accepts only texts, null "
               "members are left out, arguments of tool calls become objects, and a message of an "
               "invalid shape gives an error row. Without this option the template receives the "
               "messages unchanged, as in transformers."},
      {.name = "now",
       .kind = Kind::kText,
       .member = &Options::now,
       .value = "TIME",
       .default_text = "the current time",
       .commands = kTemplate,
       .group = kGroup,
       .line = "the time that templates see, such as 2026-01-31T12:00:00"},
      {.name = "random-masks",
       .kind = Kind::kInteger,
       .member = &Options::random_masks,
       .value = "K",
       .default_text = "none",
       .maximum = kMostSamples,
       .commands = kGrammar,
       .group = kGroup,
       .line = "compare the masks at K random places with the slow reference"},
      {.name = "sample",
       .kind = Kind::kInteger,
       .member = &Options::sample,
       .value = "K",
       .default_text = "none",
       .maximum = kMostSamples,
       .commands = kGrammar,
       .group = kGroup,
       .line = "add K random texts that satisfy the constraint to each answer"},
      {.name = "json-schema",
       .member = &Options::json_schema,
       .commands = Bit(Command::kFields),
       .group = kGroup,
       .line = "print a JSON Schema of an input line"},
      {.name = "grammar",
       .kind = Kind::kFile,
       .member = &Options::grammar,
       .value = "FILE",
       .commands = kBench,
       .group = kGroup,
       .line = "measure constrained decoding alone, on input lines of `grammar check`",
       .text = "This needs a tokenizer but no weights. Each text of a line is decoded under its "
               "constraint, twice."},
      {.name = "batch-sizes",
       .kind = Kind::kIntegers,
       .member = &Options::batch_sizes,
       .value = "LIST",
       .minimum = 1,
       .maximum = engine::kMostStepTokens / 2,  // bench makes steps of twice as many tokens
       .commands = kBench,
       .group = kGroup,
       .line = "numbers of rows in the decode runs"},
      {.name = "prefill-lengths",
       .kind = Kind::kIntegers,
       .member = &Options::prefill_lengths,
       .value = "LIST",
       .default_text = "512, or what fits",
       .minimum = 1,
       .maximum = model::kMostContext,
       .commands = kBench,
       .group = kGroup,
       .line = "prompt lengths in the prefill runs, in tokens"},
      {.name = "prompt-tokens",
       .kind = Kind::kInteger,
       .member = &Options::prompt_tokens,
       .value = "N",
       .minimum = 1,
       .maximum = model::kMostContext,
       .commands = kBench,
       .group = kGroup,
       .line = "prompt length of each row in the decode runs, in tokens"},
      {.name = "output-tokens",
       .kind = Kind::kInteger,
       .member = &Options::output_tokens,
       .value = "N",
       .minimum = 2,
       .maximum = model::kMostContext,
       .commands = kBench,
       .group = kGroup,
       .line = "number of tokens that each row decodes"},
      {.name = "repeat",
       .kind = Kind::kInteger,
       .member = &Options::repeat,
       .value = "N",
       .minimum = 1,
       .maximum = kMostRepeats,
       .commands = kBench,
       .group = kGroup,
       .line = "number of runs of each measurement; the median is reported"},
  };
}

std::vector<OptionSpec> MessageOptions() {
  constexpr std::string_view kGroup = "Messages";
  return {
      {.name = "config",
       .kind = Kind::kFile,
       .member = &Options::config,
       .value = "FILE",
       .commands = kAllCommands,
       .group = kGroup,
       .line = "read options from a YAML file",
       .text = "Keys are the long option names, with - or _. Options on the command line take "
               "precedence."},
      {.name = "progress",
       .kind = Kind::kChoice,
       .member = &Options::progress,
       .choices = {"auto", "always", "never"},
       .commands = kRuns,
       .group = kGroup,
       .line = "show progress on standard error",
       .text = "`auto`: if it is a terminal."},
      {.name = "quiet",
       .short_name = 'q',
       .member = &Options::quiet,
       .commands = kAllCommands,
       .group = kGroup,
       .line = "print errors only"},
      {.name = "verbose",
       .short_name = 'v',
       .member = &Options::verbose,
       .commands = kAllCommands,
       .group = kGroup,
       .line = "print more messages"},
      {.name = "log-file",
       .kind = Kind::kFile,
       .member = &Options::log_file,
       .value = "FILE",
       .commands = kAllCommands,
       .group = kGroup,
       .line = "also write messages to this file, with the time"},
  };
}

}  // namespace

const std::vector<OptionSpec>& OptionTable() {
  static const std::vector<OptionSpec> table = [] {
    std::vector<OptionSpec> all;
    for (auto* group :
         {&InputAndOutput, &ModelOptions, &ChatOptions, &SamplingOptions, &GrammarOptionRows,
          &RowOptions, &SpeedAndMemory, &ReportOptions, &MessageOptions}) {
      for (OptionSpec& option : group()) all.push_back(std::move(option));
    }
    return all;
  }();
  return table;
}

}  // namespace sglrun::cli
