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
#include <string_view>
#include <vector>

#include "io/journal.h"
#include "io/result_writer.h"
#include "io/run_output.h"

namespace sglrun::cli {
namespace {

namespace fs = std::filesystem;

enum class Place : std::uint8_t {
  kFile,      // a file and nothing else
  kAnywhere,  // or a device, or a pipe
  kPage,      // a file, which replaces nothing but a page
};

struct NamedFile {
  std::string what;  // "the output", "the input"
  std::string path;
  // Of a written file:
  std::string remedy = {};
  Place place = Place::kFile;
};

bool LiesIn(const std::string& path, const std::string& folder) {
  std::error_code ignored;
  const std::string inside = fs::weakly_canonical(path, ignored).string();
  return inside.starts_with(fs::weakly_canonical(folder, ignored).string() + "/");
}

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored)) return true;
  return fs::is_regular_file(a, ignored) && fs::equivalent(a, b, ignored);
}

std::vector<NamedFile> WrittenFiles(const Options& options, Command command) {
  std::vector<NamedFile> files;
  const bool has_output =
      command == Command::kBatch || command == Command::kMerge || command == Command::kGrammar;
  if (has_output && options.output != "-") {
    files.push_back({"the output", options.output, "--output", Place::kAnywhere});
    if (command != Command::kGrammar && !io::IsLooseOutput(options.output)) {
      for (const std::string& path : io::FilesBeside(options.output)) {
        files.push_back({"a file beside the output,", path, "--output"});
      }
    }
  }
  if (command == Command::kBatch && !RunFilePath(options).empty()) {
    files.push_back({"the run file", RunFilePath(options), "--run-file"});
  }
  if (!options.report.empty() && command != Command::kPlan) {
    const char* option = command == Command::kBatch ? "--report" : "--html";
    files.push_back({"the report", options.report, option, Place::kPage});
  }
  if (!options.log_file.empty()) {
    files.push_back({"the log file", options.log_file, "--log-file", Place::kAnywhere});
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
  if (path.empty() || path == "-") return;
  std::error_code problem;
  if (!fs::is_directory(path, problem)) {
    files.push_back({what, path});
    return;
  }
  for (fs::directory_iterator at(path, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (IsModelFile(at->path())) files.push_back({what, at->path().string()});
  }
}

std::vector<NamedFile> ReadFiles(const Options& options, Command command) {
  std::vector<NamedFile> files;
  const bool words = command == Command::kFields || command == Command::kCompletion;
  if (!words) {
    for (const std::string& input : options.inputs) {
      AddRead("the input", input, files);
      if (command == Command::kMerge) {
        AddRead("the journal of an input,", io::JournalPath(input), files);
      }
    }
  }
  AddRead("a file of the model,", options.model, files);
  AddRead("a file of the tokenizer,", options.tokenizer, files);
  AddRead("the message", options.message_file, files);
  AddRead("the configuration", options.config, files);
  return files;
}

// Side files are named by their records, so that no name in their folder is free.
Status CheckSideFolder(const Options& options, const std::vector<NamedFile>& read) {
  if (options.output == "-" || options.hidden_states == "inline") return {};
  const std::string folder = io::SideFolder(options.output);
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
    return Error{"the folder of the hidden states " + folder +
                 " is a file; name another with --output"};
  }
  for (const NamedFile& file : read) {
    if (!LiesIn(file.path, folder)) continue;
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
  return Error{file.what + " \"" + file.path + "\" is no regular file; name another with " +
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

// A page takes the place of a page, and of no other file that somebody may need.
Status CheckReplacedPage(const NamedFile& file) {
  constexpr std::string_view kBeginning = "<!doctype html>";
  std::error_code ignored;
  if (!fs::exists(file.path, ignored)) return {};
  std::ifstream stream(file.path, std::ios::binary);
  std::string text(kBeginning.size(), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const bool is_page = std::ranges::equal(text, kBeginning, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
  if (is_page || (text.empty() && fs::file_size(file.path, ignored) == 0)) return {};
  return Error{file.what + " " + file.path + " is there and is no HTML page; name another with " +
               file.remedy};
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

}  // namespace

std::string RunFilePath(const Options& options) {
  if (!options.run_file.empty()) return options.run_file;
  return io::IsLooseOutput(options.output) ? "" : options.output + ".run.json";
}

Status CheckWrittenFiles(const Options& options, Command command) {
  std::vector<NamedFile> known = ReadFiles(options, command);
  if (command == Command::kBatch) SGLRUN_RETURN_IF_ERROR(CheckSideFolder(options, known));
  for (const NamedFile& file : WrittenFiles(options, command)) {
    for (const NamedFile& other : known) {
      if (!IsSameFile(file.path, other.path)) continue;
      return Error{file.what + " " + file.path + " is " + other.what + " " + other.path +
                   "; name another with " + file.remedy};
    }
    SGLRUN_RETURN_IF_ERROR(CheckWritable(file));
    if (file.place == Place::kPage) SGLRUN_RETURN_IF_ERROR(CheckReplacedPage(file));
    known.push_back(file);
  }
  return {};
}

}  // namespace sglrun::cli
