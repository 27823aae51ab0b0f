// Speed of constrained decoding: microseconds to compile, to fill a mask at a place seen for the
// first time and at one seen before, and to accept a token.
//
//   grammar_bench TOKENIZER     a .gguf file or a directory with a tokenizer
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/load.h"
#include "grammar/constraint.h"
#include "grammar/matcher/matcher.h"

namespace sglrun::grammar {
namespace {

double NowMicroseconds() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Case {
  std::string name;
  Constraint constraint;
  std::string text;  // a member, or the beginning of one
};

std::string Repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

Case NestedObjects() {
  return {"nested objects",
          {ConstraintKind::kJsonSchema, R"({"type":"object","properties":{
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
          R"("kind": "person"})"};
}

Case LongString() {
  return {"string of 2,000",
          {ConstraintKind::kJsonSchema, R"({"type":"string","minLength":10,"maxLength":2000})"},
          "\"" + Repeated("It was the best of times, it was the worst of times. ", 37) + "\""};
}

Case BoundedStrings() {
  return {"strings of 40",
          {ConstraintKind::kJsonSchema,
           R"({"type":"array","items":{"type":"string","maxLength":40},"maxItems":50})"},
          "[" + Repeated("\"the quick brown fox jumps over dogs\", ", 20) + "\"end\"]"};
}

Case BigEnum() {
  std::string words, text;
  for (int i = 0; i < 3000; ++i) {
    words +=
        (i == 0 ? "\"" : ",\"") + std::string("value number ") + std::to_string(i * 7919) + "\"";
  }
  return {"enum of 3,000",
          {ConstraintKind::kJsonSchema,
           R"({"type":"array","items":{"enum":[)" + words + R"(]},"maxItems":100})"},
          "[" + Repeated("\"value number 79190\", \"value number 23749081\", ", 5) +
              "\"value number 0\"]"};
}

Case Expressions() {
  return {"recursive EBNF",
          {ConstraintKind::kEbnf, R"gbnf(
root ::= expr
expr ::= expr " + " term | expr " - " term | term
term ::= term "*" factor | factor
factor ::= name | number | "(" expr ")" | name "(" (expr (", " expr)*)? ")"
name ::= [a-zA-Z_] [a-zA-Z0-9_]*
number ::= [0-9]+ ("." [0-9]+)?
)gbnf"},
          Repeated("(alpha + beta*3.25 - f(x, g(y, 12)))*", 12) + "omega"};
}

Case AnyJson() {
  return {
      "any JSON",
      {ConstraintKind::kJsonSchema, "$$ANY$$"},
      "[" +
          Repeated(R"({"id": 17, "text": "lorem ipsum dolor", "deep": [[[1, 2], {"a": null}]]}, )",
                   8) +
          "true]"};
}

Case Pattern() {
  return {"regex",
          {ConstraintKind::kRegex, R"((?:[A-Z][a-z]+ ){3,20}on \d{4}-\d{2}-\d{2}: .{0,500})"},
          "The Quick Brown Fox Jumped on 2024-02-29: over the lazy dog, " +
              Repeated("again and again ", 20)};
}

Case FreeText() {
  return {"free text, triggers",
          {ConstraintKind::kStructuralTag, R"({"structures":[{"begin":"<tool=search>","schema":
            {"type":"object","properties":{"query":{"type":"string"}},"required":["query"]},
            "end":"</tool>"}],"triggers":["<tool="]})"},
          Repeated("Let me think about what to do and look it up. ", 5) +
              R"(<tool=search>{"query": "weather in Paris"}</tool>)" +
              Repeated(" Now I know what the weather is like.", 5)};
}

struct Sample {
  std::vector<double> microseconds;

  void Print(const char* what) {
    if (microseconds.empty()) return;
    std::sort(microseconds.begin(), microseconds.end());
    double sum = 0;
    for (const double value : microseconds) sum += value;
    const std::size_t n = microseconds.size();
    std::printf("  %-8s n %5zu  p50 %8.2f  mean %8.2f  p99 %8.2f  max %8.2f us\n", what, n,
                microseconds[n / 2], sum / static_cast<double>(n),
                microseconds[std::min(n - 1, n * 99 / 100)], microseconds.back());
  }
};

struct Totals {
  Sample first, again, accept;
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

bool Run(const Case& c, const tokenizer::Tokenizer& tokenizer,
         const std::shared_ptr<const Vocabulary>& vocabulary, Totals& totals) {
  const GrammarOptions options;
  const double begin = NowMicroseconds();
  const ConstraintOutcome outcome = CompileConstraint(c.constraint, options, vocabulary);
  const double compiled = NowMicroseconds();
  if (!outcome.ok()) {
    std::fprintf(stderr, "%s: %s\n", c.name.c_str(), outcome.error().message.c_str());
    return false;
  }
  const Matcher start(outcome->grammar, vocabulary);
  const auto ids = tokenizer.Encode(c.text, {.add_special_tokens = false});
  if (!ids.ok()) return false;
  Totals mine;
  const bool all = Decode(start, *ids, *vocabulary, mine.first, mine.accept) &&
                   Decode(start, *ids, *vocabulary, mine.again, mine.accept);
  std::printf("%s: compile %.0f us, %.0f kB with masks\n", c.name.c_str(), compiled - begin,
              static_cast<double>(outcome->grammar->MemoryBytes()) / 1024);
  for (const auto& [from, to] :
       {std::pair{&mine.first, &totals.first}, std::pair{&mine.again, &totals.again},
        std::pair{&mine.accept, &totals.accept}}) {
    to->microseconds.insert(to->microseconds.end(), from->microseconds.begin(),
                            from->microseconds.end());
  }
  mine.first.Print("first");
  mine.again.Print("again");
  mine.accept.Print("accept");
  return all;
}

int Main(const std::string& path) {
  cli::Options options;
  options.tokenizer = path;
  const auto tokenizer = cli::LoadTokenizer(options);
  if (!tokenizer.ok()) {
    std::fprintf(stderr, "%s\n", tokenizer.error().message.c_str());
    return 2;
  }
  const double begin = NowMicroseconds();
  const auto vocabulary =
      std::make_shared<const Vocabulary>(**tokenizer, (*tokenizer)->vocab_size());
  std::printf("%zu texts, %zu trie nodes, built in %.1f ms\n", vocabulary->sorted_ids().size(),
              vocabulary->nodes().size(), (NowMicroseconds() - begin) / 1000);
  Totals totals;
  bool all = true;
  for (const Case& c : {NestedObjects(), LongString(), BoundedStrings(), BigEnum(), Expressions(),
                        AnyJson(), Pattern(), FreeText()}) {
    all = Run(c, **tokenizer, vocabulary, totals) && all;
  }
  std::printf("all:\n");
  totals.first.Print("first");
  totals.again.Print("again");
  totals.accept.Print("accept");
  return all ? 0 : 1;
}

}  // namespace
}  // namespace sglrun::grammar

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "grammar_bench TOKENIZER (a .gguf file or a directory)\n");
    return 2;
  }
  return sglrun::grammar::Main(argv[1]);
}
