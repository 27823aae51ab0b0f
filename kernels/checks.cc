// The Check functions: one look at the shapes of a call for every backend. A sentence names the
// operand, what it has and what was expected.
#include <string>
#include <string_view>

#include "kernels/backend.h"

namespace sglrun::kernels {
namespace {

using tensor::DType;
using tensor::TensorView;

// Collects the first complaint about one call.
class Complaint {
 public:
  explicit Complaint(std::string_view operation) : operation_(operation) {}

  void Unless(bool condition, std::string_view what) {
    if (!condition && text_.empty()) text_ = std::string(operation_) + ": " + std::string(what);
  }

  void Equal(std::string_view what, std::int64_t found, std::int64_t expected) {
    if (found == expected) return;
    Unless(false, std::string(what) + " is " + std::to_string(found) + ", must be " +
                      std::to_string(expected));
  }

  // A view of rank 2 with a contiguous last axis.
  void Matrix(std::string_view name, const TensorView& view, std::int64_t rows,
              std::int64_t columns, DType dtype = DType::kF32) {
    if (view.dtype == dtype && view.rank == 2 && view.shape[0] == rows &&
        view.shape[1] == columns && (view.stride[1] == 1 || columns <= 1) &&
        (rows == 0 || columns == 0 || view.data != nullptr)) {
      return;
    }
    Unless(false, std::string(name) + " is " + view.ToString() + ", must be " + DTypeName(dtype) +
                      "[" + std::to_string(rows) + ", " + std::to_string(columns) +
                      "] with a contiguous last axis");
  }

  void Vector(std::string_view name, const TensorView& view, std::int64_t size) {
    if (view.dtype == DType::kF32 && view.rank == 1 && view.shape[0] == size &&
        (view.stride[0] == 1 || size <= 1)) {
      return;
    }
    Unless(false, std::string(name) + " is " + view.ToString() + ", must be contiguous f32[" +
                      std::to_string(size) + "]");
  }

  template <class T>
  void Size(std::string_view name, std::span<const T> list, std::int64_t size) {
    Equal("length of " + std::string(name), static_cast<std::int64_t>(list.size()), size);
  }

  template <class T>
  void InRange(std::string_view name, std::span<const T> list, std::int64_t begin,
               std::int64_t end) {
    for (const T value : list) {
      if (value >= begin && value < end) continue;
      Unless(false, std::string(name) + " holds " + std::to_string(value) + ", must be in [" +
                        std::to_string(begin) + ", " + std::to_string(end) + ")");
      return;
    }
  }

  // Begins of spans: R + 1 ascending numbers that end within `limit`.
  void Begins(std::string_view name, std::span<const std::int32_t> begin, std::int64_t rows,
              std::int64_t limit) {
    Size(name, begin, rows + 1);
    InRange(name, begin, 0, limit + 1);
    for (std::size_t r = 1; r < begin.size(); ++r) {
      Unless(begin[r] >= begin[r - 1], std::string(name) + " must ascend");
    }
  }

  const std::string& text() const { return text_; }

 private:
  std::string_view operation_;
  std::string text_;
};

std::int64_t Rows(const TensorView& view) {
  return view.rank == 2 ? view.shape[0] : -1;
}
std::int64_t Columns(const TensorView& view) {
  return view.rank == 2 ? view.shape[1] : -1;
}

bool IsWideType(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kBF16;
}

void CheckWeight(Complaint& complaint, const PackedWeight* weight) {
  complaint.Unless(weight != nullptr, "no weight");
  if (weight == nullptr) return;
  complaint.Unless(
      IsWideType(weight->dtype) || weight->dtype == DType::kF16 || weight->form().quantized(),
      "weight must be f32, bf16, f16, int8 or int4");
  const std::int32_t group = weight->quant.group;
  complaint.Unless(
      group == 32 || group == 16 || (group == 64 && weight->dtype == DType::kI8),
      "weight has groups of " + std::to_string(group) + ", must be 32 or 16, or 64 of int8");
  complaint.Unless(weight->n >= 0 && weight->k >= 0, "weight has a negative size");
}

}  // namespace

std::string Check(const KvCacheView& cache) {
  Complaint complaint("kv cache");
  complaint.Unless(cache.layout.num_kv_heads > 0, "num_kv_heads must be positive");
  complaint.Unless(cache.layout.head_dim > 0 && cache.layout.head_dim % 8 == 0 &&
                       cache.layout.head_dim <= kMaxHeadDim,
                   "head_dim is " + std::to_string(cache.layout.head_dim) +
                       ", must be a multiple of 8 up to " + std::to_string(kMaxHeadDim));
  complaint.Unless(IsWideType(cache.layout.dtype) || cache.layout.dtype == DType::kI8,
                   "dtype must be f32, bf16 or int8");
  return complaint.text();
}

std::string Check(const PackRowsArgs& args) {
  Complaint complaint("pack_rows");
  CheckWeight(complaint, args.weight);
  if (args.weight == nullptr) return complaint.text();
  const std::int64_t rows = Rows(args.rows);
  const bool stored = args.rows.dtype == DType::kBF16 && args.weight->dtype == DType::kBF16;
  complaint.Matrix("rows", args.rows, rows, args.weight->k, stored ? DType::kBF16 : DType::kF32);
  complaint.Unless(args.first_row >= 0 && args.first_row + rows <= args.weight->n,
                   "rows [" + std::to_string(args.first_row) + ", " +
                       std::to_string(args.first_row + rows) + ") must lie in a weight of " +
                       std::to_string(args.weight->n) + " rows");
  complaint.Unless(args.weight->data.ok(), "weight has no memory");
  WeightForm form = args.weight->form();
  if (form.quant.group == 64) form.quant.group = 32;
  complaint.Unless(!form.quantized() || form == WeightForm(form.dtype),
                   "only codes have another form");
  return complaint.text();
}

std::string Check(const PackCodesArgs& args) {
  Complaint complaint("pack_codes");
  CheckWeight(complaint, args.weight);
  if (args.weight == nullptr) return complaint.text();
  complaint.Unless(args.weight->form().quantized(), "weight must be int8 or int4");
  const bool empty = args.rows == 0 || args.weight->k == 0;
  complaint.Unless(empty || (args.codes != nullptr && args.scales != nullptr),
                   "no codes or no scales");
  complaint.Unless(empty || (args.minima != nullptr) == args.weight->quant.minima,
                   "minima must be there exactly where the form has them");
  complaint.Unless(args.first_row >= 0 && args.first_row + args.rows <= args.weight->n,
                   "rows [" + std::to_string(args.first_row) + ", " +
                       std::to_string(args.first_row + args.rows) + ") must lie in a weight of " +
                       std::to_string(args.weight->n) + " rows");
  complaint.Unless(args.weight->data.ok(), "weight has no memory");
  return complaint.text();
}

double BytesPerWeight(const WeightForm& form) {
  if (!form.quantized()) return static_cast<double>(tensor::ElementSize(form.dtype));
  const double scales = (form.quant.wide_scales ? 4.0 : 2.0) * (form.quant.minima ? 2.0 : 1.0);
  return (form.dtype == DType::kI8 ? 1.0 : 0.5) + scales / form.quant.group;
}

std::string Check(const EmbedArgs& args) {
  Complaint complaint("embed");
  CheckWeight(complaint, args.weight);
  if (args.weight == nullptr) return complaint.text();
  complaint.Matrix("out", args.out, static_cast<std::int64_t>(args.ids.size()), args.weight->k);
  complaint.InRange("ids", args.ids, 0, args.weight->n);
  return complaint.text();
}

std::string Check(const GemmArgs& args) {
  Complaint complaint("gemm");
  CheckWeight(complaint, args.weight);
  if (args.weight == nullptr) return complaint.text();
  complaint.Matrix("x", args.x, Rows(args.x), args.weight->k);
  complaint.Matrix("y", args.y, Rows(args.x), args.weight->n);
  if (!args.bias.empty()) complaint.Vector("bias", args.bias, args.weight->n);
  return complaint.text();
}

double Flops(const GemmArgs& args) {
  return 2.0 * static_cast<double>(args.x.shape[0]) * static_cast<double>(args.weight->n) *
         static_cast<double>(args.weight->k);
}

double Bytes(const GemmArgs& args) {
  const auto weights = static_cast<double>(args.weight->n) * static_cast<double>(args.weight->k) *
                       BytesPerWeight(args.weight->form());
  return weights + 4.0 * static_cast<double>(args.x.elements() + args.y.elements());
}

std::string Check(const NormArgs& args) {
  Complaint complaint("norm");
  const std::int64_t size = args.weight.rank == 1 ? args.weight.shape[0] : -1;
  complaint.Vector("weight", args.weight, size);
  if (!args.bias.empty()) complaint.Vector("bias", args.bias, size);
  complaint.Unless(args.bias.empty() || args.kind == NormKind::kLayer, "only kLayer has a bias");
  complaint.Unless(args.groups > 0, "groups must be positive");
  complaint.Matrix("x", args.x, Rows(args.x), args.groups * size);
  complaint.Matrix("y", args.y, Rows(args.x), args.groups * size);
  if (!args.add.empty()) complaint.Matrix("add", args.add, Rows(args.x), args.groups * size);
  return complaint.text();
}

std::string Check(const RopeArgs& args) {
  Complaint complaint("rope");
  const std::int64_t half = Columns(args.cos_table);
  complaint.Unless(args.heads > 0, "heads must be positive");
  complaint.Matrix("x", args.x, Rows(args.x), args.heads * args.head_dim);
  complaint.Matrix("cos_table", args.cos_table, Rows(args.cos_table), half);
  complaint.Matrix("sin_table", args.sin_table, Rows(args.cos_table), half);
  complaint.Unless(2 * half <= args.head_dim, "2 * " + std::to_string(half) +
                                                  " rotated elements exceed head_dim " +
                                                  std::to_string(args.head_dim));
  complaint.Unless(args.positions_per_token == 1 || args.positions_per_token == 3,
                   "positions_per_token must be 1 or 3");
  complaint.Size("positions", args.positions, Rows(args.x) * args.positions_per_token);
  complaint.InRange("positions", args.positions, 0, Rows(args.cos_table));
  if (!args.axis.empty()) {
    complaint.Size("axis", args.axis, half);
    complaint.InRange("axis", args.axis, 0, args.positions_per_token);
  }
  return complaint.text();
}

std::string Check(const StoreKvArgs& args) {
  if (std::string problem = Check(args.cache); !problem.empty()) return problem;
  Complaint complaint("store_kv");
  const std::int64_t width = args.cache.layout.num_kv_heads * args.cache.layout.head_dim;
  const auto tokens = static_cast<std::int64_t>(args.slots.size());
  complaint.Matrix("k", args.k, tokens, width);
  complaint.Matrix("v", args.v, tokens, width);
  complaint.InRange("slots", args.slots, 0, args.cache.num_pages * kPageSize);
  return complaint.text();
}

std::string Check(const PagedAttentionArgs& args) {
  if (std::string problem = Check(args.cache); !problem.empty()) return problem;
  Complaint complaint("paged_attention");
  const KvLayout& layout = args.cache.layout;
  complaint.Unless(args.num_heads > 0 && args.num_heads % layout.num_kv_heads == 0,
                   std::to_string(args.num_heads) + " heads are not a multiple of " +
                       std::to_string(layout.num_kv_heads) + " kv heads");
  const std::int64_t tokens = Rows(args.q);
  const auto rows = static_cast<std::int64_t>(args.kv_len.size());
  complaint.Matrix("q", args.q, tokens, args.num_heads * layout.head_dim);
  complaint.Matrix("out", args.out, tokens, args.num_heads * layout.head_dim);
  complaint.Unless(args.window >= 0, "window must not be negative");
  complaint.Unless(args.softcap >= 0, "softcap must not be negative");
  complaint.Begins("query_start", args.query_start, rows, tokens);
  if (!complaint.text().empty()) return complaint.text();
  complaint.Equal("last query_start", args.query_start.back(), tokens);
  for (std::size_t r = 0; r < args.kv_len.size(); ++r) {
    const std::int32_t queries = args.query_start[r + 1] - args.query_start[r];
    complaint.Unless(args.kv_len[r] >= queries, "row " + std::to_string(r) + " has " +
                                                    std::to_string(queries) + " queries and only " +
                                                    std::to_string(args.kv_len[r]) + " keys");
    complaint.Unless((args.kv_len[r] + kPageSize - 1) / kPageSize <= args.block_table_stride ||
                         args.kv_len[r] == 0,
                     "row " + std::to_string(r) + " has more keys than its block table has pages");
  }
  return complaint.text();
}

std::string Check(const ActivationArgs& args) {
  Complaint complaint("activation");
  complaint.Matrix("x", args.x, Rows(args.y), (args.gated ? 2 : 1) * Columns(args.y));
  complaint.Matrix("y", args.y, Rows(args.y), Columns(args.y));
  complaint.Unless(args.kind != ActivationKind::kSoftcap || args.cap > 0, "cap must be above 0");
  return complaint.text();
}

std::string Check(const ScaleAddArgs& args) {
  Complaint complaint("scale_add");
  const std::int64_t rows = Rows(args.y), columns = Columns(args.y);
  complaint.Matrix("x", args.x, rows, columns);
  complaint.Vector("gain", args.gain, columns);
  if (!args.bias.empty()) complaint.Vector("bias", args.bias, columns);
  complaint.Matrix("y", args.y, rows, columns);
  return complaint.text();
}

std::string Check(const RouteArgs& args) {
  Complaint complaint("route");
  const std::int64_t rows = Rows(args.logits), experts = Columns(args.logits);
  const std::int64_t chosen = Columns(args.experts);
  complaint.Matrix("logits", args.logits, rows, experts);
  complaint.Unless(chosen >= 1 && chosen <= experts && experts <= kMostExperts,
                   std::to_string(chosen) + " of " + std::to_string(experts) +
                       " experts are chosen, must be at least 1, of at most " +
                       std::to_string(kMostExperts));
  if (!args.choice_bias.empty()) complaint.Vector("choice_bias", args.choice_bias, experts);
  complaint.Matrix("experts", args.experts, rows, chosen, DType::kI32);
  complaint.Matrix("weights", args.weights, rows, chosen);
  return complaint.text();
}

std::string Check(const ExpertMlpArgs& args) {
  Complaint complaint("expert_mlp");
  const std::int64_t rows = Rows(args.x), width = Columns(args.x);
  const std::int64_t chosen = Columns(args.experts);
  complaint.Matrix("x", args.x, rows, width);
  complaint.Matrix("rows", args.rows, rows, width);
  complaint.Matrix("y", args.y, rows, width);
  complaint.Matrix("experts", args.experts, rows, chosen, DType::kI32);
  complaint.Matrix("weights", args.weights, rows, chosen);
  complaint.Equal("rows of the activation", Rows(args.activation.y), rows);
  for (const ExpertWeights& expert : args.of) {
    complaint.Unless(expert.gate_up != nullptr && expert.down != nullptr,
                     "an expert has no weights");
    if (!complaint.text().empty()) return complaint.text();
    complaint.Equal("rows of gate_up", expert.gate_up->n, Columns(args.activation.x));
    complaint.Equal("columns of gate_up", expert.gate_up->k, width);
    complaint.Equal("rows of down", expert.down->n, width);
    complaint.Equal("columns of down", expert.down->k, Columns(args.activation.y));
  }
  return complaint.text().empty() ? Check(args.activation) : complaint.text();
}

std::string Check(const LogitsProcessArgs& args) {
  Complaint complaint("logits_process");
  const std::int64_t rows = Rows(args.logits), width = Columns(args.logits);
  complaint.Matrix("logits", args.logits, rows, width);
  complaint.Unless(width > 0, "logits have no columns");
  complaint.Size<RowStatus>("status", args.status, rows);
  if (!args.count_begin.empty()) {
    complaint.Begins("count_begin", args.count_begin, rows,
                     static_cast<std::int64_t>(args.count_ids.size()));
    complaint.Size("counts", args.counts, static_cast<std::int64_t>(args.count_ids.size()));
    complaint.InRange("count_ids", args.count_ids, 0, width);
    complaint.Size("frequency_penalty", args.frequency_penalty, rows);
    complaint.Size("presence_penalty", args.presence_penalty, rows);
    complaint.Size("repetition_penalty", args.repetition_penalty, rows);
  }
  if (!args.ban_begin.empty()) {
    complaint.Begins("ban_begin", args.ban_begin, rows,
                     static_cast<std::int64_t>(args.ban_ids.size()));
    complaint.InRange("ban_ids", args.ban_ids, 0, width);
  }
  if (!args.mask_line.empty()) {
    complaint.Size("mask_line", args.mask_line, rows);
    complaint.Unless(args.mask_stride >= (width + 31) / 32, "mask lines are too short");
    if (args.mask_stride > 0) {
      complaint.InRange("mask_line", args.mask_line, -1,
                        static_cast<std::int64_t>(args.mask.size()) / args.mask_stride);
    }
  }
  if (!args.bias_begin.empty()) {
    complaint.Begins("bias_begin", args.bias_begin, rows,
                     static_cast<std::int64_t>(args.bias_ids.size()));
    complaint.Size("bias_values", args.bias_values,
                   static_cast<std::int64_t>(args.bias_ids.size()));
    complaint.InRange("bias_ids", args.bias_ids, 0, width);
  }
  return complaint.text();
}

std::string Check(const SampleArgs& args) {
  Complaint complaint("sample");
  const std::int64_t rows = Rows(args.logits), width = Columns(args.logits);
  complaint.Matrix("logits", args.logits, rows, width);
  complaint.Unless(width > 0, "logits have no columns");
  complaint.Size("temperature", args.temperature, rows);
  complaint.Size("top_k", args.top_k, rows);
  complaint.Size("top_p", args.top_p, rows);
  complaint.Size("min_p", args.min_p, rows);
  complaint.Size("random", args.random, rows);
  complaint.Size<std::int32_t>("tokens", args.tokens, rows);
  if (!args.active.empty()) complaint.Size("active", args.active, rows);
  if (!args.sampleable.empty()) complaint.Size("sampleable", args.sampleable, (width + 31) / 32);
  return complaint.text();
}

std::string Check(const LogprobsArgs& args) {
  Complaint complaint("logprobs");
  const std::int64_t rows = Rows(args.logits), width = Columns(args.logits);
  complaint.Matrix("logits", args.logits, rows, width);
  complaint.Unless(width > 0, "logits have no columns");
  complaint.Size("temperature", args.temperature, rows);
  if (!args.active.empty()) complaint.Size("active", args.active, rows);
  if (!args.ask_begin.empty()) {
    const auto asked = static_cast<std::int64_t>(args.ask_ids.size());
    complaint.Begins("ask_begin", args.ask_begin, rows, asked);
    complaint.InRange("ask_ids", args.ask_ids, 0, width);
    complaint.Size<float>("ask_logprobs", args.ask_logprobs, asked);
  }
  if (!args.top_begin.empty()) {
    const auto listed = static_cast<std::int64_t>(args.top_ids.size());
    complaint.Begins("top_begin", args.top_begin, rows, listed);
    complaint.Size<float>("top_logprobs", args.top_logprobs, listed);
    for (std::size_t r = 0; r + 1 < args.top_begin.size(); ++r) {
      complaint.Unless(args.top_begin[r + 1] - args.top_begin[r] <= width,
                       "more top tokens than columns");
    }
  }
  return complaint.text();
}

}  // namespace sglrun::kernels
