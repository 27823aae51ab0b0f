// Preloaded by a test: a file system whose flock() fails with the error FLOCK_FAILS_WITH names.
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

extern "C" int flock(int, int) noexcept {
  const char* name = std::getenv("FLOCK_FAILS_WITH");
  errno = name != nullptr && std::strcmp(name, "ENOLCK") == 0 ? ENOLCK : EOPNOTSUPP;
  return -1;
}
