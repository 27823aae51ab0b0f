// The files that a chat writes and reads. Only an earlier saved chat is overwritten, and only on
// request.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "chat/conversation.h"

namespace sglrun::chat {

struct SavedChat {
  Conversation conversation;
  Json sampling = Json::Object{};  // what was set
  std::string model;               // fingerprint of the model that made the answers, "" unknown
  bool messages_alone = false;     // from another program: without parameters
};

// {"sglrun_chat": 1, "model": .., "sampling_params": {..}, "messages": [..], "made": [..]}: "made"
// has one entry per message: null, or how the answer was generated.
std::string SavedChatText(const SavedChat& chat);
// Such a file, or messages alone: an array, or an object with `messages`. Other members of an
// object are ignored. Errors begin with the path of the file.
Result<SavedChat> ParseSavedChat(std::string_view text, const std::string& place);

// Which existing file may be replaced: another saved chat on request, no other file.
enum class Replace { kNothing, kSavedChat };
Status WriteSavedChat(const std::string& path, const SavedChat& chat, Replace replace);
Result<SavedChat> ReadSavedChat(const std::string& path);

// Writes one line for each answer of this chat, in order. An existing file is refused.
Status WriteReplay(const std::string& path, const Conversation& conversation);
std::string ReplayText(const Conversation& conversation);

}  // namespace sglrun::chat
