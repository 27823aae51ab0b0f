#include "model/files/quantized_module.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "formats/dequantize.h"
#include "model/files/match_tensors.h"

namespace sglrun::model {
namespace {

using formats::CodeLayout;
using formats::QuantizedMatrix;
using formats::ScaleType;
using formats::ZeroLayout;
using Shape = std::vector<std::int64_t>;

const std::uint8_t* DataOf(const StoredTensor& tensor) {
  return reinterpret_cast<const std::uint8_t*>(tensor.data().data());
}

std::int64_t CeilDivide(std::int64_t value, std::int64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

Error Wrong(const StoredTensor& tensor, const std::string& sentence) {
  return Error{tensor.file->path() + ": tensor \"" + tensor.name + "\" " + sentence};
}

Error WrongShape(const StoredTensor& tensor, const std::string& expected) {
  return Wrong(tensor, "is " + ShapeText(tensor.shape) + ", expected " + expected);
}

std::optional<ScaleType> ScaleTypeOf(std::string_view type) {
  if (type == "F32") return ScaleType::kF32;
  if (type == "F16") return ScaleType::kF16;
  if (type == "BF16") return ScaleType::kBF16;
  if (type == "F8_E4M3") return ScaleType::kF8E4M3;
  if (type == "F8_E8M0" || type == "U8") return ScaleType::kF8E8M0;
  return std::nullopt;
}

// Zero and negative scales are legal: some writers make them.
Status CheckFinite(const StoredTensor& scales, ScaleType type) {
  const std::int64_t bytes = formats::ScaleBytes(type);
  const std::int64_t count = static_cast<std::int64_t>(scales.bytes) / bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    float scale = 0;
    formats::ReadScales(DataOf(scales) + i * bytes, type, 1, &scale);
    if (!std::isfinite(scale)) {
      return Wrong(scales, std::string("holds ") + (std::isnan(scale) ? "NaN" : "infinity") +
                               " as number " + std::to_string(i) + ", scales must be finite");
    }
  }
  return {};
}

// Reads the tensors of one module into a matrix.
class ModuleReader {
 public:
  explicit ModuleReader(const QuantizedModule& module) : module_(module) {
    result_.matrix.rows = module.rows;
    result_.matrix.columns = module.columns;
    result_.matrix.codes = DataOf(*module.codes);
  }

  QuantizedMatrix& matrix() { return result_.matrix; }
  std::int64_t rows() const { return module_.rows; }
  std::int64_t columns() const { return module_.columns; }
  const Quantization& config() const { return *module_.config; }
  const StoredTensor& codes() const { return *module_.codes; }
  const Shape& shape() const { return module_.codes->shape; }
  std::string MatrixText() const { return "a matrix of " + ShapeText({rows(), columns()}); }

  ModuleMatrix Take(const std::string& type) && {
    result_.type = type;
    return std::move(result_);
  }

  void Warn(const Error& what) { result_.warning = what.message; }

  // The module's tensor with the first of these names, if there is one.
  const StoredTensor* Find(std::initializer_list<std::string_view> suffixes) {
    for (const std::string_view suffix : suffixes) {
      StoredTensor* tensor = module_.find(module_.name + std::string(suffix));
      if (tensor == nullptr) continue;
      result_.companions.push_back(tensor);
      return tensor;
    }
    return nullptr;
  }

  Result<const StoredTensor*> Need(std::initializer_list<std::string_view> suffixes) {
    const StoredTensor* tensor = Find(suffixes);
    if (tensor != nullptr) return tensor;
    return Wrong(codes(), "has no " + module_.name + std::string(*suffixes.begin()) + " beside it");
  }

  Status RequireType(const StoredTensor& tensor, std::string_view type) const {
    if (tensor.type == type) return {};
    return Wrong(tensor, "has the type " + tensor.type + ", expected " + std::string(type));
  }

  Status RequireShape(const StoredTensor& tensor, const Shape& shape,
                      const std::string& why) const {
    if (tensor.shape == shape) return {};
    return WrongShape(tensor, ShapeText(shape) + ": " + why);
  }

  Status SetScales(const StoredTensor& tensor, std::int64_t row_block, std::int64_t row_stride,
                   std::int64_t group_stride) {
    const std::optional<ScaleType> type = ScaleTypeOf(tensor.type);
    if (!type) {
      return Wrong(tensor, "has the type " + tensor.type +
                               ", expected F32, F16, BF16, F8_E4M3 or F8_E8M0 for scales");
    }
    SGLRUN_RETURN_IF_ERROR(CheckFinite(tensor, *type));
    matrix().scales = DataOf(tensor);
    matrix().scale_type = *type;
    matrix().row_block = row_block;
    matrix().row_stride = row_stride;
    matrix().group_stride = group_stride;
    return {};
  }

  // The size of the groups of a row, of which there are as many as the scales' dimension `axis`.
  Status SetGroups(const StoredTensor& scales, std::size_t axis) {
    const std::int64_t groups = scales.shape[axis];
    const std::int64_t stated = config().group_size.value_or(0);
    matrix().groups = groups;
    matrix().group_size = stated > 0 ? stated : columns();
    const std::int64_t expected = CeilDivide(columns(), matrix().group_size);
    if (groups == expected) return {};
    const bool may_differ = config().varies || !config().group_size;
    if (may_differ && groups > 0 && columns() % groups == 0) {
      matrix().group_size = columns() / groups;
      return {};
    }
    Shape shape = {rows(), rows()};
    shape[axis] = expected;
    return RequireShape(scales, shape, GroupsText());
  }

  std::string GroupsText() const {
    return std::to_string(columns()) + " inputs in groups of " +
           std::to_string(result_.matrix.group_size);
  }

  Status CheckBits(std::int64_t bits) const {
    if (config().varies || !config().bits || *config().bits == bits) return {};
    return Wrong(codes(), "is " + ShapeText(shape()) + ", which is " + std::to_string(bits) +
                              " bits for " + std::to_string(columns()) + " inputs; " +
                              config().place + " says " + std::to_string(*config().bits) + " bits");
  }

  // The order in which the columns were quantised: the group of each.
  Status SetOrder(const StoredTensor& order) {
    SGLRUN_RETURN_IF_ERROR(RequireType(order, "I32"));
    if (order.shape == Shape{0}) return {};  // some writers leave it empty
    SGLRUN_RETURN_IF_ERROR(RequireShape(order, {columns()}, "one group for each input"));
    std::vector<std::int32_t> groups(static_cast<std::size_t>(columns()));
    for (std::size_t k = 0; k < groups.size(); ++k) {
      groups[k] = formats::LoadUnaligned<std::int32_t>(DataOf(order) + 4 * k);
      if (groups[k] < 0 || groups[k] >= matrix().groups) {
        return Wrong(order, "holds " + std::to_string(groups[k]) + " as number " +
                                std::to_string(k) + ", expected a group from 0 to " +
                                std::to_string(matrix().groups - 1));
      }
    }
    matrix().group_of_column = std::move(groups);
    return {};
  }

  // "gptq 4-bit group 128"
  std::string IntegerType(const std::string& name) const {
    const QuantizedMatrix& m = result_.matrix;
    std::string text = name + " " + std::to_string(m.bits) + "-bit ";
    text += m.group_size == columns() ? "row" : "group " + std::to_string(m.group_size);
    return m.group_of_column.empty() ? text : text + " act-order";
  }

 private:
  const QuantizedModule& module_;
  ModuleMatrix result_;
};

// ---- qweight: GPTQ and AWQ ----

// [groups, rows], as both have them.
Status ReadGroupScales(ModuleReader& reader) {
  SGLRUN_ASSIGN_OR_RETURN(const StoredTensor* scales, reader.Need({".scales"}));
  if (scales->shape.size() != 2 || scales->shape[1] != reader.rows()) {
    return WrongShape(*scales, "[groups, " + std::to_string(reader.rows()) + "]");
  }
  SGLRUN_RETURN_IF_ERROR(reader.SetGroups(*scales, 0));
  return reader.SetScales(*scales, 1, 1, reader.rows());
}

Result<ModuleMatrix> ReadAwq(ModuleReader reader) {
  QuantizedMatrix& m = reader.matrix();
  m.code_layout = CodeLayout::kAwq;
  m.bits = 4;
  SGLRUN_RETURN_IF_ERROR(reader.CheckBits(4));
  SGLRUN_RETURN_IF_ERROR(ReadGroupScales(reader));
  m.zero = 8;
  if (const StoredTensor* zeros = reader.Find({".qzeros"})) {
    SGLRUN_RETURN_IF_ERROR(reader.RequireType(*zeros, "I32"));
    SGLRUN_RETURN_IF_ERROR(reader.RequireShape(*zeros, {m.groups, m.rows / 8},
                                               "eight zero points a word, " + reader.GroupsText()));
    m.zero_layout = ZeroLayout::kAwq;
    m.zeros = DataOf(*zeros);
    m.zero = 0;
  }
  const std::string type = reader.IntegerType("awq");
  return std::move(reader).Take(type);
}

// What a symmetric checkpoint stores as zero points tells its version, whatever its configuration
// says: some say the first and are the second. Nothing if they are not all the same.
std::optional<bool> StoresZerosLessOne(const QuantizedMatrix& m) {
  const std::int32_t half = 1 << (m.bits - 1), found = m.ZeroAt(0, 0);
  if (found != half && found != half - 1) return std::nullopt;
  for (std::int64_t group = 0; group < m.groups; ++group) {
    for (std::int64_t row = 0; row < m.rows; ++row) {
      if (m.ZeroAt(row, group) != found) return std::nullopt;
    }
  }
  return found == half - 1;
}

Status ReadGptqZeros(ModuleReader& reader) {
  QuantizedMatrix& m = reader.matrix();
  SGLRUN_ASSIGN_OR_RETURN(const StoredTensor* zeros, reader.Need({".qzeros"}));
  SGLRUN_RETURN_IF_ERROR(reader.RequireType(*zeros, "I32"));
  SGLRUN_RETURN_IF_ERROR(reader.RequireShape(*zeros, {m.groups, CeilDivide(m.rows * m.bits, 32)},
                                             std::to_string(m.bits) + " bits of " +
                                                 std::to_string(m.rows) + " outputs, " +
                                                 reader.GroupsText()));
  m.zero_layout = ZeroLayout::kAlongRows;
  m.zeros = DataOf(*zeros);
  bool less_one = reader.config().zeros_less_one;
  if (reader.config().symmetric) less_one = StoresZerosLessOne(m).value_or(less_one);
  m.zero = less_one ? 1 : 0;
  if (less_one != reader.config().zeros_less_one) {
    reader.Warn(Wrong(*zeros, std::string("holds zero points of ") +
                                  (less_one ? "gptq" : "gptq_v2") + ", although " +
                                  reader.config().place +
                                  " says otherwise; they are read as such"));
  }
  return {};
}

Result<ModuleMatrix> ReadGptq(ModuleReader reader) {
  QuantizedMatrix& m = reader.matrix();
  m.code_layout = CodeLayout::kAlongRows;
  m.bits = static_cast<int>(32 * reader.shape()[0] / m.columns);
  SGLRUN_RETURN_IF_ERROR(reader.CheckBits(m.bits));
  SGLRUN_RETURN_IF_ERROR(ReadGroupScales(reader));
  SGLRUN_RETURN_IF_ERROR(ReadGptqZeros(reader));
  if (const StoredTensor* order = reader.Find({".g_idx"})) {
    SGLRUN_RETURN_IF_ERROR(reader.SetOrder(*order));
  }
  // The usual order is none.
  const auto& groups = m.group_of_column;
  bool is_usual = true;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    is_usual = is_usual && groups[k] == static_cast<std::int64_t>(k) / m.group_size;
  }
  if (is_usual) m.group_of_column.clear();
  const std::string type = reader.IntegerType("gptq");
  return std::move(reader).Take(type);
}

Result<ModuleMatrix> ReadQweight(const QuantizedModule& module) {
  ModuleReader reader(module);
  const Shape& shape = reader.shape();
  const std::int64_t n = reader.rows(), k = reader.columns();
  const std::string& method = reader.config().method;
  const bool is_awq = shape.size() == 2 && n % 8 == 0 && shape == Shape{k, n / 8};
  bool is_gptq = false;
  for (const std::int64_t bits : {2, 3, 4, 8}) {
    is_gptq = is_gptq || (k * bits % 32 == 0 && shape == Shape{k * bits / 32, n});
  }
  const bool may_be_awq = method != "gptq", may_be_gptq = method != "awq";
  if (is_awq && may_be_awq) return ReadAwq(std::move(reader));
  if (is_gptq && may_be_gptq) return ReadGptq(std::move(reader));
  std::string expected;
  if (may_be_awq) expected = ShapeText({k, n / 8}) + " (awq)";
  if (may_be_gptq) {
    expected += expected.empty() ? "" : " or ";
    expected += ShapeText({k * reader.config().bits.value_or(4) / 32, n}) + " (gptq)";
  }
  return WrongShape(reader.codes(),
                    expected + " for " + reader.MatrixText() + " by the method " + method);
}

// ---- compressed-tensors' pack-quantized ----

// The bits with which a row takes so many words: those of the configuration, if they agree.
Result<int> BitsOfRow(const ModuleReader& reader) {
  const auto fits = [&](std::int64_t bits) {
    return reader.shape() == Shape{reader.rows(), CeilDivide(reader.columns() * bits, 32)};
  };
  const Quantization& config = reader.config();
  if (config.bits && *config.bits >= 2 && *config.bits <= 8 && fits(*config.bits)) {
    return static_cast<int>(*config.bits);
  }
  for (int bits = 2; bits <= 8; ++bits) {
    if (!fits(bits)) continue;
    SGLRUN_RETURN_IF_ERROR(reader.CheckBits(bits));
    return bits;
  }
  return WrongShape(
      reader.codes(),
      ShapeText({reader.rows(), CeilDivide(reader.columns() * config.bits.value_or(4), 32)}) +
          " for " + reader.MatrixText() + " of " + std::to_string(config.bits.value_or(4)) +
          " bits");
}

Status CheckStatedShape(ModuleReader& reader) {
  const StoredTensor* stated = reader.Find({".weight_shape"});
  if (stated == nullptr) return {};
  SGLRUN_RETURN_IF_ERROR(reader.RequireShape(*stated, {2}, "the two sizes of a matrix"));
  Shape sizes;
  for (std::size_t i = 0; i < 2; ++i) {
    sizes.push_back(
        stated->type == "I64"   ? formats::LoadUnaligned<std::int64_t>(DataOf(*stated) + 8 * i)
        : stated->type == "I32" ? formats::LoadUnaligned<std::int32_t>(DataOf(*stated) + 4 * i)
                                : -1);
  }
  if (sizes == Shape{reader.rows(), reader.columns()}) return {};
  return Wrong(*stated, "holds " + ShapeText(sizes) + ", expected " +
                            ShapeText({reader.rows(), reader.columns()}));
}

// [rows, groups]
Status ReadRowScales(ModuleReader& reader, const StoredTensor& scales) {
  if (scales.shape.size() != 2 || scales.shape[0] != reader.rows()) {
    return WrongShape(scales, "[" + std::to_string(reader.rows()) + ", groups]");
  }
  SGLRUN_RETURN_IF_ERROR(reader.SetGroups(scales, 1));
  return reader.SetScales(scales, 1, reader.matrix().groups, 1);
}

Result<ModuleMatrix> ReadPacked(const QuantizedModule& module) {
  ModuleReader reader(module);
  QuantizedMatrix& m = reader.matrix();
  m.code_layout = CodeLayout::kAlongColumns;
  SGLRUN_ASSIGN_OR_RETURN(m.bits, BitsOfRow(reader));
  SGLRUN_RETURN_IF_ERROR(CheckStatedShape(reader));
  SGLRUN_ASSIGN_OR_RETURN(const StoredTensor* scales, reader.Need({".weight_scale"}));
  SGLRUN_RETURN_IF_ERROR(ReadRowScales(reader, *scales));
  m.zero = 1 << (m.bits - 1);
  if (const StoredTensor* zeros = reader.Find({".weight_zero_point"})) {
    SGLRUN_RETURN_IF_ERROR(reader.RequireType(*zeros, "I32"));
    SGLRUN_RETURN_IF_ERROR(reader.RequireShape(*zeros, {CeilDivide(m.rows * m.bits, 32), m.groups},
                                               std::to_string(m.bits) + " bits of " +
                                                   std::to_string(m.rows) + " outputs, " +
                                                   reader.GroupsText()));
    m.zero_layout = ZeroLayout::kDownRows;
    m.zeros = DataOf(*zeros);
    m.zero = 0;
  }
  if (const StoredTensor* order = reader.Find({".weight_g_idx"})) {
    SGLRUN_RETURN_IF_ERROR(reader.SetOrder(*order));
  }
  const std::string type = reader.IntegerType("pack-quantized");
  return std::move(reader).Take(type);
}

// ---- weight: 8 bits ----

Status RequireWeightShape(const ModuleReader& reader) {
  return reader.RequireShape(reader.codes(), {reader.rows(), reader.columns()},
                             "the sizes that the model has");
}

// One scale for the matrix, or one for each row. Returns false if the shape is neither.
bool IsWholeOrRows(const ModuleReader& reader, const StoredTensor& scales, bool& is_whole) {
  std::int64_t count = 1;
  for (const std::int64_t extent : scales.shape) count *= extent;
  const std::int64_t n = reader.rows();
  is_whole = count == 1;
  return is_whole || scales.shape == Shape{n} || scales.shape == Shape{n, 1};
}

Result<ModuleMatrix> ReadFloat8(const QuantizedModule& module) {
  ModuleReader reader(module);
  QuantizedMatrix& m = reader.matrix();
  m.code_layout = CodeLayout::kFloat8;
  m.group_size = m.columns;
  SGLRUN_RETURN_IF_ERROR(RequireWeightShape(reader));
  SGLRUN_ASSIGN_OR_RETURN(
      const StoredTensor* scales,
      reader.Need({".weight_scale", ".weight_scale_inv", ".scale", ".qscale_weight"}));
  bool is_whole = false;
  if (IsWholeOrRows(reader, *scales, is_whole)) {
    SGLRUN_RETURN_IF_ERROR(reader.SetScales(*scales, 1, is_whole ? 0 : 1, 0));
    return std::move(reader).Take(is_whole ? "fp8 tensor" : "fp8 row");
  }
  const auto [block_rows, block_columns] =
      reader.config().block.value_or(std::pair<std::int64_t, std::int64_t>{128, 128});
  const std::string block = std::to_string(block_rows) + "x" + std::to_string(block_columns);
  m.groups = CeilDivide(m.columns, block_columns);
  m.group_size = block_columns;
  const Shape blocks = {CeilDivide(m.rows, block_rows), m.groups};
  if (scales->shape != blocks) {
    return WrongShape(*scales, "[1], " + ShapeText({m.rows, 1}) + " or " + ShapeText(blocks) +
                                   " (blocks of " + block + ")");
  }
  SGLRUN_RETURN_IF_ERROR(reader.SetScales(*scales, block_rows, m.groups, 1));
  return std::move(reader).Take("fp8 block " + block);
}

Result<ModuleMatrix> ReadInt8(const QuantizedModule& module) {
  ModuleReader reader(module);
  QuantizedMatrix& m = reader.matrix();
  m.code_layout = CodeLayout::kInt8;
  m.group_size = m.columns;
  SGLRUN_RETURN_IF_ERROR(RequireWeightShape(reader));
  SGLRUN_RETURN_IF_ERROR(reader.CheckBits(8));
  SGLRUN_ASSIGN_OR_RETURN(const StoredTensor* scales, reader.Need({".weight_scale"}));
  bool is_whole = false;
  if (IsWholeOrRows(reader, *scales, is_whole)) {
    SGLRUN_RETURN_IF_ERROR(reader.SetScales(*scales, 1, is_whole ? 0 : 1, 0));
  } else {
    SGLRUN_RETURN_IF_ERROR(ReadRowScales(reader, *scales));
  }
  if (const StoredTensor* zeros = reader.Find({".weight_zero_point"})) {
    SGLRUN_RETURN_IF_ERROR(reader.RequireType(*zeros, "I8"));
    SGLRUN_RETURN_IF_ERROR(
        reader.RequireShape(*zeros, {m.rows, m.groups}, "one zero point for each scale"));
    m.zero_layout = ZeroLayout::kInt8;
    m.zeros = DataOf(*zeros);
  }
  return std::move(reader).Take(is_whole ? "int8 tensor" : "int8 row");
}

constexpr QuantizedKind kKinds[] = {
    {".qweight", "I32", ReadQweight},
    {".weight_packed", "I32", ReadPacked},
    {".weight", "F8_E4M3", ReadFloat8},
    {".weight", "I8", ReadInt8},
};

}  // namespace

const QuantizedKind* FindQuantizedKind(const StoredTensor& tensor) {
  for (const QuantizedKind& kind : kKinds) {
    if (tensor.type == kind.type && tensor.name.ends_with(kind.suffix)) return &kind;
  }
  return nullptr;
}

}  // namespace sglrun::model
