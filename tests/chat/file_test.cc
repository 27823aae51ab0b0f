// The files of a chat: what is saved comes back, what is not ours is neither taken nor replaced.
#include "chat/chat_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/mapped_file.h"
#include "chat/history_file.h"

namespace sglrun::chat {
namespace {

namespace fs = std::filesystem;

// A folder that goes with the test.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("sglrun_chat_" + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  fs::path path;
};

void Write(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

Conversation Talk() {
  Conversation conversation;
  conversation.SetSystem("be brief");
  conversation.AddUser("2+2?");
  auto making = std::make_shared<Making>();
  making->prompt_text = "U2+2?A";
  making->prompt_ids = {1, 2, 3};
  making->output_ids = {4, 5};
  making->sampling = {{"temperature", 0.5}, {"sampling_seed", std::int64_t{9}}};
  conversation.AddAnswer("4", making);
  return conversation;
}

TEST_CASE("a saved chat comes back with how its answers were made") {
  const SavedChat chat{Talk(), Json::Object{{"top_k", std::int64_t{3}}}, "abc"};
  const auto read = ParseSavedChat(SavedChatText(chat), "chat.json");
  REQUIRE(read.ok());
  CHECK_FALSE(read->messages_alone);
  CHECK(ParseSavedChat("[]", "m.json")->messages_alone);
  CHECK(SavedChatText(*read) == SavedChatText(chat));
  CHECK(ReplayText(read->conversation) ==
        R"({"rid":"answer-1","input_ids":[1,2,3],"sampling_params":)"
        R"({"temperature":0.5,"sampling_seed":9}})"
        "\n");
}

TEST_CASE("messages of any source can be loaded, and invalid ones are reported with their place") {
  const auto outcome = [](std::string_view text) {
    const auto read = ParseSavedChat(text, "c.json");
    return read.ok() ? read->conversation.ToJson().Dump() : read.error().message;
  };
  CHECK(outcome(R"([{"role":"user","content":"a"}])") == R"([{"role":"user","content":"a"}])");
  CHECK(outcome(R"({"model":"x","messages":[]})") == "[]");
  CHECK(outcome("[") == "c.json is not valid JSON: invalid value at byte 2");
  CHECK(outcome("7") ==
        "c.json is an integer, must be a saved chat, or an array of messages with role and "
        "content");
  CHECK(outcome(R"({"messages":"hi"})") == "c.json: messages is a string, must be an array");
  CHECK(outcome("[1]") ==
        "c.json: messages[0] is an integer, must be an object with role and content");
  CHECK(outcome(R"([{"content":"a"}])") == "c.json: messages[0] has no role");
  CHECK(outcome(R"([{"role":7,"content":"a"}])") ==
        "c.json: messages[0].role is 7, must be a name such as \"user\"");
  CHECK(outcome(R"([{"role":"user"}])") == "c.json: messages[0] has no content");
  CHECK(outcome(R"([{"role":"user","content":7}])") ==
        "c.json: messages[0].content is an integer, must be a string");
  const char* parts = R"([{"role":"user","content":[{"type":"text","text":"a"}]}])";
  CHECK(outcome(parts) == parts);
  CHECK(outcome(R"([{"role":"user","content":[{"type":"image_url"}]}])") ==
        R"(c.json: messages[0].content[0] is {"type":"image_url"}, must be )"
        R"({"type": "text", "text": ..})");
  CHECK(outcome(R"({"sglrun_chat":2,"messages":[]})") ==
        "c.json: sglrun_chat is 2, this version reads 1");
  CHECK(outcome(R"({"sglrun_chat":1,"messages":[],"made":[null]})") ==
        "c.json: made must be an array with an entry for each message");
  CHECK(outcome(R"({"sglrun_chat":1,"messages":[],"sampling_params":1})") ==
        "c.json: sampling_params is an integer, must be an object");
  for (const char* made :
       {R"(1)", R"({})", R"({"prompt":"","input_ids":[],"output_ids":[-1],"sampling_params":{}})",
        R"({"prompt":"","input_ids":[1.5],"output_ids":[],"sampling_params":{}})",
        R"({"prompt":"","input_ids":[],"output_ids":[],"sampling_params":[]})"}) {
    CAPTURE(made);
    CHECK(outcome(std::string(R"({"sglrun_chat":1,"messages":[{"role":"user","content":"a"}],)") +
                  "\"made\":[" + made + "]}")
              .starts_with("c.json: made[0]"));
  }
}

TEST_CASE("only a saved chat is replaced by another, and only on demand") {
  const Folder folder;
  const SavedChat chat{Talk(), Json::Object{}, "abc"};
  REQUIRE(WriteSavedChat(folder / "chat.json", chat, Replace::kNothing).ok());
  CHECK(WriteSavedChat(folder / "chat.json", {}, Replace::kNothing).error().message ==
        (folder / "chat.json") + " holds another saved chat; /save! replaces it");
  CHECK_FALSE(ReadSavedChat(folder / "chat.json")->conversation.empty());
  fs::permissions(folder / "chat.json", fs::perms::owner_all);
  REQUIRE(WriteSavedChat(folder / "chat.json", {}, Replace::kSavedChat).ok());
  CHECK(fs::status(folder / "chat.json").permissions() == fs::perms::owner_all);
  CHECK(ReadSavedChat(folder / "chat.json")->conversation.empty());
  Write(folder / "model.gguf", "GGUF precious");
  fs::create_symlink(folder / "model.gguf", folder / "link");
  for (const char* name : {"model.gguf", "link", ""}) {
    const Status status = WriteSavedChat(folder / name, chat, Replace::kSavedChat);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().message.find("is not a saved chat; name another file") !=
          std::string::npos);
    CHECK_FALSE(WriteReplay(folder / name, Talk()).ok());
  }
  CHECK_FALSE(WriteSavedChat("/dev/null", chat, Replace::kSavedChat).ok());
  CHECK(*ReadFile(folder / "model.gguf") == "GGUF precious");
  REQUIRE(WriteReplay(folder / "replay.jsonl", Talk()).ok());
  CHECK_FALSE(WriteReplay(folder / "replay.jsonl", Talk()).ok());
  CHECK(WriteSavedChat(folder / "no/such.json", chat, Replace::kNothing)
            .error()
            .message.starts_with("cannot write " + (folder / "no/such.json")));
}

TEST_CASE("undo removes a question and its answer, clear keeps the system message") {
  Conversation conversation = Talk();
  conversation.AddUser("and 3+3?");
  CHECK(*conversation.Undo() == "and 3+3?");
  CHECK(*conversation.Undo() == "2+2?");
  CHECK_FALSE(conversation.Undo().has_value());
  CHECK(conversation.system() == "be brief");
  conversation = Talk();
  CHECK(conversation.DropAnswer());
  CHECK_FALSE(conversation.DropAnswer());
  conversation.Clear();
  CHECK(conversation.messages().size() == 1);
  conversation.SetSystem("");
  CHECK(conversation.empty());
}

TEST_CASE("the history grows line by line, is bounded, and leaves other files alone") {
  const Folder folder;
  const std::string path = folder / "state/history";
  {
    HistoryFile history(path);
    CHECK(history.lines().empty());
    history.Append("first");
    HistoryFile other(path);
    other.Append("second");
    history.Append("third");
    history.Append("no\nline");
  }
  CHECK(HistoryFile(path).lines() == std::vector<std::string>{"first", "second", "third"});
  CHECK((fs::status(path).permissions() & fs::perms::others_read) == fs::perms::none);
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "line " + std::to_string(i) + "\n";
  Write(path, many);
  CHECK(HistoryFile(path).lines().size() == 1000);
  CHECK(fs::file_size(path) < 20'000);
  CHECK(HistoryFile(path).lines().back() == "line 199999");
  const std::string longest(2000, 'x');
  Write(path, "a\n" + longest + "\n" + longest + "x\n");
  HistoryFile(path).Append(longest + "y");
  CHECK(HistoryFile(path).lines() == std::vector<std::string>{"a", longest});
  CHECK(ReadFile(path)->find('y') == std::string::npos);
  for (const std::string_view foreign :
       {std::string_view("\xff\xfe"), std::string_view("a\0b", 3)}) {
    Write(path, foreign);
    HistoryFile history(path);
    history.Append("x");
    CHECK(*ReadFile(path) == foreign);
  }
  fs::remove(path);
  Write(folder / "model", "weights");
  fs::create_symlink(folder / "model", path);
  HistoryFile(path).Append("x");
  CHECK(*ReadFile(folder / "model") == "weights");
}

}  // namespace
}  // namespace sglrun::chat
