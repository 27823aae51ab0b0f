// Commands and options, described once. The parser, -h, --help, the man page, shell completion, the
// allowed keys of --config files and the options in the run file are made from the table of options
// (option_table.cc). A new option needs one row there, one field here, and its use.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "run/launcher.h"
#include "run/shard.h"

namespace sglrun::cli {

// The values of all options of all commands, defaults in place.
struct Options {
  std::vector<std::string> inputs;  // INPUT..., OUT..., FILE, SHELL: the words without a dash

  std::string output = "-";
  std::string run_file;
  std::string report;  // a page
  std::string input_format = "auto";
  run::ShardChoice shard;
  std::optional<run::Launch> launch;  // of --shard auto, set by TakeShard
  std::int64_t limit = 0;             // 0: all
  bool overwrite = false;
  bool retry_errors = false;
  std::int64_t max_errors = 0;  // 0: any number
  bool failed_ok = false;
  bool check = false;  // of merge
  bool mixed_isa = false;
  bool lines = false;
  std::string records_of_lines;  // their number, or the file that holds them

  std::string model;       // a path, once FindModels has found it
  std::string model_name;  // "org/name", or the last part of the path: from there as well
  std::string tokenizer;
  std::string chat_template;   // a file
  Json lora = Json::Object{};  // directories by name
  std::string lora_root;
  bool no_special_in_content = false;
  Json template_variables = Json::Object{};  // --template-set
  std::string system_text;
  std::string message_file;
  std::string shape;
  std::string device = "auto";
  std::string device_memory;  // of a card that is not here; "": none
  std::string dtype = "auto";
  std::string kv_dtype = "auto";
  std::string isa = "auto";

  Json sampling = Json::Object{};   // --sampling and --set combined
  std::set<std::string> set_names;  // of these, the names that --set gave
  std::string sampling_defaults = "model";
  std::string compat = "none";
  std::string logprobs_mode = "sampled";
  std::int64_t seed = 42;
  bool deterministic = false;

  std::string json_schema_mode = "strict";
  std::string json_max_whitespace = "32";
  std::string json_whitespace = "flexible";
  std::string json_format = "assert";
  std::string json_oneof = "exact";
  std::string grammar_unsupported = "error";
  bool grammar_jump_forward = false;
  std::string reasoning_end = "</think>";
  std::int64_t random_masks = 0;
  std::int64_t sample = 0;

  bool flatten = false;
  std::string order = "input";
  bool stream_jsonl = false;
  bool no_timing = false;
  bool clean_up_spaces = false;
  bool strict = false;
  std::string hidden_states = "inline";

  std::int64_t threads = 0;  // 0: physical cores
  std::int64_t max_rows = 64;
  std::int64_t max_batch_tokens = 512;
  std::string kv_memory = "auto";
  std::int64_t context_length = 0;  // 0: the model's

  bool json = false;
  bool records = false;
  bool count = false;
  bool input_ids = false;
  bool served = false;
  std::string now;
  bool json_schema = false;
  std::string grammar;
  std::vector<std::int64_t> batch_sizes = {1, 8, 32, 64};
  std::vector<std::int64_t> prefill_lengths;  // empty: 512, or what fits
  std::int64_t prompt_tokens = 128;
  std::int64_t output_tokens = 64;
  std::int64_t repeat = 3;

  std::string config;
  std::string progress = "auto";
  bool quiet = false;
  bool verbose = false;
  std::string log_file;
};

enum class Command : std::uint8_t {
  kBatch,
  kPlan,
  kInspect,
  kTokenize,
  kDetokenize,
  kTemplate,
  kChat,
  kGrammar,
  kBench,
  kNumber,
  kMerge,
  kReport,
  kFields,
  kCompletion,
  kMan,
};

// A set of commands as bits.
using CommandSet = std::uint32_t;
constexpr CommandSet Bit(Command command) {
  return CommandSet{1} << static_cast<int>(command);
}
inline constexpr CommandSet kAllCommands = ~CommandSet{0};

struct Example {
  std::string_view line;  // as typed
  std::string_view text;  // what it does
};

struct CommandSpec {
  Command command;
  std::string_view name;
  std::string_view operands = "";  // "INPUT..."; "" when it takes none
  std::size_t min_operands = 0;
  std::size_t max_operands = 0;
  std::vector<std::string_view> operand_choices = {};  // the allowed words, when they are few
  std::string_view line;                               // one line
  std::string_view text;                               // paragraphs, separated by blank lines
  std::vector<Example> examples;
};

enum class Kind : std::uint8_t {
  kFlag,
  kText,
  kFile,
  kDirectory,   // a directory or a file
  kChoice,      // one of OptionSpec::choices
  kInteger,     // from OptionSpec::minimum to OptionSpec::maximum
  kIntegers,    // "1,8,32", each in that range
  kLimit,       // an integer of at least OptionSpec::minimum, or "unlimited"
  kSize,        // "4GiB", "60%", "auto"
  kBytes,       // "80GiB"
  kShard,       // "2/8", "auto", "auto/8"
  kObject,      // a JSON object, laid over what was given before; may repeat
  kAssignment,  // "name=value" into such an object; may repeat
  kNamedPath,   // "name=path" into an object of texts; may repeat
};

inline constexpr std::int64_t kNoMaximum = std::numeric_limits<std::int64_t>::max();

using OptionMember = std::variant<bool Options::*, std::int64_t Options::*, std::string Options::*,
                                  std::vector<std::int64_t> Options::*, run::ShardChoice Options::*,
                                  Json Options::*>;

struct OptionSpec {
  std::string_view name;  // without dashes; also the key of --config files
  char short_name = 0;
  Kind kind = Kind::kFlag;
  OptionMember member;
  std::string_view value = "";  // what stands for the value in help: "FILE"
  std::vector<std::string_view> choices = {};
  std::string_view default_text = "";  // as help shows it; "" for none
  std::int64_t minimum = 0;
  // Of what sizes something: sums and products of such numbers stay inside int64.
  std::int64_t maximum = kNoMaximum;
  CommandSet commands = 0;
  // Part of what makes a result: a resume with another value is refused, naming the option.
  bool shapes_results = false;
  std::string_view group;
  std::string_view line;
  std::string_view text = "";  // more for --help and the man page; may be ""

  bool repeats() const {
    return kind == Kind::kObject || kind == Kind::kAssignment || kind == Kind::kNamedPath;
  }
};

const std::vector<CommandSpec>& CommandTable();
const std::vector<OptionSpec>& OptionTable();

const CommandSpec& FindCommand(Command command);
// By long name, among the options of a command; nullptr when it has none such.
const OptionSpec* FindOption(std::string_view name, Command command);
// "FILE", "auto|cpu": what help shows after an option.
std::string ValueText(const OptionSpec& option);

// Converts one value and stores it; the error names what was found and what is allowed.
Status SetOption(const OptionSpec& option, const std::string& value, Options& options);
// The option's present value as JSON, for the manifest.
Json OptionValue(const OptionSpec& option, const Options& options);

enum class HelpLevel : std::uint8_t { kNone, kShort, kLong };

// What a command line asks for.
struct Invocation {
  bool version = false;
  HelpLevel help = HelpLevel::kNone;
  bool has_command = false;
  Command command = Command::kBatch;
  Options options;
};

// Reads the command line, and under it the file of --config. Errors name the nearest option.
Result<Invocation> ParseCommandLine(int argc, const char* const* argv);

}  // namespace sglrun::cli
