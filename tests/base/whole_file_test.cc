#include "base/whole_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/io/temp_folder.h"
#include "tests/rounds.h"

namespace sglrun {
namespace {

namespace fs = std::filesystem;
using io::TempFolder;

TEST_CASE("a file is replaced completely, and without Commit not at all") {
  const TempFolder folder;
  const std::string path = folder.Write("file", "old");
  {
    auto file = FileReplacement::Begin(path, path);
    REQUIRE(file.ok());
    CHECK(file->Append("ne").ok());
    CHECK(folder.Read("file") == "old");
  }
  CHECK(folder.Read("file") == "old");
  CHECK_FALSE(folder.Has("file.unfinished"));
  CHECK(WriteWholeFile("the file", path, "new").ok());
  CHECK(folder.Read("file") == "new");
  CHECK_FALSE(folder.Has("file.unfinished"));
}

TEST_CASE("the unfinished file of a killed writer is reused and removed") {
  const TempFolder folder;
  folder.Write("file.unfinished", "half of a long text that nobody finished");
  CHECK(WriteWholeFile("the file", folder.File("file"), "new").ok());
  CHECK(folder.Read("file") == "new");
  CHECK_FALSE(folder.Has("file.unfinished"));
}

TEST_CASE("links stay and what they lead to is replaced, there or not yet") {
  const TempFolder folder;
  folder.Write("there", "old");
  for (const char* name : {"there", "not yet"}) {
    const std::string link = folder.File(std::string("link to ") + name);
    fs::create_symlink(name, link);
    CHECK(WriteWholeFile("the file", link, "new").ok());
    CHECK(fs::is_symlink(link));
    CHECK(folder.Read(name) == "new");
  }
}

TEST_CASE("an old file's mode stays") {
  const TempFolder folder;
  const std::string path = folder.Write("file", "old");
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  CHECK(WriteWholeFile("the file", path, "new").ok());
  CHECK(fs::status(path).permissions() == static_cast<fs::perms>(0640));
}

TEST_CASE("a place that cannot be written is named with the reason") {
  const TempFolder folder;
  const std::string path = folder.File("none/file");
  CHECK(WriteWholeFile("the page", path, "x").error().message ==
        "cannot write the page " + path + ": No such file or directory");
}

TEST_CASE("writers of one file at a time each leave it whole") {
  const TempFolder folder;
  const std::string path = folder.Write("file", "");
  std::vector<std::thread> writers;
  for (char letter : {'a', 'b', 'c', 'd'}) {
    writers.emplace_back([&path, letter] {
      const std::string text(static_cast<std::size_t>(letter) * 100, letter);
      for (int i = 0; i < Rounds(200); ++i) {
        if (!WriteWholeFile("the file", path, text).ok()) std::abort();
      }
    });
  }
  for (int i = 0; i < Rounds(200); ++i) {
    const std::string text = folder.Read("file");
    if (text.empty()) continue;
    CHECK(text.size() == static_cast<std::size_t>(text[0]) * 100);
    CHECK(std::ranges::all_of(text, [&text](char c) { return c == text[0]; }));
  }
  for (std::thread& writer : writers) writer.join();
  CHECK_FALSE(folder.Has("file.unfinished"));
}

}  // namespace
}  // namespace sglrun
