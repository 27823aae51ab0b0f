// What comments, scripts and pages cite must be in this tree: files, folders, pages and headings.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SGLRUN_SOURCE_DIR;
constexpr std::string_view kFolders[] = {"src",     "kernels", "tests", "scripts", "docs",
                                         "samples", "configs", "cmake", "man"};
constexpr std::string_view kCitedEndings[] = {".md", ".h", ".cc", ".cuh", ".cu"};

bool IsLeftOut(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == ".git" || name == ".cache" || name == "__pycache__" || name == "build" ||
         name.rfind("build-", 0) == 0 || folder == kRoot / "out" || folder == kRoot / "models";
}

// Every file and folder of the tree, as paths from its root with / before each part: "/src/base".
class Tree {
 public:
  Tree() {
    for (auto at = fs::recursive_directory_iterator(kRoot); at != fs::end(at); ++at) {
      if (at->is_directory() && IsLeftOut(at->path())) {
        at.disable_recursion_pending();
        continue;
      }
      const std::string path = "/" + at->path().lexically_relative(kRoot).generic_string();
      paths_.insert(path);
      for (std::size_t slash = 0; slash != path.npos; slash = path.find('/', slash + 1)) {
        endings_.insert(path.substr(slash));
      }
    }
  }

  const std::set<std::string>& paths() const { return paths_; }
  bool Has(const fs::path& path) const {
    return paths_.count("/" + path.lexically_normal().generic_string()) == 1;
  }
  // Whether some path ends with these parts: "engine/step.cc", "step.cc".
  bool EndsSome(const std::string& name) const { return endings_.count("/" + name) == 1; }

 private:
  std::set<std::string> paths_, endings_;
};

const Tree& TheTree() {
  static const Tree tree;
  return tree;
}

bool IsPathCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_./-", c) != nullptr;
}

// A place where a pattern or a variable stands: what touches it names no single file.
bool IsOpen(char c) {
  return c != '\0' && std::strchr("*<>{}$%\\@~+", c) != nullptr;
}

bool EndsWith(std::string_view text, std::string_view ending) {
  return text.size() > ending.size() && text.substr(text.size() - ending.size()) == ending;
}

bool NamesSource(const std::string& word) {
  const std::string name = word.substr(word.find_last_of('/') + 1);
  return name.front() != '.' && std::any_of(std::begin(kCitedEndings), std::end(kCitedEndings),
                                            [&](auto ending) { return EndsWith(name, ending); });
}

bool StartsInTree(const std::string& word) {
  return std::any_of(std::begin(kFolders), std::end(kFolders), [&](std::string_view folder) {
    return word.size() > folder.size() + 1 && word.rfind(std::string(folder) + "/", 0) == 0;
  });
}

bool IsThere(const std::string& word, const fs::path& folder) {
  return TheTree().Has(word) || TheTree().Has(folder / word) || TheTree().EndsSome(word);
}

// Headers of other projects, the example of kernels/cuda/README.md, and words that stand for any name.
bool IsElsewhere(const std::string& word) {
  constexpr std::string_view kNames[] = {"cublasLt.h", "scale.cc", "scale.cuh"};
  constexpr std::string_view kAnyName[] = {"/NAME", "/FILE."};
  return std::find(std::begin(kNames), std::end(kNames), word) != std::end(kNames) ||
         std::any_of(std::begin(kAnyName), std::end(kAnyName),
                     [&](auto any) { return word.find(any) != word.npos; });
}

// "3.4", "section 2", "13": a number of a section after the name of a page, which has none.
bool IsSectionNumber(std::string_view after) {
  const std::string_view section = " section ";
  if (after.rfind(section, 0) == 0) after.remove_prefix(section.size() - 1);
  return after.size() > 1 && after[0] == ' ' && std::isdigit(static_cast<unsigned char>(after[1]));
}

// The words of one line that cite what is not there. `folder`: of the citing file, from the root.
void FindPaths(const std::string& line, const fs::path& folder, std::vector<std::string>& found) {
  for (std::size_t begin = 0; begin < line.size();) {
    if (!IsPathCharacter(line[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < line.size() && IsPathCharacter(line[end])) ++end;
    const char before = begin == 0 ? '\0' : line[begin - 1];
    const char after = end == line.size() ? '\0' : line[end];
    std::string word = line.substr(begin, end - begin);
    while (!word.empty() && std::strchr("./", word.back()) != nullptr) word.pop_back();
    begin = end;
    const bool is_address = word.find("//") != word.npos || before == ':';
    if (word.empty() || is_address || IsOpen(before) || IsOpen(after) || IsElsewhere(word))
      continue;
    if ((NamesSource(word) || StartsInTree(word)) && !IsThere(word, folder)) {
      found.push_back(word);
    } else if (EndsWith(word, ".md") && IsSectionNumber(std::string_view(line).substr(end))) {
      found.push_back(word + " by the number of a section");
    }
  }
}

// "(2.5)" and "decision 24": numbers of documents that are not here.
void FindNumbers(const std::string& line, std::vector<std::string>& found) {
  std::istringstream words(line);
  bool after_decision = false;
  for (std::string word; words >> word;) {
    const bool starts_with_digit = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    if (after_decision && starts_with_digit) found.push_back("decision " + word);
    after_decision = EndsWith("(" + word, "decision") || EndsWith("(" + word, "decisions");
  }
  for (std::size_t open = line.find('('); open != line.npos; open = line.find('(', open + 1)) {
    const std::size_t close = line.find(')', open);
    if (close == line.npos) break;
    const std::string inner = line.substr(open + 1, close - open - 1);
    const std::size_t dot = inner.find('.');
    const bool is_number = inner.find_first_not_of("0123456789.") == inner.npos;
    if (is_number && dot != inner.npos && inner[0] != '.') found.push_back("(" + inner + ")");
  }
}

// The part of a line that people read: of code the comment, or the name of a test.
std::string ReadPart(const std::string& line, const std::string& extension) {
  const bool is_code = extension == ".cc" || extension == ".h" || extension == ".cuh";
  if (!is_code && extension != ".cmake") return line;
  if (line.rfind("TEST_CASE(", 0) == 0) return line;
  const std::size_t comment = line.find(is_code ? "//" : "#");
  return comment == line.npos ? "" : line.substr(comment);
}

std::vector<std::string> Dangling(const std::string& line, const fs::path& file) {
  std::vector<std::string> found;
  const std::string text = ReadPart(line, file.extension().string());
  FindPaths(text, file.parent_path(), found);
  if (text.rfind("TEST_CASE(", 0) == 0 || text.rfind("//", 0) == 0) FindNumbers(text, found);
  return found;
}

bool IsRead(const fs::path& path) {
  if (path == "tests/arch/citations_test.cc") return false;  // its cases cite what is not there
  const std::string extension = path.extension().string(), name = path.filename().string();
  return extension == ".cc" || extension == ".h" || extension == ".cuh" || extension == ".cmake" ||
         extension == ".md" || extension == ".py" || extension == ".sh" || name == "cmd" ||
         name == "CMakeLists.txt" || path.generic_string().rfind("scripts/", 0) == 0;
}

// The anchor of a heading: lower case, blanks as hyphens, other signs left out.
std::string Anchor(const std::string& heading) {
  std::string anchor;
  for (const char c : heading.substr(heading.find_first_not_of("# "))) {
    if (c == ' ') anchor += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return anchor;
}

bool HasHeading(const fs::path& page, const std::string& anchor) {
  std::ifstream stream(kRoot / page);
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind('#', 0) == 0 && Anchor(line) == anchor) return true;
  }
  return false;
}

// The target of "[text](target)" in a page leads somewhere in the tree, or out of it.
bool LeadsSomewhere(const std::string& target, const fs::path& page) {
  if (target.find("://") != target.npos) return true;
  const std::size_t hash = target.find('#');
  const std::string path = target.substr(0, hash);
  const fs::path file = path.empty() ? page : (page.parent_path() / path).lexically_normal();
  if (!TheTree().Has(file)) return false;
  return hash == target.npos || HasHeading(file, target.substr(hash + 1));
}

void CheckLinks(const std::string& line, const fs::path& page) {
  for (std::size_t at = line.find("]("); at != line.npos; at = line.find("](", at + 1)) {
    const std::string target = line.substr(at + 2, line.find(')', at) - at - 2);
    CHECK_MESSAGE(LeadsSomewhere(target, page), page.string(), " links to ", target);
  }
}

void CheckFile(const fs::path& file) {
  std::ifstream stream(kRoot / file);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    for (const std::string& word : Dangling(line, file)) {
      FAIL_CHECK(file.string(), ":", number, " cites ", word, ", which is not there");
    }
    if (file.extension() == ".md") CheckLinks(line, file);
  }
}

TEST_CASE("what comments, scripts and pages cite is in the tree") {
  int read = 0;
  for (const std::string& path : TheTree().paths()) {
    const fs::path file = path.substr(1);
    if (!IsRead(file) || !fs::is_regular_file(kRoot / file)) continue;
    ++read;
    CheckFile(file);
  }
  CHECK(read > 500);
}

TEST_CASE("a citation of a page, a file, a section or a decision that is not here is found") {
  for (const char* line :
       {"// as the contract says (generate.md 3.4)", "// see no_such_file.cc",
        "// docs/requests.md section 4", "// docs/requests.md 4.2", "// (decisions 9 and 23)",
        "TEST_CASE(\"classes mean what engines agree on (2.3)\") {", "// tests/no_such_folder/"}) {
    INFO(line);
    CHECK(Dangling(line, "src/base/json.cc").size() == 1);
  }
  for (const char* line :
       {"// docs/requests.md has the rules", "// step.cc, engine/step.cc, tests/cli/",
        "// *_calls.cc, kernels/cuda/<name>.cuh", "// RFC 3986, 5.2",
        "const char* a = \"b.cc\";"}) {
    INFO(line);
    CHECK(Dangling(line, "src/base/json.cc").empty());
  }
  CHECK(!LeadsSomewhere("requests.md#no-such-heading", "docs/batch.md"));
  CHECK(LeadsSomewhere("requests.md#log-probabilities", "docs/batch.md"));
}

}  // namespace
