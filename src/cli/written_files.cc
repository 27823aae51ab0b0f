#include "cli/written_files.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/same_file.h"
#include "base/whole_file.h"
#include "io/dialect/result_writer.h"
#include "io/journal.h"
#include "io/run_output.h"
#include "report/account.h"

namespace sglrun::cli {
namespace {

namespace fs = std::filesystem;

enum class Place : std::uint8_t {
  kFile,      // a file and nothing else
  kAnywhere,  // or a device, or a pipe
  kPage,      // a file, which replaces nothing but a page
  kRunFile,   // a file, which replaces nothing but a run file
};

struct NamedFile {
  std::string what;  // "the output", "the input"
  std::string path;  // "" of a standard stream
  int stream = -1;   // its descriptor
  // Of a written file:
  std::string remedy = {};
  Place place = Place::kFile;

  std::string name() const { return what + (path.empty() ? "" : " " + path); }
  std::optional<FileIdentity> identity() const {
    return path.empty() ? IdentityOf(stream) : IdentityOf(path);
  }
};

bool LiesIn(const std::string& path, const std::string& folder) {
  std::error_code ignored;
  const std::string inside = fs::weakly_canonical(FollowLinks(path), ignored).string();
  return inside.starts_with(fs::weakly_canonical(folder, ignored).string() + "/");
}

// What is written to one of them can be read from the other, or replaces it.
bool IsSameFile(const NamedFile& a, const NamedFile& b) {
  const std::optional<FileIdentity> identity = a.identity();
  if (identity) return identity == b.identity();
  std::error_code ignored;
  if (a.path.empty() || b.path.empty()) return false;
  if (fs::exists(a.path, ignored) || fs::exists(b.path, ignored)) return false;
  return fs::weakly_canonical(FollowLinks(a.path), ignored) ==
         fs::weakly_canonical(FollowLinks(b.path), ignored);
}

// Commands whose rows go to --output, which may be standard output.
bool HasOutput(Command command) {
  return command == Command::kBatch || command == Command::kMerge || command == Command::kGrammar ||
         command == Command::kNumber;
}

bool WritesStandardOutput(const Options& options, Command command) {
  if (HasOutput(command)) return options.output == "-";
  return command != Command::kReport || options.report.empty();
}

// A file that is written beside its name and then gets it.
void AddReplaced(NamedFile file, std::vector<NamedFile>& files) {
  NamedFile unfinished = file;
  unfinished.what = "a file beside " + file.what + ",";
  unfinished.path = UnfinishedPath(file.path);
  unfinished.place = Place::kFile;
  files.push_back(std::move(file));
  files.push_back(std::move(unfinished));
}

std::vector<NamedFile> WrittenFiles(const Options& options, Command command) {
  std::vector<NamedFile> files;
  if (HasOutput(command) && options.output != "-") {
    files.push_back({.what = "the output",
                     .path = options.output,
                     .remedy = "--output",
                     .place = Place::kAnywhere});
    const bool continues = command == Command::kBatch || command == Command::kMerge;
    if (continues && !io::IsLooseOutput(options.output)) {
      for (const std::string& path : io::FilesBeside(options.output)) {
        files.push_back({.what = "a file beside the output,", .path = path, .remedy = "--output"});
      }
    }
  }
  if (command == Command::kBatch && !RunFilePath(options).empty()) {
    AddReplaced({.what = "the run file",
                 .path = RunFilePath(options),
                 .remedy = "--run-file",
                 .place = options.overwrite ? Place::kFile : Place::kRunFile},
                files);
  }
  if (!options.report.empty() && command != Command::kPlan) {
    const char* option = command == Command::kBatch ? "--report" : "--html";
    AddReplaced(
        {.what = "the report", .path = options.report, .remedy = option, .place = Place::kPage},
        files);
  }
  if (!options.log_file.empty()) {
    files.push_back({.what = "the log file",
                     .path = options.log_file,
                     .remedy = "--log-file",
                     .place = Place::kAnywhere});
  }
  return files;
}

// Of a folder, only what a model is read from: results may lie beside it.
bool IsModelFile(const fs::path& path) {
  static constexpr std::string_view kNames[] = {"config.json",
                                                "generation_config.json",
                                                "tokenizer.json",
                                                "tokenizer.model",
                                                "tokenizer_config.json",
                                                "special_tokens_map.json",
                                                "tekken.json",
                                                "vocab.json",
                                                "merges.txt",
                                                "added_tokens.json"};
  const std::string name = path.filename().string();
  return name.ends_with(".safetensors") || name.ends_with(".gguf") ||
         name.ends_with(".index.json") || name.ends_with(".tiktoken") ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

void AddRead(const std::string& what, const std::string& path, std::vector<NamedFile>& files) {
  if (path.empty()) return;
  if (path == "-") {
    files.push_back({.what = "standard input", .path = "", .stream = STDIN_FILENO});
    return;
  }
  std::error_code problem;
  if (!fs::is_directory(path, problem)) {
    files.push_back({.what = what, .path = path});
    return;
  }
  for (fs::directory_iterator at(path, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (IsModelFile(at->path())) files.push_back({.what = what, .path = at->path().string()});
  }
}

// The operands that name files. The first word of `grammar check` does not.
std::vector<std::string> InputsOf(const Options& options, Command command) {
  if (command == Command::kFields || command == Command::kCompletion) return {};
  std::vector<std::string> inputs = options.inputs;
  if (command == Command::kGrammar && !inputs.empty()) inputs.erase(inputs.begin());
  const bool filters = command == Command::kTokenize || command == Command::kDetokenize ||
                       command == Command::kTemplate || command == Command::kGrammar;
  const bool asks = command == Command::kChat && options.message_file.empty();
  if (inputs.empty() && (filters || asks)) inputs.emplace_back("-");
  return inputs;
}

bool IsWritten(const OptionSpec& option) {
  static const OptionMember kMembers[] = {&Options::output, &Options::run_file, &Options::report,
                                          &Options::log_file};
  return std::ranges::find(kMembers, option.member) != std::end(kMembers);
}

std::string WhatIsRead(const OptionSpec& option) {
  if (option.name == "model") return "a file of the model,";
  if (option.name == "tokenizer") return "a file of the tokenizer,";
  if (option.name == "file") return "the message";
  if (option.name == "config") return "the configuration";
  return "the file of --" + std::string(option.name) + ",";
}

std::vector<NamedFile> ReadFiles(const Options& options, Command command) {
  std::vector<NamedFile> files;
  for (const std::string& input : InputsOf(options, command)) {
    AddRead("the input", input, files);
    if (command == Command::kMerge) {
      AddRead("the journal of an input,", io::JournalPath(input), files);
    }
  }
  for (const OptionSpec& option : OptionTable()) {
    const bool names_file = option.kind == Kind::kFile || option.kind == Kind::kDirectory;
    if ((option.commands & Bit(command)) == 0 || !names_file || IsWritten(option)) continue;
    AddRead(WhatIsRead(option), OptionValue(option, options).as_string(), files);
  }
  return files;
}

// Side files are named by their records, so that no name in their folder is free.
Status CheckSideFolder(const Options& options, Command command,
                       const std::vector<NamedFile>& read) {
  const bool fills_it = command == Command::kBatch && options.hidden_states != "inline";
  if (options.output == "-" || (!fills_it && command != Command::kMerge)) return {};
  const std::string folder = io::SideFolder(options.output);
  std::error_code ignored;
  if (fills_it && fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
    return Error{"the folder of the hidden states " + folder +
                 " is a file; name another with --output"};
  }
  for (const NamedFile& file : read) {
    if (file.path.empty() || !LiesIn(file.path, folder)) continue;
    return Error{"the folder of the hidden states " + folder + " holds " + file.what + " " +
                 file.path + "; name another with --output"};
  }
  return {};
}

bool IsPlainFileOrNone(const std::string& path) {
  std::error_code ignored;
  return !fs::exists(path, ignored) || fs::is_regular_file(path, ignored);
}

// The run file, the report and what lies beside the output are not data that a user may send
// elsewhere: a device or a pipe would be replaced by a file.
Status CheckPlainFile(const NamedFile& file) {
  if (IsPlainFileOrNone(file.path) && file.path != "-") return {};
  return Error{file.what + " \"" + file.path + "\" is not a regular file; name another with " +
               file.remedy};
}

// What is written when all is done is late to learn of a slip of the pen.
Status CheckFolder(const NamedFile& file) {
  const std::string folder = fs::path(file.path).parent_path().string();
  const std::string there = folder.empty() ? "." : folder;
  std::error_code ignored;
  const bool is_folder = fs::is_directory(there, ignored) || !fs::exists(there, ignored);
  if (is_folder && ::access(there.c_str(), W_OK | X_OK) == 0) return {};
  return Error{"cannot write " + file.what + " " + file.path + ": " +
               std::strerror(is_folder ? errno : ENOTDIR)};
}

std::string Beginning(const std::string& path, std::size_t size) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

bool IsPage(const std::string& path) {
  constexpr std::string_view kBeginning = "<!doctype html>";
  return std::ranges::equal(Beginning(path, kBeginning.size()), kBeginning, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

bool HoldsRunFile(const std::string& path) {
  const Result<std::string> text = ReadFile(path, report::kMaxRunFileBytes);
  if (!text.ok()) return false;
  const auto json = ParseJson(*text);
  return json.ok() && report::IsRunFile(json->value);
}

// A page takes the place of a page, a run file that of a run file, and of no other file that a user
// may need.
Status CheckReplaced(const NamedFile& file) {
  std::error_code ignored;
  if (!fs::exists(file.path, ignored) || fs::file_size(file.path, ignored) == 0) return {};
  const bool page = file.place == Place::kPage;
  if (page ? IsPage(file.path) : HoldsRunFile(file.path)) return {};
  return Error{file.name() + " exists and is not " +
               (page ? "an HTML page" : "a run file of `sglrun batch`") + "; name another with " +
               file.remedy + (page ? "" : ", or replace it with --overwrite")};
}

// That it can be written, as far as can be told without writing.
Status CheckWritable(const NamedFile& file) {
  std::error_code ignored;
  const bool elsewhere = file.place == Place::kAnywhere;  // a device, a pipe: opened at once
  if (elsewhere && fs::exists(file.path, ignored) && !fs::is_directory(file.path, ignored)) {
    return {};
  }
  SGLRUN_RETURN_IF_ERROR(CheckPlainFile(file));
  return CheckFolder(file);
}

const NamedFile* FindSame(const NamedFile& file, const std::vector<NamedFile>& known) {
  const auto found =
      std::ranges::find_if(known, [&](const NamedFile& other) { return IsSameFile(file, other); });
  return found == known.end() ? nullptr : &*found;
}

Status CheckStandardStream(const NamedFile& stream, const std::vector<NamedFile>& read) {
  const NamedFile* other = FindSame(stream, read);
  if (other == nullptr) return {};
  return Error{stream.name() + " is " + other->name() +
               ": what is written there would be read again; send it elsewhere"};
}

}  // namespace

std::string RunFilePath(const Options& options) {
  if (!options.run_file.empty()) return options.run_file;
  return io::IsLooseOutput(options.output) ? "" : io::RunFilePath(options.output);
}

Status CheckWrittenFiles(const Options& options, Command command) {
  std::vector<NamedFile> known = ReadFiles(options, command);
  SGLRUN_RETURN_IF_ERROR(CheckSideFolder(options, command, known));
  const NamedFile messages{.what = "standard error", .path = "", .stream = STDERR_FILENO};
  SGLRUN_RETURN_IF_ERROR(CheckStandardStream(messages, known));
  if (WritesStandardOutput(options, command)) {
    const NamedFile output{.what = "standard output", .path = "", .stream = STDOUT_FILENO};
    SGLRUN_RETURN_IF_ERROR(CheckStandardStream(output, known));
    known.push_back(output);
  }
  for (const NamedFile& file : WrittenFiles(options, command)) {
    const NamedFile* other = FindSame(file, known);
    // Messages may go where messages go.
    const bool mixes = file.remedy != "--log-file" && IsSameFile(file, messages);
    if (other == nullptr && mixes) other = &messages;
    if (other != nullptr) {
      return Error{file.name() + " is " + other->name() + "; name another with " + file.remedy};
    }
    SGLRUN_RETURN_IF_ERROR(CheckWritable(file));
    const bool replaces = file.place == Place::kPage || file.place == Place::kRunFile;
    if (replaces) SGLRUN_RETURN_IF_ERROR(CheckReplaced(file));
    known.push_back(file);
  }
  return {};
}

}  // namespace sglrun::cli
