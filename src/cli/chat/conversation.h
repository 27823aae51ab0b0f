// A conversation: messages as a chat template reads them, and of each answer made here what made
// it. Knows no model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace sglrun::cli {

// How an answer came about: enough to make it again, and to go on from its tokens.
struct Making {
  std::string prompt_text;  // as the template rendered it
  std::vector<std::int32_t> prompt_ids;
  std::vector<std::int32_t> output_ids;
  Json::Object sampling;  // complete: defaults and the seed included
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
  // Messages but the system's.
  bool has_turns() const;
  bool has_system() const;

  // The text of the system message, "" for none.
  std::string system() const;
  void SetSystem(const std::string& text);  // "" takes it away

  void AddUser(const std::string& text);
  void AddAnswer(const std::string& text, std::shared_ptr<const Making> making);

  // Takes the last answer away, so that what is before it can be answered anew. False when the last
  // message is no answer.
  bool DropAnswer();
  // Takes the last message of the user and all behind it away, and gives its text; nothing when
  // there is none.
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

}  // namespace sglrun::cli
