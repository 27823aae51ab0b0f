// A JSONL line on its way to requests: GenerateReqInput field for field, then normalised.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "base/result.h"
#include "io/chat_record.h"
#include "io/jsonl_reader.h"
#include "io/normalize.h"
#include "io/openai/reply.h"
#include "request/generate_request.h"
#include "request/record_error.h"

namespace sglrun::io {

// What the values of a line may take once they are read, whatever its length.
inline constexpr std::size_t kMaxValueBytes = std::size_t{512} << 20;
// What reading one line takes at most: its text, and its values.
inline constexpr std::int64_t kMaxParsingBytes = kMaxLineBytes + kMaxValueBytes;

enum class Compat : std::uint8_t { kNone, k2024 };

// --input-format. With kAuto the first JSON object of each file decides between the two kinds of
// object.
enum class LineFormat : std::uint8_t { kAuto, kGenerate, kOpenAi, kText };

struct RecordOptions {
  Json sampling;            // --sampling and --set: an object, used where a record gives nothing
  SamplingParams defaults;  // built-in, generation_config (--sampling-defaults) already laid over
  std::string defaults_place = "generation_config.json";  // who states the latter, for sentences
  Compat compat = Compat::kNone;
  bool strict = false;  // unknown top-level fields, repeated keys and ids become record errors
  LineFormat format = LineFormat::kAuto;
  std::uint64_t run_seed = 42;
  RenderChat render_chat = {};  // for `messages`
  std::int64_t vocab_size = 0;  // for ids in logit_bias, token_ids_logprob, input_ids
  // Of OpenAI lines: the model's name where they state none, and the text of a prompt of ids.
  std::string model_name = {};
  std::function<std::string(std::span<const std::int32_t>)> detokenize = {};
};

// What a line asks for: one request, or several that come back as one array.
struct Record {
  RequestList requests;               // tickets are 0; the caller numbers them
  bool is_array = false;              // list input or n > 1
  bool has_messages = false;          // its prompt was made of a conversation
  std::string rid;                    // of an error row: the record's own, or the derived one
  std::vector<std::string> warnings;  // "unknown field \"foo\" is ignored"
  Hash128 resume_key;                 // content with rid and occurrence, without run-level options
  Hash128 content_hash;               // content without rid: decides the shard
  std::shared_ptr<const openai::Reply> reply;  // of a line of the OpenAI dialect

  // An error about one of the requests, naming the field that the record has.
  RecordError InItsWords(RecordError error) const;
};

// A failed line still has an id and a key, for its error row and for --retry-errors.
struct RecordFailure {
  RecordError error;
  std::string rid;  // the record's own, or the derived one
  Hash128 resume_key;
  Hash128 content_hash;
  std::shared_ptr<const openai::Reply> reply;
};

// Whether options.sampling is acceptable over options.defaults: to be asked once, before the run.
// Options that are not make every record fail with the same sentence.
Status CheckRunSampling(const RecordOptions& options);

// Turns lines into records. Remembers how often equal content and equal random keys were seen, in a
// bounded number of bytes a request, so lines must come in input order.
class RecordParser {
 public:
  explicit RecordParser(RecordOptions options);
  ~RecordParser();

  // Takes the line with it: what was read is not held beside what it says.
  Result<Record, RecordFailure> Parse(InputRecord line);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sglrun::io
