#include "formats/file_builders.h"

#include <stdlib.h>

#include <fstream>

#include "base/check.h"
#include "base/mapped_file.h"

namespace sglrun::formats {

TempDirectory::TempDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "sglrun-model-XXXXXX").string();
  CHECK(::mkdtemp(name.data()) != nullptr) << name;
  path_ = name;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDirectory::Write(std::string_view name, std::string_view bytes) const {
  std::ofstream out(path_ / name, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  CHECK(out.good()) << name;
  return File(name);
}

void TempDirectory::CopyFrom(const std::string& directory) const {
  std::filesystem::copy(directory, path_, std::filesystem::copy_options::recursive);
}

std::string Slurp(const std::string& path) {
  auto text = ReadFile(path);
  CHECK(text.ok()) << text.error().message;
  return std::move(*text);
}

}  // namespace sglrun::formats
