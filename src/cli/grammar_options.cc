#include "cli/grammar_options.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/strings.h"
#include "grammar/ir/grammar.h"

namespace sglrun::cli {
namespace {

constexpr std::string_view kGroup = "Grammar";

// A value of Kind::kLimit.
std::int64_t LimitOf(const std::string& text) {
  std::int64_t value = grammar::kUnbounded;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string TextOfValue(const Json& value) {
  return value.is_string() ? value.as_string() : value.Dump();
}

}  // namespace

grammar::GrammarOptions GrammarOptionsOf(const Options& options) {
  using grammar::ClosingMode;
  using grammar::WhitespacePolicy;
  grammar::GrammarOptions result;
  result.json_schema_mode =
      options.json_schema_mode == "spec" ? ClosingMode::kSpec : ClosingMode::kStrict;
  if (options.json_whitespace == "compact") result.whitespace = WhitespacePolicy::kCompact;
  if (options.json_whitespace == "indent") result.whitespace = WhitespacePolicy::kIndent;
  result.json_max_whitespace = LimitOf(options.json_max_whitespace);
  result.assert_format = options.json_format == "assert";
  result.one_of_as_any_of = options.json_oneof == "anyof";
  result.relax_unsupported = options.grammar_unsupported == "relax";
  return result;
}

Result<grammar::GrammarOptions> GrammarOptionsWith(const Json& members, Options options) {
  if (members.is_null()) return GrammarOptionsOf(options);
  if (!members.is_object()) {
    return Error{std::string("options is ") + members.KindName() + ", must be an object"};
  }
  for (const auto& [key, value] : members.as_object()) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    const OptionSpec* option = FindOption(name, Command::kGrammar);
    if (option == nullptr || option->group != kGroup) {
      std::vector<std::string_view> known;
      for (const OptionSpec& other : OptionTable()) {
        const bool is_here = (other.commands & Bit(Command::kGrammar)) != 0;
        if (is_here && other.group == kGroup) known.push_back(other.name);
      }
      std::string near = NearestName(name, known);
      std::ranges::replace(near, '-', '_');
      return Error{"options." + key + " is not known" +
                   (near.empty() ? "" : "; did you mean \"" + near + "\"?")};
    }
    SGLRUN_RETURN_IF_ERROR(SetOption(*option, TextOfValue(value), options));
  }
  return GrammarOptionsOf(options);
}

}  // namespace sglrun::cli
