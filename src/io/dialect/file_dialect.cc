#include "io/dialect/file_dialect.h"

#include "base/large_json.h"
#include "base/stop_flag.h"
#include "io/byte_source.h"
#include "io/dialect/record.h"
#include "io/jsonl_reader.h"
#include "io/openai/line.h"

namespace sglrun::io {

std::optional<bool> HoldsOpenAiLines(const std::string& file) {
  constexpr std::int64_t kMostLines = 1000;
  if (file == "-" || RegularFileSize(file) < 0) return std::nullopt;
  const auto reader = JsonlReader::Open({file});
  if (!reader.ok()) return std::nullopt;
  while (true) {
    auto record = (*reader)->Next();
    if (!record.ok() || !*record || (*record)->index >= kMostLines) return std::nullopt;
    if (StopFlag::requested()) return std::nullopt;
    const auto parsed = ParseLargeJson((*record)->text, kMaxValueBytes);
    if (parsed.ok() && parsed->value.is_object()) return openai::LooksLikeLine(parsed->value);
  }
}

}  // namespace sglrun::io
