#include "render.h"

#include <doctest/doctest.h>

namespace sglrun::jinja {
namespace {

TEST_CASE("syntax errors name the line and what was expected") {
  const auto error = [](std::string_view text) { return Template::Parse(text).error(); };
  CHECK(error("a\nb\n{% if x %}").line == 3);
  CHECK(error("a\n{{ 'x }}").line == 2);
  CHECK(error("{% for x in y %}\n\n{% endif %}").message ==
        "Encountered unknown tag 'endif'. Jinja was looking for the following tags: 'endfor' or "
        "'else'. The innermost block that needs to be closed is 'for'.");
  CHECK(error("{{ a b }}").message == "expected token 'end of print statement', got 'b'");
  CHECK(error("{{ x | nope }}").message == "No filter named 'nope'.");
}

TEST_CASE("errors while rendering name the line") {
  const Try<Rendered> rendered =
      RenderJson("a\n{% for x in [1] %}\n{{ x.y.z }}{% endfor %}", Json::Object{});
  REQUIRE(!rendered.ok());
  CHECK(rendered.error().line == 3);
}

TEST_CASE("a template cannot read files") {
  CHECK(Outcome("{% include '/etc/passwd' %}") ==
        "error: {% include %} asks for another file; a chat template cannot read files");
}

}  // namespace
}  // namespace sglrun::jinja
