#include <limits>

#include "model/files/gguf_model.h"

namespace sglrun::model {
namespace {

constexpr std::string_view kPrefix = "tokenizer.ggml.";

std::string Key(std::string_view name) {
  return std::string(kPrefix).append(name);
}

Result<std::string> ReadString(const formats::GgufFile& gguf, const std::string& key) {
  SGLRUN_ASSIGN_OR_RETURN(const auto text, gguf.String(key));
  return std::string(text.value_or(""));
}

Result<std::vector<std::string>> ReadStrings(const formats::GgufFile& gguf,
                                             const std::string& key) {
  SGLRUN_ASSIGN_OR_RETURN(const auto* list, gguf.Strings(key));
  if (list == nullptr) return std::vector<std::string>();
  return std::vector<std::string>(list->begin(), list->end());
}

bool FitsInt32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

Result<std::optional<std::int32_t>> ReadId(const formats::GgufFile& gguf, std::string_view name) {
  SGLRUN_ASSIGN_OR_RETURN(const auto id, gguf.Int(Key(name)));
  if (!id) return std::optional<std::int32_t>();
  if (FitsInt32(*id)) return std::optional<std::int32_t>(static_cast<std::int32_t>(*id));
  return Error{gguf.place + ": key " + Key(name) + " is " + std::to_string(*id) +
               ", must be a token id"};
}

Status CheckLengths(const formats::GgufFile& gguf, const GgufTokenizerFields& fields) {
  const auto check = [&](const char* name, std::size_t size) -> Status {
    if (size == 0 || size == fields.tokens.size()) return {};
    return Error{gguf.place + ": key " + Key(name) + " has " + std::to_string(size) +
                 " entries, tokens has " + std::to_string(fields.tokens.size())};
  };
  SGLRUN_RETURN_IF_ERROR(check("scores", fields.scores.size()));
  return check("token_type", fields.token_types.size());
}

}  // namespace

Result<GgufTokenizerFields> ReadGgufTokenizerFields(const formats::GgufFile& gguf) {
  GgufTokenizerFields fields;
  SGLRUN_ASSIGN_OR_RETURN(fields.model, ReadString(gguf, Key("model")));
  SGLRUN_ASSIGN_OR_RETURN(fields.pre, ReadString(gguf, Key("pre")));
  SGLRUN_ASSIGN_OR_RETURN(fields.chat_template, ReadString(gguf, "tokenizer.chat_template"));
  SGLRUN_ASSIGN_OR_RETURN(const auto names, ReadStrings(gguf, "tokenizer.chat_templates"));
  for (const std::string& name : names) {
    SGLRUN_ASSIGN_OR_RETURN(std::string text, ReadString(gguf, "tokenizer.chat_template." + name));
    fields.named_chat_templates.emplace_back(name, std::move(text));
  }
  SGLRUN_ASSIGN_OR_RETURN(fields.tokens, ReadStrings(gguf, Key("tokens")));
  SGLRUN_ASSIGN_OR_RETURN(fields.merges, ReadStrings(gguf, Key("merges")));
  SGLRUN_ASSIGN_OR_RETURN(const auto* scores, gguf.Floats(Key("scores")));
  if (scores != nullptr) fields.scores.assign(scores->begin(), scores->end());
  SGLRUN_ASSIGN_OR_RETURN(const auto* types, gguf.Ints(Key("token_type")));
  if (types != nullptr) {
    for (const std::int64_t type : *types) {
      fields.token_types.push_back(FitsInt32(type) ? static_cast<std::int32_t>(type) : 0);
    }
  }
  SGLRUN_RETURN_IF_ERROR(CheckLengths(gguf, fields));
  SGLRUN_ASSIGN_OR_RETURN(fields.bos_id, ReadId(gguf, "bos_token_id"));
  SGLRUN_ASSIGN_OR_RETURN(fields.eos_id, ReadId(gguf, "eos_token_id"));
  SGLRUN_ASSIGN_OR_RETURN(fields.eot_id, ReadId(gguf, "eot_token_id"));
  SGLRUN_ASSIGN_OR_RETURN(fields.unk_id, ReadId(gguf, "unknown_token_id"));
  SGLRUN_ASSIGN_OR_RETURN(fields.pad_id, ReadId(gguf, "padding_token_id"));
  SGLRUN_ASSIGN_OR_RETURN(fields.add_bos, gguf.Bool(Key("add_bos_token")));
  SGLRUN_ASSIGN_OR_RETURN(fields.add_eos, gguf.Bool(Key("add_eos_token")));
  SGLRUN_ASSIGN_OR_RETURN(fields.add_space_prefix, gguf.Bool(Key("add_space_prefix")));
  SGLRUN_ASSIGN_OR_RETURN(fields.remove_extra_whitespaces,
                          gguf.Bool(Key("remove_extra_whitespaces")));
  return fields;
}

}  // namespace sglrun::model
