// The safetensors header and its index: any bytes give tensors inside the file or a sentence.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "formats/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto entries = sglrun::formats::ParseSafetensors(bytes, "fuzz");
  if (entries.ok()) {
    for (const auto& entry : *entries) {
      CHECK(entry.begin <= entry.end && entry.end <= size) << entry.name;
    }
  } else {
    CHECK(!entries.error().message.empty());
  }
  const auto shards = sglrun::formats::ParseSafetensorsIndex(bytes, "fuzz");
  if (shards.ok()) {
    for (const auto& shard : *shards) CHECK(shard.file.find('/') == std::string::npos);
  }
  return 0;
}
