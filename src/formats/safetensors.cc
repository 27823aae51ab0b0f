#include "formats/safetensors.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/json.h"

namespace sglrun::formats {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the reference's limit
// Far above any real file; bounds the memory that a header of empty tensors can cost.
constexpr std::int64_t kMaxTensors = 200'000;
constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::size_t kMaxRank = 16;

struct DTypeBits {
  std::string_view name;
  std::uint64_t bits;
};
constexpr DTypeBits kDTypes[] = {
    {"BOOL", 8},        {"U8", 8},          {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8},
    {"F8_E8M0", 8},     {"I16", 16},        {"U16", 16}, {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},        {"F32", 32}, {"F64", 64},    {"I64", 64},
    {"U64", 64},        {"C64", 64},        {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6},
    {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
};

std::string Quoted(std::string_view name) {
  std::string out;
  AppendJsonString(out, name.substr(0, 80));
  return out;
}

Result<std::uint64_t> BitsOf(std::string_view dtype, const std::string& where) {
  for (const DTypeBits& known : kDTypes) {
    if (known.name == dtype) return known.bits;
  }
  return Error{where + " has the unknown dtype " + Quoted(dtype)};
}

// A list of non-negative integers below 2^63.
Result<std::vector<std::int64_t>> ReadCounts(const Json* list, std::string_view key,
                                             const std::string& where) {
  const auto wrong = [&](const Json* found) {
    return Error{where + ": " + std::string(key) + " is " +
                 (found == nullptr ? "missing" : found->Excerpt()) +
                 ", must be a list of non-negative integers"};
  };
  if (list == nullptr || !list->is_array()) return wrong(list);
  std::vector<std::int64_t> counts;
  for (const Json& item : list->as_array()) {
    if (!item.is_int() || item.as_int() < 0) return wrong(list);
    counts.push_back(item.as_int());
  }
  return counts;
}

// Bytes that shape and dtype ask for.
Result<std::uint64_t> BytesOf(const SafetensorsEntry& entry, const std::string& where) {
  SGLRUN_ASSIGN_OR_RETURN(std::uint64_t bits, BitsOf(entry.dtype, where));
  for (const std::int64_t extent : entry.shape) {
    if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(extent), &bits)) {
      return Error{where + " has a shape whose size exceeds 64 bits"};
    }
  }
  if (bits % 8 != 0) return Error{where + " does not fill whole bytes"};
  return bits / 8;
}

Result<SafetensorsEntry> ReadEntry(const Json::Member& member, const std::string& place) {
  const std::string where = place + ": tensor " + Quoted(member.first);
  if (member.first.size() > kMaxNameBytes) {
    return Error{where + "... has a name of more than " + std::to_string(kMaxNameBytes) + " bytes"};
  }
  if (!member.second.is_object()) {
    return Error{where + " is described by " + member.second.KindName() + ", must be an object"};
  }
  const Json* dtype = member.second.Find("dtype");
  if (dtype == nullptr || !dtype->is_string()) return Error{where + " has no dtype"};
  SafetensorsEntry entry{member.first, dtype->as_string(), {}, 0, 0};
  SGLRUN_ASSIGN_OR_RETURN(entry.shape, ReadCounts(member.second.Find("shape"), "shape", where));
  if (entry.shape.size() > kMaxRank) {
    return Error{where + " has " + std::to_string(entry.shape.size()) + " dimensions, at most " +
                 std::to_string(kMaxRank) + " are read"};
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<std::int64_t> offsets,
                          ReadCounts(member.second.Find("data_offsets"), "data_offsets", where));
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    return Error{where + ": data_offsets must be two ascending positions"};
  }
  entry.begin = static_cast<std::size_t>(offsets[0]);
  entry.end = static_cast<std::size_t>(offsets[1]);
  SGLRUN_ASSIGN_OR_RETURN(const std::uint64_t bytes, BytesOf(entry, where));
  if (bytes != entry.end - entry.begin) {
    return Error{where + ": shape and dtype need " + std::to_string(bytes) +
                 " bytes, data_offsets hold " + std::to_string(entry.end - entry.begin)};
  }
  return entry;
}

// Data without holes or overlap, from the header's end to the file's.
Status CheckCoverage(std::vector<SafetensorsEntry>& entries, std::size_t data_bytes,
                     const std::string& place) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::size_t expected = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != expected) {
      return Error{place + ": tensor " + Quoted(entry.name) + " begins at byte " +
                   std::to_string(entry.begin) + " of the data, expected " +
                   std::to_string(expected) +
                   (entry.begin < expected ? " (tensors overlap)" : " (a hole)")};
    }
    expected = entry.end;
  }
  if (expected == data_bytes) return {};
  if (expected > data_bytes) {
    return Error{place + " is cut short: its header names " + std::to_string(expected) +
                 " bytes of data, the file holds " + std::to_string(data_bytes) +
                 ": download it again"};
  }
  return Error{place + " has " + std::to_string(data_bytes - expected) +
               " bytes after the data that its header describes"};
}

Result<std::string_view> ReadHeader(std::string_view file, const std::string& place) {
  if (file.size() < 8) {
    return Error{place + " has " + std::to_string(file.size()) +
                 " bytes, too few for a safetensors file"};
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > kMaxHeaderBytes) {
    return Error{place + ": the first 8 bytes name a header of " + std::to_string(length) +
                 " bytes, at most 100000000 are allowed: this is not a safetensors file"};
  }
  if (length > file.size() - 8) {
    return Error{place + " is cut short: its header has " + std::to_string(length) +
                 " bytes, the file " + std::to_string(file.size()) + ": download it again"};
  }
  const std::string_view header = file.substr(8, static_cast<std::size_t>(length));
  if (header.empty() || header.front() != '{') {
    return Error{place + ": the header must begin with {: this is not a safetensors file"};
  }
  // Every tensor is an object, so this bounds the tree before it is built.
  if (std::count(header.begin(), header.end(), '{') > kMaxTensors) {
    return Error{place + ": the header names more than " + std::to_string(kMaxTensors) +
                 " tensors"};
  }
  return header;
}

Result<Json> ParseJsonWithoutRepeats(std::string_view text, const std::string& what) {
  // A header is three levels deep; a few more keep the depth error apart from a size error.
  auto parsed = ParseJson(text, {.max_depth = 16});
  if (!parsed.ok()) {
    return Error{what + ", byte " + std::to_string(parsed.error().offset) + ": " +
                 parsed.error().message};
  }
  if (!parsed->duplicate_keys.empty()) {
    return Error{what + " has the key " + Quoted(parsed->duplicate_keys[0]) + " twice"};
  }
  if (!parsed->value.is_object()) return Error{what + " is not a JSON object"};
  return std::move(parsed->value);
}

bool IsPlainFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 255 &&
         name.find('/') == std::string_view::npos && name.find('\\') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

}  // namespace

Result<std::vector<SafetensorsEntry>> ParseSafetensors(std::string_view file,
                                                       const std::string& place) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string_view header, ReadHeader(file, place));
  SGLRUN_ASSIGN_OR_RETURN(const Json root, ParseJsonWithoutRepeats(header, place + ": the header"));
  std::vector<SafetensorsEntry> entries;
  for (const Json::Member& member : root.as_object()) {
    if (member.first == "__metadata__") continue;
    SGLRUN_ASSIGN_OR_RETURN(SafetensorsEntry entry, ReadEntry(member, place));
    entries.push_back(std::move(entry));
  }
  const std::size_t data_start = 8 + header.size();
  SGLRUN_RETURN_IF_ERROR(CheckCoverage(entries, file.size() - data_start, place));
  for (SafetensorsEntry& entry : entries) {
    entry.begin += data_start;
    entry.end += data_start;
  }
  return entries;
}

Result<std::vector<SafetensorsShard>> ParseSafetensorsIndex(std::string_view json,
                                                            const std::string& place) {
  SGLRUN_ASSIGN_OR_RETURN(const Json root, ParseJsonWithoutRepeats(json, place));
  const Json* map = root.Find("weight_map");
  if (map == nullptr || !map->is_object() || map->as_object().empty()) {
    return Error{place + ": weight_map is missing or empty, must name the file of each tensor"};
  }
  std::map<std::string, std::vector<std::string>> files;
  for (const auto& [tensor, file] : map->as_object()) {
    if (!file.is_string() || !IsPlainFileName(file.as_string())) {
      return Error{place + ": tensor " + Quoted(tensor) + " lies in " + file.Excerpt() +
                   ", must be a plain file name inside the model directory"};
    }
    files[file.as_string()].push_back(tensor);
  }
  std::vector<SafetensorsShard> shards;
  for (auto& [file, tensors] : files) shards.push_back({file, std::move(tensors)});
  return shards;
}

}  // namespace sglrun::formats
