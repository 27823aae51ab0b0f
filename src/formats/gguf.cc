#include "formats/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "base/utf8.h"
#include "formats/gguf_types.h"
#include "formats/weight_format.h"

namespace sglrun::formats {
namespace {

constexpr std::uint32_t kFloat32 = 6, kBool = 7, kString = 8, kArray = 9, kFloat64 = 12;
constexpr std::uint32_t kUint32 = 4;
constexpr int kMaxArrayDepth = 4;
constexpr std::size_t kMaxTensorName = 63;
constexpr std::uint32_t kMaxDims = 4;
// The minimum sizes of a key and of a tensor description; they limit the counts by the remaining
// bytes.
constexpr std::uint64_t kMinKeyBytes = 8 + 1 + 4 + 1;
constexpr std::uint64_t kMinTensorBytes = 8 + 1 + 4 + 4 + 8;

// Bytes of a scalar of this type, 0 for strings, arrays and unknown types.
std::size_t ScalarBytes(std::uint32_t type) {
  static constexpr std::size_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

std::string QuotedKey(std::string_view text) {
  return "\"" + ToValidUtf8(text.substr(0, 80)) + "\"";
}

// Reads forward through the file and checks the remaining size at every step.
class Reader {
 public:
  Reader(std::string_view file, std::string place) : file_(file), place_(std::move(place)) {}

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return file_.size() - position_; }
  const std::string& place() const { return place_; }

  Error Fail(const std::string& what) const { return Error{place_ + ": " + what}; }
  Error CutShort(const std::string& what) const {
    return Error{place_ + " is cut short: " + what + " at byte " + std::to_string(position_) +
                 " goes beyond the " + std::to_string(file_.size()) +
                 " bytes of the file: download it again"};
  }

  template <class T>
  Result<T> Number(const char* what) {
    if (remaining() < sizeof(T)) return CutShort(what);
    T value;
    std::memcpy(&value, file_.data() + position_, sizeof value);
    position_ += sizeof value;
    return value;
  }

  Result<std::string_view> String(const char* what) {
    SGLRUN_ASSIGN_OR_RETURN(const auto length, Number<std::uint64_t>(what));
    if (length > remaining()) return CutShort(what);
    const std::string_view text = file_.substr(position_, static_cast<std::size_t>(length));
    position_ += text.size();
    return text;
  }

  Result<GgufValue> Value(std::uint32_t type);

 private:
  template <class T>
  GgufValue TakeInteger(std::uint32_t type) {
    const T value = Take<T>();
    if constexpr (sizeof(T) == 8 && !std::is_signed_v<T>) {
      if (value > static_cast<T>(std::numeric_limits<std::int64_t>::max())) {
        return {static_cast<double>(value), type};
      }
    }
    return {static_cast<std::int64_t>(value), type};
  }
  template <class T>
  T Take() {
    T value;
    std::memcpy(&value, file_.data() + position_, sizeof value);
    position_ += sizeof value;
    return value;
  }
  GgufValue TakeScalar(std::uint32_t type);
  Result<GgufValue> Array(int depth);

  std::string_view file_;
  std::string place_;
  std::size_t position_ = 0;
};

// The caller has checked that the bytes are there.
GgufValue Reader::TakeScalar(std::uint32_t type) {
  switch (type) {
    case 0:
      return TakeInteger<std::uint8_t>(type);
    case 1:
      return TakeInteger<std::int8_t>(type);
    case 2:
      return TakeInteger<std::uint16_t>(type);
    case 3:
      return TakeInteger<std::int16_t>(type);
    case 4:
      return TakeInteger<std::uint32_t>(type);
    case 5:
      return TakeInteger<std::int32_t>(type);
    case 10:
      return TakeInteger<std::uint64_t>(type);
    case 11:
      return TakeInteger<std::int64_t>(type);
    case kFloat32:
      return {static_cast<double>(Take<float>()), type};
    case kFloat64:
      return {Take<double>(), type};
    default:
      return {Take<std::uint8_t>() != 0, type};
  }
}

Result<GgufValue> Reader::Array(int depth) {
  if (depth > kMaxArrayDepth) return Fail("arrays are nested deeper than 4 levels");
  SGLRUN_ASSIGN_OR_RETURN(const auto element, Number<std::uint32_t>("an array's type"));
  SGLRUN_ASSIGN_OR_RETURN(const auto count, Number<std::uint64_t>("an array's length"));
  const std::size_t scalar = ScalarBytes(element);
  if (scalar == 0 && element != kString && element != kArray) {
    return Fail("an array has the unknown element type " + std::to_string(element));
  }
  // A string needs 8 bytes, an inner array 12.
  const std::size_t least = scalar != 0 ? scalar : element == kString ? 8 : 12;
  if (count > remaining() / least) return CutShort("an array");
  GgufValue result{{}, kArray};
  if (element == kArray) {
    for (std::uint64_t i = 0; i < count; ++i) SGLRUN_RETURN_IF_ERROR(Array(depth + 1));
    return result;
  }
  if (element == kString) {
    std::vector<std::string_view> strings;
    strings.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      SGLRUN_ASSIGN_OR_RETURN(const std::string_view text, String("a string of an array"));
      strings.push_back(text);
    }
    result.value = std::move(strings);
    return result;
  }
  const auto fill = [&]<class T>(std::vector<T> items) {
    items.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      const GgufValue item = TakeScalar(element);
      const T* same_kind = std::get_if<T>(&item.value);
      // Only an uint64 beyond int64 is of another kind; no list of ids or sizes holds one.
      items.push_back(same_kind != nullptr ? *same_kind : std::numeric_limits<T>::max());
    }
    result.value = std::move(items);
  };
  if (element == kBool) {
    fill(std::vector<bool>());
  } else if (element == kFloat32 || element == kFloat64) {
    fill(std::vector<double>());
  } else {
    fill(std::vector<std::int64_t>());
  }
  return result;
}

Result<GgufValue> Reader::Value(std::uint32_t type) {
  if (type == kArray) return Array(1);
  if (type == kString) {
    SGLRUN_ASSIGN_OR_RETURN(const std::string_view text, String("a string"));
    return GgufValue{text, type};
  }
  const std::size_t bytes = ScalarBytes(type);
  if (bytes == 0) return Fail("the unknown value type " + std::to_string(type));
  if (remaining() < bytes) return CutShort("a value");
  return TakeScalar(type);
}

struct Counts {
  std::uint64_t tensors = 0;
  std::uint64_t keys = 0;
};

Result<Counts> ReadPreamble(Reader& reader) {
  SGLRUN_ASSIGN_OR_RETURN(const auto magic, reader.Number<std::uint32_t>("the magic number"));
  if (magic != 0x46554747u) return reader.Fail("the file does not begin with GGUF");
  SGLRUN_ASSIGN_OR_RETURN(const auto version, reader.Number<std::uint32_t>("the version"));
  if ((version & 0xFFFFu) == 0 && version != 0) {
    return reader.Fail("this is a big-endian GGUF file; only little-endian ones are read");
  }
  if (version != 2 && version != 3) {
    return reader.Fail("GGUF version " + std::to_string(version) + ", versions 2 and 3 are read");
  }
  Counts counts;
  SGLRUN_ASSIGN_OR_RETURN(counts.tensors, reader.Number<std::uint64_t>("the tensor count"));
  SGLRUN_ASSIGN_OR_RETURN(counts.keys, reader.Number<std::uint64_t>("the key count"));
  if (counts.keys > reader.remaining() / kMinKeyBytes) {
    return reader.CutShort(std::to_string(counts.keys) + " metadata keys");
  }
  if (counts.tensors > reader.remaining() / kMinTensorBytes) {
    return reader.CutShort(std::to_string(counts.tensors) + " tensor descriptions");
  }
  return counts;
}

Status ReadMetadata(Reader& reader, std::uint64_t count, GgufFile& gguf) {
  for (std::uint64_t i = 0; i < count; ++i) {
    SGLRUN_ASSIGN_OR_RETURN(const std::string_view key, reader.String("a key"));
    if (key.empty()) return reader.Fail("a metadata key is empty");
    SGLRUN_ASSIGN_OR_RETURN(const auto type, reader.Number<std::uint32_t>("a value's type"));
    auto value = reader.Value(type);
    if (!value.ok()) return Error{value.error().message + " (key " + QuotedKey(key) + ")"};
    if (!gguf.metadata.emplace(key, std::move(*value)).second) {
      return reader.Fail("the key " + QuotedKey(key) + " occurs twice");
    }
  }
  return {};
}

Result<std::uint64_t> ReadAlignment(const GgufFile& gguf) {
  const auto found = gguf.metadata.find("general.alignment");
  if (found == gguf.metadata.end()) return std::uint64_t{32};
  const auto* value = std::get_if<std::int64_t>(&found->second.value);
  if (found->second.type != kUint32 || value == nullptr || *value == 0 ||
      !std::has_single_bit(static_cast<std::uint64_t>(*value))) {
    return Error{gguf.place + ": general.alignment must be a power of two of type u32"};
  }
  return static_cast<std::uint64_t>(*value);
}

// Bytes of a tensor; checks dimensions and blocks.
Result<std::size_t> TensorBytes(const GgufTensorType& type,
                                const std::vector<std::int64_t>& fastest_first,
                                const std::string& where) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : fastest_first) {
    if (extent <= 0) return Error{where + " has a dimension that is not in [1, 2^63)"};
    if (__builtin_mul_overflow(elements, extent, &elements)) {
      return Error{where + " has more than 2^63 elements"};
    }
  }
  const std::int64_t row = fastest_first.empty() ? 1 : fastest_first[0];
  if (row % type.block_elements != 0) {
    return Error{where + " has rows of " + std::to_string(row) + " elements, " +
                 std::string(type.name) + " needs a multiple of " +
                 std::to_string(type.block_elements)};
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements / type.block_elements, type.block_bytes, &bytes)) {
    return Error{where + " has more than 2^63 bytes"};
  }
  return static_cast<std::size_t>(bytes);
}

// `begin` of the result is relative to the data.
Result<GgufTensor> ReadTensor(Reader& reader, std::uint64_t alignment) {
  GgufTensor tensor;
  SGLRUN_ASSIGN_OR_RETURN(tensor.name, reader.String("a tensor's name"));
  const std::string where = reader.place() + ": tensor " + QuotedKey(tensor.name);
  if (tensor.name.empty() || tensor.name.size() > kMaxTensorName) {
    return Error{where + " has a name of " + std::to_string(tensor.name.size()) +
                 " bytes, must be 1 to 63"};
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto dims, reader.Number<std::uint32_t>("a tensor's rank"));
  if (dims > kMaxDims) {
    return Error{where + " has " + std::to_string(dims) + " dimensions, at most 4 are allowed"};
  }
  for (std::uint32_t i = 0; i < dims; ++i) {
    SGLRUN_ASSIGN_OR_RETURN(const auto extent, reader.Number<std::int64_t>("a dimension"));
    tensor.shape.push_back(extent);
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto id, reader.Number<std::uint32_t>("a tensor's type"));
  const GgufTensorType* type = FindGgufTensorType(id);
  if (type == nullptr) return Error{where + " has the unknown type " + std::to_string(id)};
  if (type->block_bytes == 0) {
    return Error{where + " has the type " + std::string(type->name) +
                 ", which is not supported; supported are " + WeightFormatNames()};
  }
  tensor.type = type->name;
  SGLRUN_ASSIGN_OR_RETURN(tensor.bytes, TensorBytes(*type, tensor.shape, where));
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  SGLRUN_ASSIGN_OR_RETURN(const auto offset, reader.Number<std::uint64_t>("a tensor's offset"));
  if (offset % alignment != 0) {
    return Error{where + " is at offset " + std::to_string(offset) +
                 ", must be a multiple of the alignment " + std::to_string(alignment)};
  }
  tensor.begin = static_cast<std::size_t>(offset);
  return tensor;
}

// Every tensor, with its padding, lies inside the data; none overlaps another.
Status CheckPlaces(const Reader& reader, const std::vector<GgufTensor>& tensors,
                   std::uint64_t alignment, std::uint64_t data_bytes) {
  std::vector<const GgufTensor*> order;
  for (const GgufTensor& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->begin < b->begin; });
  std::uint64_t last_end = 0;
  for (const GgufTensor* tensor : order) {
    const std::string where = "tensor " + QuotedKey(tensor->name);
    std::uint64_t end = 0;
    // bytes < 2^63 and alignment < 2^32: this sum cannot wrap, the next one can.
    const std::uint64_t padded = (tensor->bytes + alignment - 1) / alignment * alignment;
    if (__builtin_add_overflow(tensor->begin, padded, &end) || end > data_bytes) {
      return Error{reader.place() + " is cut short: " + where + " takes " +
                   std::to_string(tensor->bytes) + " bytes at offset " +
                   std::to_string(tensor->begin) + ", the file holds " +
                   std::to_string(data_bytes) + " bytes of data: download it again"};
    }
    if (tensor->begin < last_end) return reader.Fail(where + " overlaps another tensor");
    last_end = end;
  }
  return {};
}

Status ReadTensors(Reader& reader, std::string_view file, std::uint64_t count, GgufFile& gguf) {
  SGLRUN_ASSIGN_OR_RETURN(const std::uint64_t alignment, ReadAlignment(gguf));
  std::unordered_set<std::string_view> names;
  for (std::uint64_t i = 0; i < count; ++i) {
    SGLRUN_ASSIGN_OR_RETURN(GgufTensor tensor, ReadTensor(reader, alignment));
    if (!names.insert(tensor.name).second) {
      return reader.Fail("tensor " + QuotedKey(tensor.name) + " occurs twice");
    }
    gguf.tensors.push_back(std::move(tensor));
  }
  if (count == 0) return {};  // a vocabulary alone: there may be no padding either
  const std::uint64_t data_start = (reader.position() + alignment - 1) / alignment * alignment;
  if (data_start > file.size()) return reader.CutShort("the data");
  SGLRUN_RETURN_IF_ERROR(CheckPlaces(reader, gguf.tensors, alignment, file.size() - data_start));
  for (GgufTensor& tensor : gguf.tensors) tensor.begin += static_cast<std::size_t>(data_start);
  return {};
}

// The value of `key` as T: nullptr when absent, an error when it is of another kind.
template <class T>
Result<const T*> Typed(const GgufFile& gguf, std::string_view key, const char* expected) {
  const auto found = gguf.metadata.find(key);
  if (found == gguf.metadata.end()) return static_cast<const T*>(nullptr);
  const T* value = std::get_if<T>(&found->second.value);
  if (value != nullptr) return value;
  return Error{gguf.place + ": key " + std::string(key) + " is " + found->second.KindName() +
               ", must be " + expected};
}

template <class T>
std::optional<T> Copy(const T* value) {
  return value == nullptr ? std::nullopt : std::optional<T>(*value);
}

}  // namespace

const char* GgufValue::KindName() const {
  static constexpr const char* kNames[] = {"an array of arrays",
                                           "an integer",
                                           "a number",
                                           "a boolean",
                                           "a string",
                                           "an array of integers",
                                           "an array of numbers",
                                           "an array of booleans",
                                           "an array of strings"};
  return kNames[value.index()];
}

Result<std::optional<std::int64_t>> GgufFile::Int(std::string_view key) const {
  SGLRUN_ASSIGN_OR_RETURN(const auto* value, Typed<std::int64_t>(*this, key, "an integer"));
  return Copy(value);
}

Result<std::optional<double>> GgufFile::Float(std::string_view key) const {
  const auto found = metadata.find(key);
  if (found != metadata.end()) {
    if (const auto* whole = std::get_if<std::int64_t>(&found->second.value)) {
      return std::optional<double>(static_cast<double>(*whole));
    }
  }
  SGLRUN_ASSIGN_OR_RETURN(const auto* value, Typed<double>(*this, key, "a number"));
  return Copy(value);
}

Result<std::optional<bool>> GgufFile::Bool(std::string_view key) const {
  SGLRUN_ASSIGN_OR_RETURN(const auto* value, Typed<bool>(*this, key, "a boolean"));
  return Copy(value);
}

Result<std::optional<std::string_view>> GgufFile::String(std::string_view key) const {
  SGLRUN_ASSIGN_OR_RETURN(const auto* value, Typed<std::string_view>(*this, key, "a string"));
  return Copy(value);
}

Result<const std::vector<std::string_view>*> GgufFile::Strings(std::string_view key) const {
  return Typed<std::vector<std::string_view>>(*this, key, "an array of strings");
}

Result<const std::vector<std::int64_t>*> GgufFile::Ints(std::string_view key) const {
  return Typed<std::vector<std::int64_t>>(*this, key, "an array of integers");
}

Result<const std::vector<double>*> GgufFile::Floats(std::string_view key) const {
  return Typed<std::vector<double>>(*this, key, "an array of numbers");
}

Result<GgufFile> ParseGguf(std::string_view file, const std::string& place) {
  Reader reader(file, place);
  GgufFile gguf;
  gguf.place = place;
  SGLRUN_ASSIGN_OR_RETURN(const Counts counts, ReadPreamble(reader));
  SGLRUN_RETURN_IF_ERROR(ReadMetadata(reader, counts.keys, gguf));
  SGLRUN_RETURN_IF_ERROR(ReadTensors(reader, file, counts.tensors, gguf));
  return gguf;
}

}  // namespace sglrun::formats
