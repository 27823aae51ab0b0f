#include "chat/chat_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "base/whole_file.h"
#include "chat/answerer.h"

namespace sglrun::chat {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "sglrun_chat";
constexpr std::size_t kMostSavedBytes = std::size_t{256} << 20;

Json IdsJson(const std::vector<std::int32_t>& ids) {
  Json::Array list;
  list.reserve(ids.size());
  for (const std::int32_t id : ids) list.emplace_back(std::int64_t{id});
  return list;
}

Json MakingJson(const Making* making) {
  if (making == nullptr) return nullptr;
  Json::Object made{{"prompt", making->prompt_text},
                    {"input_ids", IdsJson(making->prompt_ids)},
                    {"output_ids", IdsJson(making->output_ids)},
                    {"sampling_params", making->sampling},
                    {"require_reasoning", making->require_reasoning}};
  if (!making->adapter.empty()) made.emplace_back("lora_path", making->adapter);
  return made;
}

Result<std::vector<std::int32_t>> ReadIds(const Json& made, const char* name,
                                          const std::string& path) {
  const Json* list = made.Find(name);
  const Error wrong{path + "." + name + " must be an array of token ids"};
  if (list == nullptr || !list->is_array()) return wrong;
  std::vector<std::int32_t> ids;
  ids.reserve(list->as_array().size());
  for (const Json& id : list->as_array()) {
    if (!id.is_int() || id.as_int() < 0 || id.as_int() > std::numeric_limits<std::int32_t>::max()) {
      return wrong;
    }
    ids.push_back(static_cast<std::int32_t>(id.as_int()));
  }
  return ids;
}

Result<std::shared_ptr<const Making>> ReadMaking(const Json& made, const std::string& path) {
  if (made.is_null()) return std::shared_ptr<const Making>();
  auto making = std::make_shared<Making>();
  const Json* prompt = made.Find("prompt");
  const Json* sampling = made.Find("sampling_params");
  const Json* reasoning = made.Find("require_reasoning");
  const Json* adapter = made.Find("lora_path");
  if (prompt == nullptr || !prompt->is_string() || sampling == nullptr || !sampling->is_object() ||
      (reasoning != nullptr && !reasoning->is_bool()) ||
      (adapter != nullptr && !adapter->is_string())) {
    return Error{
        path +
        " must be null, or an object with prompt, input_ids, output_ids and sampling_params"};
  }
  making->prompt_text = prompt->as_string();
  making->sampling = sampling->as_object();
  making->require_reasoning = reasoning != nullptr && reasoning->as_bool();
  if (adapter != nullptr) making->adapter = adapter->as_string();
  SGLRUN_ASSIGN_OR_RETURN(making->prompt_ids, ReadIds(made, "input_ids", path));
  SGLRUN_ASSIGN_OR_RETURN(making->output_ids, ReadIds(made, "output_ids", path));
  return std::shared_ptr<const Making>(std::move(making));
}

Status ReadMakings(const Json& made, const std::string& place, Conversation& conversation) {
  if (!made.is_array() || made.as_array().size() != conversation.messages().size()) {
    return Error{place + ": made must be an array with an entry for each message"};
  }
  for (std::size_t i = 0; i < made.as_array().size(); ++i) {
    const std::string path = place + ": made[" + std::to_string(i) + "]";
    SGLRUN_ASSIGN_OR_RETURN(auto making, ReadMaking(made.as_array()[i], path));
    conversation.SetMaking(i, std::move(making));
  }
  return {};
}

bool Exists(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool IsSavedChat(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  const auto text = ReadFile(path, kMostSavedBytes);
  if (!text.ok()) return false;
  const auto json = ParseJson(*text);
  return json.ok() && json->value.Find(kMark) != nullptr;
}

}  // namespace

std::string SavedChatText(const SavedChat& chat) {
  Json::Array made;
  for (const ChatMessage& message : chat.conversation.messages()) {
    made.push_back(MakingJson(message.making.get()));
  }
  return Json(Json::Object{{std::string(kMark), std::int64_t{1}},
                           {"model", chat.model},
                           {"sampling_params", chat.sampling},
                           {"messages", chat.conversation.ToJson()},
                           {"made", std::move(made)}})
             .Dump() +
         "\n";
}

Result<SavedChat> ParseSavedChat(std::string_view text, const std::string& place) {
  auto parsed = ParseJson(text);
  if (!parsed.ok()) {
    return Error{place + " is not valid JSON: " + parsed.error().message + " at byte " +
                 std::to_string(parsed.error().offset + 1)};
  }
  const Json& json = parsed->value;
  const Json* messages = json.is_array() ? &json : json.Find("messages");
  if (messages == nullptr) {
    return Error{place + " is " + json.KindName() +
                 ", must be a saved chat, or an array of messages with role and content"};
  }
  SavedChat chat;
  SGLRUN_ASSIGN_OR_RETURN(chat.conversation, Conversation::FromJson(*messages, place));
  const Json* mark = json.Find(kMark);
  chat.messages_alone = mark == nullptr;
  if (chat.messages_alone) return chat;
  if (!mark->is_int() || mark->as_int() != 1) {
    return Error{place + ": " + std::string(kMark) + " is " + mark->Excerpt() +
                 ", this version reads 1"};
  }
  if (const Json* sampling = json.Find("sampling_params")) {
    if (!sampling->is_object()) {
      return Error{place + ": sampling_params is " + sampling->KindName() + ", must be an object"};
    }
    chat.sampling = *sampling;
  }
  if (const Json* model = json.Find("model"); model != nullptr && model->is_string()) {
    chat.model = model->as_string();
  }
  if (const Json* made = json.Find("made")) {
    SGLRUN_RETURN_IF_ERROR(ReadMakings(*made, place, chat.conversation));
  }
  return chat;
}

Status WriteSavedChat(const std::string& path, const SavedChat& chat, Replace replace) {
  if (!Exists(path)) return WriteNewFile("", path, SavedChatText(chat));
  if (!IsSavedChat(path)) {
    return Error{path + " exists and is not a saved chat; name another file"};
  }
  if (replace == Replace::kNothing) {
    return Error{path + " holds another saved chat; /save! replaces it"};
  }
  return WriteWholeFile("", path, SavedChatText(chat));
}

Result<SavedChat> ReadSavedChat(const std::string& path) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMostSavedBytes));
  return ParseSavedChat(text, path);
}

std::string ReplayText(const Conversation& conversation) {
  std::string text;
  int number = 0;
  for (const ChatMessage& message : conversation.messages()) {
    if (message.making == nullptr) continue;
    JsonWriter(text).Value(ReplayLine(*message.making, "answer-" + std::to_string(++number)));
    text += "\n";
  }
  return text;
}

Status WriteReplay(const std::string& path, const Conversation& conversation) {
  if (Exists(path)) return Error{path + " exists already; name another file"};
  return WriteNewFile("", path, ReplayText(conversation));
}

}  // namespace sglrun::chat
