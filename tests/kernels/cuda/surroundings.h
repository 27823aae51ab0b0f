// The places where cuBLASLt is looked for, and choices that nobody made before.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace sglrun::kernels::testing {

class Surroundings {
 public:
  explicit Surroundings(const std::string& library = SGLRUN_STAND_IN) {
    std::string name = (std::filesystem::temp_directory_path() / "sglrun-test-XXXXXX").string();
    folder = mkdtemp(name.data());
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    setenv("SGLRUN_CUBLAS_PATH", library.c_str(), 1);
  }
  ~Surroundings() {
    unsetenv("SGLRUN_CUBLAS_PATH");
    unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(folder);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  std::filesystem::path folder;
};

}  // namespace sglrun::kernels::testing
