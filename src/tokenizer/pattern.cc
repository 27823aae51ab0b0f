#include "tokenizer/pattern.h"

#include "base/utf8.h"

namespace sglrun::tokenizer {

Result<Regex> ParsePattern(const JsonView& json) {
  const bool literal = json.Has("String");
  if (!literal && !json.Has("Regex")) return json.Expected("{\"String\": ...} or {\"Regex\": ...}");
  SGLRUN_ASSIGN_OR_RETURN(const JsonView member, json.Member(literal ? "String" : "Regex"));
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, member.String());
  auto regex = literal ? Regex::CompileLiteral(text) : Regex::Compile(text);
  if (!regex.ok()) return Error{member.path() + ": " + regex.error().message};
  return regex;
}

Result<char32_t> ParseCharacter(const JsonView& json) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, json.String());
  if (CountCodePoints(text) != 1) return json.Expected("one character");
  std::size_t pos = 0;
  return DecodeUtf8(text, pos);
}

Result<MetaspaceOptions> ParseMetaspaceOptions(const JsonView& json) {
  MetaspaceOptions options;
  SGLRUN_ASSIGN_OR_RETURN(const JsonView replacement, json.Member("replacement"));
  SGLRUN_ASSIGN_OR_RETURN(const char32_t c, ParseCharacter(replacement));
  AppendUtf8(options.replacement, c);
  SGLRUN_ASSIGN_OR_RETURN(options.split, json.BoolOr("split", true));
  SGLRUN_ASSIGN_OR_RETURN(options.prepend_scheme, json.StringOr("prepend_scheme", "always"));
  // Files before prepend_scheme say only whether a prefix is added.
  SGLRUN_ASSIGN_OR_RETURN(const bool add_prefix, json.BoolOr("add_prefix_space", true));
  if (!add_prefix) options.prepend_scheme = "never";
  const std::string& scheme = options.prepend_scheme;
  if (scheme != "always" && scheme != "first" && scheme != "never") {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView member, json.Member("prepend_scheme"));
    return member.Expected("\"always\", \"first\" or \"never\"");
  }
  return options;
}

}  // namespace sglrun::tokenizer
