// The tables of src/README.md that say what may include what, against every #include of the source.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;
using Doors = std::map<std::string, Names>;  // a folder, and the folders that it may include

const fs::path kRoot = SGLRUN_SOURCE_DIR;

Names Words(const std::string& text) {
  std::istringstream stream(text);
  Names words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

// Rows "| folder | may include ... |" below a heading of src/README.md.
Doors ReadTable(const std::string& heading) {
  std::ifstream file(kRoot / "src/README.md");
  Doors table;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## " + heading;
    if (!inside || line.rfind("| ", 0) != 0) continue;
    const std::size_t bar = line.find('|', 2);
    const Names name = Words(line.substr(2, bar - 2));
    if (name.size() != 1 || *name.begin() == "module" || *name.begin() == "folder") continue;
    Names allowed = Words(line.substr(bar + 1, line.rfind('|') - bar - 1));
    allowed.erase("-");
    table[*name.begin()] = allowed;
  }
  return table;
}

std::string RoomOf(const std::string& folder) {
  return folder.substr(0, folder.find('/'));
}

Doors DoorsBetweenRooms() {
  return ReadTable("Dependencies between folders");
}

// The other table names neighbours as the room sees them: "ir", and "." for the room's own files.
Doors DoorsInsideRooms() {
  Doors doors;
  for (const auto& [folder, allowed] : ReadTable("Dependencies inside a folder")) {
    const std::string room = RoomOf(folder);
    Names& full = doors[folder];
    for (const std::string& name : allowed) full.insert(name == "." ? room : room + "/" + name);
  }
  return doors;
}

bool IsSource(const fs::path& path) {
  static const Names kExtensions = {".cc", ".h", ".cu", ".cuh"};
  return kExtensions.count(path.extension().string()) == 1;
}

struct Include {
  fs::path file;
  std::string from, to;  // folders: "grammar/matcher"
};

std::string FolderOf(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

void AddIncludes(const fs::path& file, const std::string& folder, std::vector<Include>& includes) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("#include \"", 0) != 0) continue;
    includes.push_back({file, folder, FolderOf(line.substr(10, line.find('"', 10) - 10))});
  }
}

// Every #include "..." of the source.
const std::vector<Include>& Includes() {
  static const std::vector<Include> includes = [] {
    std::vector<Include> all;
    for (const char* top : {"src", "kernels"}) {
      const fs::path root = top == std::string("src") ? kRoot / "src" : kRoot;
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
        if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
        AddIncludes(entry.path(),
                    entry.path().parent_path().lexically_relative(root).generic_string(), all);
      }
    }
    return all;
  }();
  return includes;
}

// The folders of the source that hold source files.
Names Folders() {
  Names folders;
  for (const Include& include : Includes()) folders.insert(include.from);
  return folders;
}

// Whether doors lead from `from` back to `to`.
bool Leads(const Doors& doors, const std::string& from, const std::string& to, Names& seen) {
  const auto at = doors.find(from);
  if (at == doors.end() || !seen.insert(from).second) return false;
  return std::any_of(at->second.begin(), at->second.end(), [&](const std::string& next) {
    return next == to || Leads(doors, next, to, seen);
  });
}

void CheckNoCircle(const Doors& doors) {
  for (const auto& door : doors) {
    const std::string& folder = door.first;
    Names seen;
    INFO("doors lead from ", folder, " back to it");
    CHECK_FALSE(Leads(doors, folder, folder, seen));
  }
}

TEST_CASE("every room is named in src/README.md, and every room named there exists") {
  Names rooms, named;
  for (const std::string& folder : Folders()) rooms.insert(RoomOf(folder));
  for (const auto& [room, allowed] : DoorsBetweenRooms()) named.insert(room);
  CHECK(rooms == named);
}

TEST_CASE("every folder of a room with several is named in src/README.md, and no other") {
  const Names folders = Folders();
  Names divided, expected, named;
  for (const std::string& folder : folders) {
    if (folder != RoomOf(folder)) divided.insert(RoomOf(folder));
  }
  for (const std::string& folder : folders) {
    if (divided.count(RoomOf(folder)) == 1) expected.insert(folder);
  }
  for (const auto& [folder, allowed] : DoorsInsideRooms()) named.insert(folder);
  CHECK(expected == named);
}

TEST_CASE("rooms include only what the table in src/README.md allows") {
  const Doors doors = DoorsBetweenRooms();
  REQUIRE(doors.size() >= 10);
  for (const Include& include : Includes()) {
    const std::string from = RoomOf(include.from), to = RoomOf(include.to);
    if (from == to) continue;
    INFO(include.file.string(), " includes ", to, "/");
    CHECK((doors.count(from) == 1 && doors.at(from).count(to) == 1));
  }
}

TEST_CASE("folders of a room include only what the table in src/README.md allows") {
  const Doors doors = DoorsInsideRooms();
  REQUIRE(doors.size() >= 20);
  for (const Include& include : Includes()) {
    if (include.from == include.to || RoomOf(include.from) != RoomOf(include.to)) continue;
    INFO(include.file.string(), " includes ", include.to, "/");
    CHECK((doors.count(include.from) == 1 && doors.at(include.from).count(include.to) == 1));
  }
}

TEST_CASE("no room and no folder includes itself by way of others") {
  CheckNoCircle(DoorsBetweenRooms());
  CheckNoCircle(DoorsInsideRooms());
}

TEST_CASE("no room but cli ends the program, because results may be lost then") {
  for (const char* tree : {"src", "kernels"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / tree)) {
      if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
      if (entry.path().parent_path() == kRoot / "src/cli") continue;
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) {
        INFO(entry.path().string(), ": ", line);
        for (const char* call : {"::_exit(", "::exit(", "quick_exit("}) {
          CHECK(line.find(call) == std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("costly third-party headers are seen by one source file each") {
  const std::map<std::string, std::string> kOnlyIn = {
      {"<CLI/", "src/cli/options.cc"},     {"<spdlog/", "src/base/log.cc"},
      {"<yaml-cpp/", "src/cli/config.cc"}, {"<rapidjson/", "src/base/json_parse.cc"},
      {"<xxhash.h>", "src/base/hash.cc"},
  };
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      for (const auto& [header, home] : kOnlyIn) {
        if (line.rfind("#include " + header, 0) != 0) continue;
        INFO(entry.path().string(), ": ", line);
        CHECK(entry.path() == kRoot / home);
      }
    }
  }
}

}  // namespace
