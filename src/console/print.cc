#include "console/print.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace sglrun::console {

Status Print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return {};
  }
  return Error{std::string("cannot write to standard output: ") + std::strerror(errno)};
}

}  // namespace sglrun::console
