#include "cli/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace sglrun::cli {

Status WriteWholeFile(std::string_view what, const std::string& path, std::string_view content) {
  const std::string unfinished = path + ".tmp";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    return Error{"cannot write the " + std::string(what) + " " + path + ": " +
                 std::strerror(errno)};
  }
  return {};
}

}  // namespace sglrun::cli
