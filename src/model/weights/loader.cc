// Weights from files into their packed form: a list of parts of the files' tensors, which the
// threads take one after the other, each with a packer of its own. There is one barrier, at the
// end: with one a part, a busy machine waits longer than it works (7 s instead of 0.9 s for 135M
// weights with twelve processes on two cores).
#include <algorithm>
#include <atomic>
#include <vector>

#include "model/files/tensor_parts.h"
#include "model/weights/part_packer.h"
#include "model/weights/quant_rows.h"
#include "model/weights/weights.h"

namespace sglrun::model {
namespace {

class Loader : public WeightList {
 public:
  Loader(const ModelFiles& files, const LoadOptions& options, kernels::KernelContext& context)
      : files_(files), options_(options), context_(context), places_(files.tensors().size()) {}

  void Matrix(const MatrixEntry& entry) override {
    std::int64_t row = 0;
    for (const Source& each : entry.from) {
      const TensorSource& source = Find(each);
      CHECK(source.shape[1] == entry.k) << source.name;
      places_[static_cast<std::size_t>(&source - files_.tensors().data())] = {entry.to, row};
      row += source.shape[0];
    }
    CHECK(row == entry.n) << row << " of " << entry.n << " rows of " << entry.from[0].name;
  }

  void Vector(const VectorEntry& entry) override {
    std::int64_t first = 0;
    for (const Source& each : entry.from) first += VectorPart(Find(each), *entry.to, first);
    CHECK(first == entry.n) << entry.from[0].name;
  }

  // Does the matrices' work, and the hashing.
  void Run() {
    const std::vector<TensorSource>& tensors = files_.tensors();
    const std::vector<TensorPart> parts = PartsOf(tensors);
    std::vector<Hash128> hashes(options_.fingerprint == nullptr ? 0 : parts.size());
    std::atomic<std::size_t> next{0};
    context_.pool().Run([&](int, int) {
      PartPacker packer(*options_.backend);
      for (std::size_t i = next.fetch_add(1); i < parts.size(); i = next.fetch_add(1)) {
        if (options_.stop != nullptr && *options_.stop) return;
        const Place& place = places_[parts[i].tensor];
        Hash128* hash = hashes.empty() ? nullptr : &hashes[i];
        if (place.weight == nullptr && hash == nullptr) continue;
        packer.Pack(tensors[parts[i].tensor], parts[i], place, hash);
      }
    });
    if (!hashes.empty()) *options_.fingerprint = files_.FingerprintOf(hashes);
  }

 private:
  // ModelFiles::Open has matched names and shapes with the specification.
  const TensorSource& Find(const Source& source) const {
    const TensorSource* found = files_.Find(FullName(source));
    CHECK(found != nullptr) << source.name;
    return *found;
  }

  // Gives the entries of the source.
  std::int64_t VectorPart(const TensorSource& source, VectorWeight& weight, std::int64_t first) {
    CHECK(first + source.shape[0] <= weight.n) << source.name;
    std::vector<float> values(static_cast<std::size_t>(source.shape[0]));
    source.read_rows(0, 1, values.data());
    weight.Fill(values.data(), source.shape[0], first, *options_.backend, context_);
    source.drop_pages(0, source.stored.size());
    return source.shape[0];
  }

  const ModelFiles& files_;
  const LoadOptions& options_;
  kernels::KernelContext& context_;
  std::vector<Place> places_;  // of each tensor
};

}  // namespace

void FillWeights(const ModelFiles& files, const LoadOptions& options,
                 kernels::KernelContext& context, DecoderBlocks& blocks) {
  Loader loader(files, options, context);
  blocks.List(loader);
  loader.Run();
}

}  // namespace sglrun::model
