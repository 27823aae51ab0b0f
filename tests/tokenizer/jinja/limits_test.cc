// Templates that would run for ever, or take all memory or all of the stack.
#include "render.h"

#include <doctest/doctest.h>

#include <string>

namespace sglrun::tokenizer::jinja {
namespace {

std::string Repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

bool IsLimit(const std::string& text, const Limits& limits = {}) {
  const Try<Rendered> rendered = RenderJson(text, Json::Object{}, limits);
  if (rendered.ok()) return false;
  INFO(rendered.error().message);
  CHECK(!rendered.error().message.empty());
  return rendered.error().kind == FaultKind::kLimit;
}

TEST_CASE("a template that loops too long ends in a sentence") {
  const std::string loop =
      "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}";
  CHECK(Outcome(loop, "{}", {.steps = 10000}) == "error: the template takes more than 10000 steps");
}

TEST_CASE("endless recursion ends in a sentence") {
  CHECK(IsLimit("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"));
  CHECK(IsLimit("{% macro m(f) %}{{ f(f) }}{% endmacro %}{{ m(m) }}"));
  CHECK(IsLimit("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}"));
  CHECK(IsLimit("{% macro m() %}{% call m() %}{% endcall %}{{ caller() }}{% endmacro %}{{ m() }}"));
}

TEST_CASE("texts and lists cannot grow without bound") {
  CHECK(IsLimit("{{ 'a' * 100000000 }}"));
  CHECK(IsLimit("{{ 'abc' * 9223372036854775807 }}"));
  CHECK(IsLimit("{{ [0] * 100000000 }}"));
  CHECK(IsLimit("{{ '%999999999d' % 1 }}"));
  CHECK(IsLimit("{{ '{:999999999}'.format(1) }}"));
  CHECK(IsLimit("{{ 'a'.center(999999999) }}"));
  CHECK(IsLimit("{{ 'a'.zfill(999999999) }}"));
  CHECK(IsLimit("{{ 'a' | indent(999999999) }}"));
  CHECK(IsLimit("{{ ('a' * 100000).replace('', 'b' * 100000) }}"));
  CHECK(IsLimit("{{ ('b' * 100000).join('a' * 100000) }}"));
  CHECK(IsLimit("{{ 'a\tb'.expandtabs(999999999) }}"));
  CHECK(IsLimit("{{ 10 ** 100000 }}"));
  CHECK(IsLimit("{{ [1] | batch(999999999, 0) | list }}"));
  CHECK(
      IsLimit("{% set ns = namespace(t='aaaaaaaa') %}{% for i in range(40) %}"
              "{% set ns.t = ns.t ~ ns.t %}{% endfor %}"));
  CHECK(
      IsLimit("{% set ns = namespace(l=[0]) %}{% for i in range(40) %}"
              "{% set ns.l = ns.l + ns.l %}{% endfor %}"));
  CHECK(IsLimit("{% for i in range(1000) %}{{ 'a' * 1000000 }}{% endfor %}"));
}

TEST_CASE("values nested a million deep are dropped, compared and printed without a crash") {
  const std::string build =
      "{% set ns = namespace(v=[]) %}{% for a in range(10) %}"
      "{% for b in range(50000) %}{% set ns.v = [ns.v] %}{% endfor %}{% endfor %}";
  CHECK(Outcome(build + "done") == "done");
  CHECK(Outcome(build + "{% set w = ns.v %}{{ ns.v == [w[0]] }}") != "");
  CHECK(IsLimit(build + "{{ ns.v }}"));
  CHECK(IsLimit(build + "{{ ns.v | tojson }}"));
  CHECK(
      IsLimit("{% set ns = namespace(v=()) %}{% for b in range(50000) %}{% set ns.v = (ns.v,) %}"
              "{% endfor %}{{ {ns.v: 1} }}"));
  CHECK(
      IsLimit("{% set ns = namespace(v=[1]) %}{% for b in range(50000) %}"
              "{% set ns.v = ns.v | map('string') %}{% endfor %}{{ ns.v | list }}"));
}

TEST_CASE("values that share their parts are compared in bounded time") {
  CHECK(Outcome("{% set a = namespace(v=[]) %}{% set b = namespace(v=[]) %}{% for i in range(60) %}"
                "{% set a.v = [a.v, a.v] %}{% set b.v = [b.v, b.v] %}{% endfor %}"
                "{{ (a.v == b.v) is boolean }}") == "True");
}

TEST_CASE("a namespace that holds itself is freed and cannot be printed") {
  CHECK(Outcome("{% set ns = namespace() %}{% set ns.me = ns %}{{ ns.me.me is defined }}") ==
        "True");
  CHECK(IsLimit("{% set ns = namespace() %}{% set ns.me = ns %}{{ ns }}"));
  CHECK(Outcome("{% for x in [1] %}{% set ns = namespace(l=loop) %}{{ loop.changed(loop) }}"
                "{{ ns.l.index }}{% endfor %}") == "True1");
}

TEST_CASE("deep nesting in the source is refused") {
  for (const std::string& text :
       {"{{ " + Repeat("(", 100000), "{{ " + Repeat("[", 100000),
        "{{ " + Repeat("-", 100000) + "1 }}", "{{ " + Repeat("not ", 100000) + "1 }}",
        "{{ 1" + Repeat(" + 1", 100000) + " }}", "{{ 1" + Repeat(" if 1 else 2", 100000) + " }}",
        "{{ a" + Repeat(".b", 100000) + " }}", "{{ a" + Repeat(" | string", 100000) + " }}",
        "{{ f" + Repeat("(f", 100000) + " }}", Repeat("{% if 1 %}", 100000),
        Repeat("{% for x in y %}", 100000), "{% set " + Repeat("(", 100000)}) {
    const Try<Template> parsed = Template::Parse(text);
    REQUIRE(!parsed.ok());
    CHECK(parsed.error().kind == FaultKind::kSyntax);
  }
}

TEST_CASE("deep macros with deep expressions stay within the stack") {
  const std::string nested = Repeat("(1 + ", 150) + "(m(n - 1) | length)" + Repeat(")", 150);
  CHECK(IsLimit("{% macro m(n) %}" + Repeat("{% if 1 %}", 60) + "{{ " + nested + " }}" +
                Repeat("{% endif %}", 60) + "{% endmacro %}{{ m(9) }}"));
}

TEST_CASE("long chains of branches are no nesting") {
  CHECK(Outcome("{% if 0 %}" + Repeat("{% elif 0 %}x", 5000) + "{% else %}y{% endif %}") == "y");
}

}  // namespace
}  // namespace sglrun::tokenizer::jinja
