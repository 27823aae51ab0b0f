// The model side of a chat: takes a conversation and returns an answer piece by piece. Every answer
// is generated from one line of GenerateReqInput, which is also what /export writes, with the
// reader of `batch`. A replay is therefore the same request.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "chat/conversation.h"
#include "chat/parameters.h"
#include "chat/prompt_encoder.h"
#include "chat/thinking_splitter.h"
#include "chat_template/chat_template.h"
#include "engine/engine.h"
#include "io/dialect/record.h"

namespace sglrun::chat {

// What an answer cost.
struct AnswerCost {
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;  // of them, found in the cache
  std::int64_t output_tokens = 0;
  double first_token_s = 0;
  double total_s = 0;
};

struct Answer {
  enum class End { kStop, kLength, kContextFull, kInterrupted };
  std::string text = "";
  End end = End::kStop;
  bool incomplete = false;  // there is a constraint, and the text does not satisfy it
  std::shared_ptr<const Making> making = nullptr;
  AnswerCost cost = {};
};

// The display of an answer while it is generated.
struct AnswerWatch {
  // Before the first text: the prompt as rendered, whose end may have opened the thinking.
  std::function<void(std::string_view prompt)> begin;
  std::function<void(std::string_view piece)> text;
  std::function<bool()> wants_stop;
};

class Answerer {
 public:
  struct Parts {
    const tokenizer::Tokenizer* tokenizer = nullptr;
    chat_template::ChatTemplate chat_template;
    Json::Object template_variables;  // --template-set
    bool plain_content = false;       // --no-special-in-content
    engine::Engine* engine = nullptr;
    io::RecordOptions record_options;  // without --sampling
    ThinkingMarkers thinking;
    std::string room_advice;  // advice for when the context is full
  };
  explicit Answerer(Parts parts);

  // The answer to the messages. An error leaves everything as it was.
  Result<Answer> Run(const Conversation& conversation, const Parameters& parameters,
                     std::int64_t seed, const AnswerWatch& watch);

  // The most tokens that a conversation may have.
  std::int64_t context_length() const;

 private:
  struct Prompt {
    chat_template::ChatPrompt rendered;
    std::vector<std::int32_t> ids;
  };
  Result<Prompt> MakePrompt(const Conversation& conversation) const;
  Result<GenerateRequest> MakeRequest(const Making& making) const;
  // Removes an incomplete character at the end of a stopped answer. In a replay that ends at the
  // same place it would appear as U+FFFD.
  void CutInterrupted(bool skip_special_tokens, Answer& answer, Making& making) const;
  Result<Answer> Generate(GenerateRequest request, const AnswerWatch& watch, Making& making);

  Parts parts_;
  PromptEncoder encoder_;
  std::tm now_;  // one time for the whole chat, so that earlier turns of a prompt stay equal
};

// The input line of an answer, as `batch` reads it.
Json ReplayLine(const Making& making, const std::string& rid);

}  // namespace sglrun::chat
