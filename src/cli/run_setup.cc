#include "cli/run_setup.h"

#include <algorithm>
#include <cctype>

#include "base/log.h"
#include "base/strings.h"
#include "cli/load_chat_template.h"
#include "request/fields.h"

namespace sglrun::cli {
namespace {

// Different warnings are few by nature; hostile input could make them many.
constexpr std::size_t kMaxDistinctWarnings = 1000;

bool IsTextName(std::string name) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return name.ends_with(".txt");
}

io::LineFormat LineFormatOf(const Options& options) {
  if (options.input_format == "text") return io::LineFormat::kText;
  if (options.input_format == "openai") return io::LineFormat::kOpenAi;
  if (options.input_format == "generate") return io::LineFormat::kGenerate;
  const bool text = std::ranges::all_of(options.inputs, IsTextName);
  return text ? io::LineFormat::kText : io::LineFormat::kAuto;
}

// "--sampling.top_p is 2" for those who typed --sampling, "--set top_p is 2" for those who typed
// that.
Error InTypedWords(const Error& error, const Options& options) {
  std::string message = error.message;
  for (const std::string& name : options.set_names) {
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

Result<io::RecordOptions> MakeRecordOptions(const Options& options, const ModelSource& source) {
  SGLRUN_ASSIGN_OR_RETURN(io::RenderChat render_chat, MakeChatRenderer(options, source));
  io::RecordOptions record_options{
      .sampling = options.sampling,
      .defaults = EffectiveDefaults(options, source.files.generation_defaults()),
      .defaults_place = source.files.generation_defaults().place,
      .compat = options.compat == "2024" ? io::Compat::k2024 : io::Compat::kNone,
      .strict = options.strict,
      .format = LineFormatOf(options),
      .run_seed = static_cast<std::uint64_t>(options.seed),
      .render_chat = std::move(render_chat),
      .vocab_size = source.files.spec().vocab_size,
      .model_name = options.model_name,
      .detokenize = [tokenizer = source.tokenizer.get()](std::span<const std::int32_t> ids) {
        return tokenizer->Decode(ids, /*skip_special_tokens=*/false);
      }};
  if (const Status status = io::CheckRunSampling(record_options); !status.ok()) {
    return InTypedWords(status.error(), options);
  }
  return record_options;
}

io::ReaderOptions MakeReaderOptions(const Options& options) {
  return {.lines_are_json = LineFormatOf(options) != io::LineFormat::kText};
}

bool InShard(const Shard& shard, const Hash128& content) {
  return content.low % static_cast<std::uint64_t>(shard.count) ==
         static_cast<std::uint64_t>(shard.index);
}

std::string FileInRows(const Options& options, const std::string& file) {
  return options.inputs.size() > 1 ? file : "";
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

}  // namespace sglrun::cli
