#include "io/dialect/side_files.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/json.h"
#include "base/same_file.h"
#include "base/whole_file.h"
#include "io/dialect/result_writer.h"
#include "io/output_paths.h"

namespace sglrun::io {
namespace {

namespace fs = std::filesystem;

// Quotes within strings are escaped, so that these bytes of a row are its members.
constexpr std::string_view kBeforeName = "\"hidden_states\":{\"file\":";

// Where a row names a file: the JSON string, quotes included.
struct NamePlace {
  std::size_t begin = 0, end = 0;
};

std::size_t EndOfString(std::string_view row, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < row.size() && row[at] != '"') at += row[at] == '\\' ? 2 : 1;
  return at + 1;
}

std::vector<NamePlace> FindNames(std::string_view row) {
  std::vector<NamePlace> places;
  std::size_t at = 0;
  while ((at = row.find(kBeforeName, at)) != std::string_view::npos) {
    const std::size_t begin = at + kBeforeName.size();
    at = EndOfString(row, begin);
    if (at <= row.size()) places.push_back({begin, at});
  }
  return places;
}

Result<fs::path> NameAt(std::string_view row, const NamePlace& place) {
  const auto name = ParseJson(row.substr(place.begin, place.end - place.begin));
  if (!name.ok() || !name->value.is_string()) return Error{"a row names no file of hidden states"};
  return fs::path(name->value.as_string());
}

// Folder and file alone: no row leads elsewhere.
Result<std::string> FindSideFile(const fs::path& name, const std::string& output_path) {
  const fs::path beside = fs::path(output_path).parent_path();
  for (const fs::path& folder :
       {beside / name.parent_path().filename(), fs::path(SideFolder(output_path))}) {
    const std::string path = (folder / name.filename()).string();
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return Error{"\"" + output_path + "\" names the hidden states " + name.string() +
               ", which are not there"};
}

Status CopySideFile(const std::string& from, const std::string& to) {
  std::ifstream source(from, std::ios::binary);
  SGLRUN_ASSIGN_OR_RETURN(FileReplacement file, FileReplacement::Begin(to, "\"" + to + "\""));
  std::string block(std::size_t{1} << 20, '\0');
  while (source) {
    source.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(source.gcount());
    SGLRUN_RETURN_IF_ERROR(file.Append(std::string_view(block).substr(0, count)));
  }
  if (!source.eof()) return Error{"cannot read \"" + from + "\""};
  return file.Commit();
}

// A name that is taken is that of an earlier merge, which may have been killed.
Status LinkOrCopy(const std::string& from, const std::string& to) {
  if (FileExists(to) && IdentityOf(to) == IdentityOf(from)) return {};
  std::error_code code;
  fs::create_directories(fs::path(to).parent_path(), code);
  if (code) {
    return Error{"cannot create \"" + fs::path(to).parent_path().string() +
                 "\": " + code.message()};
  }
  RemoveFile(to);
  fs::create_hard_link(from, to, code);
  return code ? CopySideFile(from, to) : Status();
}

}  // namespace

Result<std::vector<std::string>> SideFilesOf(std::string_view row, const std::string& output_path) {
  std::vector<std::string> files;
  for (const NamePlace& place : FindNames(row)) {
    SGLRUN_ASSIGN_OR_RETURN(const fs::path name, NameAt(row, place));
    SGLRUN_ASSIGN_OR_RETURN(std::string path, FindSideFile(name, output_path));
    files.push_back(std::move(path));
  }
  return files;
}

Result<std::string> BringSideFiles(std::string_view row, const std::string& from_output,
                                   const std::string& to_output) {
  const fs::path folder = SideFolder(to_output);
  std::string moved;
  std::size_t done = 0;
  for (const NamePlace& place : FindNames(row)) {
    SGLRUN_ASSIGN_OR_RETURN(const fs::path name, NameAt(row, place));
    SGLRUN_ASSIGN_OR_RETURN(const std::string from, FindSideFile(name, from_output));
    SGLRUN_RETURN_IF_ERROR(LinkOrCopy(from, (folder / name.filename()).string()));
    moved += row.substr(done, place.begin - done);
    JsonWriter(moved).String((folder.filename() / name.filename()).string());
    done = place.end;
  }
  moved += row.substr(done);
  return moved;
}

}  // namespace sglrun::io
