// Lines of the OpenAI dialect, and what becomes of them.
#pragma once

#include "io/dialect/record.h"

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <utility>

namespace sglrun::io {

// A chat template that shows nothing of its record, but keeps it.
struct Seen {
  ChatRecord chat;
  ToolCallForm form = ToolCallForm::kNone;
};

inline RecordOptions OpenAiOptions(Seen* seen = nullptr) {
  RecordOptions options;
  options.format = LineFormat::kOpenAi;
  options.vocab_size = 1000;
  options.model_name = "tiny";
  options.detokenize = [](std::span<const std::int32_t> ids) {
    return std::to_string(ids.size()) + " tokens";
  };
  options.render_chat = [seen](ChatRecord chat) -> Result<ChatPromptIds, RecordError> {
    ChatPromptIds prompt{{1, 2, 3}, seen == nullptr ? ToolCallForm::kNone : seen->form};
    if (seen != nullptr) seen->chat = std::move(chat);
    return prompt;
  };
  return options;
}

inline std::string Line(const std::string& url, const std::string& body) {
  return R"({"custom_id":"a","method":"POST","url":")" + url + R"(","body":{)" + body + "}}";
}

inline std::string Chat(const std::string& more) {
  return Line("/v1/chat/completions",
              R"("messages":[{"role":"user","content":"hi"}])" + (more.empty() ? "" : "," + more));
}

inline std::string Completion(const std::string& more) {
  return Line("/v1/completions", R"("prompt":"hi")" + (more.empty() ? "" : "," + more));
}

inline Result<Record, RecordFailure> ParseOpenAi(const std::string& text, RecordOptions options) {
  RecordParser parser(std::move(options));
  InputRecord line;
  line.line = 1;
  line.text = text;
  return parser.Parse(line);
}

inline Record Served(const std::string& text, RecordOptions options = OpenAiOptions()) {
  INFO(text);
  auto record = ParseOpenAi(text, std::move(options));
  if (!record.ok()) FAIL(record.error().error.message);
  REQUIRE(record->reply != nullptr);
  return std::move(record).value();
}

inline RecordError Refused(const std::string& text, RecordOptions options = OpenAiOptions()) {
  INFO(text);
  auto record = ParseOpenAi(text, std::move(options));
  REQUIRE_FALSE(record.ok());
  CHECK(record.error().reply != nullptr);
  return record.error().error;
}

inline SamplingParams ParamsOf(const std::string& text) {
  return *Served(text).requests[0].sampling;
}

inline std::string ConstraintOf(const std::string& text) {
  const auto constraint = ParamsOf(text).constraint;
  return constraint ? constraint->text : "none";
}

}  // namespace sglrun::io
