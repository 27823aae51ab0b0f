// The parts of `chat` that know no model: what typed lines mean, what the tab key offers, what is
// shown of an answer.
#include "chat/slash_commands.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "chat/file_names.h"
#include "chat/message_lines.h"
#include "chat/screen.h"
#include "chat/thinking_splitter.h"

namespace sglrun::chat {
namespace {

// The message that lines make; what is still open ends in "...".
std::string MessageOf(const std::vector<std::string>& lines) {
  MessageLines message;
  for (const std::string& line : lines) {
    if (message.Add(line)) return message.Take();
  }
  return message.Take() + "...";
}

TEST_CASE("a line is a message, and three quotes open one of several lines") {
  CHECK(MessageOf({"hello \"\"\" there"}) == "hello \"\"\" there");
  CHECK(MessageOf({"\"\"\"", "a", "", "b", "\"\"\""}) == "a\n\nb");
  CHECK(MessageOf({"\"\"\"a", "b\"\"\" "}) == "a\nb");
  CHECK(MessageOf({"\"\"\"one line\"\"\""}) == "one line");
  CHECK(MessageOf({"\"\"\"\"\"\""}) == "");
  CHECK(MessageOf({"\"\"\"  ", "  indented", "\"\"\""}) == "  indented");
  CHECK(MessageOf({"\"\"\"", "/quit"}) == "/quit\n...");
  CHECK(MessageOf({"  \"\"\"", "a", "\"\"\""}) == "a");
  CHECK(MessageOf({" \t\"\"\"a\"\"\""}) == "a");
}

TEST_CASE("messages are wrapped at blanks and otherwise unchanged") {
  CHECK(BreakLines("one two three", 20) == "one two three");
  CHECK(BreakLines("one two three", 7) == "one two\nthree");
  CHECK(BreakLines("one two three", 6) == "one\ntwo\nthree");
  CHECK(BreakLines("a  b\n  indented words\n\nunbreakable x", 9) ==
        "a  b\n  indented\nwords\n\nunbreakable\nx");
  CHECK(BreakLines("", 1).empty());
  CHECK(BreakLines("   ", 1) == "   ");
}

TEST_CASE("a line with a slash is a command with its operand, or an error that helps") {
  const auto message = [](std::string_view line) {
    const auto parsed = ParseSlashLine(line);
    return parsed.ok() ? "ok: " + parsed->operand : parsed.error().message;
  };
  CHECK(message("/set  temperature  0.7 ") == "ok: temperature  0.7");
  CHECK(message("/system") == "ok: ");
  CHECK(message("/save") == "/save needs FILE");
  CHECK(message("/undo 2") == "/undo takes no operand, found \"2\"");
  CHECK(message("/regne").starts_with("no command /regne, did you mean /regen?"));
  CHECK(message("/").starts_with("no command /"));
  CHECK(message("/" + std::string(100000, 'x')).size() < 300);
}

TEST_CASE("the name of a file may have blanks, stand in quotes and begin at home") {
  ::setenv("HOME", "/home/me", 1);
  const auto named = [](std::string_view line) {
    const auto parsed = ParseSlashLine(line);
    return parsed.ok() ? parsed->operand : parsed.error().message;
  };
  CHECK(named("/save my chat.json") == "my chat.json");
  CHECK(named("/load \"my chat.json\" ") == "my chat.json");
  CHECK(named("/export '~/it \"is\".jsonl'") == "/home/me/it \"is\".jsonl");
  CHECK(named("/export './~/it.jsonl'") == "./~/it.jsonl");
  CHECK(named("/schema ~/a.json") == "/home/me/a.json");
  CHECK(named("/load ~") == "/home/me");
  CHECK(named("/load ~me/a") == "~me/a");
  CHECK(named("/load it's") == "it's");
  CHECK(named("/save! \"a\"") == "a");
  CHECK(named("/save \"a") == "the name begins with \" and does not end with it");
  CHECK(named("/save ''") == "the name begins with ' and does not end with it");
  // A text is no name.
  CHECK(named("/regex \"a\"") == "\"a\"");
  ::unsetenv("HOME");
  CHECK(named("/save ~/a") == "~ is the home folder, which the environment does not name (HOME)");
}

TEST_CASE("the tab key finds files behind a quote and at home") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("sglrun_tab_" + std::to_string(::getpid()));
  fs::create_directories(folder / "sub");
  std::ofstream(folder / "my chat.json") << "x";
  ::setenv("HOME", folder.c_str(), 1);
  const std::string at = folder.string() + "/";
  using Names = std::vector<std::string>;
  CHECK(FilesBeginningWith(at + "my") == Names{at + "my chat.json"});
  CHECK(FilesBeginningWith("\"" + at + "my") == Names{"\"" + at + "my chat.json\""});
  CHECK(FilesBeginningWith("'" + at + "s") == Names{"'" + at + "sub/"});
  CHECK(FilesBeginningWith("~/") == Names{"~/my chat.json", "~/sub/"});
  CHECK(FilesBeginningWith("\"~/m") == Names{"\"~/my chat.json\""});
  CHECK(FilesBeginningWith("\"./~/").empty());
  fs::remove_all(folder);
}

TEST_CASE("the tab key completes commands, parameters and files") {
  const auto files = [](std::string_view beginning) {
    return std::vector<std::string>{std::string(beginning) + ".json"};
  };
  const auto offers = [&](std::string_view before) {
    const Completions found = CompleteSlash(before, files);
    std::string text = std::to_string(found.begin) + ":";
    for (const std::string& word : found.words) text += " " + word;
    return text;
  };
  CHECK(offers("/s") == "0: /set /show /system /save /save! /schema /stats");
  CHECK(offers("  /se") == "2: /set");
  CHECK(offers(" /set temp") == "6: temperature");
  CHECK(offers("/re") == "0: /regen /regex");
  CHECK(offers("/set temp") == "5: temperature");
  CHECK(offers("/set  top_") == "6: top_p top_k");
  CHECK(offers("/load my chat") == "6: my chat.json");
  CHECK(offers("/set temperature 0") == "5:");
  CHECK(offers("/system a") == "8:");
  CHECK(offers("/nothing a") == "0:");
  CHECK(offers("plain /s") == "0:");
}

TEST_CASE("the help fits a narrow terminal") {
  for (const std::size_t width : {std::size_t{20}, std::size_t{60}, std::size_t{200}}) {
    const std::string help = SlashHelp(width);
    CHECK(help.find("/export FILE") != std::string::npos);
    for (std::size_t begin = 0; begin < help.size();) {
      const std::size_t end = help.find('\n', begin);
      CHECK(end - begin <= width);
      begin = end + 1;
    }
  }
}

// Thoughts in brackets.
std::string Split(const std::string& end_marker, const std::vector<std::string>& pieces,
                  bool inside = false) {
  ThinkingSplitter splitter(MarkersOf(end_marker), inside);
  std::string shown;
  bool thinking = false;
  const auto sink = [&](std::string_view text, bool is_thinking) {
    if (is_thinking != thinking) shown += is_thinking ? "[" : "]";
    thinking = is_thinking;
    shown += text;
  };
  for (const std::string& piece : pieces) splitter.Feed(piece, sink);
  splitter.Finish(sink);
  return shown;
}

TEST_CASE("thoughts and answer are separated wherever the text is split") {
  const std::string whole = "a<think>b</think>c < d";
  for (std::size_t i = 0; i <= whole.size(); ++i) {
    for (std::size_t j = i; j <= whole.size(); ++j) {
      CHECK(Split("</think>", {whole.substr(0, i), whole.substr(i, j - i), whole.substr(j)}) ==
            "a[<think>b</think>]c < d");
    }
  }
  CHECK(Split("</think>", {"b</think>c"}, true) == "[b</think>]c");
  CHECK(Split("</think>", {"never ends"}, true) == "[never ends");
  CHECK(Split("</think>", {"c <thi"}) == "c <thi");
  CHECK(Split("[/THINK]", {"[THINK]b[/THINK]c"}) == "[[THINK]b[/THINK]]c");
  CHECK(Split("<|answer|>", {"b<|answer|>c"}, true) == "[b<|answer|>]c");
  CHECK(Split("<|answer|>", {"b<|answer|>c<think>"}, false) == "b<|answer|>c<think>");
  CHECK(OpensThinking("...assistant\n<think>\n", MarkersOf("</think>")));
  CHECK_FALSE(OpensThinking("<think></think>\n", MarkersOf("</think>")));
  CHECK_FALSE(OpensThinking(" ", MarkersOf("x")));
}

}  // namespace
}  // namespace sglrun::chat
