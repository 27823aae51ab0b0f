// Every format of a structural tag (docs/constraints.md), in tables.
#include <string>
#include <vector>

#include "ebnf/helpers.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

Front TagOf(std::string_view text, const Vocabulary* vocabulary = nullptr,
            const GrammarOptions& options = {}) {
  return Read(AppendStructuralTag, text, vocabulary, options);
}

Front Format(const std::string& format, const Vocabulary* vocabulary = nullptr) {
  return TagOf(R"({"type":"structural_tag","format":)" + format + "}", vocabulary);
}

void Check(const std::vector<LanguageCase>& cases) {
  CheckLanguages([](std::string_view text) { return Format(std::string(text)); }, cases);
}

struct RefusalCase {
  std::string text;
  Verdict verdict;
  std::string pointer;
  std::string message;  // a part of it
};

void Check(const std::vector<RefusalCase>& cases) {
  for (const RefusalCase& c : cases) {
    CAPTURE(c.text);
    const Front front = TagOf(c.text);
    REQUIRE_FALSE(front.ok());
    CAPTURE(front.error->message);
    CHECK(std::string(VerdictName(front.error->verdict)) == VerdictName(c.verdict));
    CHECK(front.error->pointer == c.pointer);
    CHECK(front.error->message.find(c.message) != std::string::npos);
  }
}

const std::string kX = R"({"type":"const_string","value":"x"})";
const std::string kY = R"({"type":"const_string","value":"y"})";
const std::string kAny = R"({"type":"any_text"})";

std::string Tag(const std::string& begin, const std::string& content, const std::string& end) {
  return R"({"type":"tag","begin":")" + begin + R"(","content":)" + content + R"(,"end":")" + end +
         "\"}";
}

TEST_CASE("simple formats and combinators") {
  Check(std::vector<LanguageCase>{
      {kX, {"x"}, {"", "xx"}},
      {R"({"type":"const_string","value":""})", {""}, {"x"}},
      {R"({"type":"grammar","grammar":"root ::= \"a\" | \"b\""})", {"a", "b"}, {"c"}},
      {R"({"type":"sequence","elements":[)" + kX + "," + kY + "]}", {"xy"}, {"x", "yx"}},
      {R"({"type":"or","elements":[)" + kX + "," + kY + "]}", {"x", "y"}, {"", "xy"}},
      {R"({"type":"optional","content":)" + kX + "}", {"", "x"}, {"xx"}},
      {R"({"type":"star","content":)" + kX + "}", {"", "x", "xxx"}, {"y"}},
      {R"({"type":"plus","content":)" + kX + "}", {"x", "xxx"}, {""}},
      {R"({"type":"repeat","min":1,"max":2,"content":)" + kX + "}", {"x", "xx"}, {"", "xxx"}},
      {R"({"type":"repeat","min":2,"max":-1,"content":)" + kX + "}", {"xx", "xxxx"}, {"x"}},
      {R"({"type":"repeat","min":0,"max":0,"content":)" + kX + "}", {""}, {"x"}},
  });
}

TEST_CASE("regex and json_schema formats hold their own language") {
  Check(std::vector<LanguageCase>{
      {R"({"type":"regex","pattern":"[a-c]\\d+"})", {"a12"}, {"a", "xa1"}},
      {R"({"type":"json_schema","json_schema":{"type":"integer"}})", {"12", "-3"}, {"1.5", "x"}},
      {R"({"type":"json_schema","json_schema":true})", {"[1]", "null"}, {""}},
      {R"({"type":"json_schema","json_schema":{}})", {"[1]", "null"}, {""}},
      {R"({"type":"json_schema","json_schema":null})", {"{}"}, {""}},
      {R"({"type":"json_schema","any_order":true,"json_schema":{"type":"object","properties":)"
       R"({"a":{"const":1},"b":{"const":2}},"required":["a","b"]}})",
       {R"({"a":1,"b":2})", R"({"b":2,"a":1})"},
       {R"({"a":1})"}},
      {R"({"type":"json_schema","max_whitespace_cnt":1,"json_schema":{"type":"array",)"
       R"("items":{"const":1}}})",
       {"[1]", "[ 1 ]"},
       {"[  1]"}},
  });
  // A bound of 30 digits comes through unchanged.
  const Front front = Format(
      R"({"type":"json_schema","json_schema":{"type":"integer",)"
      R"("minimum":123456789012345678901234567890,"maximum":123456789012345678901234567890}})");
  REQUIRE(front.ok());
  CHECK(front.Accepts("123456789012345678901234567890"));
  CHECK_FALSE(front.Accepts("123456789012345678901234567891"));
}

TEST_CASE("any_text excludes texts and counts characters") {
  Check(std::vector<LanguageCase>{
      {kAny, {"", "anything", "\xFF\n"}, {}},
      {R"({"type":"any_text","excludes":["no","ab"]})", {"", "n", "on", "ba"}, {"no", "xaby"}},
      {R"({"type":"any_text","max_chars":2})", {"", "\xC3\xA9\xC3\xA9", "ab"}, {"abc"}},
      {R"({"type":"any_text","max_chars":null,"max_tokens":null})", {"abc"}, {}},
      {R"({"type":"any_text","max_chars":0})", {""}, {"a"}},
      {R"({"type":"any_text","max_tokens":0})", {""}, {"a"}},
      {R"({"type":"any_text","max_tokens":9,"max_chars":2,"excludes":["b"]})",
       {"", "ac"},
       {"ab", "aaa"}},
      {R"({"type":"any_text","max_chars":3,"excludes":["ab"]})",
       {"", "ba", "aaa", "\xC3\xA9"},
       {"ab", "xab", "aaaa"}},
      {Tag("<", R"({"type":"any_text","max_chars":3})", "```"),
       {"<```", "<abc```", "<a`b```"},
       {"<a````", "<abcd```", "<````"}},
  });
}

TEST_CASE("a tag is closed by the first occurrence of its end") {
  Check(std::vector<LanguageCase>{
      {Tag("<t>", kX, "</t>"), {"<t>x</t>"}, {"x", "<t>x"}},
      {R"({"type":"tag","begin":"<","content":)" + kX + R"(,"end":[">","/>"]})",
       {"<x>", "<x/>"},
       {"<x", "<x>/>"}},
      {Tag("<t>", kAny, "</t>"),
       {"<t></t>", "<t>a<b</t>", "<t></</t>"},
       {"<t></t></t>", "<t></t>a</t>", "<t>"}},
      {Tag("", kAny, "```"), {"```", "a`b```", "``a```"}, {"````", "a````", "```a```"}},
      {Tag("<", kAny, ""), {"<", "<anything"}, {""}},
      // Through wrappers, and for elements that are not the last.
      {Tag("<",
           R"({"type":"sequence","elements":[)" + kX + R"(,{"type":"optional","content":)" + kAny +
               "}]}",
           ">"),
       {"<x>", "<xab>"},
       {"<xa>b>"}},
      {Tag("<", R"({"type":"sequence","elements":[)" + kAny + "," + kX + "]}", ">"),
       {"<x>", "<abx>"},
       {"<a>x>"}},
      // The end of the tag around does not bind a tag inside, which has its own.
      {Tag("<", Tag("[", kAny, "]"), ">"), {"<[a>b]>"}, {"<[a]]>"}},
      {Tag("<", R"({"type":"dispatch","rules":[["!",)" + kX + "]]}", ">"),
       {"<>", "<a!xb>"},
       {"<a>b>", "<!y>", "<!>"}},
  });
}

TEST_CASE(
    "a tag can be generated if one of its ends begins with or contains another (it never was)") {
  const auto tag = [](const std::string& content, const std::string& ends) {
    return R"({"type":"tag","begin":"<t>","content":)" + content + R"(,"end":)" + ends + "}";
  };
  Check(std::vector<LanguageCase>{
      {tag(kAny, R"(["</think>","</think>\n\n"])"),
       {"<t></think>", "<t>a</think>", "<t>a</think>\n\n", "<t></thin</think>"},
       {"<t>a</think>\n", "<t>a</think></think>", "<t>a"}},
      {tag(kAny, R"(["b","abc"])"),
       {"<t>b", "<t>xb", "<t>xabc", "<t>abc", "<t>ab"},
       {"<t>abb", "<t>xbc", "<t>babc"}},
      {tag(kAny, R"(["```","````"])"), {"<t>```", "<t>a```", "<t>a`b````"}, {"<t>a`````", "<t>``"}},
      {tag(R"({"type":"any_text","max_chars":2})", R"(["`","``"])"),
       {"<t>`", "<t>ab``"},
       {"<t>```", "<t>abc`"}},
      {tag(R"({"type":"sequence","elements":[)" + kX + "," + kAny + "]}", R"(["]","]\n"])"),
       {"<t>x]", "<t>xa]\n"},
       {"<t>x]]", "<t>]"}},
      {tag(kAny, R"(["",">"])"), {"<t>", "<t>a", "<t>a>"}, {"<t>a>b"}},
  });
}

TEST_CASE("a tag can be generated if an exclude is a part of its end or overlaps it") {
  const auto tag = [](const std::string& excludes, const std::string& more) {
    return R"({"type":"tag","begin":"<t>","content":{"type":"any_text","excludes":)" + excludes +
           more + R"(},"end":"</t>"})";
  };
  for (const std::string more : {"", R"(,"max_chars":5)"}) {
    Check(std::vector<LanguageCase>{
        {tag(R"(["</"])", more), {"<t></t>", "<t>a</t>", "<t><</t>"}, {"<t></a></t>", "<t></</t>"}},
        {tag(R"(["a<"])", more), {"<t></t>", "<t>a</t>"}, {"<t>a<</t>", "<t>a<b</t>"}},
        {tag(R"(["</t>"])", more), {"<t></t>", "<t>a</t>"}, {"<t></t></t>"}},
        {tag(R"(["x</t>y"])", more), {"<t>x</t>"}, {"<t>x</t>y</t>"}},
        {tag(R"(["t>"])", more), {"<t>t</t>"}, {"<t>t></t>"}},
    });
  }
  Check(std::vector<LanguageCase>{
      {R"({"type":"sequence","elements":[{"type":"any_text","excludes":["ab"]},)"
       R"({"type":"const_string","value":"b"}]})",
       {"b", "ab", "aab"},
       {"abb"}},
  });
}

TEST_CASE("a trigger that holds an excluded text is refused, since it could never be written") {
  const std::string tags = R"("tags":[{"begin":"<f>","content":)" + kX + R"(,"end":"</f>"}]})";
  const auto triggered = [&](const std::string& fields) {
    return R"({"type":"triggered_tags","triggers":["<f>"],)" + fields + tags;
  };
  const auto format = [](const std::string& text) { return R"({"format":)" + text + "}"; };
  const Verdict invalid = Verdict::kInvalid;
  Check(std::vector<RefusalCase>{
      {format(triggered(R"("excludes":["a","f"],)")), invalid, "/format/excludes/1",
       "\"f\" occurs in the trigger \"<f>\""},
      {format(triggered(R"("excludes":["f>"],)")), invalid, "/format/excludes/0",
       "occurs in the trigger"},
      {format(Tag("[", triggered(""), ">")), invalid, "/format/content",
       "\">\" ends the tag around and occurs in the trigger \"<f>\""},
      {format(R"({"type":"dispatch","excludes":["b"],"rules":[["abc",)" + kX + "]]}"), invalid,
       "/format/excludes/0", "occurs in the trigger \"abc\""},
  });
  // Without free text nothing is excluded, and a longer text than the trigger may be.
  Check(std::vector<LanguageCase>{
      {triggered(R"("at_least_one":true,"stop_after_first":true,"excludes":["f"],)"),
       {"<f>x</f>"},
       {""}},
      {triggered(R"("excludes":["<f>y","a<"],)"), {"b<f>x</f>"}, {"a<f>x</f>"}},
  });
}

TEST_CASE("triggered tags force the tag that a trigger begins") {
  const std::string tags = R"("triggers":["<f"],"tags":[{"begin":"<f=a>","content":)" + kX +
                           R"(,"end":"</f>"},{"begin":"<f=b>","content":)" + kY +
                           R"(,"end":"</f>"}])";
  Check(std::vector<LanguageCase>{
      {R"({"type":"triggered_tags",)" + tags + "}",
       {"", "hello <", "a<f=a>x</f>b<f=b>y</f>", "<f=a>x</f>"},
       {"<f", "<f=a>y</f>", "<f=c>", "a<f=a>x"}},
      {R"({"type":"triggered_tags","at_least_one":true,)" + tags + "}",
       {"<f=a>x</f>", "<f=a>x</f>free<f=b>y</f>"},
       {"", "free<f=a>x</f>"}},
      {R"({"type":"triggered_tags","stop_after_first":true,)" + tags + "}",
       {"", "free", "free<f=a>x</f>"},
       {"<f=a>x</f>free", "<f=a>x</f><f=a>x</f>"}},
      {R"({"type":"triggered_tags","stop_after_first":true,"at_least_one":true,)" + tags + "}",
       {"<f=a>x</f>", "<f=b>y</f>"},
       {"", "free", "<f=a>x</f> "}},
      {R"({"type":"triggered_tags","excludes":["bad"],)" + tags + "}",
       {"ba<f=a>x</f>d"},
       {"bad", "a bad"}},
      {R"({"type":"triggered_tags","triggers":["<f","<g"],)" + tags.substr(18) + "}",
       {"<f=a>x</f>"},
       {"<g", "a<g"}},
  });
  CHECK_FALSE(Format(R"({"type":"triggered_tags","triggers":["<f","<g"],)" + tags.substr(18) + "}")
                  .Begins("<g"));
}

TEST_CASE("the legacy shape means triggered tags that hold schemas") {
  const std::string legacy =
      R"({"structures":[{"begin":"<f=a>","schema":{"const":1},"end":"</f>"},)"
      R"({"begin":"<f=b>","schema":null,"end":"</f>"}],"triggers":["<f="])";
  const Front front = TagOf(legacy + "}");
  REQUIRE(front.ok());
  const std::string typed =
      R"({"format":{"type":"triggered_tags","triggers":["<f="],"tags":[{"begin":"<f=a>","content":)"
      R"({"type":"json_schema","json_schema":{"const":1}},"end":"</f>"},{"begin":"<f=b>","content":)"
      R"({"type":"json_schema","json_schema":null},"end":"</f>"}]}})";
  const Front same = TagOf(typed);
  REQUIRE(same.ok());
  const std::vector<std::string> members = {"", "a<f=a>1</f>", "<f=b>[2]</f><f=a>1</f>"};
  const std::vector<std::string> others = {"<f=", "<f=a>2</f>", "<f=c>1</f>", "a<f=a>1"};
  for (const Front* one : {&front, &same}) {
    for (const std::string& text : members) CHECK(one->Accepts(text));
    for (const std::string& text : others) CHECK_FALSE(one->Accepts(text));
  }
  const Front first = TagOf(legacy + R"(,"at_least_one":true,"type":"structural_tag"})");
  REQUIRE(first.ok());
  CHECK(first.Accepts("<f=a>1</f>"));
  CHECK_FALSE(first.Accepts(""));
}

TEST_CASE("tags with a separator stand alone") {
  const std::string rest = R"("separator":",","tags":[{"begin":"[","content":)" + kX +
                           R"(,"end":"]"},{"begin":"{","content":)" + kY + R"(,"end":"}"}])";
  Check(std::vector<LanguageCase>{
      {R"({"type":"tags_with_separator",)" + rest + "}",
       {"", "[x]", "[x],{y},[x]"},
       {",", "[x]{y}", "[x],", "a[x]"}},
      {R"({"type":"tags_with_separator","at_least_one":true,)" + rest + "}",
       {"[x]", "{y},[x]"},
       {""}},
      {R"({"type":"tags_with_separator","stop_after_first":true,)" + rest + "}",
       {"", "[x]"},
       {"[x],{y}"}},
  });
}

TEST_CASE("dispatch switches to a format and back") {
  const std::string rules = R"("rules":[["<x>",)" + kX + R"(],["<y>",)" + kY + "]]";
  Check(std::vector<LanguageCase>{
      {R"({"type":"dispatch",)" + rules + "}", {"", "a<x>xb<y>y", "<x"}, {"<x>", "<x>y"}},
      {R"({"type":"dispatch","loop":false,)" + rules + "}", {"", "a<x>x"}, {"a<x>xb"}},
      {R"({"type":"dispatch","excludes":["no"],)" + rules + "}", {"n<x>xo"}, {"no"}},
      // A pattern that begins or contains another one can come; so can each format of one pattern.
      {R"({"type":"dispatch","rules":[["<",)" + kX + R"(],["<b",)" + kY + "]]}",
       {"<x", "<by", "a<x<by"},
       {"<y", "<bx", "<b", "<"}},
      {R"({"type":"dispatch","rules":[["b",)" + kX + R"(],["abc",)" + kY + "]]}",
       {"abx", "abcy", "abxabcy"},
       {"bcy", "abcx", "ab"}},
      {R"({"type":"dispatch","excludes":["xbc"],"rules":[["b",)" + kX + R"(],["bcd",)" + kY + "]]}",
       {"abcdy", "xbx"},
       {"xbcdy"}},
      {R"({"type":"dispatch","rules":[["b",)" + kX + R"(],["b",)" + kY + "]]}",
       {"bx", "by", "bxby"},
       {"b"}},
  });
}

TEST_CASE("token formats are over ids") {
  const std::vector<std::string> texts = {"a", "b", "c", "d"};
  const Vocabulary vocabulary(texts, 4);
  const auto accepts = [&](const std::string& format, const std::vector<std::int32_t>& ids) {
    const Front front = Format(format, &vocabulary);
    if (!front.ok()) FAIL(front.error->message);
    return front.Accepts(TokenSymbols(ids));
  };
  CHECK(accepts(R"({"type":"token","token":1})", {1}));
  CHECK_FALSE(accepts(R"({"type":"token","token":1})", {2}));
  CHECK(accepts(R"({"type":"exclude_token","exclude_tokens":[1]})", {2}));
  CHECK_FALSE(accepts(R"({"type":"exclude_token","exclude_tokens":[1]})", {1}));
  CHECK(accepts(R"({"type":"any_tokens","max_tokens":2})", {1, 2}));
  CHECK_FALSE(accepts(R"({"type":"any_tokens","max_tokens":2})", {1, 2, 3}));
  CHECK(accepts(R"({"type":"any_tokens"})", {1, 2, 3}));
  const std::string tag = R"({"type":"tag","begin":{"type":"token","token":0},"content":)"
                          R"({"type":"any_tokens"},"end":{"type":"token","token":1}})";
  CHECK(accepts(tag, {0, 2, 3, 1}));
  CHECK_FALSE(accepts(tag, {0, 2, 1, 1}));
  const std::string triggered =
      R"({"type":"token_triggered_tags","trigger_tokens":[0],"exclude_tokens":[3],"tags":[)"
      R"({"begin":{"token":0},"content":{"type":"token","token":2},"end":{"token":1}}])";
  CHECK(accepts(triggered + "}", {1, 0, 2, 1, 2}));
  CHECK_FALSE(accepts(triggered + "}", {0, 1}));
  CHECK_FALSE(accepts(triggered + "}", {3}));
  CHECK_FALSE(accepts(triggered + R"(,"at_least_one":true})", {2}));
  CHECK(accepts(triggered + R"(,"at_least_one":true})", {0, 2, 1}));
  CHECK_FALSE(accepts(triggered + R"(,"stop_after_first":true})", {0, 2, 1, 1}));
  const std::string dispatch =
      R"({"type":"token_dispatch","rules":[[0,{"type":"token","token":2}]],"exclude_tokens":[3]})";
  CHECK(accepts(dispatch, {1, 0, 2, 1}));
  CHECK_FALSE(accepts(dispatch, {0, 1}));
  CHECK_FALSE(accepts(dispatch, {3}));
}

TEST_CASE("a format without a type is the only one that has its fields") {
  Check(std::vector<LanguageCase>{
      {R"({"value":"x"})", {"x"}, {"y"}},
      {R"({"grammar":"root ::= \"a\""})", {"a"}, {"b"}},
      {R"({"begin":"<","content":)" + kX + R"(,"end":">"})", {"<x>"}, {"x"}},
      {R"({"min":1,"max":1,"content":{"value":"x"}})", {"x"}, {""}},
  });
}

TEST_CASE("mistakes are refused with a pointer") {
  const Verdict invalid = Verdict::kInvalid;
  const auto format = [](const std::string& text) { return R"({"format":)" + text + "}"; };
  Check(std::vector<RefusalCase>{
      {"{", invalid, "", "the structural tag is not JSON"},
      {"[]", invalid, "", "an object is expected, found []"},
      {"{}", invalid, "", "one of the fields \"format\" and \"structures\" is needed"},
      {R"({"type":"tag","format":{"value":"x"}})", invalid, "/type", "\"structural_tag\""},
      {R"({"format":{"value":"x"},"formt":1})", invalid, "/formt", "did you mean \"format\"?"},
      {format("3"), invalid, "/format", "an object (a format) is expected, found 3"},
      {format(R"({"type":"sequnce","elements":[]})"), invalid, "/format/type",
       "did you mean \"sequence\"?"},
      {format(R"({"type":"sequence","elements":[]})"), invalid, "/format/elements", "empty"},
      {format(R"({"type":"sequence","elements":[{"type":"const_string","value":1}]})"), invalid,
       "/format/elements/0/value", "a string is expected, found 1"},
      {format(R"({"type":"const_string","value":"x","extra":1})"), invalid, "/format/extra",
       "not known"},
      {format(R"({"type":"const_string"})"), invalid, "/format", "\"value\" is missing"},
      {format(R"({"elements":[]})"), invalid, "/format", "fit \"sequence\" and \"or\""},
      {format(R"({"nothing":1})"), invalid, "/format", "fit no format"},
      {format(R"({"type":"optional"})"), invalid, "/format", "\"content\" is missing"},
      {format(R"({"type":"repeat","min":2,"max":1,"content":{"value":"x"}})"), invalid,
       "/format/max", "below the minimum"},
      {format(R"({"type":"repeat","min":0,"max":1.5,"content":{"value":"x"}})"), invalid,
       "/format/max", "an integer is expected"},
      {format(R"({"type":"grammar","grammar":""})"), invalid, "/format/grammar", "not empty"},
      {format(R"({"type":"grammar","grammar":"root ::= x"})"), invalid, "/format/grammar",
       "/format/grammar: line 1, column 10: the rule"},
      {format(R"({"type":"any_text","excludes":[""]})"), invalid, "/format/excludes/0",
       "not empty"},
      {format(R"({"type":"any_text","max_chars":-1})"), invalid, "/format/max_chars", "negative"},
      {format(R"({"type":"any_text","max_tokens":1000001})"), Verdict::kTooLarge,
       "/format/max_tokens", "at most 1000000"},
      {format(R"({"type":"json_schema","json_schema":{},"style":"yaml"})"), invalid,
       "/format/style", "no style"},
      {format(R"({"type":"json_schema","json_schema":3})"), invalid, "/format/json_schema",
       "a schema"},
      {format(R"({"type":"qwen_xml_parameter","json_schema":{"type":"string"}})"),
       Verdict::kUnsatisfiable, "/format/json_schema", "parameters are an object"},
      {format(R"({"type":"qwen_xml_parameter","json_schema":{"const":{"a":1}}})"),
       Verdict::kUnsupported, "/format/json_schema", "enum and const"},
      {format(R"({"type":"qwen_xml_parameter","json_schema":{"properties":{"a>":{}}}})"),
       Verdict::kUnsupported, "/format/json_schema", "cannot be named in this style"},
      {format(R"({"type":"json_schema","style":"qwen_xml","json_schema":{"type":3}})"), invalid,
       "/format/json_schema/type", ""},
      {format(R"({"type":"tag","begin":"<","content":{"value":"x"},"end":[]})"), invalid,
       "/format/end", "a list of strings that is not empty is expected, found []"},
      {format(R"({"type":"tag","begin":1,"content":{"value":"x"},"end":""})"), invalid,
       "/format/begin", "a string or a token"},
      {format(R"({"type":"triggered_tags","triggers":["<a"],"tags":[{"begin":"<b","content":)"
              R"({"value":"x"},"end":">"}]})"),
       invalid, "/format/tags/0/begin", "none of the triggers"},
      {format(R"({"type":"triggered_tags","triggers":["<","<b"],"tags":[{"begin":"<b","content":)"
              R"({"value":"x"},"end":">"}]})"),
       invalid, "/format/tags/0/begin", "two triggers"},
      {format(R"({"type":"triggered_tags","triggers":[""],"tags":[{"begin":"<b","content":)"
              R"({"value":"x"},"end":">"}]})"),
       invalid, "/format/triggers/0", "not empty"},
      {format(R"({"type":"triggered_tags","triggers":["<b"],"excludes":["<"],"tags":[{"begin":)"
              R"("<b","content":{"value":"x"},"end":">"}]})"),
       invalid, "/format/excludes/0", "\"<\" occurs in the trigger \"<b\""},
      {format(R"({"type":"triggered_tags","triggers":["<b"],"tags":[{}],"at_least_one":1})"),
       invalid, "/format/at_least_one", "true or false"},
      {format(R"({"type":"dispatch","rules":[["a"]]})"), invalid, "/format/rules/0",
       "[pattern, format]"},
      {format(R"({"type":"token","token":true})"), invalid, "/format/token", "a token id"},
      {format(R"({"type":"token","token":"<|end|>"})"), Verdict::kUnsupported, "/format/token",
       "needs a tokenizer"},
      {R"({"structures":[{"begin":"<a","end":">"}]})", invalid, "", "\"triggers\" is missing"},
      {R"({"structures":[{"begin":"<a"}],"triggers":["<"]})", invalid, "/structures/0",
       "\"end\" is missing"},
      {R"({"structures":[{"begin":"<a","end":">","schem":{}}],"triggers":["<"]})", invalid,
       "/structures/0/schem", "did you mean \"schema\"?"},
  });
}

TEST_CASE("an error inside a schema has the pointer of the whole document") {
  const Front front = TagOf(R"({"format":{"type":"json_schema","json_schema":{"type":3}}})");
  REQUIRE_FALSE(front.ok());
  CHECK(front.error->pointer == "/format/json_schema/type");
}

TEST_CASE("deep formats are read and bottomless ones refused") {
  const auto nested = [](int depth) {
    std::string text = R"({"format":)";
    for (int i = 0; i < depth; ++i) text += R"({"type":"optional","content":)";
    text += R"({"value":"x"})";
    return text + std::string(static_cast<std::size_t>(depth) + 1, '}');
  };
  const Front deep = TagOf(nested(200));
  REQUIRE(deep.ok());
  CHECK(deep.Accepts("x"));
  CHECK(TagOf(nested(100'000)).error->verdict == Verdict::kTooLarge);
}

}  // namespace
}  // namespace sglrun::grammar
