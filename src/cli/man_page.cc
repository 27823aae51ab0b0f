#include "cli/man_page.h"

#include <functional>
#include <string_view>

#include "cli/help.h"
#include "cli/options.h"
#include "console/version.h"
#include "io/openai/body_fields.h"
#include "request/fields.h"
#include "request/fields_doc.h"

namespace sglrun::cli {
namespace {

// Converts text to roff: `word` becomes bold, dashes are kept, and no line is read as a request.
std::string Roff(std::string_view text) {
  std::string out;
  bool bold = false, line_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    if (c == '\n' && i + 1 < text.size() && text[i + 1] == '\n') {
      out += "\n.PP\n";
      ++i;
      line_start = true;
    } else if (c == '`') {
      bold = !bold;
      out += bold ? "\\fB" : "\\fR";
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Bold(std::string_view text) {
  return "\\fB" + Roff(text) + "\\fR";
}

std::string Section(std::string_view name) {
  return ".SH " + std::string(name) + "\n";
}

void AppendExample(const Example& example, std::string& out) {
  out += ".PP\n" + Roff(example.text) + "\n.PP\n.RS 4\n.nf\n" + Roff(example.line) + "\n.fi\n.RE\n";
}

void AppendCommand(const CommandSpec& command, std::string& out) {
  out += ".SS \"sglrun " + std::string(command.name);
  if (!command.operands.empty()) out += " " + Roff(command.operands);
  out += "\"\n" + Roff(command.line) + ".\n";
  if (!command.text.empty()) out += ".PP\n" + Roff(command.text) + "\n";
  for (const Example& example : command.examples) AppendExample(example, out);
}

// The commands that have the option; "" if all commands have it.
std::string CommandsOf(const OptionSpec& option) {
  if (option.commands == kAllCommands) return "";
  std::string names;
  for (const CommandSpec& command : CommandTable()) {
    if ((option.commands & Bit(command.command)) == 0) continue;
    names += (names.empty() ? "" : ", ") + std::string(command.name);
  }
  return " (" + names + ")";
}

void AppendOption(const OptionSpec& option, std::string& out) {
  out += ".TP\n";
  if (option.short_name != 0) out += Bold(std::string("-") + option.short_name) + ", ";
  out += Bold("--" + std::string(option.name));
  if (option.kind != Kind::kFlag) out += " \\fI" + Roff(ValueText(option)) + "\\fR";
  out += "\n" + Roff(option.line);
  if (const std::string standard = DefaultText(option); !standard.empty()) {
    out += " [" + Roff(standard) + "]";
  }
  out += CommandsOf(option) + ".\n";
  if (!option.text.empty()) out += Roff(option.text) + "\n";
}

void AppendOptions(std::string& out) {
  out += Section("OPTIONS");
  out +=
      "Defaults are in square brackets, followed by the commands that have the option in "
      "parentheses.\n";
  out += ".TP\n" + Bold("-h") + ", " + Bold("--help") +
         "\n"
         "-h lists the options of a command in one line each; --help explains them and shows "
         "examples.\n";
  std::string_view group;
  for (const OptionSpec& option : OptionTable()) {
    if (option.group != group) {
      group = option.group;
      out += ".SS \"" + std::string(group) + "\"\n";
    }
    AppendOption(option, out);
  }
}

void AppendField(const request::FieldEntry& field, std::string& out) {
  out +=
      ".TP\n" + Bold(field.name) + " \\- " + Roff(field.type) + "\n" + Roff(field.summary) + "\n";
  if (!field.details.empty()) out += Roff(field.details) + "\n";
}

// Fields without effect and refused fields have one paragraph each.
std::string NamesOf(request::Treatment treatment) {
  std::string names;
  for (const request::Field& field : request::Fields()) {
    if (field.treatment == treatment) names += (names.empty() ? "" : ", ") + Bold(field.name);
  }
  return names;
}

void AppendFields(std::string& out) {
  out += Section("FIELDS");
  out += Roff("An input line is a JSON object. `null` stands for the default everywhere.\n");
  for (const auto scope : {request::Scope::kRecord, request::Scope::kSamplingParams}) {
    out +=
        scope == request::Scope::kRecord ? ".SS \"Of a record\"\n" : ".SS \"Of sampling_params\"\n";
    for (const request::FieldEntry& field : request::FieldEntries()) {
      const request::Field* row = request::FindField(scope, field.name);
      if (field.scope == scope && row != nullptr && row->treatment == request::Treatment::kUsed) {
        AppendField(field, out);
      }
    }
  }
  out += ".SS \"Accepted without effect\"\n" + NamesOf(request::Treatment::kNoEffect) + ".\n";
  out += ".SS \"Refused\"\nA record that asks for one of these gets an error row: " +
         NamesOf(request::Treatment::kUnsupported) + ".\n";
}

constexpr std::string_view kOpenAiLines =
    "A line with `custom_id`, `method` (POST), `url` (/v1/chat/completions or /v1/completions) and "
    "`body` is a request of the OpenAI batch API, as for hosted services and vLLM's run-batch; "
    "`sglrun fields` explains the fields of the body. Any `model` is accepted and repeated in the "
    "row. The row is\n"
    "\n"
    "{\"id\", \"custom_id\", \"response\": {\"status_code\", \"request_id\", \"body\"}, "
    "\"error\"}\n"
    "\n"
    "with a chat.completion or text_completion as its body. The row of an invalid line has the "
    "status code 400, and the error both in the body and in `error`. Ids are computed from the "
    "record, so equal runs have equal ids; with --no-timing `created` is 0.\n"
    "\n"
    "Tool calls that `tool_choice` requires are enforced. Other tool calls are recognised, and "
    "returned as tool_calls, if the chat template uses the format of Hermes and Qwen (<tool_call> "
    "and JSON), Llama 3 (JSON alone) or Mistral ([TOOL_CALLS] and a JSON list), and if the whole "
    "answer has this format; everything else stays in the content. With response_format and "
    "similar fields the answer is not searched for tool calls.";

// The fields of a body, one paragraph per kind of use.
std::string BodyNamesOf(const std::function<bool(io::openai::Use)>& has) {
  std::string names;
  for (const io::openai::BodyField& field : io::openai::BodyFields()) {
    if (!has(field.use)) continue;
    const std::string name = Bold(field.name);
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

void AppendOpenAiLines(std::string& out) {
  using io::openai::Use;
  out += Section("OPENAI LINES") + Roff(kOpenAiLines) + "\n";
  out += ".SS \"Used\"\n" +
         BodyNamesOf([](Use use) { return use == Use::kSampling || use == Use::kRead; }) + ".\n";
  out += ".SS \"Accepted without effect\"\n" +
         BodyNamesOf([](Use use) { return use == Use::kNoEffect || use == Use::kHint; }) + ".\n";
  out += ".SS \"Refused\"\n" + BodyNamesOf([](Use use) { return use == Use::kRefused; }) + ".\n";
}

constexpr std::string_view kDescription =
    "`sglrun` runs files of requests through a language model on this machine, without a server "
    "and without Python. It reads request bodies of SGLang's /generate endpoint and writes the "
    "response objects of that endpoint.";

constexpr std::string_view kRows =
    "A row is the result object: `text`, `output_ids` and `meta_info` with id, finish_reason, "
    "prompt_tokens, completion_tokens, cached_tokens, e2e_latency and the outputs that the record "
    "requested. With a constraint, `meta_info.grammar` says whether the text satisfies the "
    "constraint (`complete`), whether no other token was allowed (`forced_end`), which keywords "
    "are not enforced (`relaxed`) and further `notes`. A list of prompts, or n above 1, gives an "
    "array: all samples of the first prompt, then those of the second, and so on. An invalid "
    "record gives\n"
    "\n"
    "{\"error\": {\"message\", \"type\", \"code\", \"param\", \"line\"}, \"meta_info\": {\"id\"}}\n"
    "\n"
    "where line is the line of the file, counted from 1 and including blank lines. Floating-point "
    "numbers have the fewest digits that convert back to the same float32.";

constexpr std::string_view kExitStatus =
    ".TP\n"
    "\\fB0\\fR\n"
    "every record was processed successfully\n"
    ".TP\n"
    "\\fB1\\fR\n"
    "the run finished, but some records failed\n"
    ".TP\n"
    "\\fB2\\fR\n"
    "the run could not start or could not continue; a message states the reason\n"
    ".TP\n"
    "\\fB130\\fR, \\fB143\\fR\n"
    "the run was interrupted (SIGINT) or terminated (SIGTERM): finished rows are written, and the "
    "same command continues the run. A second SIGINT ends the program immediately.\n"
    ".TP\n"
    "\\fB141\\fR\n"
    "the program that read standard output has closed it\n";

constexpr std::string_view kNotes =
    "A prompt may have at most context-length - 1 tokens, and max_new_tokens may fill the rest "
    "exactly; SGLang keeps a few positions free.\n"
    "\n"
    "Results have the same bytes with the same binary, model and instruction set (on a GPU with "
    "`--deterministic`). Another instruction set rounds differently, so a run cannot be continued "
    "on it. `--isa` selects the instruction set, and the run file contains its name.\n"
    "\n"
    "A gzip or zstd file is checked while it is read. If it is damaged, the run ends with exit "
    "code 2; records before the damage may have rows, records after it have none. When the file "
    "has been repaired, the run can be continued if these records are unchanged.\n"
    "\n"
    "Patterns of stop_regex use the syntax of PCRE2, not of Python: `(?P<name>..)` is supported, "
    "and `\\Z` matches at the end and before a final newline.";

constexpr std::string_view kFiles =
    ".TP\n"
    "\\fIOUT\\fR.journal\n"
    "states which row belongs to which record; needed to continue a run and to merge shards, and "
    "may be deleted afterwards\n"
    ".TP\n"
    "\\fIOUT\\fR.run.json\n"
    "the run file (\\fB\\-\\-run\\-file\\fR gives it another name): state of the run, effective "
    "options, fingerprint of the model, effective sampling defaults, instruction set, counts, "
    "timings. The state is \"running\" at the start and \"finished\", \"stopped\" or \"failed\" at "
    "the end; \\fBsglrun report\\fR shows the file\n"
    ".TP\n"
    "\\fIOUT\\fR.dropped\n"
    "rows of earlier runs whose record is not in the input; rows are appended, the file is never "
    "read and may be deleted\n"
    ".TP\n"
    "\\fIOUT\\fR.new, \\fIOUT\\fR.new.journal, \\fIOUT\\fR.new.dropped\n"
    "the output while its rows are being reordered; if the run is killed, the next run continues "
    "with these files\n"
    ".TP\n"
    "\\fINAME\\fR.unfinished\n"
    "a run file, a report or a file of hidden states while it is being written; if the run is "
    "killed, the next run removes it\n"
    ".TP\n"
    "\\fIOUT\\fR.hidden/\n"
    "hidden states as files, with \\fB\\-\\-hidden\\-states\\fR; \\fBsglrun merge\\fR links or "
    "copies them beside the joined output\n"
    ".TP\n"
    "\\fIFILE\\fR.html\n"
    "the report about the run, with \\fB\\-\\-report\\fR\n"
    ".TP\n"
    "\\fI$XDG_STATE_HOME\\fR/sglrun/history\n"
    "lines typed into \\fBsglrun chat\\fR, for the arrow keys; ~/.local/state/sglrun/history if "
    "the variable is not set. May be deleted; a link to /dev/null in its place keeps it empty\n"
    ".TP\n"
    "\\fI$XDG_CACHE_HOME\\fR/sglrun/cublaslt\\-\\fIVERSION\\fR\\-\\fICARD\\fR.txt\n"
    "the fastest algorithm of cuBLASLt for each product, measured when the product first occurs; "
    "in ~/.cache/sglrun if the variable is not set. May be deleted\n";

}  // namespace

std::string ManPage() {
  std::string out =
      ".TH SGLRUN 1 \"\" \"sglrun " + std::string(console::Version()) + "\" \"User Commands\"\n";
  out += Section("NAME") + "sglrun \\- offline batch inference for language models\n";
  out += Section("SYNOPSIS");
  for (const CommandSpec& command : CommandTable()) {
    out += ".B sglrun " + std::string(command.name) + "\n";
    if (!command.operands.empty()) out += ".I " + Roff(command.operands) + "\n";
    out += "[options]\n.br\n";
  }
  out += ".B sglrun \\-\\-version\n";
  out += Section("DESCRIPTION") + Roff(kDescription) + "\n";
  out += Section("COMMANDS");
  for (const CommandSpec& command : CommandTable()) AppendCommand(command, out);
  AppendOptions(out);
  AppendFields(out);
  AppendOpenAiLines(out);
  out += Section("ROWS") + Roff(kRows) + "\n";
  out += Section("EXIT STATUS") + std::string(kExitStatus);
  out += Section("FILES") + std::string(kFiles);
  out += Section("NOTES") + Roff(kNotes) + "\n";
  return out;
}

}  // namespace sglrun::cli
