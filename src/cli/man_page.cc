#include "cli/man_page.h"

#include <functional>
#include <string_view>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/version.h"
#include "io/openai/body_fields.h"
#include "request/fields.h"
#include "request/fields_doc.h"

namespace sglrun::cli {
namespace {

// Text as roff takes it: `word` becomes bold, dashes stay what was typed, no line begins a request.
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

// The commands that have the option, where that is not all of them.
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
      "The words in brackets are defaults; behind them stand the commands that have the option.\n";
  out += ".TP\n" + Bold("-h") + ", " + Bold("--help") +
         "\nThe options of a command in a line each, or explained with examples.\n";
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

// Names without an effect, and names that are refused, fill one paragraph each.
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
    "`body` is what hosted batch services and vLLM's run-batch take; `sglrun fields` explains the "
    "fields of bodies. Any `model` is accepted and shown again. The row is\n\n{\"id\", "
    "\"custom_id\", \"response\": {\"status_code\", \"request_id\", \"body\"}, \"error\"}\n\nwith "
    "a "
    "chat.completion or text_completion as its body. A line that is wrong has the status code 400, "
    "and its error both in the body and in `error`. Ids are made from the record, so that equal "
    "runs have equal ones; with --no-timing `created` is 0.\n\nCalls of functions that "
    "`tool_choice` demands are enforced. Those that the model makes of itself become tool_calls "
    "where the chat template teaches the form of Hermes and Qwen (<tool_call> and JSON), Llama 3 "
    "(JSON alone) or Mistral ([TOOL_CALLS] and a JSON list), and the whole answer is such; all "
    "else stays in the content. With response_format and its like the answer is not searched for "
    "calls.";

// Fields of a body in one paragraph each of what is done with them.
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
    "`sglrun` runs a language model over files of requests on this machine, without a server and "
    "without Python. It reads the bodies of SGLang's /generate endpoint and writes the objects "
    "that "
    "this endpoint answers with.";

constexpr std::string_view kRows =
    "A row is the result object: `text`, `output_ids` and `meta_info` with id, finish_reason, "
    "prompt_tokens, completion_tokens, cached_tokens, e2e_latency and what the record asked for. "
    "With a constraint `meta_info.grammar` tells whether the text is a complete member "
    "(`complete`), whether nothing could follow (`forced_end`), which keywords are not enforced "
    "(`relaxed`) and further `notes`. A "
    "list of prompts, or n above 1, gives an array, all samples of the first prompt first. A "
    "record "
    "that is wrong gives\n\n{\"error\": {\"message\", \"type\", \"code\", \"param\", \"line\"}, "
    "\"meta_info\": {\"id\"}}\n\nwhere line counts the lines of its file from 1, blank ones "
    "included. Floating-point numbers have the fewest digits that read back to the same float32.";

constexpr std::string_view kExitStatus =
    ".TP\n\\fB0\\fR\nevery record was served\n"
    ".TP\n\\fB1\\fR\nthe run finished, some records failed\n"
    ".TP\n\\fB2\\fR\nthe run could not start or could not go on; one sentence says why\n"
    ".TP\n\\fB130\\fR, \\fB143\\fR\ninterrupted (SIGINT), terminated (SIGTERM): what was finished "
    "is "
    "written, the same command continues. A second SIGINT ends at once.\n"
    ".TP\n\\fB141\\fR\nthe reader of standard output went away\n";

constexpr std::string_view kNotes =
    "A prompt may have at most context-length - 1 tokens and max_new_tokens may fill the rest "
    "exactly; SGLang keeps a few positions free there.\n\nResults are the same bytes for one "
    "binary, one model and one instruction set (on a GPU with `--deterministic`). Another "
    "instruction set rounds differently, so a "
    "run is not continued on one: `--isa` names it, the run file holds the name.\n\nA gzip or zstd "
    "file is checked as it is read: of a damaged one, the records before the place of the damage "
    "may have their rows when the run ends with exit code 2, and no row behind it. Such rows are "
    "continued from when the file is whole again, if their records are the same.\n\nPatterns of "
    "stop_regex are PCRE2, not Python: `(?P<name>..)` is understood, `\\Z` means the end or "
    "before a last newline.";

constexpr std::string_view kFiles =
    ".TP\n\\fIOUT\\fR.journal\nwhich row belongs to which record: needed to continue a run "
    "and to merge shards; may be deleted when neither is wanted any more\n"
    ".TP\n\\fIOUT\\fR.run.json\nthe account of the run, or where \\fB\\-\\-run\\-file\\fR says: "
    "its state, effective options, the model's fingerprint, effective sampling defaults, "
    "instruction set, counts, timings. The state is \"running\" from the start, at the end "
    "\"finished\", \"stopped\" or \"failed\"; \\fBsglrun report\\fR shows the file\n"
    ".TP\n\\fIOUT\\fR.dropped\nrows of an earlier run that answer no record of this input, added "
    "to those that are there; never read, may be deleted\n"
    ".TP\n\\fIOUT\\fR.new, \\fIOUT\\fR.new.journal, \\fIOUT\\fR.new.dropped\nthe output while its "
    "rows "
    "are put into another order; what a killed run leaves there the next one takes in\n"
    ".TP\n\\fINAME\\fR.unfinished\na run file, a page or a file of hidden states until it is "
    "whole; "
    "what a killed run leaves there the next one takes away\n"
    ".TP\n\\fIOUT\\fR.hidden/\nhidden states as files, with \\fB\\-\\-hidden\\-states\\fR; "
    "\\fBsglrun merge\\fR brings them beside the joined rows\n"
    ".TP\n\\fIFILE\\fR.html\nthe page about the run, with \\fB\\-\\-report\\fR\n"
    ".TP\n\\fI$XDG_STATE_HOME\\fR/sglrun/history\nwhat was typed into \\fBsglrun chat\\fR, for the "
    "arrow keys; ~/.local/state/sglrun/history where the variable is not set. May be deleted; a "
    "link to /dev/null in its place keeps it empty\n"
    ".TP\n\\fI$XDG_CACHE_HOME\\fR/sglrun/cublaslt\\-\\fIVERSION\\fR\\-\\fICARD\\fR.txt\nwhich "
    "algorithm of cuBLASLt was "
    "the fastest for which product, timed when it first comes; in ~/.cache/sglrun where the "
    "variable is not set. May be deleted\n";

}  // namespace

std::string ManPage() {
  std::string out =
      ".TH SGLRUN 1 \"\" \"sglrun " + std::string(Version()) + "\" \"User Commands\"\n";
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
