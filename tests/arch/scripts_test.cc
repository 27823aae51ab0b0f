// The index scripts/README.md against the files of scripts/.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

const fs::path kScripts = fs::path(SGLRUN_SOURCE_DIR) / "scripts";

// The first cell of every row of a table, "| `NAME` | ...".
std::set<std::string> NamedInIndex() {
  std::ifstream file(kScripts / "README.md");
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    if (name.back() != '/') names.insert(name);
  }
  return names;
}

void AddCommands(const fs::path& folder, const std::string& prefix, std::set<std::string>& names) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != "README.md") names.insert(prefix + name);
  }
}

std::set<std::string> Commands() {
  std::set<std::string> names;
  AddCommands(kScripts, "", names);
  AddCommands(kScripts / "goldens", "goldens/", names);
  return names;
}

bool IsPlainName(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '-' || c == '/';
  });
}

TEST_CASE("scripts/README.md lists every script and nothing else") {
  const std::set<std::string> named = NamedInIndex(), there = Commands();
  for (const std::string& name : there)
    CHECK_MESSAGE(named.count(name) == 1, name, " is not listed");
  for (const std::string& name : named)
    CHECK_MESSAGE(there.count(name) == 1, name, " is not there");
}

TEST_CASE("every script is named in one way: lower case, hyphens, no ending") {
  for (const std::string& name : Commands()) {
    INFO(name);
    CHECK(IsPlainName(name));
  }
}

}  // namespace
