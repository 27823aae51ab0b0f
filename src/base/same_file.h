// Which file a name or a descriptor stands for: two names may mean one file, through links, hard
// links, /dev/stdout and the like.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace sglrun {

// Where the symbolic links at `path` lead, whether a file is there or not; `path` itself when it is
// no link, when its links form a circle, and when what it opens has no name (a pipe).
std::string FollowLinks(const std::string& path);

// The number of what keeps bytes: a regular file, a named or unnamed pipe, a disk. What is written
// to it is what its readers get.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;

  bool operator==(const FileIdentity&) const = default;
};

// nullopt where nothing is there, and for terminals, /dev/null, sockets and folders: what is
// written to these is never read back from them.
std::optional<FileIdentity> IdentityOf(const std::string& path);
std::optional<FileIdentity> IdentityOf(int descriptor);

// Whether a name still is that of an open file, which another process may have renamed or replaced.
bool IsStillAt(int descriptor, const std::string& path);

}  // namespace sglrun
