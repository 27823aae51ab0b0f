// `sglrun chat`: a conversation at the terminal, or one answer in a pipe.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "run/settings.h"
#include "serve/settings.h"

namespace sglrun::chat {

struct ChatSettings {
  serve::ServeSettings serve;
  run::RecordSettings records;  // of its messages
  Json template_variables = Json::Object{};
  std::string system_text;
  std::string message_file;  // of the one message; "" for none, "-" for standard input
  bool quiet = false;
};

// Gives the exit code, or why there was no chat.
Result<int> RunChat(const ChatSettings& settings);

}  // namespace sglrun::chat
