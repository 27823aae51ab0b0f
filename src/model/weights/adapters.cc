#include "model/weights/adapters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "kernels/cpu/form_of_floats.h"
#include "model/blocks/adapter.h"
#include "model/weights/available_memory.h"

namespace sglrun::model {
namespace {

using tensor::TensorView;

// Rows that are read, transposed or packed at once.
constexpr std::int64_t kRowsAtOnce = 64;

std::vector<float> AllRows(const TensorSource& source) {
  const bool is_vector = source.shape.size() == 1;
  const std::int64_t rows = is_vector ? 1 : source.shape[0];
  std::vector<float> values(static_cast<std::size_t>(rows * source.shape.back()));
  source.read_rows(0, rows, values.data());
  return values;
}

class Packer {
 public:
  Packer(const LoadOptions& options, kernels::KernelContext& context)
      : options_(options), context_(context) {}

  kernels::PackedWeight Allocate(std::int64_t n, std::int64_t k) const {
    const kernels::Backend& backend = *options_.backend;
    const kernels::WeightForm form =
        kernels::FormOfFloats(backend, AdapterDType(options_.dtype), k);
    kernels::PackedWeight weight{.n = n, .k = k, .dtype = form.dtype, .quant = form.quant};
    weight.data = tensor::Buffer(*backend.allocator, backend.table.packed_weight_bytes(n, k, form));
    if (!weight.data.ok()) throw std::bad_alloc();
    return weight;
  }

  // Rows from first_row on.
  void Pack(std::vector<float>& rows, std::int64_t first_row, kernels::PackedWeight& weight) const {
    const auto count = static_cast<std::int64_t>(rows.size()) / weight.k;
    options_.backend->table.pack_rows(
        {.weight = &weight,
         .first_row = first_row,
         .rows = tensor::MakeView(rows.data(), tensor::DType::kF32, {count, weight.k})},
        context_);
  }
  void Pack(const TensorSource& source, std::int64_t first_row,
            kernels::PackedWeight& weight) const {
    std::vector<float> rows;
    for (std::int64_t row = 0; row < source.shape[0]; row += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, source.shape[0] - row);
      rows.resize(static_cast<std::size_t>(count * weight.k));
      source.read_rows(row, count, rows.data());
      Pack(rows, first_row + row, weight);
    }
  }
  kernels::PackedWeight Packed(const TensorSource& source) const {
    kernels::PackedWeight weight = Allocate(source.shape[0], source.shape[1]);
    Pack(source, 0, weight);
    return weight;
  }

  ThreadPool& pool() const { return context_.pool(); }

  VectorWeight Vector(const std::vector<float>& values) const {
    const auto n = static_cast<std::int64_t>(values.size());
    VectorWeight weight{n, tensor::Buffer(*options_.backend->allocator, values.size() * 4)};
    if (!weight.data.ok()) throw std::bad_alloc();
    weight.Fill(values.data(), n, 0, *options_.backend, context_);
    return weight;
  }

 private:
  const LoadOptions& options_;
  kernels::KernelContext& context_;
};

// |row of W + s B A|. `weights` holds the row of W.
double NormOfRow(std::span<const float> weights, std::span<const float> b_row,
                 std::span<const float> a, float scale) {
  std::vector<double> sums(weights.begin(), weights.end());
  for (std::size_t r = 0; r < b_row.size(); ++r) {
    const double factor = static_cast<double>(scale) * b_row[r];
    const float* a_row = a.data() + r * sums.size();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += factor * a_row[i];
  }
  double squares = 0;
  for (const double sum : sums) squares += sum * sum;
  return std::sqrt(squares);
}

// Of DoRA, for one matrix of the checkpoint: magnitude / |row of W + s B A|.
std::vector<float> Gains(const TensorSource& base, const AdapterMatrix& matrix, ThreadPool& pool) {
  const std::vector<float> a = AllRows(*matrix.a), b = AllRows(*matrix.b);
  const auto rank = static_cast<std::size_t>(matrix.rank());
  std::vector<float> gains = AllRows(*matrix.magnitude);
  pool.ParallelFor(base.shape[0], [&](std::int64_t first, std::int64_t last) {
    std::vector<float> weights(static_cast<std::size_t>(base.shape[1]));
    for (std::int64_t row = first; row < last; ++row) {
      base.read_rows(row, 1, weights.data());
      const auto at = static_cast<std::size_t>(row);
      const std::span b_row(b.data() + at * rank, rank);
      gains[at] = static_cast<float>(gains[at] / NormOfRow(weights, b_row, a, matrix.scale));
    }
  });
  return gains;
}

// The matrices of one adapter, by their name in the model.
using ByName = std::map<std::string_view, const AdapterMatrix*>;

// Hands the updates of one adapter to the blocks.
class AdapterLoader : public WeightList {
 public:
  AdapterLoader(std::int32_t number, const AdapterFiles& adapter, const ModelFiles& model,
                const Packer& packer)
      : number_(number), model_(model), packer_(packer) {
    for (const AdapterMatrix& matrix : adapter.matrices()) by_name_.emplace(matrix.name, &matrix);
  }

  void Matrix(const MatrixEntry& entry) override {
    if (entry.updates == nullptr) return;
    std::vector<Part> parts;
    std::int64_t first_row = 0;
    for (const Source& source : entry.from) {
      if (const AdapterMatrix* matrix = Find(FullName(source))) {
        parts.push_back({matrix, first_row});
      }
      first_row += source.rows;
    }
    if (parts.empty()) return;
    MatrixUpdate update = LowRankOf(parts, entry.k);
    if (parts[0].matrix->magnitude) update.gain = packer_.Vector(GainsOf(parts, entry.n));
    entry.updates->Set(number_, std::move(update));
  }
  void Vector(const VectorEntry&) override {}

  void Load(Embedding& embedding) const {
    const AdapterMatrix* matrix = Find(kEmbeddingName);
    if (matrix == nullptr) return;
    MatrixUpdate update;
    if (matrix->replacement) update.replacement = packer_.Packed(*matrix->replacement);
    if (matrix->a) {
      update.a = Transposed(*matrix->a);
      update.parts.push_back({.scale = matrix->scale, .b = packer_.Packed(*matrix->b)});
    }
    embedding.updates().Set(number_, std::move(update));
  }

  void Load(Head& head) const {
    const AdapterMatrix* matrix = Find(kHeadName);
    if (matrix == nullptr) return;
    MatrixUpdate update;
    const std::vector<Part> parts = {{matrix, 0}};
    if (matrix->a) update = LowRankOf(parts, matrix->a->shape[1]);
    if (matrix->magnitude) {
      update.gain = packer_.Vector(GainsOf(parts, matrix->magnitude->shape[0]));
    }
    if (matrix->replacement) update.replacement = packer_.Packed(*matrix->replacement);
    head.updates().Set(number_, std::move(update));
  }

 private:
  struct Part {
    const AdapterMatrix* matrix;
    std::int64_t first_row;
  };

  const AdapterMatrix* Find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  MatrixUpdate LowRankOf(const std::vector<Part>& parts, std::int64_t k) const {
    std::int64_t ranks = 0;
    for (const Part& part : parts) ranks += part.matrix->rank();
    MatrixUpdate update{.a = packer_.Allocate(ranks, k)};
    std::int64_t first_rank = 0;
    for (const Part& part : parts) {
      packer_.Pack(*part.matrix->a, first_rank, update.a);
      update.parts.push_back({.first_row = part.first_row,
                              .first_rank = first_rank,
                              .scale = part.matrix->scale,
                              .b = packer_.Packed(*part.matrix->b)});
      first_rank += part.matrix->rank();
    }
    return update;
  }

  // Of all rows of a matrix; those that the adapter leaves have the gain 1.
  std::vector<float> GainsOf(const std::vector<Part>& parts, std::int64_t n) const {
    std::vector<float> gains(static_cast<std::size_t>(n), 1.0f);
    for (const Part& part : parts) {
      const TensorSource* base = model_.Find(part.matrix->name);
      if (base == nullptr) base = model_.Find(kEmbeddingName);  // a tied head
      std::ranges::copy(Gains(*base, *part.matrix, packer_.pool()), gains.begin() + part.first_row);
    }
    return gains;
  }

  // [rank, vocabulary] as rows that can be looked up.
  kernels::PackedWeight Transposed(const TensorSource& a) const {
    const std::int64_t rank = a.shape[0], vocabulary = a.shape[1];
    const std::vector<float> values = AllRows(a);
    kernels::PackedWeight weight = packer_.Allocate(vocabulary, rank);
    std::vector<float> rows;
    for (std::int64_t first = 0; first < vocabulary; first += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, vocabulary - first);
      rows.clear();
      for (std::int64_t token = first; token < first + count; ++token) {
        for (std::int64_t r = 0; r < rank; ++r) {
          rows.push_back(values[static_cast<std::size_t>(r * vocabulary + token)]);
        }
      }
      packer_.Pack(rows, first, weight);
    }
    return weight;
  }

  std::int32_t number_;
  const ModelFiles& model_;
  const Packer& packer_;
  ByName by_name_;
};

std::int64_t PackedBytes(const TensorSource& source, const LoadOptions& options) {
  if (source.shape.size() == 1) return source.shape[0] * 4;
  const kernels::WeightForm form =
      kernels::FormOfFloats(*options.backend, AdapterDType(options.dtype), source.shape[1]);
  return static_cast<std::int64_t>(
      options.backend->table.packed_weight_bytes(source.shape[0], source.shape[1], form));
}

}  // namespace

tensor::DType AdapterDType(tensor::DType weights) {
  return kernels::WeightForm(weights).quantized() ? tensor::DType::kBF16 : weights;
}

std::int64_t AdapterBytes(const AdapterFiles& adapter, const LoadOptions& options) {
  std::int64_t bytes = 0;
  for (const AdapterMatrix& matrix : adapter.matrices()) {
    for (const auto* source : {&matrix.a, &matrix.b, &matrix.magnitude, &matrix.replacement}) {
      if (*source) bytes += PackedBytes(**source, options);
    }
  }
  return bytes;
}

Status LoadAdapters(std::span<const AdapterFiles> adapters, const ModelFiles& model,
                    const LoadOptions& options, kernels::KernelContext& context,
                    DecoderBlocks& blocks) {
  const std::optional<std::int64_t> available = AvailableMemory(*options.backend);
  std::int64_t bytes = 0;
  for (const AdapterFiles& adapter : adapters) bytes += AdapterBytes(adapter, options);
  if (available && bytes > *available) {
    return Error{FormatCount(static_cast<std::int64_t>(adapters.size()), "adapter") + " need " +
                 FormatByteSize(bytes) + " of memory, " + FormatByteSize(*available) +
                 " are available"};
  }
  const Packer packer(options, context);
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if (options.stop != nullptr && *options.stop) break;
    AdapterLoader loader(static_cast<std::int32_t>(i), adapters[i], model, packer);
    blocks.List(loader);
    loader.Load(blocks.embedding);
    loader.Load(blocks.head);
  }
  return {};
}

}  // namespace sglrun::model
