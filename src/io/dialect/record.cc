#include "io/dialect/record.h"

#include <utility>

#include "io/dialect/parsed_line.h"
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

// The values for parameters that a record does not state: the defaults, overridden by --sampling.
Result<NormalizeOptions, RecordError> RunLevelOptions(const RecordOptions& options) {
  const bool compat = options.compat == Compat::k2024;
  NormalizeOptions normalize;
  normalize.sampling = options.defaults;
  normalize.find_adapter = options.find_adapter;
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
    const std::string name(dialects.IdName());
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

  // A numbered record states its counts; the others are counted, unless they are given.
  void UseNumber(const ParsedLine& parsed) {
    if (parsed.number) {
      const RecordNumber& number = *parsed.number;
      given = RecordCounts{
          .content = number.copy, .rid = number.repeats_id ? 1U : 0U, .seed = number.copy};
    }
    seeds.Give(given ? std::optional(given->seed) : std::nullopt);
  }

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
            .find_adapter = options.find_adapter,
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
  LineDialects dialects{options.format};
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
  ParsedLine parsed = ParseLine(line, impl_->dialects.FormatOf(line));
  impl_->dialects.Settle(line, parsed, /*again=*/impl_->given.has_value());
  impl_->UseNumber(parsed);
  Hash128 with_rid = parsed.content;
  if (!parsed.error.has_value()) HashContent(parsed, impl_->dialects.IdName(), with_rid);
  const RecordIdentity identity{
      parsed.content, impl_->Count(impl_->contents, parsed.content, &RecordCounts::content)};

  Record record;
  record.number = parsed.number;
  record.rid = parsed.rid.value_or(identity.DefaultRid());
  // The occurrence spreads equal records over the shards.
  record.content_hash = identity.occurrence == 0
                            ? identity.content
                            : HashBytes(identity.content.ToHex(), identity.occurrence);
  record.resume_key = HashBytes(with_rid.ToHex(), identity.occurrence);
  const auto reply = impl_->dialects.is_openai() ? std::make_shared<openai::Reply>() : nullptr;
  // This comes first, so that every error row has it.
  if (reply != nullptr) reply->custom_id = parsed.rid;
  record.reply = reply;
  const Json* const messages = parsed.object.Find("messages");
  record.has_messages = messages != nullptr && !messages->is_null();
  auto converted = impl_->Convert(std::move(parsed), identity, reply.get(), record.warnings);
  impl_->counts.seed = impl_->seeds.last_count();
  if (!converted.ok()) {
    return RecordFailure{
        std::move(converted).error(), std::move(record.rid),   record.resume_key,
        record.content_hash,          std::move(record.reply), std::move(record.number)};
  }
  record.requests = std::move(converted->requests);
  record.is_array = converted->is_array;
  return record;
}

}  // namespace sglrun::io
