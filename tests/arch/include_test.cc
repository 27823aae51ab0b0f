// The dependency table of src/README.md against every #include of the source.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Modules = std::map<std::string, std::set<std::string>>;

const fs::path kRoot = SGLRUN_SOURCE_DIR;

std::set<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

// Rows "| module | may include |" below the heading "Dependencies between folders".
Modules ReadTable() {
  std::ifstream file(kRoot / "src/README.md");
  Modules table;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) inside = line.find("Dependencies between folders") != line.npos;
    if (!inside || line.rfind("| ", 0) != 0) continue;
    const std::size_t bar = line.find('|', 2);
    const std::set<std::string> name = Words(line.substr(2, bar - 2));
    if (name.size() != 1 || *name.begin() == "module") continue;
    std::set<std::string> allowed = Words(line.substr(bar + 1, line.rfind('|') - bar - 1));
    allowed.erase("-");
    table[*name.begin()] = allowed;
  }
  return table;
}

bool IsSource(const fs::path& path) {
  return path.extension() == ".cc" || path.extension() == ".h" || path.extension() == ".cu";
}

// The modules whose headers a file includes; system headers belong to none.
std::vector<std::string> IncludedModules(const fs::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> modules;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("#include \"", 0) != 0) continue;
    const std::string name = line.substr(10, line.find('"', 10) - 10);
    modules.push_back(name.substr(0, name.find('/')));
  }
  return modules;
}

void CheckFolder(const Modules& table, const std::string& module, const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
    for (const std::string& included : IncludedModules(entry.path())) {
      if (included == module) continue;
      INFO(entry.path().string(), " includes ", included, "/");
      CHECK(table.at(module).count(included) == 1);
    }
  }
}

TEST_CASE("every module named in src/README.md exists and every folder is named there") {
  const Modules table = ReadTable();
  std::set<std::string> folders = {"kernels"};
  for (const auto& entry : fs::directory_iterator(kRoot / "src")) {
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  }
  std::set<std::string> named;
  for (const auto& [module, allowed] : table) named.insert(module);
  CHECK(folders == named);
}

TEST_CASE("modules include only what the table in src/README.md allows") {
  const Modules table = ReadTable();
  REQUIRE(table.size() >= 10);
  for (const auto& [module, allowed] : table) {
    CheckFolder(table, module, module == "kernels" ? kRoot / "kernels" : kRoot / "src" / module);
  }
}

TEST_CASE("costly third-party headers are seen by one source file each") {
  const std::map<std::string, std::string> kOnlyIn = {
      {"<CLI/", "src/cli/options.cc"},     {"<spdlog/", "src/base/log.cc"},
      {"<yaml-cpp/", "src/cli/config.cc"}, {"<rapidjson/", "src/base/json.cc"},
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
