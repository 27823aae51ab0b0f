#include "model/stored_tensor.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "model/formats/weight_format.h"

namespace sglrun::model {
namespace {

struct RowLayout {
  const WeightFormat* format = nullptr;
  std::int64_t columns = 1;
  const std::uint8_t* data = nullptr;

  void Read(std::int64_t first, std::int64_t count, float* out) const {
    const std::int64_t blocks = columns / format->block_elements;
    format->dequantize(data + first * blocks * format->block_bytes, count * blocks, out);
  }
  void ReadCodes(std::int64_t first, std::int64_t count, const QuantOut& out) const {
    const std::int64_t blocks = columns / format->block_elements;
    format->unpack(data + first * blocks * format->block_bytes, count * blocks, out);
  }
  std::int64_t groups() const { return format->form->Groups(columns); }
};

// Row r of Hugging Face's order within its head is pair r % half, part r / half; the converter put
// the two parts of a pair side by side.
std::int64_t InterleavedRow(std::int64_t row, std::int64_t head_rows) {
  const std::int64_t head = row / head_rows, within = row % head_rows, half = head_rows / 2;
  return head * head_rows + 2 * (within % half) + within / half;
}

std::function<void(std::int64_t, std::int64_t, float*)> InterleavedReader(const RowLayout& layout,
                                                                          std::int64_t head_rows) {
  return [layout, head_rows](std::int64_t first, std::int64_t count, float* out) {
    for (std::int64_t r = 0; r < count; ++r) {
      layout.Read(InterleavedRow(first + r, head_rows), 1, out + r * layout.columns);
    }
  };
}

std::function<void(std::int64_t, std::int64_t, const QuantOut&)> CodesReader(
    const RowLayout& layout, std::int64_t interleaved_head_rows) {
  if (interleaved_head_rows == 0) {
    return [layout](std::int64_t first, std::int64_t count, const QuantOut& out) {
      layout.ReadCodes(first, count, out);
    };
  }
  return [layout, head_rows = interleaved_head_rows](std::int64_t first, std::int64_t count,
                                                     const QuantOut& out) {
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t group = r * layout.groups();
      layout.ReadCodes(InterleavedRow(first + r, head_rows), 1,
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

// Rows of one part of an interleaved head lie two rows apart.
std::function<tensor::TensorView(std::int64_t, std::int64_t)> StoredRowsReader(
    const RowLayout& layout, tensor::DType dtype, std::int64_t head_rows) {
  return [layout, dtype, half = head_rows / 2, head_rows](std::int64_t first, std::int64_t count) {
    const std::int64_t rows = half == 0 ? count : std::min(count, half - first % half);
    const std::int64_t at = half == 0 ? first : InterleavedRow(first, head_rows);
    // Views of what is only read have no type of their own.
    auto* data =
        const_cast<std::uint8_t*>(layout.data) + at * layout.columns * layout.format->block_bytes;
    tensor::TensorView view = tensor::MakeView(data, dtype, {rows, layout.columns});
    if (half > 0) view.stride[0] *= 2;
    return view;
  };
}

// A bias is one row whose elements were moved as the matrix's rows were.
std::function<void(std::int64_t, std::int64_t, float*)> InterleavedVectorReader(
    const RowLayout& layout, std::int64_t head_rows) {
  return [layout, head_rows](std::int64_t, std::int64_t, float* out) {
    std::vector<float> stored(static_cast<std::size_t>(layout.columns));
    layout.Read(0, 1, stored.data());
    for (std::int64_t i = 0; i < layout.columns; ++i) {
      out[i] = stored[static_cast<std::size_t>(InterleavedRow(i, head_rows))];
    }
  };
}

}  // namespace

Result<TensorSource> MakeTensorSource(const StoredTensor& tensor) {
  const WeightFormat* format = FindWeightFormat(tensor.type);
  if (format == nullptr) {
    return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" has the type " +
                 tensor.type + ", which is not supported for weights; supported are " +
                 WeightFormatNames()};
  }
  TensorSource source{.name = tensor.name,
                      .shape = tensor.shape,
                      .type = tensor.type,
                      .bytes = static_cast<std::int64_t>(tensor.bytes),
                      .stored = tensor.data(),
                      .read_rows = nullptr,
                      .plain = std::nullopt,
                      .stored_rows = nullptr,
                      .form = format->form,
                      .read_codes = nullptr,
                      .drop_pages = nullptr};
  const RowLayout layout{format, tensor.shape.empty() ? 1 : tensor.shape.back(),
                         reinterpret_cast<const std::uint8_t*>(tensor.data().data())};
  const std::int64_t head_rows =
      tensor.interleaved_heads > 0 ? tensor.shape.front() / tensor.interleaved_heads : 0;
  if (format->form && tensor.shape.size() == 2) source.read_codes = CodesReader(layout, head_rows);
  if (head_rows > 0) {
    source.read_rows = tensor.shape.size() == 1 ? InterleavedVectorReader(layout, head_rows)
                                                : InterleavedReader(layout, head_rows);
  } else {
    source.read_rows = [layout](std::int64_t first, std::int64_t count, float* out) {
      layout.Read(first, count, out);
    };
  }
  const std::optional<tensor::DType> plain = PlainType(tensor.type);
  if (plain && tensor.shape.size() == 2 &&
      reinterpret_cast<std::uintptr_t>(layout.data) % tensor::ElementSize(*plain) == 0) {
    source.plain = plain;
    source.stored_rows = StoredRowsReader(layout, *plain, head_rows);
  }
  source.drop_pages = [file = tensor.file, first = tensor.begin](std::size_t begin,
                                                                 std::size_t bytes) {
    file->DropPages(first + begin, bytes);
  };
  return source;
}

}  // namespace sglrun::model
