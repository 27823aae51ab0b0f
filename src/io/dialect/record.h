// Converts a JSONL line to requests: first to GenerateReqInput field by field, then normalised.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "base/result.h"
#include "io/chat_record.h"
#include "io/dialect/line_format.h"
#include "io/dialect/record_number.h"
#include "io/jsonl_reader.h"
#include "io/normalize.h"
#include "io/openai/reply.h"
#include "request/generate_request.h"
#include "request/record_error.h"

namespace sglrun::io {

// The maximum memory of the parsed values of a line.
inline constexpr std::size_t kMaxValueBytes = std::size_t{512} << 20;
// The maximum memory for reading one line: its text and its values.
inline constexpr std::int64_t kMaxParsingBytes = kMaxLineBytes + kMaxValueBytes;

enum class Compat : std::uint8_t { kNone, k2024 };

struct RecordOptions {
  Json sampling;            // --sampling and --set: an object with defaults for all records
  SamplingParams defaults;  // with generation_config applied (--sampling-defaults)
  std::string defaults_place = "generation_config.json";  // who states the latter, for sentences
  Compat compat = Compat::kNone;
  bool strict = false;  // unknown top-level fields, repeated keys and ids become record errors
  LineFormat format = LineFormat::kAuto;
  std::uint64_t run_seed = 42;
  RenderChat render_chat = {};  // for `messages`
  std::int64_t vocab_size = 0;  // for ids in logit_bias, token_ids_logprob, input_ids
  // For OpenAI lines: the model's name if they state none, and the text of a prompt of ids.
  std::string model_name = {};
  FindAdapter find_adapter = {};
  std::function<std::string(std::span<const std::int32_t>)> detokenize = {};
};

// The requests of a line: one, or several that give one array.
struct Record {
  RequestList requests;               // tickets are 0; the caller numbers them
  bool is_array = false;              // list input or n > 1
  bool has_messages = false;          // its prompt was rendered from a conversation
  std::string rid;                    // of an error row: the record's own, or the derived one
  std::vector<std::string> warnings;  // "unknown field \"foo\" is ignored"
  Hash128 resume_key;                 // content with rid and occurrence, without run-level options
  Hash128 content_hash;               // content without rid, with the occurrence: decides the shard
  std::shared_ptr<const openai::Reply> reply;  // of a line of the OpenAI dialect
  std::optional<RecordNumber> number;          // of a numbered line, which shows it in its row

  // An error about one of the requests, naming the field that the record has.
  RecordError InItsWords(RecordError error) const;
};

// A failed line also has an id and a key, for its error row and for --retry-errors.
struct RecordFailure {
  RecordError error;
  std::string rid;  // the record's own, or the derived one
  Hash128 resume_key;
  Hash128 content_hash;
  std::shared_ptr<const openai::Reply> reply;
  std::optional<RecordNumber> number;
};

// How many earlier records are equal to a record: in content, in its id, in what decides its draws.
struct RecordCounts {
  std::uint32_t content = 0, rid = 0, seed = 0;

  bool operator==(const RecordCounts&) const = default;
};

// Whether options.sampling is valid together with options.defaults. Call it once before the run;
// with invalid options every record would fail with the same message.
Status CheckRunSampling(const RecordOptions& options);

// Converts lines to records. It counts how often equal content and equal random keys were seen
// (with bounded memory per request), so lines must be passed in input order.
class RecordParser {
 public:
  explicit RecordParser(RecordOptions options);
  ~RecordParser();

  // Consumes the line, so that its text and its values are not in memory together for long.
  Result<Record, RecordFailure> Parse(InputRecord line);
  // Parses a line again, with the counts that it had the first time. Other lines may be left out.
  Result<Record, RecordFailure> ParseAgain(InputRecord line, const RecordCounts& counts);
  // Of the last line.
  const RecordCounts& counts() const;

 private:
  Result<Record, RecordFailure> ParseCounted(InputRecord line);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sglrun::io
