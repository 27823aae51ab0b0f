#include "kernels/cuda/chosen_algorithms.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace sglrun::kernels::cuda {
namespace {

// First line of the file; another form gets another number.
constexpr const char* kTitle = "sglrun algorithms 2";
// Last word of a line: without it the line was cut, perhaps within a number.
constexpr const char* kEnd = "end";
// A few shapes per model times a dozen numbers of rows; sglrun writes no file with more.
constexpr std::size_t kMostChoices = 10'000;

// "n k rows accumulate bias is_one", the algorithm's eight words, hexadecimal, and the end mark.
bool ReadLine(const std::string& line, ProductClass* product, gpu::lt::Algorithm* algorithm) {
  std::istringstream in(line);
  in >> product->n >> product->k >> product->rows >> product->accumulate >> product->bias >>
      product->is_one;
  in >> std::hex;
  for (std::uint64_t& word : algorithm->data) in >> word;
  std::string end;
  in >> end;
  return !in.fail() && end == kEnd && in.eof();
}

void WriteLine(const ProductClass& product, const gpu::lt::Algorithm& algorithm,
               std::ostream& out) {
  out << std::dec << product.n << ' ' << product.k << ' ' << product.rows << ' '
      << product.accumulate << ' ' << product.bias << ' ' << product.is_one << std::hex;
  for (const std::uint64_t word : algorithm.data) out << ' ' << word;
  out << ' ' << kEnd << '\n';
}

// A name next to the file that no other writer uses: devices of a process end at the same time.
std::string FreshName(const std::string& path) {
  static std::atomic<int> files = 0;
  return path + "." + std::to_string(::getpid()) + "." + std::to_string(files++);
}

}  // namespace

ChosenAlgorithms::ChosenAlgorithms(std::string path) : path_(std::move(path)) {
  ReadInto(path_, choices_);
}

ChosenAlgorithms::~ChosenAlgorithms() {
  if (!is_changed_ || path_.empty()) return;
  ReadInto(path_, choices_);
  Write();
}

void ChosenAlgorithms::ReadInto(const std::string& path, Choices& choices) {
  if (path.empty()) return;
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line) || line != kTitle) return;
  while (choices.size() < kMostChoices && std::getline(in, line)) {
    ProductClass product;
    gpu::lt::Algorithm algorithm{};
    if (ReadLine(line, &product, &algorithm)) choices.try_emplace(product, algorithm);
  }
}

// Renamed into place, so that nobody reads half of it; of two that write at once the later one's
// stays. Where it cannot be written, nothing is lost but time.
void ChosenAlgorithms::Write() const {
  const std::filesystem::path path(path_);
  const std::filesystem::path fresh(FreshName(path_));
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  {
    std::ofstream out(fresh);
    out << kTitle << '\n';
    for (const auto& [product, choice] : choices_) {
      if (choice) WriteLine(product, *choice, out);
    }
    out.flush();
    if (!out) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(fresh, path, error);
  if (error) std::filesystem::remove(fresh, error);
}

const ChosenAlgorithms::Choice* ChosenAlgorithms::Find(const ProductClass& product) const {
  const auto place = choices_.find(product);
  return place == choices_.end() ? nullptr : &place->second;
}

const ChosenAlgorithms::Choice& ChosenAlgorithms::Add(const ProductClass& product,
                                                      const Choice& choice) {
  is_changed_ = true;
  return choices_.insert_or_assign(product, choice).first->second;
}

std::string CachePath(const std::string& name) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/sglrun/" + name;
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/sglrun/" + name;
  return "";
}

}  // namespace sglrun::kernels::cuda
