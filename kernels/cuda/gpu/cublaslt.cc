#include "kernels/cuda/gpu/cublaslt.h"

#include <algorithm>

namespace sglrun::gpu::lt {
namespace {

// The descriptors of one product; null where the library did not make one, which its calls then
// refuse.
class Descriptors {
 public:
  Descriptors(const Api& api, const Product& product) : api_(api) {
    Keep(api.desc_create(&desc_, kComputeFloat32, kFloat32));
    const auto n = static_cast<std::uint64_t>(product.n), m = static_cast<std::uint64_t>(product.m);
    const auto k = static_cast<std::uint64_t>(product.k);
    Keep(api.layout_create(&weight_, kBFloat16, k, n, product.k));
    Keep(api.layout_create(&x_, kBFloat16, k, m, product.k));
    Keep(api.layout_create(&y_, kFloat32, n, m, product.y_stride));
    Set(kDescTransposeA, kTranspose);
    Set(kDescTransposeB, kNoTranspose);
    if (product.bias != nullptr) {
      Set(kDescEpilogue, kEpilogueBias);
      Set(kDescBiasPointer, product.bias);
    }
  }
  ~Descriptors() {
    if (y_ != nullptr) api_.layout_destroy(y_);
    if (x_ != nullptr) api_.layout_destroy(x_);
    if (weight_ != nullptr) api_.layout_destroy(weight_);
    if (desc_ != nullptr) api_.desc_destroy(desc_);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  int status() const { return status_; }
  Desc desc() const { return desc_; }
  Layout weight() const { return weight_; }
  Layout x() const { return x_; }
  Layout y() const { return y_; }

 private:
  void Keep(int status) {
    if (status_ == kSuccess) status_ = status;
  }
  template <class T>
  void Set(int attribute, const T& value) {
    if (status_ == kSuccess) Keep(api_.desc_set(desc_, attribute, &value, sizeof value));
  }

  const Api& api_;
  int status_ = kSuccess;
  Desc desc_ = nullptr;
  Layout weight_ = nullptr, x_ = nullptr, y_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Products>> Products::Open(std::shared_ptr<const Library> library) {
  Handle handle = nullptr;
  if (const int status = library->api.create(&handle); status != kSuccess) {
    return Error{"cuBLASLt cannot be used: " + library->path + " says " +
                 library->api.get_status_string(status)};
  }
  return std::unique_ptr<Products>(new Products(std::move(library), handle));
}

Products::~Products() {
  library_->api.destroy(handle_);
}

std::vector<Algorithm> Products::Candidates(const Product& product, std::size_t workspace,
                                            int count) const {
  const Api& api = library_->api;
  const Descriptors with(api, product);
  Preference preference = nullptr;
  int found = 0;
  std::vector<HeuristicResult> results(static_cast<std::size_t>(count));
  bool is_ok = with.status() == kSuccess && api.preference_create(&preference) == kSuccess;
  const auto prefer = [&](int attribute, const auto& value) {
    is_ok = is_ok && api.preference_set(preference, attribute, &value, sizeof value) == kSuccess;
  };
  prefer(kPreferenceWorkspace, static_cast<std::uint64_t>(workspace));
  prefer(kPreferenceAlignmentC, kAlignment);
  prefer(kPreferenceAlignmentD, kAlignment);
  is_ok = is_ok && api.heuristic(handle_, with.desc(), with.weight(), with.x(), with.y(), with.y(),
                                 preference, count, results.data(), &found) == kSuccess;
  if (preference != nullptr) api.preference_destroy(preference);
  std::vector<Algorithm> algorithms;
  for (int i = 0; is_ok && i < std::min(found, count); ++i) {
    const HeuristicResult& result = results[static_cast<std::size_t>(i)];
    if (result.state == kSuccess) algorithms.push_back(result.algorithm);
  }
  return algorithms;
}

bool Products::Suits(const Product& product, const Algorithm& algorithm,
                     std::size_t workspace) const {
  const Descriptors with(library_->api, product);
  HeuristicResult result{};
  return with.status() == kSuccess &&
         library_->api.check(handle_, with.desc(), with.weight(), with.x(), with.y(), with.y(),
                             &algorithm, &result) == kSuccess &&
         result.workspace <= workspace;
}

std::string Products::Multiply(const Product& product, const Algorithm& algorithm, void* workspace,
                               std::size_t workspace_bytes, void* stream) const {
  const Descriptors with(library_->api, product);
  const float alpha = product.alpha, beta = product.accumulate ? 1 : 0;
  int status = with.status();
  if (status == kSuccess) {
    status = library_->api.matmul(handle_, with.desc(), &alpha, product.weight, with.weight(),
                                  product.x, with.x(), &beta, product.y, with.y(), product.y,
                                  with.y(), &algorithm, workspace, workspace_bytes, stream);
  }
  return status == kSuccess ? "" : library_->api.get_status_string(status);
}

}  // namespace sglrun::gpu::lt
