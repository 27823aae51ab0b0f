#include "kernels/cuda/library_products.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "kernels/cuda/backend.h"

namespace sglrun::kernels::cuda {
namespace {

using gpu::lt::Algorithm;
using gpu::lt::Product;

constexpr auto kWorkspace = static_cast<std::size_t>(kProductsWorkspace);
constexpr int kCandidates = 8;
constexpr int kTrials = 5;

std::int64_t TrialRows(std::int64_t m) {
  return std::min(m, kMostTrialRows);
}

std::size_t RoundedBytes(const GemmParams& p) {
  const auto bytes = static_cast<std::size_t>(p.m * PaddedK(p.weight.k)) * 2;
  return (bytes + 255) / 256 * 256;
}

ProductClass ClassOf(const GemmParams& p, bool is_one) {
  const auto power =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(TrialRows(p.m))));
  return {.n = p.weight.n,
          .k = p.weight.k,
          .rows = is_one ? p.m : power,
          .accumulate = p.accumulate,
          .bias = p.bias != nullptr,
          .is_one = is_one};
}

// Both matrices hold zeros after k.
Product ProductOf(const GemmParams& p) {
  return {.weight = p.weight.data,
          .x = p.scratch,
          .y = p.y.data,
          .m = p.m,
          .n = p.weight.n,
          .k = PaddedK(p.weight.k),
          .y_stride = p.y.stride,
          .bias = p.bias,
          .accumulate = p.accumulate,
          .alpha = p.alpha};
}

bool IsAligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % gpu::lt::kAlignment == 0;
}

std::string CacheName(const gpu::Properties& card, const gpu::lt::Library& library) {
  std::string name = "cublaslt-" + library.Version() + "-" + card.name + "-sm" +
                     std::to_string(card.major) + std::to_string(card.minor) + ".txt";
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == ' '; }, '_');
  return name;
}

}  // namespace

std::size_t LibraryScratchBytes(const GemmParams& p) {
  const auto sums =
      static_cast<std::size_t>(p.accumulate ? TrialRows(p.m) * p.y.stride : 0) * sizeof(float);
  return RoundedBytes(p) + sums;
}

Result<std::unique_ptr<LibraryProducts>> LibraryProducts::Open(
    gpu::Runtime& runtime, gpu::Stream stream, const std::vector<std::string>& places) {
  SGLRUN_ASSIGN_OR_RETURN(auto library, gpu::lt::OpenLibrary(places));
  SGLRUN_ASSIGN_OR_RETURN(auto products, gpu::lt::Products::Open(std::move(library)));
  void* workspace = runtime.Alloc(kWorkspace);
  if (workspace == nullptr) {
    return Error{"cuBLASLt cannot be used: it needs " + FormatByteSize(kProductsWorkspace) +
                 ", free are " + FormatByteSize(static_cast<std::int64_t>(runtime.FreeMemory()))};
  }
  return std::unique_ptr<LibraryProducts>(
      new LibraryProducts(runtime, stream, std::move(products), workspace));
}

LibraryProducts::LibraryProducts(gpu::Runtime& runtime, gpu::Stream stream,
                                 std::unique_ptr<gpu::lt::Products> products, void* workspace)
    : runtime_(runtime),
      stream_(stream),
      products_(std::move(products)),
      workspace_(workspace),
      chosen_(CachePath(CacheName(runtime.properties(), products_->library()))) {}

LibraryProducts::~LibraryProducts() {
  runtime_.Synchronize(stream_);
  runtime_.Free(workspace_);
}

bool LibraryProducts::Takes(const GemmParams& p) {
  return p.weight.type == WeightType::kBF16 && !p.gates && p.m > kLibraryRows && p.weight.n > 0 &&
         p.weight.k > 0 && (p.alpha == 1 || p.bias == nullptr) && IsAligned(p.y.data) &&
         p.y.stride % 4 == 0 && IsAligned(p.bias);
}

bool LibraryProducts::Multiply(const GemmParams& p, const Ops& ops) {
  const std::optional<Algorithm> algorithm = AlgorithmFor(p, ops);
  if (!algorithm) return false;
  RoundRows(p, ops);
  runtime_.Call(stream_, [this, product = ProductOf(p), chosen = *algorithm](void* stream) {
    const std::string problem =
        products_->Multiply(product, chosen, workspace_, kWorkspace, stream);
    CHECK(problem.empty()) << "a product of " << product.m << " rows on cuBLASLt: " << problem;
  });
  return true;
}

void LibraryProducts::RoundRows(const GemmParams& p, const Ops& ops) const {
  ops.round_rows({.x = p.x, .input = p.input, .m = p.m, .k = p.weight.k, .rounded = p.scratch},
                 stream_);
}

// The algorithm of a class was chosen with another number of rows, or read from a file. It is kept
// even if it does not suit these rows: a step that is about to be captured may rely on it.
std::optional<Algorithm> LibraryProducts::AlgorithmFor(const GemmParams& p, const Ops& ops) {
  for (const bool is_one : {false, true}) {
    const ProductClass kind = ClassOf(p, is_one);
    const ChosenAlgorithms::Choice* known = chosen_.Find(kind);
    const ChosenAlgorithms::Choice& choice =
        known != nullptr ? *known : chosen_.Add(kind, Choose(p, ops));
    if (choice && products_->Suits(ProductOf(p), *choice, kWorkspace)) return choice;
  }
  return std::nullopt;
}

// Trials of a product that is added to y write elsewhere, so that y is added to only once.
ChosenAlgorithms::Choice LibraryProducts::Choose(const GemmParams& p, const Ops& ops) const {
  RoundRows(p, ops);
  Product product = ProductOf(p);
  product.m = TrialRows(p.m);
  if (p.accumulate) {
    product.y = reinterpret_cast<float*>(static_cast<char*>(p.scratch) + RoundedBytes(p));
  }
  ChosenAlgorithms::Choice best;
  double least = 0;
  for (const Algorithm& candidate : products_->Candidates(product, kWorkspace, kCandidates)) {
    const double seconds = Seconds(product, candidate);
    if (seconds < 0 || (best && seconds >= least)) continue;
    best = candidate;
    least = seconds;
  }
  return best;
}

// The least of a few calls, since others may hold up any one of them.
double LibraryProducts::Seconds(const Product& product, const Algorithm& algorithm) const {
  std::string problem;
  const auto seconds = [&] {
    runtime_.Synchronize(stream_);
    const auto start = std::chrono::steady_clock::now();
    runtime_.Call(stream_, [&](void* stream) {
      const std::string said =
          products_->Multiply(product, algorithm, workspace_, kWorkspace, stream);
      if (!said.empty()) problem = said;
    });
    runtime_.Synchronize(stream_);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double least = seconds();  // loads the kernel
  for (int i = 0; i < kTrials && problem.empty(); ++i) least = std::min(least, seconds());
  return problem.empty() ? least : -1;
}

}  // namespace sglrun::kernels::cuda
