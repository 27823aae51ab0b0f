// Speed of constrained decoding: microseconds to compile, to fill a mask at a place seen for the
// first time and at one seen before, and to accept a token.
//
//   grammar_bench TOKENIZER [ENTRIES [SCHEMAS]]
//
// TOKENIZER is a .gguf file or a directory; its vocabulary is widened to ENTRIES (0: as it is).
// SCHEMAS has lines of a schema with instances, as tests/data/json_schema_examples.jsonl, which are
// measured in place of the built-in cases, objects open as the standard has them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "cli/load.h"
#include "grammar/constraint.h"
#include "grammar/matcher/matcher.h"
#include "grammar/warm_up.h"
#include "wide_vocabulary.h"

namespace sglrun::grammar {
namespace {

// Of this thread's processor time: other work on the machine is not our cost.
double NowMicroseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

struct Case {
  std::string name;
  Constraint constraint;
  std::vector<std::string> texts;  // members, or beginnings of them
};

std::string Repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

Case One(std::string name, Constraint constraint, std::string text) {
  return {std::move(name), std::move(constraint), {std::move(text)}};
}

Case NestedObjects() {
  return One("nested objects", {ConstraintKind::kJsonSchema, R"({"type":"object","properties":{
             "name":{"type":"string"},"age":{"type":"integer","minimum":0},
             "email":{"type":"string","format":"email"},
             "address":{"type":"object","properties":{
                "street":{"type":"string"},"city":{"type":"string"},
                "zip":{"type":"string","pattern":"^[0-9]{5}$"},
                "position":{"type":"object","properties":{
                   "lat":{"type":"number"},"lon":{"type":"number"}},
                   "required":["lat","lon"]}},"required":["street","city"]},
             "tags":{"type":"array","items":{"type":"string"},"maxItems":20},
             "kind":{"enum":["person","company","robot"]}},
             "required":["name","address"]})"},
             R"({"name": "Ada Lovelace", "age": 36, "email": "ada@example.com", "address": )"
             R"({"street": "12 St James's Square", "city": "London", "zip": "12345", )"
             R"("position": {"lat": 51.5072, "lon": -0.1276}}, )"
             R"("tags": ["mathematics", "first programmer", "the \"analytical\" engine"], )"
             R"("kind": "person"})");
}

Case LongString() {
  return One("string of 2,000",
             {ConstraintKind::kJsonSchema, R"({"type":"string","minLength":10,"maxLength":2000})"},
             "\"" + Repeated("It was the best of times, it was the worst of times. ", 37) + "\"");
}

Case BoundedStrings() {
  return One("strings of 40",
             {ConstraintKind::kJsonSchema,
              R"({"type":"array","items":{"type":"string","maxLength":40},"maxItems":50})"},
             "[" + Repeated("\"the quick brown fox jumps over dogs\", ", 20) + "\"end\"]");
}

Case BigEnum() {
  std::string words, text;
  for (int i = 0; i < 3000; ++i) {
    words +=
        (i == 0 ? "\"" : ",\"") + std::string("value number ") + std::to_string(i * 7919) + "\"";
  }
  return One("enum of 3,000",
             {ConstraintKind::kJsonSchema,
              R"({"type":"array","items":{"enum":[)" + words + R"(]},"maxItems":100})"},
             "[" + Repeated("\"value number 79190\", \"value number 23749081\", ", 5) +
                 "\"value number 0\"]");
}

Case Expressions() {
  return One("recursive EBNF", {ConstraintKind::kEbnf, R"gbnf(
root ::= expr
expr ::= expr " + " term | expr " - " term | term
term ::= term "*" factor | factor
factor ::= name | number | "(" expr ")" | name "(" (expr (", " expr)*)? ")"
name ::= [a-zA-Z_] [a-zA-Z0-9_]*
number ::= [0-9]+ ("." [0-9]+)?
)gbnf"},
             Repeated("(alpha + beta*3.25 - f(x, g(y, 12)))*", 12) + "omega");
}

Case AnyJson() {
  return One(
      "any JSON", {ConstraintKind::kJsonSchema, "$$ANY$$"},
      "[" +
          Repeated(R"({"id": 17, "text": "lorem ipsum dolor", "deep": [[[1, 2], {"a": null}]]}, )",
                   8) +
          "true]");
}

Case Pattern() {
  return One("regex",
             {ConstraintKind::kRegex, R"((?:[A-Z][a-z]+ ){3,20}on \d{4}-\d{2}-\d{2}: .{0,500})"},
             "The Quick Brown Fox Jumped on 2024-02-29: over the lazy dog, " +
                 Repeated("again and again ", 20));
}

Case FreeText() {
  return One("free text, triggers",
             {ConstraintKind::kStructuralTag, R"({"structures":[{"begin":"<tool=search>","schema":
            {"type":"object","properties":{"query":{"type":"string"}},"required":["query"]},
            "end":"</tool>"}],"triggers":["<tool="]})"},
             Repeated("Let me think about what to do and look it up. ", 5) +
                 R"(<tool=search>{"query": "weather in Paris"}</tool>)" +
                 Repeated(" Now I know what the weather is like.", 5));
}

struct Sample {
  std::vector<double> microseconds;

  void Print(const char* what) {
    if (microseconds.empty()) return;
    std::sort(microseconds.begin(), microseconds.end());
    double sum = 0;
    for (const double value : microseconds) sum += value;
    const std::size_t n = microseconds.size();
    std::printf("  %-8s n %5zu  p50 %8.2f  mean %8.2f  p99 %8.2f  p99.9 %8.2f  max %8.2f us\n",
                what, n, microseconds[n / 2], sum / static_cast<double>(n),
                microseconds[n * 99 / 100], microseconds[n * 999 / 1000], microseconds.back());
  }
};

struct Totals {
  Sample compile, first, again, accept;

  void Add(const Totals& other) {
    const auto append = [](Sample& to, const Sample& from) {
      to.microseconds.insert(to.microseconds.end(), from.microseconds.begin(),
                             from.microseconds.end());
    };
    append(compile, other.compile);
    append(first, other.first);
    append(again, other.again);
    append(accept, other.accept);
  }
  void Print() {
    compile.Print("compile");
    first.Print("first");
    again.Print("again");
    accept.Print("accept");
  }
};

struct Setting {
  std::shared_ptr<const Vocabulary> vocabulary;
  std::function<std::vector<std::int32_t>(const std::string&)> encode;
  GrammarOptions options;
};

bool Has(const std::vector<std::uint32_t>& words, std::int32_t id) {
  return (words[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1) != 0;
}

// Decodes the text's own tokens; false when one of them is masked.
bool Decode(Matcher matcher, const std::vector<std::int32_t>& ids, const Vocabulary& vocabulary,
            Sample& fill, Sample& accept) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(vocabulary.words_per_mask()));
  for (const std::int32_t id : ids) {
    const double begin = NowMicroseconds();
    matcher.FillMask(words);
    const double filled = NowMicroseconds();
    if (!Has(words, id) || !matcher.AcceptToken(id)) {
      std::fprintf(stderr, "token %d is masked%s\n", id,
                   matcher.failure() ? (": " + matcher.failure()->message).c_str() : "");
      return false;
    }
    accept.microseconds.push_back(NowMicroseconds() - filled);
    fill.microseconds.push_back(filled - begin);
  }
  return true;
}

bool Run(const Case& c, const Setting& setting, bool verbose, Totals& totals) {
  Totals mine;
  const double begin = NowMicroseconds();
  const ConstraintOutcome outcome =
      CompileConstraint(c.constraint, setting.options, setting.vocabulary);
  if (!outcome.ok()) {
    std::fprintf(stderr, "%s: %s\n", c.name.c_str(), outcome.error().message.c_str());
    return false;
  }
  const Matcher start(outcome->grammar, setting.vocabulary);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(setting.vocabulary->words_per_mask()));
  const double compiled = NowMicroseconds();
  Matcher(start).FillMask(words);
  const double filled = NowMicroseconds();
  mine.compile.microseconds.push_back(filled - begin);
  mine.first.microseconds.push_back(filled - compiled);
  bool all = true;
  for (const std::string& text : c.texts) {
    const std::vector<std::int32_t> ids = setting.encode(text);
    Totals once;
    if (!Decode(start, ids, *setting.vocabulary, once.first, once.accept) ||
        !Decode(start, ids, *setting.vocabulary, once.again, once.accept)) {
      all = false;
    }
    mine.Add(once);
  }
  if (verbose) {
    std::printf("%s: %.0f kB with masks\n", c.name.c_str(),
                static_cast<double>(outcome->grammar->MemoryBytes()) / 1024);
    mine.Print();
  }
  totals.Add(mine);
  return all;
}

// The schemas of a file with their valid instances. Those that we under-accept are skipped.
std::vector<Case> CasesOf(const std::string& path) {
  std::vector<Case> cases;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto parsed = ParseJson(line, {.max_depth = 1000, .keep_number_text = true});
    if (!parsed.ok() || parsed->value.Find("schema") == nullptr) continue;
    Case c{"line " + std::to_string(cases.size() + 1),
           {ConstraintKind::kJsonSchema, parsed->value.Find("schema")->Dump()},
           {}};
    if (const Json* tests = parsed->value.Find("tests")) {
      for (const Json& test : tests->as_array()) {
        if (test.Find("valid")->as_bool()) c.texts.push_back(test.Find("data")->Dump());
      }
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

int Main(const std::string& path, std::size_t entries, const std::string& schemas) {
  cli::Options options;
  options.tokenizer = path;
  const auto tokenizer = cli::LoadTokenizer(options);
  if (!tokenizer.ok()) {
    std::fprintf(stderr, "%s\n", tokenizer.error().message.c_str());
    return 2;
  }
  const WideVocabulary wide(**tokenizer, entries);
  Setting setting{
      wide.vocabulary(), [&](const std::string& text) { return wide.Encode(text); }, {}};
  std::printf("%zu texts, %zu trie nodes\n", setting.vocabulary->sorted_ids().size(),
              setting.vocabulary->nodes().size());
  const double begin = NowMicroseconds();
  WarmUp(setting.vocabulary, setting.options);
  std::printf("warm up %.0f us\n", NowMicroseconds() - begin);
  Totals totals;
  bool all = true;
  if (schemas.empty()) {
    for (const Case& c : {NestedObjects(), LongString(), BoundedStrings(), BigEnum(), Expressions(),
                          AnyJson(), Pattern(), FreeText()}) {
      all = Run(c, setting, true, totals) && all;
    }
  } else {
    setting.options.json_schema_mode = ClosingMode::kSpec;
    for (const Case& c : CasesOf(schemas)) Run(c, setting, false, totals);
  }
  std::printf("all:\n");
  totals.Print();
  return all ? 0 : 1;
}

}  // namespace
}  // namespace sglrun::grammar

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "grammar_bench TOKENIZER [ENTRIES [SCHEMAS]]\n");
    return 2;
  }
  const std::size_t entries = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  return sglrun::grammar::Main(argv[1], entries, argc > 3 ? argv[3] : "");
}
