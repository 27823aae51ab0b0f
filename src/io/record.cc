#include "io/record.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "io/generate_req_input.h"
#include "io/normalize.h"
#include "io/occurrence_counter.h"
#include "io/stop_pattern.h"
#include "request/fields.h"
#include "request/sampling_parser.h"

namespace sglrun::io {
namespace {

// Defaults of the pages of 2024 (generate.md 2.7).
constexpr std::int64_t kMaxNewTokens2024 = 16;
constexpr std::int64_t kLogprobStartLen2024 = 0;

// Seeds that keep hashes of different things apart.
constexpr std::uint64_t kRawLineSeed = 1;
constexpr std::uint64_t kLongLineSeed = 2;

// What a line is before anybody asks whether it makes sense: JSON or the reason why it is none.
struct ParsedLine {
  Json object;
  std::vector<std::string> duplicate_keys;
  std::optional<std::string> rid;
  std::optional<RecordError> error;
  Hash128 content;
};

std::string ByteColumn(std::string_view text, const JsonError& error) {
  std::string sentence = "malformed JSON at byte " + std::to_string(error.offset + 1) + ": ";
  sentence += error.message;
  if (error.offset >= text.size()) return sentence + " (the line ends there)";
  return sentence;
}

// A line of --input-format text as the object it stands for.
Json TextRecord(std::string_view text) {
  Json::Object object;
  object.emplace_back("text", Json(std::string(text)));
  return Json(std::move(object));
}

ParsedLine ParseLine(const InputRecord& line, bool text_lines) {
  ParsedLine parsed;
  if (line.too_long) {
    parsed.content = HashBytes(std::to_string(line.index), kLongLineSeed);
    parsed.error =
        RecordError{"the line is longer than " + std::to_string(kMaxLineBytes >> 20) + " MiB"};
    return parsed;
  }
  parsed.content = HashBytes(line.text, kRawLineSeed);
  if (text_lines) {
    if (const std::size_t bad = FindInvalidUtf8(line.text); bad != std::string_view::npos) {
      parsed.error = RecordError{"invalid UTF-8 at byte " + std::to_string(bad + 1)};
      return parsed;
    }
    parsed.object = TextRecord(line.text);
  } else {
    auto json = ParseJson(line.text);
    if (!json.ok()) {
      parsed.error = RecordError{ByteColumn(line.text, json.error())};
      return parsed;
    }
    parsed.object = std::move(json->value);
    parsed.duplicate_keys = std::move(json->duplicate_keys);
  }
  if (!parsed.object.is_object()) {
    parsed.error = RecordError{std::string("a record must be a JSON object, found ") +
                               parsed.object.KindName()};
  }
  return parsed;
}

// Takes the rid out of the object's content hash; equal content, equal hash whatever the order of
// keys and the blanks between them.
void HashContent(ParsedLine& parsed, Hash128& with_rid) {
  Json::Object& members = parsed.object.as_object();
  const auto rid = std::find_if(members.begin(), members.end(),
                                [](const Json::Member& member) { return member.first == "rid"; });
  Json rid_value;
  if (rid != members.end()) {
    rid_value = std::move(rid->second);
    members.erase(rid);
  }
  parsed.content = HashBytes(parsed.object.CanonicalDump());
  with_rid = parsed.content;
  if (rid_value.is_null()) return;
  with_rid = HashBytes(parsed.content.ToHex() + rid_value.CanonicalDump());
  if (rid_value.is_string()) parsed.rid = rid_value.as_string();
  members.emplace_back("rid", std::move(rid_value));
}

// What holds where a record states nothing: the defaults, and --sampling over them.
Result<NormalizeOptions, RecordError> RunLevelOptions(const RecordOptions& options) {
  const bool compat = options.compat == Compat::k2024;
  NormalizeOptions normalize;
  normalize.sampling = options.defaults;
  normalize.sampling_context = {options.vocab_size, compat};
  if (compat) normalize.logprob_start_len = kLogprobStartLen2024;
  if (compat && !options.defaults.max_new_tokens_stated) {
    normalize.sampling.max_new_tokens = kMaxNewTokens2024;
  }
  std::vector<std::string> warnings;
  SGLRUN_RETURN_IF_ERROR(request::OverlaySamplingParams(
      options.sampling, "--sampling", normalize.sampling_context, normalize.sampling, warnings));
  SamplingParams finished = normalize.sampling;
  if (auto status = request::FinishSamplingParams("--sampling", finished); !status.ok()) {
    // Whose fault it is decides which place is named.
    SamplingParams defaults = options.defaults;
    SGLRUN_RETURN_IF_ERROR(request::FinishSamplingParams("generation_config.json", defaults));
    return std::move(status).error();
  }
  SGLRUN_RETURN_IF_ERROR(CheckStopPatterns(finished, "--sampling"));
  return normalize;
}

}  // namespace

Status CheckRunSampling(const RecordOptions& options) {
  const auto run_level = RunLevelOptions(options);
  if (!run_level.ok()) return Error{run_level.error().message};
  return {};
}

struct RecordParser::Impl {
  explicit Impl(RecordOptions record_options)
      : options(std::move(record_options)), normalize(RunLevelOptions(options)) {}

  Result<void, RecordError> CheckRepeats(const ParsedLine& parsed,
                                         std::vector<std::string>& warnings) {
    for (const std::string& key : parsed.duplicate_keys) {
      const std::string sentence =
          "the key " + Json(request::ShortName(key)).Dump() + " stands twice in one object";
      if (options.strict) return RecordError{sentence, request::ShortName(key)};
      warnings.push_back(sentence + ", the last one counts");
    }
    if (!parsed.rid.has_value() || rids.Add(HashBytes(*parsed.rid).low) == 0) return {};
    const std::string sentence = "rid " + Json(*parsed.rid).Excerpt() + " was used before";
    if (options.strict) return RecordError{sentence + " by an earlier record", "rid"};
    warnings.push_back(sentence);
    return {};
  }

  Result<NormalizedRecord, RecordError> Convert(ParsedLine parsed, const RecordIdentity& identity,
                                                std::vector<std::string>& warnings) {
    if (parsed.error.has_value()) return *std::move(parsed.error);
    SGLRUN_RETURN_IF_ERROR(CheckRepeats(parsed, warnings));
    SGLRUN_RETURN_IF_ERROR(ReplaceMessages(parsed.object, options.render_chat));
    SGLRUN_ASSIGN_OR_RETURN(GenerateReqInput input,
                            ReadGenerateReqInput(std::move(parsed.object),
                                                 {options.vocab_size, options.strict}, warnings));
    if (!normalize.ok()) return normalize.error();
    return Normalize(std::move(input), *normalize, identity, warnings);
  }

  RecordOptions options;
  Result<NormalizeOptions, RecordError> normalize;
  OccurrenceCounter contents;
  OccurrenceCounter rids;
};

RecordParser::RecordParser(RecordOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

RecordParser::~RecordParser() = default;

Result<Record, RecordFailure> RecordParser::Parse(const InputRecord& line) {
  ParsedLine parsed = ParseLine(line, impl_->options.text_lines);
  Hash128 with_rid = parsed.content;
  if (!parsed.error.has_value()) HashContent(parsed, with_rid);
  const RecordIdentity identity{parsed.content, impl_->contents.Add(parsed.content.low),
                                impl_->options.run_seed};

  Record record;
  record.rid = parsed.rid.value_or(identity.DefaultRid());
  record.content_hash = identity.content;
  record.resume_key = HashBytes(with_rid.ToHex(), identity.occurrence);
  auto converted = impl_->Convert(std::move(parsed), identity, record.warnings);
  if (!converted.ok()) {
    return RecordFailure{std::move(converted).error(), std::move(record.rid), record.resume_key,
                         record.content_hash};
  }
  record.requests = std::move(converted->requests);
  record.is_array = converted->is_array;
  return record;
}

}  // namespace sglrun::io
