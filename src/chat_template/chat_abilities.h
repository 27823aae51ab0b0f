// The features of a chat template, found by rendering small conversations; `inspect` prints them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "chat_template/chat_content.h"
#include "chat_template/chat_template.h"

namespace sglrun::chat_template {

struct ChatAbilities {
  bool takes_system = false;                   // shows the text of a system message
  bool takes_tools = false;                    // shows the functions that may be called
  ContentShape content = ContentShape::kText;  // of users' messages
  // Variables that change whether, or how much, the model thinks: enable_thinking, ...
  std::vector<std::string> thinking_switches;
};

// Fails, with the reason, if the template cannot render the simplest conversation.
Result<ChatAbilities> FindChatAbilities(const ChatTemplate& chat);

}  // namespace sglrun::chat_template
