#include "base/mapped_file.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sglrun {
namespace {

// A file that is gone at the end of the test.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("sglrun_mapped_file_test_" + std::to_string(::getpid()))) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST_CASE("a mapped file shows its bytes, also after a move") {
  const ScratchFile file(std::string("ab\0c", 4));
  Result<MappedFile> opened = MappedFile::Open(file.path());
  REQUIRE(opened.ok());
  MappedFile moved = std::move(opened).value();
  CHECK_EQ(moved.bytes(), std::string_view("ab\0c", 4));
  moved.DropPages(0, moved.size());
  CHECK_EQ(moved.bytes(), std::string_view("ab\0c", 4));
}

TEST_CASE("an empty file is empty, not an error") {
  const ScratchFile file("");
  CHECK_EQ(MappedFile::Open(file.path())->size(), 0u);
  CHECK_EQ(*ReadFile(file.path()), "");
}

TEST_CASE("a path that is not a readable file is refused with its name") {
  CHECK_NE(MappedFile::Open("/no/such/file").error().message.find("/no/such/file"),
           std::string::npos);
  CHECK_FALSE(MappedFile::Open("/").ok());
  CHECK_FALSE(ReadFile("/dev/null").ok());
}

TEST_CASE("a pipe is refused immediately, without waiting for its writer") {
  const std::string path =
      std::filesystem::temp_directory_path() / ("sglrun_pipe_test_" + std::to_string(::getpid()));
  REQUIRE_EQ(::mkfifo(path.c_str(), 0600), 0);
  CHECK_EQ(MappedFile::Open(path).error().message, path + " is not a regular file");
  CHECK_FALSE(ReadFile(path).ok());
  std::filesystem::remove(path);
}

TEST_CASE("ReadFile refuses a file above its limit") {
  const ScratchFile file("12345");
  CHECK_EQ(*ReadFile(file.path(), 5), "12345");
  CHECK_FALSE(ReadFile(file.path(), 4).ok());
}

}  // namespace
}  // namespace sglrun
