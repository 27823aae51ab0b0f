// Templates that would run for ever, or take all memory or all of the stack.
#include "render.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/stop_flag.h"

namespace sglrun::jinja {
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
  CHECK(
      IsLimit("{% set a = namespace(v=[]) %}{% set b = namespace(v=[]) %}{% for i in range(60) %}"
              "{% set a.v = [a.v, a.v] %}{% set b.v = [b.v, b.v] %}{% endfor %}"
              "{{ (a.v == b.v) is boolean }}"));
}

// Sizes and limits of a hundredth of what they are in a run.
constexpr Limits kHundredth = {.steps = 100'000, .live_bytes = std::size_t{5} << 20};

TEST_CASE("an operation on a long text costs what it reads, however often it is repeated") {
  const std::string a = "{% set a = 'a' * 300000 %}", e = "{% set a = 'é' * 300000 %}";
  const auto often = [](const std::string& expression) {
    return "{% for i in range(10000) %}{% set b = " + expression + " %}{% endfor %}";
  };
  for (const std::string expression : {"('a' * 1000 + 'b') in a",
                                       "a.find('b')",
                                       "a.rfind('b')",
                                       "a.count('b')",
                                       "a.find('a', 299999)",
                                       "a.upper()",
                                       "a | title",
                                       "a[::-1]",
                                       "a[1:]",
                                       "a[::2]",
                                       "a == a ~ ''",
                                       "a < a ~ 'b'",
                                       "a.split('b')",
                                       "a.rsplit('b')",
                                       "a.splitlines()",
                                       "a.strip('a')",
                                       "a.replace('b', 'c')",
                                       "a.isalpha()",
                                       "a.center(300001)",
                                       "a.expandtabs()",
                                       "a.title()",
                                       "a is lower",
                                       "a | wordcount",
                                       "a | urlencode",
                                       "a | escape",
                                       "a | striptags",
                                       "a | tojson",
                                       "a | trim",
                                       "a | truncate(299990)",
                                       "a | wordwrap",
                                       "a | indent",
                                       "a | string ~ 'x'",
                                       "a | int",
                                       "a | float",
                                       "{a: 1}",
                                       "{}[a]",
                                       "a % ()",
                                       "'%s' % a",
                                       "'{}'.format(a)",
                                       "a.format()",
                                       "'b'.join([a, a])",
                                       "a.partition('b')",
                                       "a.startswith(a ~ '')",
                                       "a | list",
                                       "a | first ~ a",
                                       "[a, a ~ ''] | sort",
                                       "[a, a] | unique | list",
                                       "[a] | map('upper') | list",
                                       "a | reverse",
                                       "a.zfill(300001)",
                                       "a.removeprefix(a ~ '')",
                                       "a.casefold()",
                                       "[a] | join(a)",
                                       "a | replace('b', '')",
                                       "a.swapcase()",
                                       "a.isidentifier()",
                                       "a.nothing ~ a",
                                       "a | urlize",
                                       "[1] | map(attribute=a) | list",
                                       "a | xmlattr if false else a[5:]",
                                       "strftime_now(a)"}) {
    INFO(expression);
    CHECK(IsLimit(a + often(expression), kHundredth));
  }
  for (const std::string expression : {"a[:-1]", "a.find('b')", "a[::-1]", "a.find('é', 299999)"}) {
    INFO(expression);
    CHECK(IsLimit(e + often(expression), kHundredth));
  }
  CHECK(IsLimit("{% set b = ('a' * 600000).split('a') %}", kHundredth));
  CHECK(IsLimit("{% set b = 'a' * 600000 %}{% for c in b %}{% endfor %}", kHundredth));
  CHECK(IsLimit("{% set b = ('a' * 60000000).split('a') %}"));
}

TEST_CASE("an operation on a list or a mapping costs what it reads") {
  const std::string lists =
      "{% set l = [1] * 10000 %}{% set k = [['a', 1], ['b', 2]] * 1000 %}{% set d = {1: l} %}"
      "{% set p = l | map('string') | list %}";
  for (const std::string expression : {"2 in l",
                                       "l == l + []",
                                       "l + l",
                                       "l[1:]",
                                       "l[::-1]",
                                       "l | list",
                                       "l | sum",
                                       "l | max",
                                       "l | sort",
                                       "l | join",
                                       "l | string",
                                       "l | tojson",
                                       "l.index(1, 9999)",
                                       "l.count(2)",
                                       "l.copy()",
                                       "l | unique | list",
                                       "l | batch(2) | list",
                                       "l | slice(3) | list",
                                       "l | reverse | list",
                                       "l | select('odd') | list",
                                       "l | map('string') | list",
                                       "(l,) < (l + [1],)",
                                       "dict(k)",
                                       "cycler(*l)",
                                       "l * 1",
                                       "d == {1: l + []}",
                                       "d | string",
                                       "'x'.join(p)",
                                       "p | groupby(0)",
                                       "'%s' % d",
                                       "d | tojson",
                                       "[l, 1] | string",
                                       "l is in([l + []])",
                                       "l ~ ''"}) {
    INFO(expression);
    CHECK(IsLimit(lists + "{% for i in range(10000) %}{% set b = " + expression + " %}{% endfor %}",
                  kHundredth));
  }
}

TEST_CASE("a long integer costs what its arithmetic takes") {
  for (const std::string expression :
       {"(3 ** 40000) // (7 ** 20000)", "(3 ** 40000) % (7 ** 20000)", "3 ** 40000",
        "(3 ** 40000) | string", "'%d' % 3 ** 40000", "'{:,}'.format(3 ** 40000)",
        "('9' * 19000) | int", "(3 ** 40000) | round(-300)", "3 ** 40000 == 3 ** 40000 + 1"}) {
    INFO(expression);
    CHECK(IsLimit("{% for i in range(10000) %}{% set x = " + expression + " %}{% endfor %}",
                  kHundredth));
  }
}

TEST_CASE("printing a number is charged by its digits") {
  CHECK(IsLimit("{% for i in range(5000) %}{{ '%.400f' % 1e300 }}{% endfor %}", kHundredth));
}

TEST_CASE("keys with equal hashes are charged for the comparisons") {
  CHECK(
      IsLimit("{% set n = namespace(d={}, l=[]) %}{% for i in range(20000) %}"
              "{% set n.l = n.l + [[joiner(), i]] %}{% endfor %}{% set x = dict(n.l) %}"));
}

TEST_CASE("a character of a long text with other letters than ASCII is found at once") {
  CHECK(Outcome("{% set a = 'é' * 3000000 ~ 'x' %}{% set n = namespace(c=0) %}"
                "{% for i in range(20000) %}{% if a[-1] == 'x' and a[i] == 'é' %}"
                "{% set n.c = n.c + 1 %}{% endif %}{% endfor %}{{ n.c }}") == "20000");
  CHECK(Outcome("{% set a = 'aé' * 2000 %}{{ a[4095] }}{{ a[1024:1026] }}{{ a[-1] }}"
                "{{ a[3999] }}{{ (a ~ 'z')[4000] }}{{ a.find('é', 2001) }}") == "aéééz2001");
}

TEST_CASE("the memory that a template holds at once is limited, not the total it allocates") {
  const Limits limits{.live_bytes = std::size_t{1} << 20};
  CHECK(Outcome("{% for i in range(100) %}{% set a = 'a' * 100000 %}{% endfor %}done", "{}",
                limits) == "done");
  CHECK(Outcome("{% set n = namespace(l=[]) %}{% for i in range(100) %}"
                "{% set n.l = n.l + ['a' * 100000] %}{% endfor %}done",
                "{}", limits) ==
        "error: the template holds more than 1048576 bytes of texts and lists at once");
  CHECK(IsLimit("{% macro m() %}{{ 'a' * 100000 }}{{ m() }}{% endmacro %}{{ m() }}", limits));
}

TEST_CASE("the same template is charged the same each time") {
  const std::string text =
      "{% set d = {'a': 1, 2: [3], (4,): joiner} %}{{ d }}{{ d | tojson if false }}"
      "{{ [3, 1, 2] | sort }}{% for m in messages | selectattr('x') %}{{ m }}{% endfor %}"
      "{{ {joiner: 1, cycler: 2, range: 3}[range] }}";
  const auto passes = [&](std::int64_t steps) {
    return !Outcome(text, R"({"messages": [{"x": 1}, {"x": "é"}]})", {.steps = steps})
                .starts_with("error: the template takes");
  };
  std::int64_t least = 1;
  while (!passes(least)) ++least;
  CHECK(least > 20);
  for (int again = 0; again < 3; ++again) {
    CHECK(passes(least));
    CHECK_FALSE(passes(least - 1));
  }
}

TEST_CASE("a raised StopFlag ends a rendering and a parse") {
  const Try<Template> program =
      Template::Parse("{% for a in range(100000) %}{{ a | string | upper }}{% endfor %}");
  REQUIRE(program.ok());
  StopFlag::Request();
  const Try<Rendered> rendered = program->Render({}, FixedTime());
  const Try<Template> parsed = Template::Parse(Repeat("{{ a }}", 10000));
  StopFlag::Clear();
  REQUIRE(!rendered.ok());
  CHECK(rendered.error().kind == FaultKind::kStopped);
  REQUIRE(!parsed.ok());
  CHECK(parsed.error().kind == FaultKind::kStopped);
  CHECK(program->Render({}, FixedTime()).ok());
}

TEST_CASE(
    "a template whose names must be compared again and again is refused, not parsed for ever") {
  std::string branches = "{% if 0 %}";
  for (int i = 0; i < 20000; ++i) {
    branches += "{% elif x" + std::to_string(i) + " %}{% set y" + std::to_string(i) + " = 1 %}";
  }
  const Try<Template> parsed = Template::Parse(branches + "{% endif %}");
  REQUIRE(!parsed.ok());
  CHECK(parsed.error().kind == FaultKind::kLimit);
}

TEST_CASE("a conversation of two megabytes with hundreds of tools stays far below the limits") {
  Json::Array messages, tools;
  for (int i = 0; i < 400; ++i) {
    messages.push_back(Json::Object{{"role", std::string(i % 2 == 0 ? "user" : "assistant")},
                                    {"content", Repeat("Wörter und words. ", 300)}});
    tools.push_back(Json::Object{
        {"type", std::string("function")},
        {"function", Json::Object{{"name", "tool" + std::to_string(i)},
                                  {"description", Repeat("It looks. ", 20)},
                                  {"parameters", Json::Object{{"type", std::string("object")}}}}}});
  }
  const Json context = Json::Object{{"messages", std::move(messages)}, {"tools", std::move(tools)}};
  const Try<Rendered> rendered = RenderJson(
      "{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}"
      "{% set ns = namespace(last=messages | length - 1) %}"
      "{% for message in messages[::-1] %}{% set index = messages | length - 1 - loop.index0 %}"
      "{% if message.role == 'user' and not (message.content.startswith('<tool_response>') and "
      "message.content.endswith('</tool_response>')) %}{% set ns.last = index %}{% endif %}"
      "{% endfor %}{% for message in messages %}{% set content = message.content %}"
      "{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}"
      "{{ '<|im_start|>' + message.role + '\n' + content.strip('\n') | trim + '<|im_end|>\n' }}"
      "{% endfor %}",
      context, {.steps = 2'000'000});
  REQUIRE(rendered.ok());
  CHECK(rendered->text.size() > 2'000'000);
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
}  // namespace sglrun::jinja
