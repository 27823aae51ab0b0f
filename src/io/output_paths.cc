#include "io/output_paths.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/same_file.h"
#include "io/byte_source.h"
#include "io/journal.h"

namespace sglrun::io {

namespace fs = std::filesystem;

bool IsLooseOutput(const std::string& path) {
  std::error_code ignored;
  if (path == "-") return true;
  return FileExists(path) && !fs::is_directory(path, ignored) && RegularFileSize(path) < 0;
}

std::string RebuiltPath(const std::string& output_path) {
  return output_path + ".new";
}

std::string DroppedRowsPath(const std::string& output_path) {
  return output_path + ".dropped";
}

std::string RunFilePath(const std::string& output_path) {
  return output_path + ".run.json";
}

std::vector<std::string> FilesBeside(const std::string& output_path) {
  const std::string path = FollowLinks(output_path);
  const std::string rebuilt = RebuiltPath(path);
  return {JournalPath(path), rebuilt, JournalPath(rebuilt), DroppedRowsPath(rebuilt),
          DroppedRowsPath(path)};
}

Status CheckOutputWritable(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  const bool writable = FileExists(path) ? access(path.c_str(), W_OK) == 0
                                         : access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
  if (!writable) return Error{"cannot write \"" + path + "\": " + std::strerror(errno)};
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return Error{"cannot write \"" + path + "\": it is a directory"};
  }
  return {};
}

bool FileExists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void RemoveFile(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

Status RenameFile(const std::string& from, const std::string& to) {
  std::error_code code;
  fs::rename(from, to, code);
  if (code) return Error{"cannot rename \"" + from + "\" to \"" + to + "\": " + code.message()};
  return {};
}

}  // namespace sglrun::io
