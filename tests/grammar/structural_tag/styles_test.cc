// The styles of the format json_schema: values as families of models write them.
#include <string>
#include <string_view>
#include <vector>

#include "ebnf/helpers.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

Front StyledTag(std::string_view format) {
  return Read(AppendStructuralTag, R"({"format":)" + std::string(format) + "}");
}

void CheckStyles(const std::vector<LanguageCase>& cases) {
  CheckLanguages(StyledTag, cases);
}

std::string Styled(const std::string& style, const std::string& schema) {
  return R"({"type":"json_schema","style":")" + style + R"(","json_schema":)" + schema + "}";
}

const std::string kCall =
    R"({"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},)"
    R"("required":["city"]})";
const std::string kDeep =
    R"({"type":"object","properties":{"o":{"type":"object","properties":{"x":{"type":"string"}},)"
    R"("required":["x"]},"l":{"type":"array","items":{"type":["integer","string"],"maxLength":1}},)"
    R"("n":{"type":["null","boolean"]}},"required":["o"]})";

TEST_CASE("the style qwen_xml writes a tag for each property") {
  const auto style = [](const std::string& schema) {
    return R"({"type":"json_schema","style":"qwen_xml","json_schema":)" + schema + "}";
  };
  const std::string person =
      style(R"({"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},)"
            R"("required":["name"]})");
  CheckStyles(std::vector<LanguageCase>{
      {person,
       {"<parameter=name>Bob</parameter>", "<parameter=name></parameter>",
        "<parameter=name>\nBob \"B\" </b> {\n</parameter>\n<parameter=age>\n12\n</parameter>\n",
        "\n<parameter=name>a</parameter><parameter=age>-3</parameter>"},
       {"", "<parameter=age>12</parameter>", "<parameter=name>Bob",
        "<parameter=name>Bob</parameter><parameter=age>x</parameter>",
        "<parameter=name>Bob</parameter></parameter>",
        "<parameter=name>a</parameter><parameter=name>b</parameter>",
        "<parameter=name>a</parameter>,<parameter=age>1</parameter>"}},
      {R"({"type":"qwen_xml_parameter","json_schema":{"properties":{"n":{"type":"null"}}}})",
       {"", "\n", "<parameter=n>null</parameter>"},
       {"<parameter=n></parameter>", "<parameter=m>null</parameter>"}},
      // Other values are JSON, strings inside them too.
      {style(
           R"({"properties":{"a":{"type":["array","string"],"maxLength":2,"items":{"const":"x"}}}})"),
       {"<parameter=a>[\"x\"]</parameter>", "<parameter=a>xy</parameter>",
        "<parameter=a>\nxy\n</parameter>"},
       {"<parameter=a>[x]</parameter>", "<parameter=a>xyz</parameter>",
        "<parameter=a>x </parameter>"}},
      {style(R"({"properties":{"a":{"enum":["x y",3,"</parameter>"]}},"required":["a"]})"),
       {"<parameter=a>x y</parameter>", "<parameter=a> 3</parameter>"},
       {"<parameter=a>\"x y\"</parameter>", "<parameter=a></parameter></parameter>"}},
      {style(R"({"properties":{"a":{"type":"string","pattern":"^[^b]*$"}},"required":["a"]})"),
       {"<parameter=a>c</d></parameter>", "<parameter=a></parameter>"},
       {"<parameter=a>ab</parameter>", "<parameter=a>a</parameter>a</parameter>"}},
      // Bounds of everyday use, far above what one automaton can count.
      {style(R"({"properties":{"a":{"type":"string","maxLength":10000}},"required":["a"]})"),
       {"<parameter=a>" + std::string(10'000, 'x') + "</parameter>",
        "<parameter=a>x " + std::string(9'998, 'x') + "\n</parameter>"},
       {"<parameter=a>" + std::string(10'001, 'x') + "</parameter>",
        "<parameter=a>x " + std::string(9'999, 'x') + "\n</parameter>",
        "<parameter=a>x </parameter>"}},
      {style(R"({"properties":{"a":{"type":"string","format":"uri","minLength":300,)"
             R"("maxLength":2048}},"required":["a"]})"),
       {"<parameter=a>http://" + std::string(293, 'x') + "</parameter>",
        "<parameter=a>http://" + std::string(2041, 'x') + "</parameter>"},
       {"<parameter=a>http://" + std::string(292, 'x') + "</parameter>",
        "<parameter=a>http://" + std::string(2042, 'x') + "</parameter>"}},
      {style(R"({"additionalProperties":{"type":"boolean"},"properties":{"a":false}})"),
       {"<parameter=x_1>true</parameter> <parameter=Y>false</parameter>", ""},
       {"<parameter=a>true</parameter>", "<parameter=1>true</parameter>",
        "<parameter=x y>true</parameter>"}},
      {R"({"type":"tag","begin":"<function=f>","content":)" +
           style(R"({"properties":{"a":{"type":"string"}}})") + R"(,"end":"</function>"})",
       {"<function=f>\n<parameter=a>\nb\n</parameter>\n</function>", "<function=f></function>"},
       {"<function=f><parameter=a>b</function>"}},
  });
}

TEST_CASE("styles that write each parameter between marks of their own") {
  CheckStyles({
      {Styled("minimax_xml", kCall),
       {"<parameter name=\"city\">Paris</parameter>",
        "<parameter name=\"city\">a \"b\" <</parameter>\n<parameter name=\"days\">3</parameter>\n"},
       {"<parameter=city>Paris</parameter>", "<parameter name=\"days\">3</parameter>",
        "<parameter name=\"city\">a</parameter></parameter>",
        "<parameter name=\"city\">a</parameter><parameter name=\"days\">x</parameter>"}},
      {Styled("glm_xml", kCall),
       {"<arg_key>city</arg_key><arg_value>Paris</arg_value>",
        "<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n"
        "<arg_value>-3</arg_value>\n"},
       {"<arg_key>town</arg_key><arg_value>Paris</arg_value>",
        "<arg_key>city</arg_key><arg_value>Paris</arg_value><arg_key>days</arg_key>"
        "<arg_value>\"3\"</arg_value>"}},
      {Styled("deepseek_xml", kCall),
       {"<｜DSML｜parameter name=\"city\" string=\"true\">Paris</｜DSML｜parameter>",
        "<｜DSML｜parameter name=\"city\" string=\"true\">12</｜DSML｜parameter>"
        "<｜DSML｜parameter name=\"days\" string=\"false\">12</｜DSML｜parameter>"},
       {"<｜DSML｜parameter name=\"city\" string=\"false\">Paris</｜DSML｜parameter>",
        "<｜DSML｜ parameter name=\"city\" string=\"true\">Paris</｜DSML｜ parameter>"}},
      {Styled("deepseek_v4_1_xml", kCall),
       {"<｜DSML｜ parameter name=\"city\" string=\"true\">Paris</｜DSML｜ parameter>"},
       {"<｜DSML｜parameter name=\"city\" string=\"true\">Paris</｜DSML｜parameter>"}},
      // What is a string and what is not stands in the marks.
      {Styled("deepseek_xml", R"({"properties":{"a":{"enum":["x",1]}}})"),
       {"", "<｜DSML｜parameter name=\"a\" string=\"true\">x</｜DSML｜parameter>",
        "<｜DSML｜parameter name=\"a\" string=\"false\">1</｜DSML｜parameter>"},
       {"<｜DSML｜parameter name=\"a\" string=\"true\">1</｜DSML｜parameter>",
        "<｜DSML｜parameter name=\"a\" string=\"false\">x</｜DSML｜parameter>"}},
      {Styled("kimi_k3_xml", kCall),
       {"<|open|>argument key=\"city\" type=\"string\"<|sep|>Paris<|close|>argument<|sep|>",
        "<|open|>argument key=\"city\" type=\"string\"<|sep|><|close|>argument<|sep|>"
        "<|open|>argument key=\"days\" type=\"number\"<|sep|>3<|close|>argument<|sep|>"},
       {"<|open|>argument key=\"city\" type=\"number\"<|sep|>3<|close|>argument<|sep|>"}},
      {Styled("kimi_k3_xml", R"({"properties":{"a":{"type":["null","boolean","array"]}}})"),
       {"<|open|>argument key=\"a\" type=\"null\"<|sep|>null<|close|>argument<|sep|>",
        "<|open|>argument key=\"a\" type=\"boolean\"<|sep|>true<|close|>argument<|sep|>",
        "<|open|>argument key=\"a\" type=\"array\"<|sep|>[1]<|close|>argument<|sep|>"},
       {"<|open|>argument key=\"a\" type=\"null\"<|sep|>true<|close|>argument<|sep|>"}},
      // A text of which the schema asks something has no blanks that a reader may strip.
      {Styled("glm_xml", R"({"properties":{"a":{"type":"string","pattern":"^.{2}$"}}})"),
       {"<arg_key>a</arg_key><arg_value>xy</arg_value>"},
       {"<arg_key>a</arg_key><arg_value>x </arg_value>",
        "<arg_key>a</arg_key><arg_value>xyz</arg_value>"}},
  });
}

TEST_CASE("styles that go on inside arrays and objects") {
  const std::string mark = "]<]minimax[>[";
  CheckStyles({
      {Styled("minimax_m3_xml", kDeep),
       {mark + "<o>" + mark + "<x>y ]<" + mark + "</x>" + mark + "</o>",
        mark + "<o>\n" + mark + "<x>" + mark + "</x>\n" + mark + "</o>" + mark + "<l>" + mark +
            "<item>12" + mark + "</item>\n" + mark + "<item>z" + mark + "</item>\n" + mark + "</l>",
        mark + "<o>" + mark + "<x>" + mark + "</x>" + mark + "</o>" + mark + "<l>" + mark + "</l>" +
            mark + "<n>null" + mark + "</n>"},
       {"", mark + "<o>" + mark + "</o>", mark + "<o>{\"x\":\"y\"}" + mark + "</o>",
        mark + "<o>" + mark + "<x>" + mark + "</x>" + mark + "</o>" + mark + "<l>[12]" + mark +
            "</l>"}},
      {Styled("cohere_xml", kDeep),
       {"<cofl:value name=\"o\" type=\"dict\"><cofl:value name=\"x\" type=\"raw\">y</cofl:value>"
        "</cofl:value>",
        "<cofl:value name=\"o\" type=\"dict\">\n<cofl:value name=\"x\" type=\"raw\"></cofl:value>\n"
        "</cofl:value><cofl:value name=\"l\" type=\"list\"><cofl:value "
        "type=\"json\">12</cofl:value>"
        "<cofl:value type=\"raw\">z</cofl:value></cofl:value>"
        "<cofl:value name=\"n\" type=\"json\">true</cofl:value>"},
       {"<cofl:value name=\"o\" type=\"dict\"></cofl:value>",
        "<cofl:value name=\"o\" type=\"json\">{\"x\":\"y\"}</cofl:value>",
        "<cofl:value name=\"o\" type=\"dict\"><cofl:value name=\"x\" type=\"json\">1</cofl:value>"
        "</cofl:value>"}},
      {Styled("cohere_xml", R"({"properties":{"a<\"b":{"type":"string"}}})"),
       {"<cofl:value name=\"a&lt;&quot;b\" type=\"raw\">y</cofl:value>"},
       {"<cofl:value name=\"a<\"b\" type=\"raw\">y</cofl:value>"}},
      {Styled("gemma", kDeep),
       {"{o:{x:<|\"|>y \"z\"<|\"|>}}", "{ o : {x:<|\"|><|\"|>}, l:[12, <|\"|>z<|\"|>], n:null}",
        "{o:{x:<|\"|>a<|\"|>},l:[]}"},
       {"{}", "{\"o\":{x:<|\"|>y<|\"|>}}", "{o:{x:\"y\"}}", "{o:{x:<|\"|>y<|\"|>},l:[z]}",
        "{o:{x:<|\"|>a<|\"|>b<|\"|>}}"}},
      {Styled("gemma", R"({"type":"array","items":{"enum":["a",1]},"minItems":1,"maxItems":2})"),
       {"[1]", "[<|\"|>a<|\"|>,1]"},
       {"[]", "[a]", "[1,1,1]"}},
      // Recursion, and items of their own at the front.
      {Styled("cohere_xml", R"({"$ref":"#/$defs/t","$defs":{"t":{"type":"object",)"
                            R"("properties":{"t":{"$ref":"#/$defs/t"}}}}})"),
       {"", "<cofl:value name=\"t\" type=\"dict\"></cofl:value>",
        "<cofl:value name=\"t\" type=\"dict\"><cofl:value name=\"t\" type=\"dict\"></cofl:value>"
        "</cofl:value>"},
       {"<cofl:value name=\"t\" type=\"raw\"></cofl:value>"}},
      {Styled("gemma", R"({"prefixItems":[{"const":1},{"const":2}],"items":{"const":3},)"
                       R"("type":"array","minItems":1,"maxItems":3})"),
       {"[1]", "[1,2]", "[1, 2, 3]"},
       {"[]", "[2]", "[1,3]", "[1,2,3,3]"}},
  });
}

TEST_CASE("excluded texts stand in no string and no key of a schema's values") {
  const auto without = [](const std::string& style, const std::string& schema) {
    const std::string format = Styled(style, schema);
    return format.substr(0, format.size() - 1) + R"(,"excludes":["ab","q\""]})";
  };
  CheckStyles({
      {without("json", R"({"type":"string"})"),
       {"\"a\"", "\"ba\"", "\"a\\\"b\"", "\"q\"", "\"a\\u0062\""},
       {"\"ab\"", "\"xaby\""}},
      {without("json", R"({"type":"string","maxLength":3})"), {"\"ba\""}, {"\"ab\"", "\"baba\""}},
      {without("json", R"({"type":"string","pattern":"^a"})"), {"\"ac\""}, {"\"abc\"", "\"b\""}},
      {without("json", R"({"enum":["ab","c",{"k":"ab"},["xab"],{"ab":1},["c"]]})"),
       {"\"c\"", "[\"c\"]"},
       {"\"ab\"", R"({"k":"ab"})", "[\"xab\"]", R"({"ab":1})"}},
      {without("json", R"({"properties":{"xab":{"type":"null"},"c":{"type":"null"}}})"),
       {"{}", R"({"c":null})"},
       {R"({"xab":null})"}},
      {without("json",
               R"({"properties":{"c":{"type":"null"}},"additionalProperties":{"const":1}})"),
       {R"({"a":1})", R"({"c":null,"b":1})"},
       {R"({"ab":1})", R"({"c":1})"}},
      {without("json", "{}"), {R"({"a":["b"]})"}, {R"({"ab":1})", R"(["ab"])"}},
      {without("glm_xml", R"({"properties":{"a":{"type":["string","array"]},"xab":{}}})"),
       {"<arg_key>a</arg_key><arg_value>b</arg_value>",
        "<arg_key>a</arg_key><arg_value>[\"b\"]</arg_value>"},
       {"<arg_key>a</arg_key><arg_value>xab</arg_value>",
        "<arg_key>xab</arg_key><arg_value>1</arg_value>"}},
      {without("glm_xml", R"({"properties":{"a":{"type":"array"}}})"),
       {"<arg_key>a</arg_key><arg_value>[\"b\"]</arg_value>"},
       {"<arg_key>a</arg_key><arg_value>[\"ab\"]</arg_value>"}},
      {without("gemma", R"({"additionalProperties":{"type":"string"}})"),
       {"{a:<|\"|>b<|\"|>}"},
       {"{ab:<|\"|>b<|\"|>}", "{a:<|\"|>ab<|\"|>}"}},
  });
}

TEST_CASE("what a style cannot write is refused with its place") {
  struct Case {
    std::string style, schema, message;
    Verdict verdict = Verdict::kUnsupported;
  };
  const std::vector<Case> cases = {
      {"yaml", "{}", "there is no style \"yaml\"", Verdict::kInvalid},
      {"glm_xlm", "{}", "did you mean \"glm_xml\"?", Verdict::kInvalid},
      {"glm_xml", R"({"type":"string"})", "parameters are an object", Verdict::kUnsatisfiable},
      {"minimax_xml", R"({"properties":{"a\"b":{}}})", "cannot be named"},
      {"minimax_m3_xml", R"({"additionalProperties":{"type":"integer"}})", "does not name"},
      {"minimax_m3_xml", R"({"properties":{"a":{"const":{"b":1}}}})", "enum and const of whole"},
      {"cohere_xml",
       R"({"properties":{"a":{"type":"array","items":{"type":"null"},"contains":{}}}})",
       "contains is not offered"},
      {"gemma", R"({"properties":{"a:b":{}}})", "cannot be named"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schema);
    const Front front = StyledTag(Styled(c.style, c.schema));
    REQUIRE_FALSE(front.ok());
    CAPTURE(front.error->message);
    CHECK(front.error->verdict == c.verdict);
    CHECK(front.error->pointer.starts_with("/format/"));
    CHECK(front.error->message.find(c.message) != std::string::npos);
  }
}

}  // namespace
}  // namespace sglrun::grammar
