#include "io/dialect/record.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/large_json.h"
#include "base/utf8.h"
#include "io/dialect/file_dialect.h"
#include "io/generate_req_input.h"
#include "io/normalize.h"
#include "io/occurrence_counter.h"
#include "io/openai/line.h"
#include "io/openai/tools.h"
#include "io/stop_pattern.h"
#include "request/fields.h"
#include "request/sampling_parser.h"

namespace sglrun::io {
namespace {

// Defaults of --compat 2024.
constexpr std::int64_t kMaxNewTokens2024 = 16;
constexpr std::int64_t kLogprobStartLen2024 = 0;

// Seeds that keep hashes of different things apart.
constexpr std::uint64_t kRawLineSeed = 1;
constexpr std::uint64_t kLongLineSeed = 2;

// A line after parsing and before validation: JSON, or the reason why it is not JSON.
struct ParsedLine {
  Json object;
  std::vector<std::string> duplicate_keys;
  std::optional<std::string> rid;
  std::optional<RecordError> error;
  Hash128 content;
  bool has_openai_words = false;  // looked for while the dialect is not known
};

std::string ByteColumn(std::size_t size, const JsonError& error) {
  std::string sentence = "malformed JSON at byte " + std::to_string(error.offset + 1) + ": ";
  sentence += error.message;
  if (error.offset >= size) return sentence + " (the line ends there)";
  return sentence;
}

// Converts a line of --input-format text to a record.
Json TextRecord(std::string text) {
  Json::Object object;
  object.emplace_back("text", Json(std::move(text)));
  return Json(std::move(object));
}

RecordError Malformed(std::size_t size, const LargeJsonError& found) {
  if (!found.too_large) return RecordError{ByteColumn(size, found.error)};
  return RecordError{found.error.message + " before byte " +
                     std::to_string(found.error.offset + 1) + " of " + std::to_string(size) +
                     ": make several records of the line"};
}

void ParseObject(std::string& text, ParsedLine& parsed) {
  const std::size_t size = text.size();
  auto json = ParseLargeJson(text, kMaxValueBytes);
  if (!json.ok()) {
    parsed.error = Malformed(size, json.error());
    return;
  }
  parsed.object = std::move(json->value);
  parsed.duplicate_keys = std::move(json->duplicate_keys);
}

// Consumes the text of the line, to save memory.
ParsedLine ParseLine(InputRecord& line, LineFormat format) {
  ParsedLine parsed;
  if (line.too_long) {
    parsed.content = HashBytes(std::to_string(line.index), kLongLineSeed);
    parsed.error =
        RecordError{"the line is longer than " + std::to_string(kMaxLineBytes >> 20) + " MiB"};
    return parsed;
  }
  std::string text = std::move(line.text);
  parsed.content = HashBytes(text, kRawLineSeed);
  if (format == LineFormat::kText) {
    if (const std::size_t bad = FindInvalidUtf8(text); bad != std::string_view::npos) {
      parsed.error = RecordError{"invalid UTF-8 at byte " + std::to_string(bad + 1)};
      return parsed;
    }
    parsed.object = TextRecord(std::move(text));
  } else {
    if (format == LineFormat::kAuto) {
      parsed.has_openai_words = text.find("\"custom_id\"") != std::string::npos;
    }
    ParseObject(text, parsed);
    if (parsed.error) return parsed;
  }
  if (!parsed.object.is_object()) {
    parsed.error = RecordError{std::string("a record must be a JSON object, found ") +
                               parsed.object.KindName()};
  }
  return parsed;
}

// Takes the id (`rid`, `custom_id`) out of the object's content hash; equal content gives equal
// hashes, regardless of the order of keys and of white space.
void HashContent(ParsedLine& parsed, std::string_view id_name, Hash128& with_rid) {
  Json::Object& members = parsed.object.as_object();
  const auto rid = std::find_if(members.begin(), members.end(), [&](const Json::Member& member) {
    return member.first == id_name;
  });
  Json rid_value;
  if (rid != members.end()) {
    rid_value = std::move(rid->second);
    members.erase(rid);
  }
  parsed.content = CanonicalHash(parsed.object);
  with_rid = parsed.content;
  if (rid_value.is_null()) return;
  with_rid = CanonicalHash(rid_value, parsed.content.ToHex());
  if (rid_value.is_string()) parsed.rid = rid_value.as_string();
  members.emplace_back(std::string(id_name), std::move(rid_value));
}

// The values for parameters that a record does not state: the defaults, overridden by --sampling.
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
    // The source of the invalid value determines which place is reported.
    SamplingParams defaults = options.defaults;
    SGLRUN_RETURN_IF_ERROR(request::FinishSamplingParams(options.defaults_place, defaults));
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
      : options(std::move(record_options)),
        normalize(RunLevelOptions(options)),
        seeds(options.run_seed) {}

  Result<void, RecordError> CheckRepeats(const ParsedLine& parsed,
                                         std::vector<std::string>& warnings) {
    for (const std::string& key : parsed.duplicate_keys) {
      const std::string sentence =
          "the key " + Json(request::ShortName(key)).Dump() + " occurs twice in one object";
      if (options.strict) return RecordError{sentence, request::ShortName(key)};
      warnings.push_back(sentence + "; the last one is used");
    }
    if (!parsed.rid.has_value() || Count(rids, HashBytes(*parsed.rid), &RecordCounts::rid) == 0)
      return {};
    const std::string name(IdName());
    const std::string sentence = name + " " + Json(*parsed.rid).Excerpt() + " was used before";
    if (options.strict) return RecordError{sentence + " by an earlier record", name};
    warnings.push_back(sentence);
    return {};
  }

  std::uint32_t Count(OccurrenceCounter& counter, const Hash128& hash,
                      std::uint32_t RecordCounts::*which) {
    counts.*which = given ? (*given).*which : counter.Add(hash.low);
    return counts.*which;
  }

  // The data of the line that is known before parsing.
  LineFormat FormatOf(const InputRecord& line) const {
    return options.format == LineFormat::kAuto && line.file == file ? format : options.format;
  }

  // Each file has its own dialect. Errors in lines before the first object use the dialect of that
  // object if it can be looked up; otherwise the text of the line decides.
  void SettleFormat(const InputRecord& line, const ParsedLine& parsed) {
    if (options.format == LineFormat::kAuto && line.file != file) {
      file = line.file;
      // Of a file that is read again, the lines so far may not be those that decided.
      const auto known = formats.find(file);
      format = given && known != formats.end() ? known->second : LineFormat::kAuto;
      answers_openai = format == LineFormat::kOpenAi;
      looked_ahead = false;
    }
    if (format != LineFormat::kAuto) return;
    const bool is_object = parsed.object.is_object();
    if (!is_object && !looked_ahead) ahead = HoldsOpenAiLines(file);
    looked_ahead = true;
    answers_openai =
        is_object ? openai::LooksLikeLine(parsed.object) : ahead.value_or(parsed.has_openai_words);
    if (!is_object) return;
    format = answers_openai ? LineFormat::kOpenAi : LineFormat::kGenerate;
    formats[file] = format;
  }

  std::string_view IdName() const { return answers_openai ? "custom_id" : "rid"; }

  Result<NormalizedRecord, RecordError> Convert(ParsedLine parsed, const RecordIdentity& identity,
                                                openai::Reply* reply,
                                                std::vector<std::string>& warnings) {
    if (parsed.error.has_value()) return *std::move(parsed.error);
    SGLRUN_RETURN_IF_ERROR(CheckRepeats(parsed, warnings));
    if (reply == nullptr) return ConvertRequest(std::move(parsed.object), identity, warnings);
    SGLRUN_ASSIGN_OR_RETURN(
        Json object, openai::ReadLine(std::move(parsed.object), OpenAiOptions(), *reply, warnings));
    return ConvertReply(std::move(object), identity, *reply, warnings);
  }

  openai::BodyOptions OpenAiOptions() const {
    const Json* const length =
        options.sampling.is_object() ? options.sampling.Find("max_new_tokens") : nullptr;
    return {.strict = options.strict,
            .run_has_length = length != nullptr,
            .model_name = options.model_name,
            .detokenize = options.detokenize};
  }

  Result<NormalizedRecord, RecordError> ConvertReply(Json object, const RecordIdentity& identity,
                                                     openai::Reply& reply,
                                                     std::vector<std::string>& warnings) {
    std::vector<std::string> own;
    auto record = ConvertRequest(std::move(object), identity, own, &reply);
    for (std::string& warning : own) {
      warnings.push_back(openai::InWordsOf(reply, std::move(warning)));
    }
    if (!record.ok()) return openai::InWordsOf(reply, std::move(record).error());
    if (!record->requests.empty()) reply.samples = record->requests.samples();
    record->requests.SetTokenBytesInLogprobs(reply.logprobs);
    return record;
  }

  Result<NormalizedRecord, RecordError> ConvertRequest(Json object, const RecordIdentity& identity,
                                                       std::vector<std::string>& warnings,
                                                       openai::Reply* reply = nullptr) {
    SGLRUN_ASSIGN_OR_RETURN(const ToolCallForm form, ReplaceMessages(object, options.render_chat,
                                                                     reply != nullptr, warnings));
    if (reply != nullptr) openai::ExpectToolCalls(form, *reply, object);
    SGLRUN_ASSIGN_OR_RETURN(
        GenerateReqInput input,
        ReadGenerateReqInput(std::move(object), {options.vocab_size, options.strict}, warnings));
    if (!normalize.ok()) return normalize.error();
    return Normalize(std::move(input), *normalize, identity, seeds, warnings);
  }

  RecordOptions options;
  Result<NormalizeOptions, RecordError> normalize;
  std::string file;  // which `format` is about
  LineFormat format = options.format;
  bool answers_openai = options.format == LineFormat::kOpenAi;
  bool looked_ahead = false;
  std::optional<bool> ahead;                  // whether the file's first object is an OpenAI line
  std::map<std::string, LineFormat> formats;  // of files, once decided
  OccurrenceCounter contents;
  OccurrenceCounter rids;
  SeedSource seeds;
  std::optional<RecordCounts> given;  // for the present line
  RecordCounts counts;                // of the last line
};

RecordError Record::InItsWords(RecordError error) const {
  if (has_messages && error.param == "input_ids") error.param = "messages";
  return error;
}

RecordParser::RecordParser(RecordOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

RecordParser::~RecordParser() = default;

Result<Record, RecordFailure> RecordParser::Parse(InputRecord line) {
  impl_->given.reset();
  return ParseCounted(std::move(line));
}

Result<Record, RecordFailure> RecordParser::ParseAgain(InputRecord line,
                                                       const RecordCounts& counts) {
  impl_->given = counts;
  return ParseCounted(std::move(line));
}

const RecordCounts& RecordParser::counts() const {
  return impl_->counts;
}

Result<Record, RecordFailure> RecordParser::ParseCounted(InputRecord line) {
  impl_->counts = {};
  impl_->seeds.Give(impl_->given ? std::optional(impl_->given->seed) : std::nullopt);
  ParsedLine parsed = ParseLine(line, impl_->FormatOf(line));
  impl_->SettleFormat(line, parsed);
  Hash128 with_rid = parsed.content;
  if (!parsed.error.has_value()) HashContent(parsed, impl_->IdName(), with_rid);
  const RecordIdentity identity{
      parsed.content, impl_->Count(impl_->contents, parsed.content, &RecordCounts::content)};

  Record record;
  record.rid = parsed.rid.value_or(identity.DefaultRid());
  // The occurrence spreads equal records over the shards.
  record.content_hash = identity.occurrence == 0
                            ? identity.content
                            : HashBytes(identity.content.ToHex(), identity.occurrence);
  record.resume_key = HashBytes(with_rid.ToHex(), identity.occurrence);
  const auto reply = impl_->answers_openai ? std::make_shared<openai::Reply>() : nullptr;
  // This comes first, so that every error row has it.
  if (reply != nullptr) reply->custom_id = parsed.rid;
  record.reply = reply;
  const Json* const messages = parsed.object.Find("messages");
  record.has_messages = messages != nullptr && !messages->is_null();
  auto converted = impl_->Convert(std::move(parsed), identity, reply.get(), record.warnings);
  impl_->counts.seed = impl_->seeds.last_count();
  if (!converted.ok()) {
    return RecordFailure{std::move(converted).error(), std::move(record.rid), record.resume_key,
                         record.content_hash, std::move(record.reply)};
  }
  record.requests = std::move(converted->requests);
  record.is_array = converted->is_array;
  return record;
}

}  // namespace sglrun::io
