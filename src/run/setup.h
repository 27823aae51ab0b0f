// What `batch` and `plan` have in common: how lines are read as records, which of them are ours,
// and warnings that are not repeated.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "base/result.h"
#include "io/dialect/record.h"
#include "io/jsonl_reader.h"
#include "run/settings.h"
#include "serve/load.h"

namespace sglrun::run {

// --sampling, --set and the defaults are checked here, once, before any record is read.
Result<io::RecordOptions> MakeRecordOptions(const serve::ServeSettings& serve,
                                            const RecordSettings& records,
                                            const serve::ModelSource& source);

// How the inputs are read.
io::ReaderOptions MakeReaderOptions(const RecordSettings& records);

// The member `file` of rows that have `line`: empty if there is only one input.
std::string FileInRows(const RecordSettings& records, const std::string& file);

// "prompts.jsonl:12"
std::string PlaceOf(const std::string& file, std::int64_t line);

// Prints a warning the first time it comes up: a field that every record has is named once.
class WarnOnce {
 public:
  void Warn(const std::string& file, std::int64_t line, std::span<const std::string> warnings);

 private:
  std::set<std::string> seen_;
};

// A warning about prompts that begin twice (engine::PreparedPrompt), where there are any.
void WarnOfBeginnings(std::int64_t prompts, const tokenizer::Tokenizer& tokenizer);

// Effective values under their request names, from the table of fields.
Json SamplingParamsJson(const SamplingParams& params);

}  // namespace sglrun::run
