#include "kernels/cuda/gpu/cublaslt_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace sglrun::gpu::lt {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string FolderOfThisProgram() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().string();
}

// Closes what turned out to be the wrong library.
class OpenedFile {
 public:
  explicit OpenedFile(const std::string& path)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~OpenedFile() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  void* get() const { return handle_; }
  void Keep() { handle_ = nullptr; }

 private:
  void* handle_;
};

std::string VersionText(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

// The table of all functions. `missing` is the first that the library does not have.
Api Fill(void* library, std::string* missing) {
  Api api{};
  const auto find = [&](const char* name, auto& place) {
    void* symbol = dlsym(library, name);
    if (symbol == nullptr && missing->empty()) *missing = name;
    place = reinterpret_cast<std::decay_t<decltype(place)>>(symbol);
  };
  find("cublasLtGetVersion", api.get_version);
  find("cublasLtGetStatusString", api.get_status_string);
  find("cublasLtCreate", api.create);
  find("cublasLtDestroy", api.destroy);
  find("cublasLtMatmulDescCreate", api.desc_create);
  find("cublasLtMatmulDescDestroy", api.desc_destroy);
  find("cublasLtMatmulDescSetAttribute", api.desc_set);
  find("cublasLtMatrixLayoutCreate", api.layout_create);
  find("cublasLtMatrixLayoutDestroy", api.layout_destroy);
  find("cublasLtMatmulPreferenceCreate", api.preference_create);
  find("cublasLtMatmulPreferenceDestroy", api.preference_destroy);
  find("cublasLtMatmulPreferenceSetAttribute", api.preference_set);
  find("cublasLtMatmulAlgoGetHeuristic", api.heuristic);
  find("cublasLtMatmulAlgoCheck", api.check);
  find("cublasLtMatmul", api.matmul);
  return api;
}

Result<Library> OpenAt(const std::string& path) {
  OpenedFile file(path);
  if (file.get() == nullptr) {
    const char* why = dlerror();
    return Error{why == nullptr ? path + " cannot be opened" : why};
  }
  std::string missing;
  Library library{.api = Fill(file.get(), &missing), .path = path};
  // First, for another version may lack what is new in this one.
  if (library.api.get_version != nullptr && library.api.get_version() / 10000 != kMajorVersion) {
    return Error{path + " is version " + library.Version() + ", needed is " +
                 std::to_string(kMajorVersion)};
  }
  if (!missing.empty()) return Error{path + " has no " + missing};
  file.Keep();
  return library;
}

// A name without a folder is the dynamic linker's to find; it may well not.
bool IsWorthTelling(const std::string& place) {
  std::error_code ignored;
  return place.find('/') != std::string::npos && std::filesystem::exists(place, ignored);
}

}  // namespace

std::string Library::Version() const {
  return VersionText(api.get_version());
}

std::vector<std::string> NamedPlaces() {
  const std::string named = Variable("SGLRUN_CUBLAS_PATH");
  if (named.empty()) return {};
  std::error_code ignored;
  const std::filesystem::path path(named);
  return {std::filesystem::is_directory(path, ignored) ? (path / kLibraryName).string() : named};
}

std::vector<std::string> AllPlaces() {
  std::vector<std::string> places = NamedPlaces();
  if (!places.empty()) return places;
  places.emplace_back(kLibraryName);
  for (const std::string& folder :
       {Variable("CUDA_HOME").empty() ? "" : Variable("CUDA_HOME") + "/lib64",
        std::string("/usr/local/cuda/lib64"), FolderOfThisProgram()}) {
    if (!folder.empty()) places.push_back(folder + "/" + kLibraryName);
  }
  return places;
}

Result<std::shared_ptr<const Library>> OpenLibrary(const std::vector<std::string>& places) {
  std::string problems;
  for (const std::string& place : places) {
    auto library = OpenAt(place);
    if (library.ok()) return std::make_shared<const Library>(*std::move(library));
    if (places.size() > 1 && !IsWorthTelling(place)) continue;
    problems += (problems.empty() ? "" : "; ") + library.error().message;
  }
  if (problems.empty()) problems = std::string(kLibraryName) + " was not found";
  return Error{"cuBLASLt cannot be used: " + problems};
}

}  // namespace sglrun::gpu::lt
