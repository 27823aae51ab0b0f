// The four front ends: from the text of a constraint to an expression of a Grammar. Each may be
// called from another (a structural tag holds schemas, regexes and EBNF; EBNF holds regexes).
//
// All check their text against Limits first and never recurse deeper than Limits::nesting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "grammar/ir/grammar.h"
#include "grammar/ir/options.h"
#include "grammar/ir/vocabulary.h"

namespace sglrun::grammar {

struct FrontEnd {
  Grammar& grammar;
  const GrammarOptions& options;
  const Vocabulary* vocabulary;  // nullptr without a tokenizer: tokens can then be named by id only
  Budget& budget;
  GrammarReport& report;
};

using ExprResult = Result<ExprId, GrammarError>;

struct RegexFlags {
  bool ignore_case = false;
  bool dot_all = false;
  bool json_string = false;  // spelled as inside a JSON string, without its quotes
  // Regex engines disagree about some characters (is ª a \w?). Usually a pattern stands for the
  // texts that match in all engines; if its texts are forbidden, for those that match in any.
  bool wide = false;
};

ExprResult AppendRegex(FrontEnd& front, std::string_view pattern, RegexFlags flags = {});
// The start rule of the text as an expression; its rules are added under separate names, so that
// one Grammar can contain several texts.
ExprResult AppendEbnf(FrontEnd& front, std::string_view text);
// How the values of a schema are written: as JSON, or as a family of models writes the arguments of
// a function (json_schema/styles.h).
enum class JsonStyle : std::uint8_t {
  kJson,
  kQwenXml,
  kMinimaxXml,
  kMinimaxM3Xml,
  kDeepseekXml,
  kDeepseekV41Xml,
  kGlmXml,
  kCohereXml,
  kKimiK3Xml,
  kGemma,
};
struct SchemaSpelling {
  JsonStyle style = JsonStyle::kJson;
  std::vector<std::string> excludes = {};  // in no string and no key, as they are written
};
// `text`: an object, a boolean, or $$ANY$$. `pointer` is put before every pointer of a message.
ExprResult AppendJsonSchema(FrontEnd& front, std::string_view text, std::string_view pointer = "",
                            const SchemaSpelling& spelling = {});
ExprResult AppendStructuralTag(FrontEnd& front, std::string_view text);

}  // namespace sglrun::grammar
