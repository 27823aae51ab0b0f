// Random members of random schemas, judged by an independent validator: soundness, for every
// keyword and their combinations.
#include <functional>
#include <random>

// Before doctest: both have a CHECK, and a test means its own.
#include "base/json.h"
#include "json_schema/schema_helpers.h"
#include "json_validator.h"
#include "tests/rounds.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

class RandomSchema {
 public:
  explicit RandomSchema(std::mt19937& random) : random_(random) {}

  std::string Make(int depth) {
    if (Below(12) == 0) return Below(4) == 0 ? "false" : "true";
    std::string text = "{";
    const std::size_t keywords = 1 + Below(depth > 0 ? 4 : 2);
    for (std::size_t i = 0; i < keywords; ++i) {
      const std::string keyword = Keyword(depth);
      // A repeated key would hide the first.
      const std::string name = keyword.substr(0, keyword.find(':') + 1);
      if (text.find(name) != text.npos) continue;
      text += (text.size() > 1 ? "," : "") + keyword;
    }
    return text + "}";
  }

 private:
  std::size_t Below(std::size_t count) { return random_() % count; }
  std::string Number() { return std::to_string(static_cast<int>(Below(7)) - 2); }
  std::string Count() { return std::to_string(Below(4)); }
  std::string Name() { return std::string("\"") + "abc"[Below(3)] + "\""; }
  std::string Pattern() {
    static constexpr const char* kPatterns[] = {"\"^a\"", "\"b\"", "\"^[a-c]$\"", "\"c$\""};
    return kPatterns[Below(4)];
  }
  std::string Value() {
    static constexpr const char* kValues[] = {"1",   "\"a\"",     "null",        "[1]",
                                              "2.5", "{\"a\":1}", "\"abc\"",     "true",
                                              "[]",  "{}",        "{\"b\":[2]}", "-1"};
    return kValues[Below(12)];
  }
  std::string List(std::size_t count, const std::function<std::string()>& item) {
    std::string all = "[";
    for (std::size_t i = 0; i < count; ++i) all += (i > 0 ? "," : "") + item();
    return all + "]";
  }
  std::string Map(const std::function<std::string()>& key,
                  const std::function<std::string()>& value) {
    const std::string first = key();
    std::string second = key();
    std::string all = "{" + first + ":" + value();
    if (second != first) all += "," + second + ":" + value();
    return all + "}";
  }

  std::string Scalar() {
    switch (Below(12)) {
      case 0: {
        static constexpr const char* kTypes[] = {
            "\"object\"",  "\"array\"",  "\"string\"", "[\"number\",\"object\"]",
            "\"integer\"", "\"object\"", "\"array\"",  "[\"null\",\"boolean\",\"string\"]"};
        return std::string("\"type\":") + kTypes[Below(8)];
      }
      case 1:
        return "\"enum\":" + List(1 + Below(4), [&] { return Value(); });
      case 2:
        return "\"const\":" + Value();
      case 3:
        return std::string("\"") + (Below(2) == 0 ? "minimum" : "exclusiveMinimum") +
               "\":" + Number();
      case 4:
        return std::string("\"") + (Below(2) == 0 ? "maximum" : "exclusiveMaximum") +
               "\":" + Number();
      case 5:
        return std::string("\"multipleOf\":") + (Below(2) == 0 ? "2" : "0.5");
      case 6:
        return std::string("\"") + (Below(2) == 0 ? "minLength" : "maxLength") + "\":" + Count();
      case 7:
        return "\"pattern\":" + Pattern();
      case 8:
        return "\"required\":" + List(1 + Below(2), [&] { return Name(); });
      case 9:
        return std::string("\"") + (Below(2) == 0 ? "minProperties" : "maxProperties") +
               "\":" + Count();
      case 10:
        return std::string("\"") + (Below(2) == 0 ? "minItems" : "maxItems") + "\":" + Count();
      default:
        return "\"dependentRequired\":" +
               Map([&] { return Name(); }, [&] { return List(1, [&] { return Name(); }); });
    }
  }

  std::string Keyword(int depth) {
    if (depth == 0 || Below(3) == 0) return Scalar();
    const auto schema = [&] { return Make(depth - 1); };
    switch (Below(18)) {
      case 0:
      case 1:
        return "\"properties\":" + Map([&] { return Name(); }, schema);
      case 2:
        return "\"patternProperties\":" + Map([&] { return Pattern(); }, schema);
      case 3:
        return "\"additionalProperties\":" + schema();
      case 4:
        return "\"propertyNames\":" + schema();
      case 5:
        return "\"items\":" + schema();
      case 6:
        return "\"prefixItems\":" + List(1 + Below(2), schema);
      case 7:
        return "\"contains\":" + schema();
      case 8:
        return std::string("\"") + (Below(2) == 0 ? "minContains" : "maxContains") +
               "\":" + Count();
      case 9:
        return "\"allOf\":" + List(1 + Below(2), schema);
      case 10:
        return "\"anyOf\":" + List(1 + Below(3), schema);
      case 11:
        return "\"oneOf\":" + List(1 + Below(3), schema);
      case 12:
        return "\"not\":" + schema();
      case 13:
        return "\"if\":" + schema() + ",\"then\":" + schema() + ",\"else\":" + schema();
      case 14:
        return "\"dependentSchemas\":" + Map([&] { return Name(); }, schema);
      case 15:
        return "\"unevaluatedProperties\":" + schema();
      case 16:
        return "\"unevaluatedItems\":" + schema();
      default:
        return Below(2) == 0 ? "\"$ref\":\"#/$defs/d\"" : "\"uniqueItems\":true";
    }
  }

  std::mt19937& random_;
};

struct Trial {
  std::string schema;
  CompiledSchema compiled;
};

// The next schema that has a matcher; counts the others in `refused`.
Trial NextTrial(std::mt19937& random, const GrammarOptions& options, int& refused) {
  GrammarOptions hasty = options;
  hasty.limits.compile_steps = 50'000'000;
  while (true) {
    RandomSchema make(random);
    std::string schema = make.Make(2);
    if (schema.size() > 2 && schema.front() == '{') {
      schema.insert(1, "\"$defs\":{\"d\":" + make.Make(1) + "},");
    }
    CompiledSchema compiled = CompileSchema(schema, hasty);
    if (compiled.verdict == "ok") return {std::move(schema), std::move(compiled)};
    ++refused;
  }
}

void CheckMembers(const GrammarOptions& options, unsigned seed, int schemas) {
  std::mt19937 random(seed);
  int refused = 0, members = 0;
  for (int i = 0; i < schemas; ++i) {
    const Trial trial = NextTrial(random, options, refused);
    const JsonValidator validator(trial.schema);
    for (int k = 0; k < 6; ++k) {
      const std::string text =
          RandomMember(trial.compiled, 120, [&](std::size_t count) { return random() % count; });
      if (text.empty()) continue;  // a key may come twice in it: the last one counts
      ++members;
      CHECK_MESSAGE(validator.IsValid(text), trial.schema << " allows " << text << "\n"
                                                          << validator.error());
    }
  }
  // The walk must have been worth it.
  CHECK(refused < schemas);
  CHECK(members > schemas);
}

// Values without any of the spellings that are given up on purpose: integers and 2.5, objects with
// one key at most.
std::string RandomInstance(std::mt19937& random, int depth) {
  const auto below = [&](std::size_t count) { return random() % count; };
  switch (below(depth > 0 ? 9 : 6)) {
    case 0:
      return "null";
    case 1:
      return below(2) == 0 ? "true" : "false";
    case 2:
      return std::to_string(static_cast<int>(below(8)) - 3);
    case 3:
      return "2.5";
    case 4:
    case 5: {
      std::string text = "\"";
      for (std::size_t i = below(4); i > 0; --i) text += "abcd"[below(4)];
      return text + "\"";
    }
    case 6:
    case 7: {
      if (below(4) == 0) return "{}";
      const std::string name(1, "abcd"[below(4)]);
      return "{\"" + name + "\":" + RandomInstance(random, depth - 1) + "}";
    }
    default: {
      std::string text = "[";
      for (std::size_t i = below(4); i > 0; --i) {
        text += (text.size() > 1 ? "," : "") + RandomInstance(random, depth - 1);
      }
      return text + "]";
    }
  }
}

TEST_CASE("random values are judged as the standard says") {
  std::mt19937 random(3);
  int refused = 0;
  for (int i = 0; i < Rounds(300); ++i) {
    const Trial trial = NextTrial(random, SpecMode(), refused);
    const JsonValidator validator(trial.schema);
    for (int k = 0; k < 25; ++k) {
      const std::string text = RandomInstance(random, 2);
      CHECK_MESSAGE(trial.compiled.Accepts(text) == validator.IsValid(text),
                    trial.schema << " and " << text);
    }
  }
  CHECK(refused < Rounds(300));
}

TEST_CASE("members of random schemas are valid, open") {
  CheckMembers(SpecMode(), 1, Rounds(300));
}
TEST_CASE("members of random schemas are valid, strict") {
  CheckMembers(StrictMode(), 2, Rounds(150));
}

}  // namespace
}  // namespace sglrun::grammar
