#include "model/files/stored_tensor.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "formats/weight_format.h"

namespace sglrun::model {
namespace {

struct RowLayout {
  const formats::WeightFormat* format = nullptr;
  std::int64_t columns = 1;
  const std::uint8_t* data = nullptr;

  void Read(std::int64_t first, std::int64_t count, float* out) const {
    const std::int64_t blocks = columns / format->block_elements;
    format->dequantize(data + first * blocks * format->block_bytes, count * blocks, out);
  }
  void ReadCodes(std::int64_t first, std::int64_t count, const formats::QuantOut& out) const {
    const std::int64_t blocks = columns / format->block_elements;
    format->unpack(data + first * blocks * format->block_bytes, count * blocks, out);
  }
  std::int64_t groups() const { return format->form->Groups(columns); }
};

// In half order a head has the first elements of its pairs, then the second ones, then the rest;
// this is the place of its row among adjacent pairs.
std::int64_t PairedRow(std::int64_t row, const RotatedRows& pairs) {
  const std::int64_t within = row % pairs.size, half = pairs.rotary / 2;
  if (within >= pairs.rotary) return row;
  return row - within + 2 * (within % half) + within / half;
}

// The place, among rows by key head, of a row of queries, keys and values one after the other.
std::int64_t GroupedRow(std::int64_t row, const FusedRows& groups) {
  const std::int64_t head = row / groups.size, of_group = groups.heads / groups.kv_heads;
  const std::int64_t key = head - groups.heads, value = key - groups.kv_heads;
  const std::int64_t group = key < 0 ? head / of_group : value < 0 ? key : value;
  const std::int64_t place = key < 0 ? head % of_group : value < 0 ? of_group : of_group + 1;
  return (group * (of_group + 2) + place) * groups.size + row % groups.size;
}

// Where the rows of a tensor lie in its file.
struct RowOrder {
  RotatedRows pairs;
  FusedRows groups;

  bool is_plain() const { return pairs.heads == 0 && groups.heads == 0; }
  std::int64_t Stored(std::int64_t row) const {
    if (groups.heads > 0) return GroupedRow(row, groups);
    return pairs.heads > 0 ? PairedRow(row, pairs) : row;
  }
  // Rows from `row` on that lie one distance apart, at most `count`; the distance.
  struct Run {
    std::int64_t rows, distance;
  };
  Run RunFrom(std::int64_t row, std::int64_t count) const {
    if (groups.heads > 0) return {std::min(count, groups.size - row % groups.size), 1};
    if (pairs.heads == 0) return {count, 1};
    const std::int64_t within = row % pairs.size, half = pairs.rotary / 2;
    if (within >= pairs.rotary) return {std::min(count, pairs.size - within), 1};
    return {std::min(count, half - within % half), 2};
  }
};

// `layout` reads rows as they are stored.
template <class Layout>
std::function<void(std::int64_t, std::int64_t, float*)> RowsReader(const Layout& layout,
                                                                   const RowOrder& order) {
  if (order.is_plain()) {
    return [layout](std::int64_t first, std::int64_t count, float* out) {
      layout.Read(first, count, out);
    };
  }
  return [layout, order](std::int64_t first, std::int64_t count, float* out) {
    for (std::int64_t r = 0; r < count; ++r) {
      layout.Read(order.Stored(first + r), 1, out + r * layout.columns);
    }
  };
}

// Rows of a matrix whose scales lie in tensors of their own.
struct QuantizedLayout {
  std::shared_ptr<const formats::QuantizedMatrix> matrix;
  std::int64_t columns;

  void Read(std::int64_t first, std::int64_t count, float* out) const {
    matrix->ReadRows(first, count, out);
  }
};

std::function<void(std::int64_t, std::int64_t, const formats::QuantOut&)> CodesReader(
    const RowLayout& layout, const RowOrder& order) {
  if (order.is_plain()) {
    return [layout](std::int64_t first, std::int64_t count, const formats::QuantOut& out) {
      layout.ReadCodes(first, count, out);
    };
  }
  return [layout, order](std::int64_t first, std::int64_t count, const formats::QuantOut& out) {
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t group = r * layout.groups();
      layout.ReadCodes(order.Stored(first + r), 1,
                       {out.codes + r * layout.columns, out.scales + group,
                        out.minima == nullptr ? nullptr : out.minima + group});
    }
  };
}

// The type of plain elements that pack_rows takes as they are.
std::optional<tensor::DType> PlainType(std::string_view type) {
  if (type == "BF16") return tensor::DType::kBF16;
  if (type == "F32") return tensor::DType::kF32;
  return std::nullopt;
}

std::function<tensor::TensorView(std::int64_t, std::int64_t)> StoredRowsReader(
    const RowLayout& layout, tensor::DType dtype, const RowOrder& order) {
  return [layout, dtype, order](std::int64_t first, std::int64_t count) {
    const RowOrder::Run run = order.RunFrom(first, count);
    // There is no view of constant data, hence the cast.
    auto* data = const_cast<std::uint8_t*>(layout.data) +
                 order.Stored(first) * layout.columns * layout.format->block_bytes;
    tensor::TensorView view = tensor::MakeView(data, dtype, {run.rows, layout.columns});
    view.stride[0] *= run.distance;
    return view;
  };
}

// A vector is one row, whose elements were moved as a matrix's rows are.
std::function<void(std::int64_t, std::int64_t, float*)> VectorReader(const RowLayout& layout,
                                                                     const RowOrder& order,
                                                                     float add) {
  return [layout, order, add](std::int64_t, std::int64_t, float* out) {
    std::vector<float> stored(static_cast<std::size_t>(layout.columns));
    layout.Read(0, 1, stored.data());
    for (std::int64_t i = 0; i < layout.columns; ++i) {
      out[i] = stored[static_cast<std::size_t>(order.Stored(i))] + add;
    }
  };
}

// What every source has, still without a reader.
TensorSource SourceOf(const StoredTensor& tensor) {
  return {.name = tensor.name,
          .shape = tensor.shape,
          .type = tensor.type,
          .bytes = static_cast<std::int64_t>(tensor.bytes),
          .stored = tensor.data(),
          .is_companion = tensor.is_companion,
          .read_rows = nullptr,
          .plain = std::nullopt,
          .stored_rows = nullptr,
          .form = std::nullopt,
          .read_codes = nullptr,
          .drop_pages = [file = tensor.file, first = tensor.begin](std::size_t begin,
                                                                   std::size_t bytes) {
            file->DropPages(first + begin, bytes);
          }};
}

}  // namespace

Result<TensorSource> MakeTensorSource(const StoredTensor& tensor) {
  TensorSource source = SourceOf(tensor);
  if (tensor.is_companion) return source;
  const RowOrder order{tensor.pairs, tensor.groups};
  if (tensor.matrix != nullptr) {
    source.read_rows = RowsReader(QuantizedLayout{tensor.matrix, tensor.matrix->columns}, order);
    return source;
  }
  const formats::WeightFormat* format = formats::FindWeightFormat(tensor.type);
  if (format == nullptr) {
    return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" has the type " +
                 tensor.type + ", which is not supported for weights; supported are " +
                 formats::WeightFormatNames()};
  }
  source.form = format->form;
  const RowLayout layout{format, tensor.shape.empty() ? 1 : tensor.shape.back(),
                         reinterpret_cast<const std::uint8_t*>(tensor.data().data())};
  if (format->form && tensor.shape.size() == 2) source.read_codes = CodesReader(layout, order);
  source.read_rows = tensor.shape.size() == 1 ? VectorReader(layout, order, tensor.add)
                                              : RowsReader(layout, order);
  const std::optional<tensor::DType> plain = PlainType(tensor.type);
  if (plain && tensor.shape.size() == 2 &&
      reinterpret_cast<std::uintptr_t>(layout.data) % tensor::ElementSize(*plain) == 0) {
    source.plain = plain;
    source.stored_rows = StoredRowsReader(layout, *plain, order);
  }
  return source;
}

}  // namespace sglrun::model
