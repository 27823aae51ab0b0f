// The files that a chat writes and reads. Nothing is overwritten but an earlier save of a chat, and
// that only on demand.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/chat/conversation.h"

namespace sglrun::cli {

struct SavedChat {
  Conversation conversation;
  Json sampling = Json::Object{};  // what was set
  std::string model;               // fingerprint of the model that made the answers, "" unknown
  bool messages_alone = false;     // of another program: no word of parameters
};

// {"sglrun_chat": 1, "model": .., "sampling_params": {..}, "messages": [..], "made": [..]}: "made"
// has an entry a message, null or how the answer was made.
std::string SavedChatText(const SavedChat& chat);
// Such a file, or messages alone: an array, or an object with `messages`. What else an object holds
// is not looked at. Errors begin with the place.
Result<SavedChat> ParseSavedChat(std::string_view text, const std::string& place);

// What may be there already: another saved chat is replaced when that is wanted, no other file is.
enum class Replace { kNothing, kSavedChat };
Status WriteSavedChat(const std::string& path, const SavedChat& chat, Replace replace);
Result<SavedChat> ReadSavedChat(const std::string& path);

// A line for each answer that was made here, in order. An existing file is refused.
Status WriteReplay(const std::string& path, const Conversation& conversation);
std::string ReplayText(const Conversation& conversation);

}  // namespace sglrun::cli
