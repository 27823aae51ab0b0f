// Strings of everyday schemas with large bounds on their length, which were too large as automata
// that count.
#include "schema_helpers.h"

#include <doctest/doctest.h>

#include "grammar/compile/constraint.h"

namespace sglrun::grammar {
namespace {

std::string Quoted(const std::string& text) {
  return '"' + text + '"';
}

// A string schema with a bound: the text of exactly that length fits, one character more does not.
void CheckBound(const std::string& schema, const std::string& longest, const std::string& longer) {
  CAPTURE(schema);
  const CompiledSchema compiled = CompileSchema(schema);
  REQUIRE_MESSAGE(compiled.verdict == "ok", compiled.message);
  CHECK(compiled.Accepts(Quoted(longest)));
  CHECK(!compiled.Accepts(Quoted(longer)));
}

TEST_CASE("formats with large lengths are served, exact at the bound") {
  const std::string host = "http://a.b/";
  CheckBound(R"({"type": "string", "format": "uri", "maxLength": 2048})",
             host + std::string(2048 - host.size(), 'x'),
             host + std::string(2049 - host.size(), 'x'));
  const std::string address = "@example.org";
  CheckBound(R"({"type": "string", "format": "email", "maxLength": 60})",
             std::string(60 - address.size(), 'x') + address,
             std::string(61 - address.size(), 'x') + address);
  const std::string moment = "2024-02-29T12:00:00.", zone = "Z";
  const auto digits = [&](std::size_t length) {
    return moment + std::string(length - moment.size() - 1, '5') + zone;
  };
  CheckBound(R"({"type": "string", "format": "date-time", "maxLength": 1000})", digits(1000),
             digits(1001));
  CheckBound(R"({"type": "string", "format": "uri", "minLength": 300, "maxLength": 2048})",
             host + std::string(300 - host.size(), 'x'),
             host + std::string(299 - host.size(), 'x'));
}

TEST_CASE("patterns with large lengths are served, exact at the bound") {
  CheckBound(R"({"type": "string", "pattern": "\\S", "maxLength": 10000})",
             "x" + std::string(9999, ' '), "x" + std::string(10000, ' '));
  CheckBound(R"({"type": "string", "pattern": "\\S", "maxLength": 10000})",
             "x" + std::string(9999, ' '), std::string(10000, ' '));
  std::string letters;
  for (int i = 0; i < 2000; ++i) letters += "\xC3\xA9";
  CheckBound(R"({"type": "string", "pattern": "^\\p{L}{1,2000}$"})", letters, letters + "a");
  CheckBound(R"({"type": "string", "pattern": "^\\p{L}{1,2000}$"})", letters, "");
  CheckBound(R"({"type": "string", "pattern": "^[a-z][a-z0-9-]{0,998}[a-z]$"})",
             "a" + std::string(998, '-') + "z", "a" + std::string(999, '-') + "z");
  CheckBound(R"({"type": "string", "pattern": "^x{40}y$", "minLength": 3})",
             std::string(40, 'x') + "y", std::string(39, 'x') + "y");
  CheckBound(R"({"type": "string", "pattern": "^(?=.{1,2000}$)[a-z]+(-[a-z]+)*$"})",
             "a-" + std::string(1998, 'b'), "a-" + std::string(1999, 'b'));
}

TEST_CASE("one escape is one character of a counted string, and several bytes") {
  std::string escapes;
  for (int i = 0; i < 3000; ++i) escapes += "\\n";
  CheckBound(
      R"({"type": "string", "pattern": "^[\\s\\S]*$", "not": {"enum": ["ab"]}, "maxLength": 3000})",
      escapes, escapes + "\\n");
}

TEST_CASE("lengths that no text of a pattern has are found, far away too") {
  CHECK(CompileSchema(
            R"({"type": "string", "pattern": "^(ab)*$", "minLength": 2001, "maxLength": 2001})")
            .verdict == "unsatisfiable");
  CHECK(CompileSchema(
            R"({"type": "string", "pattern": "^(ab)*$", "minLength": 2002, "maxLength": 2002})")
            .verdict == "ok");
  CHECK(CompileSchema(R"({"type": "string", "pattern": "^x{5000}$", "maxLength": 4999})").verdict ==
        "unsatisfiable");
}

TEST_CASE("a regex bounds its length by looking ahead, as far as it likes") {
  const auto compiled = CompileConstraint(
      {ConstraintKind::kRegex, "(?=.{5,3000}$)[a-z]+(?:-[a-z]+)*"}, {}, SingleBytes());
  REQUIRE(compiled.ok());
  const auto accepts = [&](const std::string& text) {
    Matcher matcher(compiled->grammar, SingleBytes());
    return matcher.AcceptBytes(text) == text.size() && matcher.IsComplete();
  };
  CHECK(accepts("ab-cd"));
  CHECK(!accepts("ab-c"));
  CHECK(accepts("a-" + std::string(2998, 'b')));
  CHECK(!accepts("a-" + std::string(2999, 'b')));
  CHECK(!accepts(std::string(2999, 'b') + "-"));
}

}  // namespace
}  // namespace sglrun::grammar
