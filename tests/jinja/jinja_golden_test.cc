// Compares with jinja2 byte for byte (scripts/goldens/jinja).
#include "base/mapped_file.h"
#include "render.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace sglrun::jinja {
namespace {

const std::string kGoldens = std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/jinja/";

std::vector<Json> ReadLines(const std::string& name) {
  std::ifstream file(kGoldens + name);
  REQUIRE_MESSAGE(file.good(), name);
  std::vector<Json> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(std::move(ParseJson(line, {.keep_number_text = true})->value));
  }
  return rows;
}

// Messages that reach a person word for word: what the template raised, what was undefined. Those
// of Python's own exceptions need not agree.
bool SameMessageWanted(const std::string& kind) {
  return kind == "TemplateError" || kind == "UndefinedError" || kind == "SecurityError";
}

void CheckOutcome(const Json& golden, const std::string& text, const Json& context) {
  const Try<Rendered> rendered = RenderJson(text, context);
  if (const Json* expected = golden.Find("text")) {
    if (rendered.ok()) {
      CHECK(rendered->text == expected->as_string());
    } else {
      CHECK_MESSAGE(rendered.ok(), rendered.error().message);
    }
    return;
  }
  CHECK(!rendered.ok());
  if (rendered.ok() || !SameMessageWanted(golden.Find("kind")->as_string())) return;
  CHECK(rendered.error().message == golden.Find("error")->as_string());
}

TEST_CASE("every expression and statement renders as in jinja2, or fails as there") {
  const Json context = ReadLines("context.json")[0];
  const std::vector<Json> cases = ReadLines("cases.jsonl");
  CHECK(cases.size() > 1000);
  for (const Json& golden : cases) {
    const std::string& text = golden.Find("template")->as_string();
    CAPTURE(text);
    CheckOutcome(golden, text, context);
  }
}

TEST_CASE("chat templates of every family render as in jinja2") {
  const std::vector<Json> contexts = ReadLines("contexts.jsonl");
  std::map<std::string, std::string> templates;
  int compared = 0;
  for (const Json& golden : ReadLines("chats.jsonl")) {
    const std::string& name = golden.Find("template")->as_string();
    std::string& text = templates[name];
    if (text.empty()) {
      text = *ReadFile(std::string(SGLRUN_SOURCE_DIR) + "/tests/data/jinja/" + name);
    }
    const auto index = std::stoul(golden.Find("context")->number_text());
    CAPTURE(name);
    CAPTURE(index);
    CheckOutcome(golden, text, contexts[index]);
    ++compared;
  }
  CHECK(compared == 240);
}

}  // namespace
}  // namespace sglrun::jinja
