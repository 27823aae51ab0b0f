#include "base/same_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/io/temp_folder.h"

namespace sglrun {
namespace {

namespace fs = std::filesystem;
using io::TempFolder;

TEST_CASE("links are followed to their target, even if it does not exist") {
  const TempFolder folder;
  const std::string file = folder.Write("file", "x");
  CHECK(FollowLinks(file) == file);
  CHECK(FollowLinks(folder.File("none")) == folder.File("none"));
  fs::create_symlink("file", folder.File("relative"));
  CHECK(FollowLinks(folder.File("relative")) == file);
  fs::create_symlink(folder.File("relative"), folder.File("twice"));
  CHECK(FollowLinks(folder.File("twice")) == file);
  fs::create_symlink("none", folder.File("dangling"));
  CHECK(FollowLinks(folder.File("dangling")) == folder.File("none"));
  fs::create_symlink("b", folder.File("a"));
  fs::create_symlink("a", folder.File("b"));
  CHECK(FollowLinks(folder.File("a")) == folder.File("a"));
}

TEST_CASE("a descriptor of an unnamed file keeps its own name") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::string path = "/dev/fd/" + std::to_string(ends[1]);
  CHECK(FollowLinks(path) == path);
  const TempFolder folder;
  const int fd = open(folder.Write("gone", "x").c_str(), O_RDONLY);
  fs::remove(folder.File("gone"));
  const std::string gone = "/dev/fd/" + std::to_string(fd);
  CHECK(FollowLinks(gone) == gone);
  for (const int open_fd : {ends[0], ends[1], fd}) close(open_fd);
}

TEST_CASE("names and descriptors of one file have one identity, devices and folders have none") {
  const TempFolder folder;
  const std::string file = folder.Write("file", "x");
  fs::create_hard_link(file, folder.File("hard"));
  fs::create_symlink(file, folder.File("soft"));
  const auto identity = IdentityOf(file);
  REQUIRE(identity);
  CHECK(IdentityOf(folder.File("hard")) == identity);
  CHECK(IdentityOf(folder.File("soft")) == identity);
  CHECK(IdentityOf(folder.Write("other", "x")) != identity);
  const int fd = open(file.c_str(), O_RDONLY);
  CHECK(IdentityOf(fd) == identity);
  CHECK(IdentityOf("/dev/fd/" + std::to_string(fd)) == identity);
  CHECK(IsStillAt(fd, folder.File("hard")));
  fs::rename(folder.File("other"), file);
  CHECK_FALSE(IsStillAt(fd, file));
  close(fd);
  CHECK_FALSE(IdentityOf(fd));
  CHECK_FALSE(IdentityOf("/dev/null"));
  CHECK_FALSE(IdentityOf(folder.File("")));
  CHECK_FALSE(IdentityOf(folder.File("none")));
  REQUIRE(mkfifo(folder.File("pipe").c_str(), 0600) == 0);
  CHECK(IdentityOf(folder.File("pipe")));
}

}  // namespace
}  // namespace sglrun
