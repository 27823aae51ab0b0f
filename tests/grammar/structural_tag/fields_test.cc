// Every member of every format: left out, and with a value of every kind of JSON.
#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ebnf/helpers.h"
#include "grammar/structural_tag/formats.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

struct MemberCase {
  std::string name;
  bool required;
  std::string kinds;  // of JSON that it may be: n(ull) d(igits) s(tring) b(oolean) a(rray) o(bject)
  std::string value;  // one that is right
};

struct FormatCase {
  std::string type;
  std::vector<MemberCase> members;
};

const std::string kOne = R"({"type":"const_string","value":"x"})";
const std::string kTags = R"([{"begin":"<t>","content":)" + kOne + R"(,"end":"</t>"}])";
const std::string kTokenTags =
    R"([{"begin":{"token":1},"content":)" + kOne + R"(,"end":{"token":2}}])";

// What the formats take, written down apart from the code that reads them.
const std::vector<FormatCase>& FormatCases() {
  const MemberCase excludes{"excludes", false, "a", R"(["no"])"};
  const MemberCase any_order{"any_order", false, "b", "true"};
  const MemberCase whitespace{"max_whitespace_cnt", false, "nd", "3"};
  const MemberCase schema{"json_schema", true, "nbo", R"({"type":"object"})"};
  const MemberCase content{"content", true, "o", kOne};
  const MemberCase elements{"elements", true, "a", "[" + kOne + "]"};
  const MemberCase one{"at_least_one", false, "b", "true"};
  const MemberCase first{"stop_after_first", false, "b", "true"};
  const MemberCase loop{"loop", false, "b", "true"};
  const MemberCase no_tokens{"exclude_tokens", false, "a", "[3]"};
  const MemberCase max_tokens{"max_tokens", false, "nd", "5"};
  static const std::vector<FormatCase> cases = {
      {"const_string", {{"value", true, "s", "\"x\""}}},
      {"json_schema", {schema, {"style", false, "s", "\"json\""}, any_order, whitespace, excludes}},
      {"qwen_xml_parameter", {schema, any_order, whitespace, excludes}},
      {"grammar",
       {{"grammar", true, "s", R"("root ::= \"a\"")"}, {"syntax", false, "s", "\"ebnf\""}}},
      {"regex", {{"pattern", true, "s", "\"a+\""}}},
      {"any_text", {excludes, max_tokens, {"max_chars", false, "nd", "5"}}},
      {"sequence", {elements}},
      {"or", {elements}},
      {"optional", {content}},
      {"star", {content}},
      {"plus", {content}},
      {"repeat", {{"min", true, "d", "1"}, {"max", true, "d", "9"}, content}},
      {"tag", {{"begin", true, "so", "\"<\""}, content, {"end", true, "sao", "\">\""}}},
      {"triggered_tags",
       {{"triggers", true, "a", R"(["<"])"}, {"tags", true, "a", kTags}, one, first, excludes}},
      {"tags_with_separator",
       {{"tags", true, "a", kTags}, {"separator", true, "s", "\",\""}, one, first}},
      {"dispatch", {{"rules", true, "a", "[[\"<\"," + kOne + "]]"}, loop, excludes}},
      {"token", {{"token", true, "ds", "1"}}},
      {"exclude_token", {no_tokens}},
      {"any_tokens", {no_tokens, max_tokens}},
      {"token_triggered_tags",
       {{"trigger_tokens", true, "a", "[1]"},
        {"tags", true, "a", kTokenTags},
        no_tokens,
        one,
        first}},
      {"token_dispatch", {{"rules", true, "a", "[[1," + kOne + "]]"}, loop, no_tokens}},
  };
  return cases;
}

const std::vector<std::pair<char, std::string>>& Values() {
  static const std::vector<std::pair<char, std::string>> values = {
      {'n', "null"}, {'d', "7"},      {'d', "-1"},       {'d', "1.5"},
      {'d', "1e99"}, {'s', "\"y\""},  {'s', "\"\""},     {'b', "true"},
      {'a', "[]"},   {'a', "[null]"}, {'a', "[7]"},      {'a', "[[]]"},
      {'o', "{}"},   {'a', "[{}]"},   {'a', R"(["y"])"}, {'o', R"({"type":"any_text"})"}};
  return values;
}

// The format with one member left out (an empty `value`) or of another value; with all of them as
// they should be when `name` is empty.
std::string Spell(const FormatCase& format, std::string_view name = {},
                  std::string_view value = {}) {
  std::string text = R"({"type":")" + format.type + '"';
  for (const MemberCase& member : format.members) {
    const std::string_view written = member.name == name ? value : member.value;
    if (written.empty()) continue;
    text += ",\"" + member.name + "\":";
    text += written;
  }
  return text + "}";
}

// Places where a format may stand, and the pointer of that place.
struct PlaceCase {
  std::string before, after, pointer;
};
const std::vector<PlaceCase>& PlaceCases() {
  static const std::vector<PlaceCase> places = {
      {R"({"format":)", "}", "/format"},
      {R"({"format":{"type":"sequence","elements":[{"value":"a"},{"begin":"[","end":"]","content":)",
       "}]}}", "/format/elements/1/content"},
      {R"({"format":{"type":"dispatch","rules":[["!",)", "]]}}", "/format/rules/0/1"},
  };
  return places;
}

Front Tagged(const PlaceCase& place, const std::string& format) {
  return Read(AppendStructuralTag, place.before + format + place.after);
}

bool Mentions(const GrammarError& error, std::string_view text) {
  return error.message.find(text) != std::string::npos;
}

TEST_CASE("the table of the formats' members names all that the formats read, and no others") {
  std::size_t at = 0;
  const auto check = [&]<class F>(const F*) {
    REQUIRE(at < FormatCases().size());
    const FormatCase& format = FormatCases()[at++];
    CHECK(format.type == F::kType);
    std::vector<std::string_view> names, required;
    for (const MemberCase& member : format.members) {
      names.push_back(member.name);
      if (member.required) required.push_back(member.name);
    }
    CHECK(names == tag::FieldNames<F>());
    CHECK(required == tag::FieldNames<F>(true));
  };
  [&]<class... F>(std::tuple<F...>*) {
    (check(static_cast<F*>(nullptr)), ...);
  }(static_cast<tag::AllFormats*>(nullptr));
  CHECK(at == FormatCases().size());
}

TEST_CASE("a format without a member that it needs is refused, wherever it stands (it crashed)") {
  for (const PlaceCase& place : PlaceCases()) {
    for (const FormatCase& format : FormatCases()) {
      const Front whole = Tagged(place, Spell(format));
      CAPTURE(Spell(format));
      if (!whole.ok()) FAIL(whole.error->message);
      for (const MemberCase& member : format.members) {
        const std::string text = Spell(format, member.name);
        CAPTURE(text);
        const Front front = Tagged(place, text);
        REQUIRE(front.ok() == !member.required);
        if (!member.required) continue;
        CHECK(front.error->verdict == Verdict::kInvalid);
        CHECK(front.error->pointer == place.pointer);
        CHECK(Mentions(*front.error, "the field \"" + member.name + "\" is missing"));
        CHECK(Mentions(*front.error, " is expected, found {\"type\":\"" + format.type));
      }
    }
  }
}

TEST_CASE("a member of the wrong type is refused with its place, what it is and should be") {
  for (const PlaceCase& place : PlaceCases()) {
    for (const FormatCase& format : FormatCases()) {
      for (const MemberCase& member : format.members) {
        for (const auto& [kind, value] : Values()) {
          const std::string text = Spell(format, member.name, value);
          CAPTURE(text);
          const Front front = Tagged(place, text);
          const bool fits = member.kinds.find(kind) != std::string::npos;
          if (!fits) REQUIRE_FALSE(front.ok());
          if (front.ok()) continue;
          CAPTURE(front.error->message);
          CHECK(front.error->message.starts_with(front.error->pointer));
          CHECK(front.error->pointer.starts_with(place.pointer));
          if (fits) continue;
          CHECK(front.error->verdict == Verdict::kInvalid);
          CHECK(front.error->pointer == place.pointer + "/" + member.name);
          CHECK(Mentions(*front.error, " is expected, found " + value));
        }
      }
    }
  }
}

TEST_CASE("an empty \"excludes\" may stand in every format, as XGrammar writes it") {
  for (const FormatCase& format : FormatCases()) {
    const bool knows =
        std::ranges::any_of(format.members, [](const auto& m) { return m.name == "excludes"; });
    const std::string text = Spell(format, "excludes");
    const auto with = [&](std::string_view value) {
      std::string more = text.substr(0, text.size() - 1) + ",\"excludes\":";
      return Tagged(PlaceCases().front(), more.append(value) + "}");
    };
    CAPTURE(text);
    CHECK(with("[]").ok());
    if (knows) continue;
    const Front front = with(R"(["a"])");
    REQUIRE_FALSE(front.ok());
    CHECK(front.error->pointer == "/format/excludes");
    CHECK(Mentions(*front.error, "an empty array"));
  }
}

}  // namespace
}  // namespace sglrun::grammar
