// Stands in for libFuzzer in ordinary builds: runs every seed of a folder, then mutations of the
// seeds. The mutations are the same on every machine; a slow target does fewer of them.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutations = 3000;
constexpr std::chrono::seconds kTime{3};

// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t Below(std::size_t bound) { return bound == 0 ? 0 : Next() % bound; }

 private:
  std::uint64_t Next() {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

void MutateOnce(std::string& input, const std::vector<std::string>& seeds, Random& random) {
  static const std::vector<std::string> kPieces = {"null",  "-1",  "1e999",   "9223372036854775808",
                                                   "[[",    "{\"", "\\ud800", "\xff",
                                                   "\"\"",  "[]",  "{}",      ",",
                                                   "\x00x", "0.5"};
  const std::size_t at = random.Below(input.size() + 1);
  switch (random.Below(7)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(random.Below(256));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << random.Below(8)));
      break;
    case 2:
      input.erase(at, random.Below(16) + 1);
      break;
    case 3:
      input.insert(at, kPieces[random.Below(kPieces.size())]);
      break;
    case 4:
      input.insert(at, input.substr(random.Below(input.size() + 1), random.Below(64)));
      break;
    case 5:
      input.resize(at);
      break;
    default: {
      const std::string& other = seeds[random.Below(seeds.size())];
      input = input.substr(0, at) + other.substr(random.Below(other.size() + 1));
    }
  }
}

void Run(const std::string& input) {
  // A copy of the exact size, so that the address sanitizer sees a read beyond the end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

// By name, so that the order, and with it the mutations, is the same everywhere.
std::vector<std::string> ReadSeeds(const char* folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().string()] = {std::istreambuf_iterator<char>(file),
                                    std::istreambuf_iterator<char>()};
  }
  std::vector<std::string> seeds;
  for (auto& [name, text] : files) seeds.push_back(std::move(text));
  return seeds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> seeds = ReadSeeds(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s holds no seeds\n", argv[1]);
    return 1;
  }
  for (const std::string& seed : seeds) Run(seed);
  Random random(42);
  const auto end = std::chrono::steady_clock::now() + kTime;
  int done = 0;
  for (; done < kMutations && std::chrono::steady_clock::now() < end; ++done) {
    std::string input = seeds[random.Below(seeds.size())];
    const std::size_t times = random.Below(4) + 1;
    for (std::size_t i = 0; i < times; ++i) MutateOnce(input, seeds, random);
    Run(input);
  }
  std::printf("%zu seeds, %d mutations\n", seeds.size(), done);
  return 0;
}
