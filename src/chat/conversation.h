// A conversation: the messages in the form that a chat template reads, and for each answer of this
// chat how it was generated. Independent of the model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace sglrun::chat {

// How an answer was generated: enough to generate it again, and to continue from its tokens.
struct Making {
  std::string prompt_text;  // as the template rendered it
  std::vector<std::int32_t> prompt_ids;
  std::vector<std::int32_t> output_ids;
  Json::Object sampling;  // complete: defaults and the seed included
  std::string adapter;    // "": none
  bool require_reasoning = false;
};

struct ChatMessage {
  Json json;                             // an object with role and content
  std::shared_ptr<const Making> making;  // of an answer made by this model; never changed

  const std::string& role() const;
  std::string text() const;  // the content; of a list of parts, their texts
};

class Conversation {
 public:
  const std::vector<ChatMessage>& messages() const { return messages_; }
  bool empty() const { return messages_.empty(); }
  // Whether there are messages other than the system message.
  bool has_turns() const;
  bool has_system() const;

  // The text of the system message, "" for none.
  std::string system() const;
  void SetSystem(const std::string& text);  // "" removes it

  void AddUser(const std::string& text);
  void AddAnswer(const std::string& text, std::shared_ptr<const Making> making);

  // Removes the last answer, so that the message before it can be answered again. False if the last
  // message is not an answer.
  bool DropAnswer();
  // Removes the last user message and everything after it, and returns its text; nothing if there
  // is none.
  std::optional<std::string> Undo();
  // Keeps the system message only.
  void Clear();

  Json ToJson() const;  // the array of messages

  // From an array of messages, each checked; `place` begins the sentences ("chat.json").
  static Result<Conversation> FromJson(const Json& messages, const std::string& place);
  // `making` belongs to message `index`.
  void SetMaking(std::size_t index, std::shared_ptr<const Making> making);
  void ForgetMakings();

 private:
  std::vector<ChatMessage> messages_;
};

}  // namespace sglrun::chat
