#include "io/dialect/result_writer.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/json.h"
#include "io/hidden_state_file.h"
#include "io/openai/reply_writer.h"
#include "io/row_values.h"

namespace sglrun::io {
namespace {

void Floats(JsonWriter& w, std::span<const float> values) {
  w.BeginArray();
  for (const float value : values) w.Float(value);
  w.EndArray();
}

void FinishReasonObject(JsonWriter& w, const FinishReason& reason) {
  w.BeginObject();
  w.Key("type");
  if (reason.kind == FinishReason::Kind::kLength) {
    w.String("length");
    w.Key("length");
    w.Int(reason.length);
  } else {
    w.String("stop");
    w.Key("matched");
    if (const auto* id = std::get_if<std::int32_t>(&reason.matched)) {
      w.Int(*id);
    } else {
      WriteText(w, std::get<std::string>(reason.matched));
    }
  }
  w.EndObject();
}

// [logprob, token_id, text]
void Triple(JsonWriter& w, const TokenLogprob& token) {
  w.BeginArray();
  WriteLogprob(w, token.logprob);
  w.Int(token.token_id);
  if (token.text.has_value()) {
    WriteText(w, *token.text);
  } else {
    w.Null();
  }
  w.EndArray();
}

void Triples(JsonWriter& w, const std::vector<TokenLogprob>& tokens) {
  w.BeginArray();
  for (const TokenLogprob& token : tokens) Triple(w, token);
  w.EndArray();
}

// An absent or empty list of a position is null.
void Positions(JsonWriter& w, std::string_view key,
               const std::optional<std::vector<PositionLogprobs>>& positions) {
  if (!positions.has_value()) return;
  w.Key(key);
  w.BeginArray();
  for (const PositionLogprobs& position : *positions) {
    if (position.has_value() && !position->empty()) {
      Triples(w, *position);
    } else {
      w.Null();
    }
  }
  w.EndArray();
}

void Logprobs(JsonWriter& w, const LogprobResult& logprobs) {
  w.Key("input_token_logprobs");
  Triples(w, logprobs.input_token_logprobs);
  w.Key("output_token_logprobs");
  Triples(w, logprobs.output_token_logprobs);
  w.Key("output_token_logprobs_length");
  w.UInt(logprobs.output_token_logprobs.size());
  Positions(w, "input_top_logprobs", logprobs.input_top_logprobs);
  Positions(w, "output_top_logprobs", logprobs.output_top_logprobs);
  Positions(w, "input_token_ids_logprobs", logprobs.input_token_ids_logprobs);
  Positions(w, "output_token_ids_logprobs", logprobs.output_token_ids_logprobs);
}

void SamplingMask(JsonWriter& w, const SamplingMaskResult& mask) {
  w.Key("output_token_sampling_mask");
  w.BeginArray();
  for (const auto& ids : mask.kept_ids) WriteIntegers(w, ids);
  w.EndArray();
  w.Key("output_token_sampling_logprobs");
  Floats(w, mask.chosen_logprobs);
  w.Key("output_token_sampling_mask_length");
  w.UInt(mask.kept_ids.size());
}

// Element 0 is the matrix of the prompt rows, the others are one row each; "last": one flat vector.
void InlineHiddenStates(JsonWriter& w, const HiddenStateResult& states) {
  const std::span<const float> values(states.values);
  if (states.last_only) {
    Floats(w, values);
    return;
  }
  const auto width = static_cast<std::size_t>(states.width);
  const std::size_t rows = width > 0 ? values.size() / width : 0;
  const auto prompt_rows = static_cast<std::size_t>(states.prompt_rows);
  w.BeginArray();
  w.BeginArray();
  for (std::size_t row = 0; row < std::min(prompt_rows, rows); ++row) {
    Floats(w, values.subspan(row * width, width));
  }
  w.EndArray();
  for (std::size_t row = prompt_rows; row < rows; ++row) {
    Floats(w, values.subspan(row * width, width));
  }
  w.EndArray();
}

// The entry of a row for a side file.
void SideFileReference(JsonWriter& w, const std::string& file, const HiddenStateResult& states) {
  w.BeginObject();
  w.Key("file");
  WriteText(w, file);
  w.Key("shape");
  WriteIntegers(w, HiddenStateShape(states));
  w.Key("dtype");
  w.String("float32");
  w.EndObject();
}

std::filesystem::path SideFilePath(const RowOptions& options, const RowPlace& place,
                                   std::size_t index) {
  std::string name = place.key.ToHex();
  if (place.is_array) name += "-" + std::to_string(index);
  name += options.hidden_states == HiddenStateForm::kNpy ? ".npy" : ".safetensors";
  return std::filesystem::path(SideFolder(options.output_path)) / name;
}

// Writes the states of one result beside the output and gives the file's path relative to it.
Result<std::string> WriteSideFile(const RowOptions& options, const RowPlace& place,
                                  std::size_t index, const HiddenStateResult& states) {
  const std::filesystem::path file = SideFilePath(options, place, index);
  const std::filesystem::path folder = file.parent_path();
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return Error{"cannot create \"" + folder.string() + "\": " + code.message()};
  const bool npy = options.hidden_states == HiddenStateForm::kNpy;
  const std::string path = file.string();
  SGLRUN_RETURN_IF_ERROR(npy ? WriteNpy(path, states) : WriteSafetensors(path, states));
  return (folder.filename() / file.filename()).string();
}

Status HiddenStatesOf(JsonWriter& w, const RowOptions& options, const RowPlace& place,
                      std::size_t index, const HiddenStateResult& states) {
  w.Key("hidden_states");
  if (options.hidden_states == HiddenStateForm::kInline) {
    InlineHiddenStates(w, states);
    return {};
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::string file, WriteSideFile(options, place, index, states));
  SideFileReference(w, file, states);
  return {};
}

void TokenCounts(JsonWriter& w, const GenerateResult& result) {
  w.Key("prompt_tokens");
  w.Int(result.prompt_tokens);
  w.Key("completion_tokens");
  w.UInt(result.output_ids.size());
}

enum class Stage : std::uint8_t { kPartial, kFinished };

void MetaInfo(JsonWriter& w, const RowOptions& options, const GenerateResult& result, Stage stage) {
  w.Key("id");
  WriteText(w, result.rid);
  w.Key("finish_reason");
  if (stage == Stage::kFinished) {
    FinishReasonObject(w, result.finish_reason);
  } else {
    w.Null();
  }
  TokenCounts(w, result);
  if (!options.no_timing) {
    w.Key("cached_tokens");
    w.Int(result.cached_tokens);
    w.Key("e2e_latency");
    w.Double(result.e2e_latency);
  }
  if (result.grammar.has_value()) WriteGrammar(w, *result.grammar);
  if (result.logprobs.has_value()) Logprobs(w, *result.logprobs);
  if (result.sampling_mask.has_value()) SamplingMask(w, *result.sampling_mask);
}

// The keys of a result before meta_info.
void Head(JsonWriter& w, const GenerateResult& result) {
  w.Key("text");
  WriteText(w, result.text);
  w.Key("output_ids");
  WriteIntegers(w, result.output_ids);
  if (result.prompt_token_ids.has_value()) {
    w.Key("prompt_token_ids");
    WriteIntegers(w, *result.prompt_token_ids);
  }
}

Status ResultObject(JsonWriter& w, const RowOptions& options, const RowPlace& place,
                    std::size_t index, const GenerateResult& result) {
  w.BeginObject();
  const bool in_object = place.number > 0 && place.is_array && !options.flatten;
  if (place.number > 0 && !in_object) WriteInputPlace(w, place.number, "");
  if (options.with_line && place.number == 0) WriteInputPlace(w, place.line, place.file);
  if (options.with_index) {
    w.Key("index");
    w.UInt(index);
  }
  Head(w, result);
  w.Key("meta_info");
  w.BeginObject();
  MetaInfo(w, options, result, Stage::kFinished);
  if (result.hidden_states.has_value()) {
    SGLRUN_RETURN_IF_ERROR(HiddenStatesOf(w, options, place, index, *result.hidden_states));
  }
  w.EndObject();
  w.EndObject();
  return {};
}

// The number of results where none has failed.
std::size_t FirstFailed(std::span<const GenerateResult> results) {
  const auto found =
      std::ranges::find_if(results, [](const auto& result) { return result.error.has_value(); });
  return static_cast<std::size_t>(found - results.begin());
}

// Around the array of a record, which by itself could not tell its line.
void BeginResults(std::int64_t line, const std::string& file, std::string& out) {
  JsonWriter w(out);
  w.BeginObject();
  WriteInputPlace(w, line, file);
  w.Key("results");
  w.BeginArray();
}
constexpr std::string_view kEndResults = "]}";

}  // namespace

std::string SideFolder(const std::string& output_path) {
  return output_path + ".hidden";
}

openai::ReplyPlace ResultWriter::ReplyPlaceOf(const RowPlace& place) const {
  return {.key = place.key,
          .line = place.line,
          .file = place.file,
          .created = options_.created,
          .no_timing = options_.no_timing,
          .with_line = options_.with_line,
          .number = place.number};
}

bool ResultWriter::HasSideFiles(const RowPlace& place, std::span<const std::size_t> results) const {
  return std::ranges::all_of(results, [&](std::size_t index) {
    std::error_code ignored;
    return std::filesystem::exists(SideFilePath(options_, place, index), ignored);
  });
}

const RecordError* ResultWriter::FirstError(std::span<const GenerateResult> results) {
  const std::size_t failed = FirstFailed(results);
  return failed < results.size() ? &*results[failed].error : nullptr;
}

Status ResultWriter::AppendRow(const RowPlace& place, std::span<const GenerateResult> results,
                               std::string& out) const {
  if (const std::size_t failed = FirstFailed(results); failed < results.size()) {
    AppendFailure(place, results[failed], failed, out);
    return {};
  }
  CHECK(place.is_array || results.size() == 1) << results.size() << " results for one row";
  if (results.empty()) {
    AppendEmptyRow(place, out);
    return {};
  }
  AppendRowHead(place, out);
  openai::Usage usage;
  std::size_t calls = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (i > 0) out += Separator(place);
    SGLRUN_RETURN_IF_ERROR(AppendResult(place, i, results[i], calls, out));
    if (place.reply != nullptr) usage.Add(*place.reply, i, results[i]);
  }
  AppendRowEnd(place, usage, results.size(), out);
  return {};
}

// With --flatten an empty list has no line at all.
void ResultWriter::AppendEmptyRow(const RowPlace& place, std::string& out) const {
  if (place.reply == nullptr && IsOneArray(place) && options_.with_line && place.number == 0) {
    BeginResults(place.line, place.file, out);
    out += std::string(kEndResults) + "\n";
    return;
  }
  AppendRowHead(place, out);
  AppendRowEnd(place, {}, 0, out);
}

void ResultWriter::AppendRowHead(const RowPlace& place, std::string& out) const {
  if (place.reply != nullptr) {
    openai::AppendReplyHead(*place.reply, ReplyPlaceOf(place), out);
  } else if (IsOneArray(place) && place.number > 0) {
    BeginResults(place.number, "", out);
  } else if (IsOneArray(place)) {
    out.push_back('[');
  }
}

Status ResultWriter::AppendResult(const RowPlace& place, std::size_t index,
                                  const GenerateResult& result, std::size_t& calls,
                                  std::string& out) const {
  if (place.reply != nullptr) {
    openai::AppendChoice(*place.reply, ReplyPlaceOf(place), index, result, calls, out);
    return {};
  }
  JsonWriter w(out);
  return ResultObject(w, options_, place, index, result);
}

void ResultWriter::AppendRowEnd(const RowPlace& place, const openai::Usage& usage,
                                std::size_t results, std::string& out) const {
  if (place.reply != nullptr) return openai::AppendReplyEnd(ReplyPlaceOf(place), usage, out);
  if (IsOneArray(place)) out += place.number > 0 ? kEndResults : "]";
  if (IsOneArray(place) || results > 0) out.push_back('\n');
}

std::string_view ResultWriter::Separator(const RowPlace& place) const {
  return place.reply != nullptr || IsOneArray(place) ? "," : "\n";
}

void ResultWriter::RemoveSideFiles(const RowPlace& place, std::size_t results) const {
  if (options_.hidden_states == HiddenStateForm::kInline) return;
  for (std::size_t i = 0; i < results; ++i) {
    std::error_code ignored;
    std::filesystem::remove(SideFilePath(options_, place, i), ignored);
  }
}

void ResultWriter::AppendErrorRow(const RowPlace& place, const RecordError& error,
                                  std::string& out) const {
  GenerateResult nothing;
  nothing.error = error;
  AppendFailure(place, nothing, 0, out);
}

void ResultWriter::AppendFailure(const RowPlace& place, const GenerateResult& failed,
                                 std::size_t index, std::string& out) const {
  if (place.reply != nullptr) {
    openai::AppendErrorReply(*place.reply, ReplyPlaceOf(place), failed, out);
    return;
  }
  const bool has_text = !failed.output_ids.empty();
  JsonWriter w(out);
  w.BeginObject();
  if (place.number > 0) WriteInputPlace(w, place.number, "");
  WriteErrorMember(w, *failed.error, place.line, place.file);
  if (has_text) Head(w, failed);
  w.Key("meta_info");
  w.BeginObject();
  w.Key("id");
  WriteText(w, place.rid);
  if (has_text) {
    if (place.is_array) {
      w.Key("index");
      w.UInt(index);
    }
    TokenCounts(w, failed);
  }
  w.EndObject();
  w.EndObject();
  out.push_back('\n');
}

void ResultWriter::AppendChunk(const RowPlace& place, std::size_t index,
                               const GenerateResult& so_far, std::string& out) const {
  if (place.reply != nullptr) return;  // the dialect's batches know no partial results
  JsonWriter w(out);
  w.BeginObject();
  WriteInputPlace(w, place.number > 0 ? place.number : place.line,
                  place.number > 0 ? "" : place.file);
  w.Key("index");
  w.UInt(index);
  Head(w, so_far);
  w.Key("meta_info");
  w.BeginObject();
  MetaInfo(w, options_, so_far, Stage::kPartial);
  w.EndObject();
  w.EndObject();
  out.push_back('\n');
}

}  // namespace sglrun::io
