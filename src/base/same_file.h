// Identifies the file of a name or a descriptor: two names may refer to one file, through symbolic
// or hard links, /dev/stdout and similar names.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace sglrun {

// The target of the symbolic links at `path`, whether it exists or not; `path` itself if it is not
// a link, if its links form a circle, and if the file it opens has no name (a pipe).
std::string FollowLinks(const std::string& path);

// The identity of an object that stores bytes: a regular file, a named or unnamed pipe, a disk. Its
// readers get what is written to it.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;

  bool operator==(const FileIdentity&) const = default;
};

// nullopt if the path does not exist, and for terminals, /dev/null, sockets and folders: data
// written to these is never read back.
std::optional<FileIdentity> IdentityOf(const std::string& path);
std::optional<FileIdentity> IdentityOf(int descriptor);

// Whether a name still refers to an open file, which another process may have renamed or replaced.
bool IsStillAt(int descriptor, const std::string& path);

}  // namespace sglrun
