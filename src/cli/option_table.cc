#include "cli/options.h"
#include "engine/memory_plan.h"
#include "model/spec/faults.h"

namespace sglrun::cli {
namespace {

// More than any machine or patience has.
constexpr std::int64_t kMostThreads = 1 << 16;
constexpr std::int64_t kMostRepeats = 1 << 20;
constexpr std::int64_t kMostSamples = 1 << 20;

constexpr CommandSet kBatch = Bit(Command::kBatch);
// `plan` takes what `batch` takes, so that the word can be exchanged.
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
       .line = "where results go; - is standard output",
       .text = "A name that ends in .gz or .zst is compressed. What a stopped run left there is "
               "continued. Rows there that answer no record of this input are kept in "
               "OUT.dropped."},
      {.name = "output",
       .short_name = 'o',
       .kind = Kind::kFile,
       .member = &Options::output,
       .value = "FILE",
       .commands = kGrammar,
       .group = kGroup,
       .line = "where verdicts go; - is standard output",
       .text = "A name that ends in .gz or .zst is compressed. What is there is replaced."},
      {.name = "output",
       .short_name = 'o',
       .kind = Kind::kFile,
       .member = &Options::output,
       .value = "FILE",
       .commands = Bit(Command::kMerge),
       .group = kGroup,
       .line = "where the joined rows go; - is standard output",
       .text =
           "A name that ends in .gz or .zst is compressed. `batch` without --shard can continue "
           "the file."},
      {.name = "run-file",
       .kind = Kind::kFile,
       .member = &Options::run_file,
       .value = "FILE",
       .default_text = "OUT.run.json",
       .commands = kRuns,
       .group = kGroup,
       .line = "where the run file goes",
       .text =
           "A JSON object with the state of the run, the effective options, the model's "
           "fingerprint, the effective sampling defaults, the instruction set, counts, timings and "
           "what `sglrun report` shows. Written at the start with the `state` \"running\", and at "
           "the end with \"finished\", \"stopped\" or \"failed\"; a killed run leaves \"running\". "
           "It replaces an earlier run file, and another file only with --overwrite. "
           "Not written when the results go to standard output, unless a name is given."},
      {.name = "report",
       .kind = Kind::kFile,
       .member = &Options::report,
       .value = "FILE",
       .commands = kRuns,
       .group = kGroup,
       .line = "a page about the run: FILE.html",
       .text = "One HTML file with everything in it and no script: throughput and batch size over "
               "time, lengths, finish reasons, errors with the first records of each kind, the "
               "slowest results, the configuration. It holds ids, line numbers and the sentences "
               "of errors, but no prompts and no answers. The same is in the run file; see "
               "`sglrun report`."},
      {.name = "html",
       .kind = Kind::kFile,
       .member = &Options::report,
       .value = "FILE",
       .commands = Bit(Command::kReport),
       .group = kGroup,
       .line = "write the page of `batch --report` instead of a text"},
      {.name = "input-format",
       .kind = Kind::kChoice,
       .member = &Options::input_format,
       .choices = {"auto", "generate", "openai", "text"},
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "what an input line is",
       .text =
           "`generate`: a JSON object, the body of a /generate request. `openai`: a line of a "
           "batch "
           "file for /v1/chat/completions or /v1/completions, answered in the same dialect. "
           "`text`: the line itself is a prompt. `auto`: text when every input's name ends in .txt "
           "(.txt.gz, .txt.zst), openai when the first object of a file has a custom_id and a url, "
           "method or body, else generate."},
      {.name = "shard",
       .kind = Kind::kShard,
       .member = &Options::shard,
       .value = "I/N",
       .commands = kRuns,
       .group = kGroup,
       .line = "serve only this share of the records, I from 0 to N-1",
       .text = "Records are dealt out by a hash of their content. `sglrun merge` joins the outputs "
               "of all N."},
      {.name = "limit",
       .kind = Kind::kInteger,
       .member = &Options::limit,
       .value = "N",
       .default_text = "all",
       .minimum = 1,
       .commands = kRuns,
       .group = kGroup,
       .line = "only the first N records"},
      {.name = "overwrite",
       .member = &Options::overwrite,
       .commands = kRuns | Bit(Command::kMerge),
       .group = kGroup,
       .line = "start over if the output already holds results"},
      {.name = "retry-errors",
       .member = &Options::retry_errors,
       .commands = kRuns,
       .group = kGroup,
       .line = "when continuing, run the failed records again",
       .text = "The settings must be those of the run that is continued. If that run served no "
               "record, others are accepted, for example a --template that was missing."},
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
       .text = "If a GGUF file is split, name its first part. `ORG/NAME`, or `ORG/NAME@REVISION`, "
               "is looked up in "
               "the Hugging Face cache of this machine, never on the network. Where a directory or "
               "a repository "
               "holds several GGUF files, `:PART` behind it chooses the one with PART in its name: "
               "`-m models/qwen:q4_k_m`."},
      {.name = "tokenizer",
       .kind = Kind::kDirectory,
       .member = &Options::tokenizer,
       .value = "PATH",
       .default_text = "the model's",
       .commands = kRuns | kFilters | kGrammar | kBench | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "another tokenizer: a directory, a tokenizer file or a .gguf file"},
      {.name = "template",
       .kind = Kind::kFile,
       .member = &Options::chat_template,
       .value = "FILE",
       .default_text = "the model's",
       .commands = kTemplate | kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "another chat template: a Jinja file",
       .text =
           "Replaces every template of the model. `sglrun template` works without a model, too; "
           "its lines then state the special tokens themselves (`bos_token`, `eos_token`)."},
      {.name = "no-special-in-content",
       .member = &Options::no_special_in_content,
       .commands = kTemplate | kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "read special tokens spelled in messages as plain text",
       .text = "Without it `<|im_end|>` in a message ends the turn, as with the reference "
               "implementations. What the chat template writes keeps its special tokens."},
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
       .text = "`auto` is the first GPU, or the CPU where there is none. `cuda:0,1` is several "
               "GPUs: each holds the model, and `batch` deals its records out to them; the results "
               "are those of one (to the bit with `--deterministic`). `sim` runs the GPU's kernels "
               "on a simulated device, thousands of "
               "times slower, to find faults, `sim:2` on two."},
      {.name = "dtype",
       .kind = Kind::kChoice,
       .member = &Options::dtype,
       .choices = {"auto", "f32", "bf16", "f16", "int8", "int4"},
       .commands = kRuns | kBench | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "arithmetic form of the weights",
       .text =
           "`auto` is f32 for weights that are stored as F32, f16 on a GPU for those that are "
           "stored as F16, else bf16. f16 is for GPUs. With int8 and int4 a "
           "matrix that is stored in quantised blocks (GGUF) keeps its own integers and scales; "
           "others are rounded to 8 bits in groups of 64 (32 on a device, or where 64 does not "
           "divide the row) or to 4 bits in groups of 32, with a scale each, the vocabulary to 8 "
           "bits in both. Activations are rounded to 8 bits in the same groups. Faster and "
           "smaller than bf16, at a loss that docs/speed.md states."},
      {.name = "kv-dtype",
       .kind = Kind::kChoice,
       .member = &Options::kv_dtype,
       .choices = {"auto", "f32", "bf16", "int8"},
       .commands = kRuns | kBench | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "form of the cached keys and values",
       .text =
           "`auto` is f32 where the weights are, else bf16. int8 is for the CPU: each head of each "
           "key and value as integers of 8 bits with one scale, a little more than half of what "
           "bf16 takes, so that nearly twice the tokens fit into the memory, at a loss that "
           "docs/speed.md states."},
      {.name = "isa",
       .kind = Kind::kChoice,
       .member = &Options::isa,
       .choices = {"auto", "portable", "avx2", "avx512", "avx512-vnni", "avx512-bf16", "amx",
                   "ref"},
       .commands = kRuns | kBench | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "instruction set of the kernels",
       .text = "`auto` takes the best that this machine has, but not `amx`, which no machine has "
               "run yet. Equal bytes are promised on one instruction set; to continue a run on "
               "another machine, give the name that its run file states. `ref` is the slow "
               "numerics reference."},
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
       .line = "the system text, which stands before the conversation"},
      {.name = "template-set",
       .kind = Kind::kAssignment,
       .member = &Options::template_variables,
       .value = "NAME=VALUE",
       .commands = kChat,
       .group = kGroup,
       .line = "a variable of the chat template: --template-set enable_thinking=false",
       .text =
           "VALUE is JSON, or else a plain string. `sglrun inspect` names those that change how "
           "a model thinks. May be given several times."},
      {.name = "file",
       .short_name = 'f',
       .kind = Kind::kFile,
       .member = &Options::message_file,
       .value = "FILE",
       .commands = kChat,
       .group = kGroup,
       .line = "answer the message in a file and leave; - is standard input"},
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
       .line = "sampling parameters used where a record gives none",
       .text = "A JSON object, for example '{\"temperature\": 0}'. May be given several times; "
               "later values win, and a record's own always do. `sglrun fields` lists the names."},
      {.name = "set",
       .kind = Kind::kAssignment,
       .member = &Options::sampling,
       .value = "NAME=VALUE",
       .commands = kRuns | kChat,
       .group = kGroup,
       .line = "one such parameter: --set temperature=0",
       .text = "VALUE is JSON, or else a plain string. Comes after --sampling."},
      {.name = "sampling-defaults",
       .kind = Kind::kChoice,
       .member = &Options::sampling_defaults,
       .choices = {"model", "openai"},
       .commands = kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "where defaults come from",
       .text = "`model`: temperature, top_p, top_k, min_p and repetition_penalty as the model's "
               "generation_config.json, or a GGUF file's `general.sampling.*`, states them. "
               "`openai`: the constants of `sglrun fields`."},
      {.name = "compat",
       .kind = Kind::kChoice,
       .member = &Options::compat,
       .choices = {"none", "2024"},
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "defaults of an older server",
       .text = "`2024`: max_new_tokens 16, logprob_start_len 0, repetition_penalty 0 means 1, and "
               "dtype \"int\" asks for an integer that ends at a blank or a newline."},
      {.name = "logprobs-mode",
       .kind = Kind::kChoice,
       .member = &Options::logprobs_mode,
       .choices = {"sampled", "original"},
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "distribution that output logprobs are of",
       .text = "`sampled`: with the temperature. `original`: without."},
      {.name = "seed",
       .kind = Kind::kInteger,
       .member = &Options::seed,
       .value = "N",
       .commands = kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "seed of the run, for records without sampling_seed"},
      {.name = "deterministic",
       .member = &Options::deterministic,
       .commands = kRuns | kBench | kChat,
       .group = kGroup,
       .line = "make results independent of batching on a GPU, too",
       .text = "On the CPU the bits of a result never depend on the records beside it. On a GPU "
               "products of more than 64 rows run on cuBLASLt if it is installed, which adds in an "
               "order that depends on the number of rows. With this option sglrun's own kernels do "
               "all products: slower, with the same bits in any batch."},
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
       .line = "whether schemas that name properties are closed",
       .text = "`strict`: an object with `properties` that says nothing about others has none. "
               "`spec`: it may have others, as the standard says."},
      {.name = "json-max-whitespace",
       .kind = Kind::kLimit,
       .member = &Options::json_max_whitespace,
       .value = "N",
       .commands = kCommands | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "most blanks between two parts of a JSON value, or unlimited"},
      {.name = "constrained-json-whitespace",
       .kind = Kind::kChoice,
       .member = &Options::json_whitespace,
       .choices = {"flexible", "compact", "indent"},
       .commands = kCommands | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "blanks in constrained JSON",
       .text =
           "`compact`: one after , and : as Python writes. `indent`: lines, two blanks a level."},
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
       .line = "read oneOf exactly, or as anyOf"},
      {.name = "grammar-unsupported",
       .kind = Kind::kChoice,
       .member = &Options::grammar_unsupported,
       .choices = {"error", "relax"},
       .commands = kCommands | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "what happens to a keyword that cannot be enforced",
       .text =
           "`error`: the record fails. `relax`: the keyword is dropped and the result names it."},
      {.name = "grammar-jump-forward",
       .member = &Options::grammar_jump_forward,
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "take text that a constraint forces as several tokens at once",
       .text = "Fewer steps. The text is tokenized as the tokenizer would, which can give other "
               "tokens than the model would have drawn one by one. Records with stop strings or "
               "stop_regex go on token by token."},
      {.name = "reasoning-end",
       .kind = Kind::kText,
       .member = &Options::reasoning_end,
       .value = "TEXT",
       .commands = kRuns | kChat,
       .shapes_results = true,
       .group = kGroup,
       .line = "what ends the reasoning of a record with require_reasoning",
       .text = "The tokens of this text must be generated one after the other; a single special "
               "token is best. The record's constraint begins after them."},
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
       .line = "one line a result instead of one line a record",
       .text = "Answers to OpenAI lines hold all their choices in any case."},
      {.name = "order",
       .kind = Kind::kChoice,
       .member = &Options::order,
       .choices = {"input", "completion"},
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "order of the rows",
       .text = "`completion`: as they finish, each with the `line` it answers, and the `file` of "
               "that where there are several inputs."},
      {.name = "stream-jsonl",
       .member = &Options::stream_jsonl,
       .commands = kRuns,
       .group = kGroup,
       .line = "also write partial results as they grow, a line a token",
       .text = "Each has `line`, `index` (of the result in its record) and finish_reason null; the "
               "rows have `line` and `index` too. Only for a pipe or standard output, and not for "
               "OpenAI lines."},
      {.name = "no-timing",
       .member = &Options::no_timing,
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "leave out timing and cache fields, so that equal runs are equal bytes"},
      {.name = "clean-up-tokenization-spaces",
       .member = &Options::clean_up_spaces,
       .commands = kRuns | Bit(Command::kDetokenize),
       .shapes_results = true,
       .group = kGroup,
       .line = "no spaces before punctuation and contractions in texts",
       .text = "As transformers does where a tokenizer's configuration says so: \"do n't .\" reads "
               "\"don't.\". Stop strings are looked for before it."},
      {.name = "strict",
       .member = &Options::strict,
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "unknown fields, repeated keys and repeated rids are record errors",
       .text = "Without it they give a warning."},
      {.name = "hidden-states",
       .kind = Kind::kChoice,
       .member = &Options::hidden_states,
       .choices = {"inline", "safetensors", "npy"},
       .commands = kRuns,
       .shapes_results = true,
       .group = kGroup,
       .line = "where the hidden states that a record asks for go",
       .text = "`inline`: into the row, as JSON. The others: into files of the folder OUT.hidden, "
               "which the row names."},
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
       .line = "threads of a step",
       .text =
           "More than the machine has cores for are not used: they would wait for one another."},
      {.name = "max-rows",
       .kind = Kind::kInteger,
       .member = &Options::max_rows,
       .value = "N",
       .minimum = 1,
       .maximum = engine::kMostStepTokens,
       .commands = kRuns,
       .group = kGroup,
       .line = "sequences decoded together"},
      {.name = "max-batch-tokens",
       .kind = Kind::kInteger,
       .member = &Options::max_batch_tokens,
       .value = "N",
       .minimum = 1,
       .maximum = engine::kMostStepTokens,
       .commands = kRuns | kBench,
       .group = kGroup,
       .line = "tokens of one step, parts of prompts included"},
      {.name = "kv-memory",
       .kind = Kind::kSize,
       .member = &Options::kv_memory,
       .value = "SIZE",
       .commands = kRuns | kBench | kChat,
       .group = kGroup,
       .line = "memory for cached keys and values: 4GiB, 500MB, 60%",
       .text = "A percentage is of the memory that is free at the start. `auto`: what the rows "
               "need, within the free memory."},
      {.name = "device-memory",
       .kind = Kind::kBytes,
       .member = &Options::device_memory,
       .value = "SIZE",
       .commands = Bit(Command::kPlan),
       .group = kGroup,
       .line = "plan for a GPU with this much memory, which need not be in this machine: 80GiB",
       .text = "Prints what the weights, the buffers of a step and the cache take, and how many "
               "rows of what length the cache holds. No time is estimated."},
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
       .line = "longest prompt and output together"},
  };
}

std::vector<OptionSpec> ReportOptions() {
  constexpr std::string_view kGroup = "Report";
  return {
      {.name = "json",
       .member = &Options::json,
       .commands = Bit(Command::kPlan) | Bit(Command::kInspect) | kBench,
       .group = kGroup,
       .line = "print one JSON object"},
      {.name = "records",
       .member = &Options::records,
       .commands = Bit(Command::kPlan),
       .group = kGroup,
       .line = "print one JSON line a record, with its effective parameters"},
      {.name = "count",
       .member = &Options::count,
       .commands = Bit(Command::kTokenize),
       .group = kGroup,
       .line = "print only how many tokens each text has"},
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
       .text = "The texts of content parts are joined where the template takes texts only, null "
               "members are left out, arguments of calls become objects, and a message of a wrong "
               "shape is an error row. Without it a template sees what the line says, as with "
               "transformers."},
      {.name = "now",
       .kind = Kind::kText,
       .member = &Options::now,
       .value = "TIME",
       .default_text = "this moment",
       .commands = kTemplate,
       .group = kGroup,
       .line = "the time templates show, like 2026-01-31T12:00:00"},
      {.name = "random-masks",
       .kind = Kind::kInteger,
       .member = &Options::random_masks,
       .value = "K",
       .default_text = "none",
       .maximum = kMostSamples,
       .commands = kGrammar,
       .group = kGroup,
       .line = "compare K masks of a random walk with the slow reference"},
      {.name = "sample",
       .kind = Kind::kInteger,
       .member = &Options::sample,
       .value = "K",
       .default_text = "none",
       .maximum = kMostSamples,
       .commands = kGrammar,
       .group = kGroup,
       .line = "add K random members to each answer"},
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
       .line = "measure constrained decoding alone, on lines of `grammar check`",
       .text = "Needs a tokenizer, no weights. Each text of a line is decoded under its "
               "constraint, twice."},
      {.name = "batch-sizes",
       .kind = Kind::kIntegers,
       .member = &Options::batch_sizes,
       .value = "LIST",
       .minimum = 1,
       .maximum = engine::kMostStepTokens / 2,  // bench makes steps of twice as many tokens
       .commands = kBench,
       .group = kGroup,
       .line = "rows of the decode runs"},
      {.name = "prefill-lengths",
       .kind = Kind::kIntegers,
       .member = &Options::prefill_lengths,
       .value = "LIST",
       .default_text = "512, or what fits",
       .minimum = 1,
       .maximum = model::kMostContext,
       .commands = kBench,
       .group = kGroup,
       .line = "prompt tokens of the prefill runs"},
      {.name = "prompt-tokens",
       .kind = Kind::kInteger,
       .member = &Options::prompt_tokens,
       .value = "N",
       .minimum = 1,
       .maximum = model::kMostContext,
       .commands = kBench,
       .group = kGroup,
       .line = "prompt tokens of a row in the decode runs"},
      {.name = "output-tokens",
       .kind = Kind::kInteger,
       .member = &Options::output_tokens,
       .value = "N",
       .minimum = 2,
       .maximum = model::kMostContext,
       .commands = kBench,
       .group = kGroup,
       .line = "tokens that a row decodes"},
      {.name = "repeat",
       .kind = Kind::kInteger,
       .member = &Options::repeat,
       .value = "N",
       .minimum = 1,
       .maximum = kMostRepeats,
       .commands = kBench,
       .group = kGroup,
       .line = "runs of each measurement, of which the median counts"},
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
       .text = "Keys are the long option names, with - or _. The command line wins."},
      {.name = "progress",
       .kind = Kind::kChoice,
       .member = &Options::progress,
       .choices = {"auto", "always", "never"},
       .commands = kRuns,
       .group = kGroup,
       .line = "show progress on standard error",
       .text = "`auto`: when it is a terminal."},
      {.name = "quiet",
       .short_name = 'q',
       .member = &Options::quiet,
       .commands = kAllCommands,
       .group = kGroup,
       .line = "errors only"},
      {.name = "verbose",
       .short_name = 'v',
       .member = &Options::verbose,
       .commands = kAllCommands,
       .group = kGroup,
       .line = "say more"},
      {.name = "log-file",
       .kind = Kind::kFile,
       .member = &Options::log_file,
       .value = "FILE",
       .commands = kAllCommands,
       .group = kGroup,
       .line = "write messages to this file too, with the time"},
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
