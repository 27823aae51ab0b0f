#include "io/openai/reply_writer.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "io/openai/reply_logprobs.h"
#include "io/openai/tool_calls.h"
#include "io/row_values.h"

namespace sglrun::io::openai {
namespace {

// The head of a row up to the body of its response.
void BeginRow(JsonWriter& w, const Reply& reply, const ReplyPlace& place, int status_code) {
  const std::string id = place.key.ToHex();
  w.BeginObject();
  if (place.number > 0) WriteInputPlace(w, place.number, "");
  w.Key("id");
  w.String("batch_req_" + id);
  w.Key("custom_id");
  if (reply.custom_id) {
    WriteText(w, *reply.custom_id);
  } else {
    w.Null();
  }
  w.Key("response");
  w.BeginObject();
  w.Key("status_code");
  w.Int(status_code);
  w.Key("request_id");
  w.String("req_" + id);
  w.Key("body");
  w.BeginObject();
}

void EndRow(JsonWriter& w, const ReplyPlace& place) {
  if (place.with_line && place.number == 0) WriteInputPlace(w, place.line, place.file);
  w.EndObject();
}

std::string_view FinishWord(const GenerateResult& result) {
  return result.finish_reason.kind == FinishReason::Kind::kLength ? "length" : "stop";
}

// SGLang's name for the token or the text that ended the answer.
void WriteMatchedStop(JsonWriter& w, const FinishReason& reason) {
  w.Key("matched_stop");
  if (reason.kind == FinishReason::Kind::kLength) {
    w.Null();
  } else if (const auto* id = std::get_if<std::int32_t>(&reason.matched)) {
    w.Int(*id);
  } else {
    WriteText(w, std::get<std::string>(reason.matched));
  }
}

// Mistral's templates take ids of nine letters and digits, no others.
std::string CallId(const Reply& reply, const ReplyPlace& place, std::size_t number) {
  const std::string hex = HashBytes(place.key.ToHex(), number).ToHex();
  const bool short_form =
      reply.calls == CallSyntax::kTemplate && reply.form == ToolCallForm::kListed;
  return short_form ? hex.substr(0, 9) : "call_" + hex.substr(0, 24);
}

// The body up to its first choice.
void BeginBody(JsonWriter& w, const Reply& reply, const ReplyPlace& place) {
  const bool chat = reply.endpoint == Endpoint::kChat;
  w.Key("id");
  w.String((chat ? "chatcmpl-" : "cmpl-") + place.key.ToHex());
  w.Key("object");
  w.String(chat ? "chat.completion" : "text_completion");
  w.Key("created");
  w.Int(place.no_timing ? 0 : place.created);
  w.Key("model");
  WriteText(w, reply.model);
  w.Key("choices");
  w.BeginArray();
}

void WriteUsage(JsonWriter& w, const ReplyPlace& place, const Usage& usage) {
  w.Key("usage");
  w.BeginObject();
  w.Key("prompt_tokens");
  w.Int(usage.prompt);
  w.Key("completion_tokens");
  w.Int(usage.completion);
  w.Key("total_tokens");
  w.Int(usage.prompt + usage.completion);
  if (!place.no_timing) {
    w.Key("prompt_tokens_details");
    w.BeginObject();
    w.Key("cached_tokens");
    w.Int(usage.cached);
    w.EndObject();
  }
  w.EndObject();
}

class ChoiceWriter {
 public:
  // `calls`: the number of tool calls in the previous choices.
  ChoiceWriter(JsonWriter& w, const Reply& reply, const ReplyPlace& place, std::size_t& calls)
      : w_(w), reply_(reply), place_(place), calls_(calls) {}

  void Write(std::size_t index, const GenerateResult& result) {
    w_.BeginObject();
    w_.Key("index");
    w_.UInt(index);
    std::string_view finish = FinishWord(result);
    std::string text;
    if (reply_.endpoint == Endpoint::kChat) {
      const bool called = WriteMessage(result);
      if (called && finish == "stop" && !reply_.one_named_tool) finish = "tool_calls";
    } else {
      text = Echoed(index) + result.text;
      w_.Key("text");
      WriteText(w_, text);
    }
    WriteLogprobs(result, text);
    w_.Key("finish_reason");
    w_.String(finish);
    WriteMatchedStop(w_, result.finish_reason);
    if (result.grammar) WriteGrammar(w_, *result.grammar);
    if (reply_.prompt_token_ids && result.prompt_token_ids) {
      w_.Key("prompt_token_ids");
      WriteIntegers(w_, *result.prompt_token_ids);
    }
    if (reply_.token_ids) {
      w_.Key("token_ids");
      WriteIntegers(w_, result.output_ids);
    }
    w_.EndObject();
  }

 private:
  // True when the message holds calls.
  bool WriteMessage(const GenerateResult& result) {
    const std::optional<CalledText> called = FindToolCalls(reply_, result.text);
    w_.Key("message");
    w_.BeginObject();
    w_.Key("role");
    w_.String("assistant");
    w_.Key("content");
    if (!called) {
      WriteText(w_, result.text);
    } else if (called->content.empty()) {
      w_.Null();
    } else {
      WriteText(w_, called->content);
    }
    w_.Key("refusal");
    w_.Null();
    if (called) WriteCalls(called->calls);
    w_.EndObject();
    return called.has_value();
  }

  void WriteCalls(const std::vector<ToolCall>& calls) {
    w_.Key("tool_calls");
    w_.BeginArray();
    for (const ToolCall& call : calls) {
      w_.BeginObject();
      w_.Key("id");
      w_.String(CallId(reply_, place_, calls_++));
      w_.Key("type");
      w_.String("function");
      w_.Key("function");
      w_.BeginObject();
      w_.Key("name");
      WriteText(w_, call.name);
      w_.Key("arguments");
      WriteText(w_, call.arguments);
      w_.EndObject();
      w_.EndObject();
    }
    w_.EndArray();
  }

  std::string Echoed(std::size_t index) const {
    const std::size_t prompt = index / reply_.samples;
    return prompt < reply_.echoed.size() ? reply_.echoed[prompt] : std::string();
  }

  void WriteLogprobs(const GenerateResult& result, std::string_view text) {
    w_.Key("logprobs");
    if (!result.logprobs) {
      w_.Null();
    } else if (reply_.endpoint == Endpoint::kChat) {
      WriteChatLogprobs(w_, *result.logprobs);
    } else {
      WriteCompletionLogprobs(w_, *result.logprobs, text);
    }
  }

  JsonWriter& w_;
  const Reply& reply_;
  const ReplyPlace& place_;
  std::size_t& calls_;
};

}  // namespace

void Usage::Add(const Reply& reply, std::size_t index, const GenerateResult& result) {
  completion += static_cast<std::int64_t>(result.output_ids.size());
  if (index % reply.samples != 0) return;
  prompt += result.prompt_tokens;
  cached += result.cached_tokens;
}

void AppendReplyHead(const Reply& reply, const ReplyPlace& place, std::string& out) {
  JsonWriter w(out);
  BeginRow(w, reply, place, 200);
  BeginBody(w, reply, place);
}

void AppendChoice(const Reply& reply, const ReplyPlace& place, std::size_t index,
                  const GenerateResult& result, std::size_t& calls, std::string& out) {
  JsonWriter w(out);
  ChoiceWriter(w, reply, place, calls).Write(index, result);
}

void AppendReplyEnd(const ReplyPlace& place, const Usage& usage, std::string& out) {
  JsonWriter w(out);
  w.EndArray();  // of the choices; commas continue from here
  WriteUsage(w, place, usage);
  w.EndObject();
  w.EndObject();
  w.Key("error");
  w.Null();
  EndRow(w, place);
  out.push_back('\n');
}

void AppendReply(const Reply& reply, const ReplyPlace& place,
                 std::span<const GenerateResult> results, std::string& out) {
  AppendReplyHead(reply, place, out);
  Usage usage;
  std::size_t calls = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (i > 0) out.push_back(',');
    AppendChoice(reply, place, i, results[i], calls, out);
    usage.Add(reply, i, results[i]);
  }
  AppendReplyEnd(place, usage, out);
}

// Hosted services report an invalid request in response.body.error, vLLM in error. Both are
// written, for clients of either.
void AppendErrorReply(const Reply& reply, const ReplyPlace& place, const GenerateResult& failed,
                      std::string& out) {
  JsonWriter w(out);
  const RecordError told = InWordsOf(reply, *failed.error);
  BeginRow(w, reply, place, told.code);
  WriteErrorMember(w, told, place.line, place.file);
  if (!failed.output_ids.empty()) {
    w.Key("partial_text");
    WriteText(w, failed.text);
  }
  w.EndObject();
  w.EndObject();
  WriteErrorMember(w, told, place.line, place.file);
  EndRow(w, place);
  out.push_back('\n');
}

}  // namespace sglrun::io::openai
