#include "run/setup.h"

#include <cctype>

#include "base/log.h"
#include "base/strings.h"
#include "request/fields.h"
#include "serve/load_chat_template.h"

namespace sglrun::run {
namespace {

// Different warnings are few by nature; hostile input could make them many.
constexpr std::size_t kMaxDistinctWarnings = 1000;

// "--sampling.top_p is 2" for those who typed --sampling, "--set top_p is 2" for those who typed
// that.
Error InTypedWords(const Error& error, const RecordSettings& records) {
  std::string message = error.message;
  for (const std::string& name : records.set_names) {
    const std::string path = "--sampling." + name;
    for (std::size_t at = 0; (at = message.find(path, at)) != std::string::npos; ++at) {
      const char next = at + path.size() < message.size() ? message[at + path.size()] : ' ';
      const bool longer = next == '_' || std::isalnum(static_cast<unsigned char>(next)) != 0;
      if (!longer) message.replace(at, path.size(), "--set " + name);
    }
  }
  return Error{message};
}

struct MemberJson {
  const SamplingParams& params;

  Json operator()(ConstraintKind kind) const {
    if (!params.constraint || params.constraint->kind != kind) return nullptr;
    return params.constraint->text;
  }
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool SamplingParams::*m) const { return params.*m; }
  Json operator()(std::int64_t SamplingParams::*m) const { return params.*m; }
  Json operator()(double SamplingParams::*m) const { return params.*m; }
  Json operator()(std::optional<std::int64_t> SamplingParams::*m) const {
    return (params.*m) ? Json(*(params.*m)) : Json(nullptr);
  }
  Json operator()(std::vector<std::string> SamplingParams::*m) const {
    Json::Array items;
    for (const std::string& item : params.*m) items.emplace_back(item);
    return items;
  }
  Json operator()(std::vector<std::int64_t> SamplingParams::*m) const {
    Json::Array items;
    for (const std::int64_t item : params.*m) items.emplace_back(item);
    return items;
  }
  Json operator()(std::vector<std::pair<std::int32_t, float>> SamplingParams::*m) const {
    Json::Object items;
    for (const auto& [id, bias] : params.*m) {
      items.emplace_back(std::to_string(id), Json(static_cast<double>(bias)));
    }
    return items;
  }
};

}  // namespace

Result<io::RecordOptions> MakeRecordOptions(const serve::ServeSettings& serve,
                                            const RecordSettings& records,
                                            const serve::ModelSource& source) {
  SGLRUN_ASSIGN_OR_RETURN(io::RenderChat render_chat, serve::MakeChatRenderer(serve, source));
  io::RecordOptions record_options{
      .sampling = records.sampling,
      .defaults = serve::EffectiveDefaults(serve, source.files.generation_defaults()),
      .defaults_place = source.files.generation_defaults().place,
      .compat = records.compat,
      .strict = records.strict,
      .format = records.format,
      .run_seed = records.seed,
      .render_chat = std::move(render_chat),
      .vocab_size = source.files.spec().vocab_size,
      .model_name = serve.model_name,
      .find_adapter = [adapters = &source.adapters](
                          std::string_view name) -> Result<io::AdapterChoice, std::string> {
        const std::optional<std::int32_t> number = adapters->Find(name);
        if (!number) return adapters->NamesText();
        const auto place = static_cast<std::size_t>(*number);
        return io::AdapterChoice{*number, adapters->files()[place].fingerprint()};
      },
      .detokenize =
          [tokenizer = source.tokenizer.get()](std::span<const std::int32_t> ids) {
            return tokenizer->Decode(ids, /*skip_special_tokens=*/false);
          }};
  if (const Status status = io::CheckRunSampling(record_options); !status.ok()) {
    return InTypedWords(status.error(), records);
  }
  return record_options;
}

io::ReaderOptions MakeReaderOptions(const RecordSettings& records) {
  return {.lines_are_json = records.format != io::LineFormat::kText};
}

std::string FileInRows(const RecordSettings& records, const std::string& file) {
  return records.inputs.size() > 1 ? file : "";
}

std::string PlaceOf(const std::string& file, std::int64_t line) {
  return (file == "-" ? "<stdin>" : file) + ":" + std::to_string(line);
}

void WarnOnce::Warn(const std::string& file, std::int64_t line,
                    std::span<const std::string> warnings) {
  for (const std::string& warning : warnings) {
    if (seen_.size() >= kMaxDistinctWarnings || !seen_.insert(warning).second) continue;
    LogWarning(PlaceOf(file, line) + ": " + warning);
  }
}

void WarnOfBeginnings(std::int64_t prompts, const tokenizer::Tokenizer& tokenizer) {
  if (prompts == 0) return;
  const std::string bos = tokenizer.TokenName(tokenizer.bos_id().value_or(0));
  LogWarning("prompts whose text begins with " + bos + " get another one from the tokenizer (" +
             FormatCount(prompts) + " of them): leave it out of the text, or give input_ids");
}

Json SamplingParamsJson(const SamplingParams& params) {
  Json::Object values;
  for (const request::Field& field : request::Fields()) {
    if (std::holds_alternative<std::monostate>(field.member)) continue;
    values.emplace_back(std::string(field.name), std::visit(MemberJson{params}, field.member));
  }
  return values;
}

}  // namespace sglrun::run
