#include "chat_template/chat_template.h"
#include "render.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

namespace sglrun::chat_template {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "sglrun_chat_template_test") {
    fs::remove_all(path_);
    fs::create_directories(path_ / "additional_chat_templates");
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

Json Parsed(std::string_view text) {
  return ParseJson(text)->value;
}

std::string RenderIn(const Folder& folder, const ChatRequest& request) {
  const auto files = ReadChatTemplates(folder.path());
  if (!files.ok()) return "error: " + files.error().message;
  const auto chat = ChatTemplate::Make(*files);
  if (!chat.ok()) return "error: " + chat.error().message;
  const auto prompt = chat->Render(request);
  return prompt.ok() ? prompt->text : "error: " + prompt.error().message;
}

const Json kMessages = Parsed(R"([{"role": "user", "content": "hi"}])");

TEST_CASE("the template and its special tokens come from tokenizer_config.json") {
  const Folder folder;
  folder.Write("tokenizer_config.json",
               R"({"bos_token": {"content": "<s>"}, "eos_token": "</s>", "add_bos_token": true,)"
               R"( "chat_template": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}"})");
  CHECK(RenderIn(folder, {.messages = kMessages}) == "<s>hi</s>");
  CHECK(RenderIn(folder, {.messages = kMessages,
                          .variables = {{"bos_token", std::string("<b>")}}}) == "<b>hi</s>");
}

TEST_CASE("chat_template.jinja wins over the older places") {
  const Folder folder;
  folder.Write("tokenizer_config.json", R"({"chat_template": "old"})");
  folder.Write("chat_template.json", R"({"chat_template": "json"})");
  CHECK(RenderIn(folder, {.messages = kMessages}) == "json");
  folder.Write("chat_template.jinja", "new");
  CHECK(RenderIn(folder, {.messages = kMessages}) == "new");
}

TEST_CASE("tools choose the template named tool_use") {
  const Folder folder;
  folder.Write("tokenizer_config.json",
               R"({"chat_template": [{"name": "default", "template": "plain"},)"
               R"( {"name": "tool_use", "template": "{{ tools | length }} tools"}]})");
  CHECK(RenderIn(folder, {.messages = kMessages}) == "plain");
  CHECK(RenderIn(folder, {.messages = kMessages, .tools = Parsed("[{}]")}) == "1 tools");
  folder.Write("additional_chat_templates/tool_use.jinja", "other");
  CHECK(RenderIn(folder, {.messages = kMessages, .tools = Parsed("[{}]")}) == "other");
}

TEST_CASE("a GGUF file holds one template, or several by name, and the texts of its tokens") {
  tokenizer::GgufVocabulary vocabulary;
  vocabulary.tokens = {"<unk>", "<s>", "</s>"};
  vocabulary.bos_id = 1;
  vocabulary.eos_id = 7;  // outside: no token
  vocabulary.chat_template = "{{ bos_token }}{{ eos_token is defined }}";
  vocabulary.named_chat_templates = {{"tool_use", "tools"}};
  const auto chat = ChatTemplate::Make(ChatTemplatesOf(vocabulary));
  REQUIRE(chat.ok());
  CHECK(chat->Render({.messages = kMessages})->text == "<s>False");
  CHECK(chat->Render({.messages = kMessages, .tools = Parsed("[]")})->text == "tools");
}

TEST_CASE("absent tools and documents are none, as in the reference") {
  const Folder folder;
  folder.Write("chat_template.jinja",
               "{{ tools is none }}{{ documents is none }}{{ add_generation_prompt }}"
               "{{ strftime_now('%Y') }}");
  CHECK(RenderIn(folder, {.messages = kMessages, .now = jinja::FixedTime()}) == "TrueTrueTrue2026");
}

// Goldens of transformers 5.24, apply_chat_template(.., continue_final_message=True).
TEST_CASE("with continue_final_message the prompt ends with the text of the message") {
  const Folder folder;
  folder.Write("chat_template.jinja",
               "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}</>\n{% endfor %}"
               "{% if add_generation_prompt %}<assistant>{% endif %}");
  const auto render = [&](const std::string& content, const std::string& more = "") {
    const Json messages =
        Parsed(R"([{"role":"user","content":"q"},{"role":"assistant","content":)" + content + "}" +
               more + "]");
    return RenderIn(
        folder,
        {.messages = messages, .add_generation_prompt = false, .continue_final_message = true});
  };
  CHECK(render("\"so far\"") == "<user>q</>\n<assistant>so far");
  // The template trims; a blank at the end is not invented again.
  CHECK(render("\" so far \"") == "<user>q</>\n<assistant>so far");
  CHECK(render("\"\"") == "<user>q</>\n<assistant>");
  CHECK(render("\"q\"", R"(,{"role":"user","content":"q"})") ==
        "<user>q</>\n<assistant>q</>\n<user>q");
  CHECK(render("null").find("the last message has no text to continue") != std::string::npos);
  CHECK(RenderIn(folder, {.messages = kMessages, .continue_final_message = true})
            .find("are both true") != std::string::npos);
  folder.Write("chat_template.jinja", "{{ messages[-1].content }}|");
  CHECK(render("\"so far \"") == "so far ");
  folder.Write("chat_template.jinja",
               "{% for p in messages[-1].content %}{{ p.text }},{% endfor %}|");
  CHECK(render(R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])") == "a,b");
  folder.Write("chat_template.jinja", "{{ messages[0].content }}");
  CHECK(render("\"so far\"").find("does not show the last message as it is") != std::string::npos);
}

TEST_CASE("user text is still marked in a prompt with continue_final_message") {
  const Folder folder;
  folder.Write("chat_template.jinja", "<{{ messages[0].content }}>");
  const auto files = ReadChatTemplates(folder.path());
  REQUIRE(files.ok());
  const auto prompt = ChatTemplate::Make(*files)->Render(
      {.messages = Parsed(R"([{"role":"user","content":"a b!"}])"),
       .add_generation_prompt = false,
       .continue_final_message = true});
  CHECK(prompt->text == "<a b!");
  CHECK(prompt->user == std::vector<TextRange>{{1, 5}});
}

TEST_CASE("each fault is one sentence") {
  const Folder folder;
  CHECK(RenderIn(folder, {.messages = kMessages}) == "error: the model has no chat template");
  folder.Write("chat_template.jinja", "{{ raise_exception('roles must alternate') }}");
  CHECK(RenderIn(folder, {.messages = kMessages}) ==
        "error: the chat template refuses the messages: roles must alternate");
  CHECK(RenderIn(folder, {.messages = Parsed("\"hi\"")}).find("messages is a string, must be an") !=
        std::string::npos);
  CHECK(RenderIn(folder, {.messages = Parsed("[1]")}).find("messages[0] is an integer") !=
        std::string::npos);
  CHECK(RenderIn(folder, {.messages = kMessages, .tools = Parsed("{}")})
            .find("tools is an object, must be an array or null") != std::string::npos);
  folder.Write("chat_template.jinja", "a\n{% if %}");
  CHECK(RenderIn(folder, {.messages = kMessages})
            .find("chat_template.jinja, line 2: unexpected 'end of statement block'") !=
        std::string::npos);
  folder.Write("chat_template.jinja", "\xff");
  CHECK(RenderIn(folder, {.messages = kMessages}).find("is not valid UTF-8") != std::string::npos);
}

}  // namespace
}  // namespace sglrun::chat_template
