#include "model/files/find_model.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/mapped_file.h"
#include "base/strings.h"

namespace sglrun::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostListed = 12;
constexpr std::size_t kMostCommitBytes = 256;

bool PathExists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::string LastPart(const std::string& path) {
  const fs::path whole = fs::path(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMostListed) {
    text += " and " + std::to_string(names.size() - kMostListed) + " more";
  }
  return text;
}

// Names of what lies in a folder, in order.
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// "x-00002-of-00003.gguf", but not the first of such files.
bool IsLaterPart(std::string_view name) {
  constexpr std::string_view kTail = "-00001-of-00003.gguf";
  if (name.size() < kTail.size()) return false;
  const std::string_view tail = name.substr(name.size() - kTail.size());
  return tail[0] == '-' && tail.substr(6, 4) == "-of-" && tail.substr(1, 5) != kTail.substr(1, 5);
}

// Of a split model the first file stands for all; mmproj files hold an encoder of images.
bool StandsForModel(const std::string& name) {
  return name.ends_with(".gguf") && !IsLaterPart(name) &&
         !AsciiLowerCase(name).starts_with("mmproj");
}

// The GGUF models of a folder and of the folders in it, which repositories use for split models.
std::vector<std::string> GgufModels(const fs::path& folder) {
  std::vector<std::string> found;
  for (const std::string& name : NamesIn(folder)) {
    if (StandsForModel(name)) found.push_back(name);
    if (name.ends_with(".gguf") || !IsFolder(folder / name)) continue;
    for (const std::string& inner : NamesIn(folder / name)) {
      if (StandsForModel(inner)) found.push_back((fs::path(name) / inner).string());
    }
  }
  return found;
}

bool HoldsSafetensors(const fs::path& folder) {
  return std::ranges::any_of(NamesIn(folder), [](const std::string& name) {
    return name.ends_with(".safetensors") || name.ends_with(".safetensors.index.json");
  });
}

// The one file whose name is `part` or contains it.
Result<std::string> ChooseGguf(const std::string& folder, const std::string& part) {
  const std::vector<std::string> all = GgufModels(folder);
  std::vector<std::string> fitting;
  for (const std::string& name : all) {
    if (name == part || name == part + ".gguf") return (fs::path(folder) / name).string();
    if (AsciiLowerCase(name).find(AsciiLowerCase(part)) != std::string::npos)
      fitting.push_back(name);
  }
  if (fitting.size() == 1) return (fs::path(folder) / fitting[0]).string();
  if (all.empty()) {
    return Error{folder + " holds no GGUF file, so that \":" + part + "\" cannot choose one"};
  }
  if (fitting.empty()) {
    return Error{"no GGUF file in " + folder + " has \"" + part +
                 "\" in its name, there are: " + Listed(all)};
  }
  return Error{"several GGUF files in " + folder + " have \"" + part +
               "\" in their names: " + Listed(fitting)};
}

// What a folder stands for when no part of a name chooses.
Result<std::string> ModelIn(const std::string& folder, const std::string& given) {
  if (HoldsSafetensors(folder)) return folder;
  const std::vector<std::string> ggufs = GgufModels(folder);
  if (ggufs.empty()) return folder;
  if (ggufs.size() == 1) return (fs::path(folder) / ggufs[0]).string();
  return Error{folder + " holds several GGUF models, choose one by a part of its name, as in \"" +
               given + ":" + LastPart(ggufs[0]) + "\"; there are: " + Listed(ggufs)};
}

Result<FoundModel> InFolder(const std::string& folder, const std::string& given,
                            const std::string& part) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string path,
                          part.empty() ? ModelIn(folder, given) : ChooseGguf(folder, part));
  return FoundModel{path, LastPart(path)};
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path CacheFolder() {
  if (const std::string hub = Environment("HF_HUB_CACHE"); !hub.empty()) return hub;
  if (const std::string home = Environment("HF_HOME"); !home.empty()) return fs::path(home) / "hub";
  const std::string cache = Environment("XDG_CACHE_HOME");
  const fs::path base = cache.empty() ? fs::path(Environment("HOME")) / ".cache" : fs::path(cache);
  return base / "huggingface" / "hub";
}

struct Repository {
  std::string name;      // "org/name"
  std::string revision;  // "": main
  std::string part;      // of a GGUF file's name; "": none
};

// A part of a repository's name, as the hub allows them.
bool IsHubName(std::string_view text) {
  return !text.empty() && text.size() <= 96 && std::isalnum(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                  c == '.';
         });
}

std::optional<Repository> ReadRepository(const std::string& given) {
  const std::size_t colon = given.find(':');
  const std::string head = given.substr(0, colon);
  const std::size_t at = head.find('@');
  Repository repository = {head.substr(0, at), at == std::string::npos ? "" : head.substr(at + 1),
                           colon == std::string::npos ? "" : given.substr(colon + 1)};
  const std::size_t slash = repository.name.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string_view name = repository.name;
  if (!IsHubName(name.substr(0, slash)) || !IsHubName(name.substr(slash + 1))) return std::nullopt;
  if (repository.revision.find("..") != std::string::npos) return std::nullopt;
  return repository;
}

std::string DownloadCommand(const Repository& repository) {
  std::string command = "hf download " + repository.name;
  if (!repository.revision.empty()) command += " --revision " + repository.revision;
  if (!repository.part.empty()) command += " --include '*" + repository.part + "*'";
  return command;
}

// The commit that a branch or tag stands for in the cache; nothing where it is not there.
std::optional<std::string> CommitOf(const fs::path& folder, const std::string& revision) {
  const auto text = ReadFile((folder / "refs" / revision).string(), kMostCommitBytes);
  if (!text.ok()) return std::nullopt;
  const std::string commit = text->substr(0, text->find_last_not_of(" \r\n") + 1);
  return commit.empty() ? std::nullopt : std::optional(commit);
}

Result<std::string> SnapshotOf(const fs::path& folder, const Repository& repository) {
  const std::string wanted = repository.revision.empty() ? "main" : repository.revision;
  const std::string commit = CommitOf(folder, wanted).value_or(wanted);
  const std::vector<std::string> snapshots = NamesIn(folder / "snapshots");
  std::vector<std::string> fitting;
  std::ranges::copy_if(snapshots, std::back_inserter(fitting),
                       [&](const std::string& name) { return name.starts_with(commit); });
  if (fitting.size() == 1) return (folder / "snapshots" / fitting[0]).string();
  const std::string found = fitting.empty() ? "is not there" : "stands for several commits";
  return Error{"revision \"" + wanted + "\" of " + repository.name + " " + found + " in " +
               folder.string() +
               "; commits that are: " + (snapshots.empty() ? "none" : Listed(snapshots)) +
               ". Download it: " + DownloadCommand(repository)};
}

Result<FoundModel> InCache(const Repository& repository, const std::string& given) {
  const fs::path cache = CacheFolder();
  std::string folder_name = "models--" + repository.name;
  folder_name.replace(folder_name.find('/'), 1, "--");
  if (!IsFolder(cache / folder_name)) {
    return Error{given + " is not a file or directory, and " + repository.name +
                 " is not in the Hugging Face cache (" + cache.string() +
                 "). Download it: " + DownloadCommand(repository)};
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::string snapshot, SnapshotOf(cache / folder_name, repository));
  SGLRUN_ASSIGN_OR_RETURN(FoundModel found, InFolder(snapshot, given, repository.part));
  found.name = repository.name;
  return found;
}

}  // namespace

Result<FoundModel> FindModel(const std::string& given) {
  if (IsFolder(given)) return InFolder(given, given, "");
  if (PathExists(given)) return FoundModel{given, LastPart(given)};
  const std::size_t colon = given.rfind(':');
  if (colon != std::string::npos && IsFolder(given.substr(0, colon))) {
    return InFolder(given.substr(0, colon), given, given.substr(colon + 1));
  }
  if (const auto repository = ReadRepository(given)) return InCache(*repository, given);
  return Error{"there is no model " + given +
               "; expected a directory, a .gguf file, or the name of a repository, ORG/NAME"};
}

}  // namespace sglrun::model
