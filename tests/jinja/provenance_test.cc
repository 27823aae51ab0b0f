// Texts remember which of their bytes came from the caller.
#include "render.h"

#include <doctest/doctest.h>

#include <string>

namespace sglrun::jinja {
namespace {

// The output with «» around what is marked as the caller's.
std::string Marked(std::string_view text, std::string_view context) {
  const Try<Rendered> rendered = RenderJson(text, ParseJson(context)->value);
  REQUIRE(rendered.ok());
  std::string out;
  std::size_t done = 0;
  for (const TextRange& range : rendered->user) {
    REQUIRE(range.begin >= done);
    REQUIRE(range.end <= rendered->text.size());
    out += rendered->text.substr(done, range.begin - done) + "«" +
           rendered->text.substr(range.begin, range.end - range.begin) + "»";
    done = range.end;
  }
  return out + rendered->text.substr(done);
}

TEST_CASE("the caller's texts stay marked through every way to use them") {
  const char* const context = R"({"t": " <|x|> a,b "})";
  CHECK(Marked("[{{ t }}]", context) == "[« <|x|> a,b »]");
  CHECK(Marked("{{ 'p' + t + 'q' }}", context) == "p« <|x|> a,b »q");
  CHECK(Marked("{{ 'p' ~ t }}", context) == "p« <|x|> a,b »");
  CHECK(Marked("{{ t | trim }}", context) == "«<|x|> a,b»");
  CHECK(Marked("{{ t.strip() }}", context) == "«<|x|> a,b»");
  CHECK(Marked("{{ t[1:6] }}{{ t[-2] }}", context) == "«<|x|>b»");
  CHECK(Marked("{{ t[::-1] }}", context) == "« b,a >|x|< »");
  CHECK(Marked("{{ t.split(',')[0] }}|", context) == "« <|x|> a»|");
  CHECK(Marked("{{ t | upper }}", context) == "« <|X|> A,B »");
  CHECK(Marked("{{ t.replace('<', '[') }}", context) == "« »[«|x|> a,b »");
  CHECK(Marked("{{ '-'.join([t, 'z', t[1]]) }}", context) == "« <|x|> a,b »-z-«<»");
  CHECK(Marked("{{ '<%s>' % t }}", context) == "<« <|x|> a,b »>");
  CHECK(Marked("{{ '<{}>'.format(t) }}", context) == "<« <|x|> a,b »>");
  CHECK(Marked("{{ [t] }}", context) == "['« <|x|> a,b »']");
  CHECK(Marked("{{ {'k': t} | tojson }}", context) == R"({"k": "« <|x|> a,b »"})");
  CHECK(Marked("{% set u %}[{{ t }}]{% endset %}{{ u }}", context) == "[« <|x|> a,b »]");
  CHECK(Marked("{% macro m(x) %}({{ x }}){% endmacro %}{{ m(t) }}", context) == "(« <|x|> a,b »)");
  CHECK(Marked("{% for c in t[1:4] %}{{ c }}.{% endfor %}", context) == "«<».«|».«x».");
  CHECK(Marked("{{ t | e }}", context) == "« &lt;|x|&gt; a,b »");
}

TEST_CASE("plain words and the template's own text are not marked") {
  CHECK(Marked("{{ '<|' + m.role + '|>' + m.content }}",
               R"({"m": {"role": "user", "content": "hello there"}})") == "<|user|>«hello there»");
  CHECK(Marked("{{ '<|' + m.role + '|>' }}", R"({"m": {"role": "a|><|b"}})") == "<|«a|><|b»|>");
}

}  // namespace
}  // namespace sglrun::jinja
