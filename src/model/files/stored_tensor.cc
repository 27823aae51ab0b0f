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

// Half order has first the parts a of a head's pairs, then the parts b, then what does not rotate;
// this is the place of its row among adjacent pairs.
std::int64_t PairedRow(std::int64_t row, const RotatedRows& pairs) {
  const std::int64_t within = row % pairs.size, half = pairs.rotary / 2;
  if (within >= pairs.rotary) return row;
  return row - within + 2 * (within % half) + within / half;
}

std::function<void(std::int64_t, std::int64_t, float*)> PairedReader(const RowLayout& layout,
                                                                     const RotatedRows& pairs) {
  return [layout, pairs](std::int64_t first, std::int64_t count, float* out) {
    for (std::int64_t r = 0; r < count; ++r) {
      layout.Read(PairedRow(first + r, pairs), 1, out + r * layout.columns);
    }
  };
}

std::function<void(std::int64_t, std::int64_t, const formats::QuantOut&)> CodesReader(
    const RowLayout& layout, const RotatedRows& pairs) {
  if (pairs.heads == 0) {
    return [layout](std::int64_t first, std::int64_t count, const formats::QuantOut& out) {
      layout.ReadCodes(first, count, out);
    };
  }
  return [layout, pairs](std::int64_t first, std::int64_t count, const formats::QuantOut& out) {
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t group = r * layout.groups();
      layout.ReadCodes(PairedRow(first + r, pairs), 1,
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

// Rows of one part of a head's pairs lie two rows apart.
std::function<tensor::TensorView(std::int64_t, std::int64_t)> StoredRowsReader(
    const RowLayout& layout, tensor::DType dtype, const RotatedRows& pairs) {
  return [layout, dtype, pairs](std::int64_t first, std::int64_t count) {
    const bool has_pairs = pairs.heads > 0;
    const std::int64_t within = has_pairs ? first % pairs.size : 0, half = pairs.rotary / 2;
    const bool rotates = has_pairs && within < pairs.rotary;
    std::int64_t rows = count;
    if (has_pairs) rows = std::min(count, rotates ? half - within % half : pairs.size - within);
    const std::int64_t at = has_pairs ? PairedRow(first, pairs) : first;
    // Views of what is only read have no type of their own.
    auto* data =
        const_cast<std::uint8_t*>(layout.data) + at * layout.columns * layout.format->block_bytes;
    tensor::TensorView view = tensor::MakeView(data, dtype, {rows, layout.columns});
    if (rotates) view.stride[0] *= 2;
    return view;
  };
}

// A vector is one row, whose elements were moved as a matrix's rows are.
std::function<void(std::int64_t, std::int64_t, float*)> VectorReader(const RowLayout& layout,
                                                                     const StoredTensor& tensor) {
  return [layout, pairs = tensor.pairs, add = tensor.add](std::int64_t, std::int64_t, float* out) {
    std::vector<float> stored(static_cast<std::size_t>(layout.columns));
    layout.Read(0, 1, stored.data());
    for (std::int64_t i = 0; i < layout.columns; ++i) {
      const std::int64_t from = pairs.heads > 0 ? PairedRow(i, pairs) : i;
      out[i] = stored[static_cast<std::size_t>(from)] + add;
    }
  };
}

}  // namespace

Result<TensorSource> MakeTensorSource(const StoredTensor& tensor) {
  const formats::WeightFormat* format = formats::FindWeightFormat(tensor.type);
  if (format == nullptr) {
    return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" has the type " +
                 tensor.type + ", which is not supported for weights; supported are " +
                 formats::WeightFormatNames()};
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
  if (format->form && tensor.shape.size() == 2) {
    source.read_codes = CodesReader(layout, tensor.pairs);
  }
  if (tensor.shape.size() == 1) {
    source.read_rows = VectorReader(layout, tensor);
  } else if (tensor.pairs.heads > 0) {
    source.read_rows = PairedReader(layout, tensor.pairs);
  } else {
    source.read_rows = [layout](std::int64_t first, std::int64_t count, float* out) {
      layout.Read(first, count, out);
    };
  }
  const std::optional<tensor::DType> plain = PlainType(tensor.type);
  if (plain && tensor.shape.size() == 2 &&
      reinterpret_cast<std::uintptr_t>(layout.data) % tensor::ElementSize(*plain) == 0) {
    source.plain = plain;
    source.stored_rows = StoredRowsReader(layout, *plain, tensor.pairs);
  }
  source.drop_pages = [file = tensor.file, first = tensor.begin](std::size_t begin,
                                                                 std::size_t bytes) {
    file->DropPages(first + begin, bytes);
  };
  return source;
}

}  // namespace sglrun::model
