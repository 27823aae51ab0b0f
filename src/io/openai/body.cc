#include "io/openai/body.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "io/openai/body_fields.h"
#include "io/openai/constraint_fields.h"
#include "io/openai/tools.h"
#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::io::openai {
namespace {

using request::BadValue;
using Outcome = Result<void, RecordError>;

constexpr std::int64_t kCompletionTokens = 16;  // of /v1/completions without max_tokens

bool IsEmptyOr(const Json& value, std::string_view neutral) {
  if (value.is_null() || value.CanonicalDump() == neutral) return true;
  if (value.is_bool()) return neutral.empty() && !value.as_bool();
  if (value.is_string()) return value.as_string().empty();
  if (value.is_object()) return value.as_object().empty();
  return value.is_array() && value.as_array().empty();
}

class BodyReader {
 public:
  BodyReader(Json body, const BodyOptions& options, Reply& reply,
             std::vector<std::string>& warnings)
      : body_(std::move(body)), options_(options), reply_(reply), warnings_(warnings) {}

  Result<Json, RecordError> Run() {
    for (auto& [name, value] : body_.as_object()) SGLRUN_RETURN_IF_ERROR(Sort(name, value));
    SGLRUN_RETURN_IF_ERROR(ReadModel());
    SGLRUN_RETURN_IF_ERROR(ReadLength());
    SGLRUN_RETURN_IF_ERROR(ReadTopK());
    SGLRUN_RETURN_IF_ERROR(reply_.endpoint == Endpoint::kChat ? ReadChat() : ReadCompletion());
    SGLRUN_RETURN_IF_ERROR(ReadConstraints());
    SGLRUN_RETURN_IF_ERROR(ReadFlag("return_token_ids", reply_.token_ids));
    SGLRUN_RETURN_IF_ERROR(ReadFlag("return_prompt_token_ids", reply_.prompt_token_ids));
    if (reply_.prompt_token_ids) record_.emplace_back("return_prompt_token_ids", true);
    if (reply_.logprobs) {
      record_.emplace_back("return_logprob", true);
      record_.emplace_back("top_logprobs_num", reply_.top_logprobs);
      record_.emplace_back("logprob_start_len", std::int64_t{reply_.echoed.empty() ? -1 : 0});
    }
    record_.emplace_back("sampling_params", std::move(sampling_));
    return Json(std::move(record_));
  }

 private:
  // Unknown and refused fields, and those that are sampling parameters under some name.
  Outcome Sort(const std::string& name, Json& value) {
    const BodyField* const field = FindBodyField(reply_.endpoint, name);
    if (field == nullptr) return Unknown(name);
    if (value.is_null()) return {};
    SGLRUN_RETURN_IF_ERROR(CheckKind(*field, value));
    if (field->use == Use::kRefused && !IsEmptyOr(value, field->target)) {
      return RecordError{name + " is not supported yet (" + std::string(field->summary) + ")",
                         name};
    }
    if (field->use == Use::kHint) {
      warnings_.push_back(name + " (" + std::string(field->summary) + ") has no effect");
    }
    if (field->use == Use::kSampling) Sample(field->target, std::move(value), name);
    return {};
  }

  Outcome Unknown(const std::string& name) {
    const std::string sentence = "unknown field " + Json(request::ShortName(name)).Dump();
    const std::string hint = NearestBodyFieldHint(reply_.endpoint, name);
    if (options_.strict) return RecordError{sentence + hint, request::ShortName(name)};
    warnings_.push_back(sentence + " is ignored" + hint);
    return {};
  }

  // If a parameter is given under two names, the later one is used, as with a repeated key.
  void Sample(std::string_view parameter, Json value, const std::string& origin) {
    std::erase_if(sampling_, [&](const Json::Member& one) { return one.first == parameter; });
    sampling_.emplace_back(std::string(parameter), std::move(value));
    const std::string path = "sampling_params." + std::string(parameter);
    std::erase_if(reply_.origins, [&](const auto& one) { return one.first == path; });
    reply_.origins.emplace_back(path, origin);
  }

  // The value of a field, null when there is none.
  Json Take(std::string_view name) {
    for (auto& [key, value] : body_.as_object()) {
      if (key == name) return std::move(value);
    }
    return {};
  }

  Outcome ReadFlag(std::string_view name, bool& flag) {
    const Json value = Take(name);
    if (value.is_null()) return {};
    if (!value.is_bool()) return BadValue(name, value.Excerpt(), "a boolean");
    flag = value.as_bool();
    return {};
  }

  Outcome ReadModel() {
    Json model = Take("model");
    reply_.model = model.is_string() ? std::move(model.as_string()) : options_.model_name;
    Json adapter = Take("lora_path");
    const bool names_adapter =
        options_.find_adapter != nullptr && options_.find_adapter(reply_.model).ok();
    if (adapter.is_null() && names_adapter) adapter = reply_.model;
    if (!adapter.is_null()) record_.emplace_back("lora_path", std::move(adapter));
    return {};
  }

  // The newer name takes precedence. Without either, --sampling applies, then the dialect's
  // default.
  Outcome ReadLength() {
    Json newer = reply_.endpoint == Endpoint::kChat ? Take("max_completion_tokens") : Json();
    const bool has_newer = !newer.is_null();
    Json stated = has_newer ? std::move(newer) : Take("max_tokens");
    if (!stated.is_null()) {
      Sample("max_new_tokens", std::move(stated),
             has_newer ? "max_completion_tokens" : "max_tokens");
    } else if (!options_.run_has_length) {
      Sample("max_new_tokens",
             reply_.endpoint == Endpoint::kChat ? Json() : Json(kCompletionTokens), "max_tokens");
    }
    return {};
  }

  // vLLM also writes "all" as 0.
  Outcome ReadTopK() {
    Json top_k = Take("top_k");
    if (top_k.is_null()) return {};
    const bool all = top_k.is_int() && top_k.as_int() == 0;
    Sample("top_k", all ? Json(std::int64_t{-1}) : std::move(top_k), "top_k");
    return {};
  }

  Outcome ReadChat() {
    Json messages = Take("messages");
    if (messages.is_null()) return RecordError{"messages is missing", "messages"};
    ReadTemplateVariables();
    SGLRUN_ASSIGN_OR_RETURN(ToolRequest tools, ReadTools(Take("tools"), Take("tool_choice"),
                                                         Take("parallel_tool_calls"), reply_));
    record_.emplace_back("messages", std::move(messages));
    record_.emplace_back("tools", std::move(tools.shown));
    record_.emplace_back("documents", Take("documents"));
    calls_schema_ = std::move(tools.schema);
    reply_.origins.emplace_back("input_ids", "messages");
    return ReadChatLogprobs();
  }

  // chat_template_kwargs, and the fields of the body that control the template.
  void ReadTemplateVariables() {
    Json variables = Take("chat_template_kwargs");
    if (variables.is_null()) variables = Json::Object();
    if (const Json effort = Take("reasoning_effort"); !effort.is_null()) {
      const auto set = [&](std::string_view name, Json value) {
        if (variables.Find(name) != nullptr) return;
        variables.as_object().emplace_back(std::string(name), std::move(value));
      };
      // Families use different variables; all are set, as in SGLang.
      const bool thinks = effort.as_string() != "none";
      set("thinking", thinks);
      if (body_.Find("enable_thinking") == nullptr) set("enable_thinking", thinks);
      set("reasoning_effort", effort);
    }
    record_.emplace_back("chat_template_kwargs", std::move(variables));
    for (const std::string_view name :
         {"add_generation_prompt", "continue_final_message", "enable_thinking", "chat_template"}) {
      record_.emplace_back(std::string(name), Take(name));
    }
  }

  Outcome ReadChatLogprobs() {
    SGLRUN_RETURN_IF_ERROR(ReadFlag("logprobs", reply_.logprobs));
    const Json top = Take("top_logprobs");
    if (top.is_null()) return {};
    SGLRUN_RETURN_IF_ERROR(ReadTopLogprobs(top, "top_logprobs"));
    if (reply_.top_logprobs == 0 || reply_.logprobs) return {};
    return RecordError{"top_logprobs is given, but logprobs is not true", "top_logprobs"};
  }

  Outcome ReadTopLogprobs(const Json& value, std::string_view name) {
    const request::Range range{.low = 0, .clips = true};
    SGLRUN_ASSIGN_OR_RETURN(reply_.top_logprobs, request::ReadInteger(value, name, range));
    if (range.Contains(static_cast<double>(reply_.top_logprobs))) return {};
    return BadValue(name, value.Excerpt(), range.ToString());
  }

  Outcome ReadCompletion() {
    Json prompt = Take("prompt");
    if (prompt.is_null()) return RecordError{"prompt is missing", "prompt"};
    bool echo = false;
    SGLRUN_RETURN_IF_ERROR(ReadFlag("echo", echo));
    if (const Json top = Take("logprobs"); !top.is_null()) {
      SGLRUN_RETURN_IF_ERROR(ReadTopLogprobs(top, "logprobs"));
      reply_.logprobs = true;
    }
    if (prompt.is_array() && prompt.as_array().empty()) {
      return BadValue("prompt", "[]", "at least one text or token id");
    }
    const Json* const first = prompt.is_array() ? &prompt.as_array()[0] : &prompt;
    const bool known =
        first->is_string() || (prompt.is_array() && (first->is_number() || first->is_array()));
    if (!known) {
      return BadValue("prompt", prompt.Excerpt(), "a text, token ids, or an array of either");
    }
    const std::string_view name = first->is_string() ? "text" : "input_ids";
    reply_.origins.emplace_back(name, "prompt");
    if (echo) SGLRUN_RETURN_IF_ERROR(KeepEcho(prompt));
    record_.emplace_back(std::string(name), std::move(prompt));
    return {};
  }

  Outcome KeepEcho(const Json& prompt) {
    if (prompt.is_string()) {
      reply_.echoed.push_back(prompt.as_string());
    } else if (prompt.as_array()[0].is_number()) {
      return KeepEchoOfIds(prompt, "prompt");
    } else {
      for (const Json& one : prompt.as_array()) {
        if (one.is_string()) {
          reply_.echoed.push_back(one.as_string());
        } else {
          SGLRUN_RETURN_IF_ERROR(
              KeepEchoOfIds(one, request::ElementPath("prompt", reply_.echoed.size())));
        }
      }
    }
    return {};
  }

  Outcome KeepEchoOfIds(const Json& ids, const std::string& path) {
    SGLRUN_ASSIGN_OR_RETURN(const std::vector<std::int32_t> list,
                            request::ReadTokenIds(ids, path, 0));
    if (!options_.detokenize) return RecordError{"echo needs a tokenizer", "echo"};
    reply_.echoed.push_back(options_.detokenize(list));
    return {};
  }

  Outcome ReadConstraints() {
    SGLRUN_ASSIGN_OR_RETURN(std::optional<ConstraintField> constraint, ReadConstraint(body_));
    if (constraint && calls_schema_) {
      return RecordError{
          constraint->origin +
              " is given and tool_choice requires a call; an answer can have only one constraint",
          constraint->origin};
    }
    if (constraint) {
      Sample(constraint->parameter, std::move(constraint->value), constraint->origin);
      // The constraint applies to the text of the answer, which cannot contain a call.
      reply_.calls = CallSyntax::kNone;
    }
    if (calls_schema_) Sample("json_schema", *std::move(calls_schema_), "tools");
    return {};
  }

  Json body_;
  const BodyOptions& options_;
  Reply& reply_;
  std::vector<std::string>& warnings_;

  Json::Object record_;
  Json::Object sampling_;
  std::optional<Json> calls_schema_;
};

}  // namespace

Result<Json, RecordError> ReadBody(Json body, const BodyOptions& options, Reply& reply,
                                   std::vector<std::string>& warnings) {
  return BodyReader(std::move(body), options, reply, warnings).Run();
}

}  // namespace sglrun::io::openai
