#include "tokenizer/post_processor.h"

#include <array>

namespace sglrun::tokenizer {
namespace {

constexpr std::array<std::string_view, 5> kProcessorNames = {
    "Sequence", "TemplateProcessing", "ByteLevel", "BertProcessing", "RobertaProcessing"};

Result<TokenId> ParseId(const JsonView& json, const Vocabulary& vocabulary) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t id, json.Int());
  if (id < 0 || id > kMaxTokenId || !vocabulary.IsToken(static_cast<TokenId>(id))) {
    return json.Expected("the id of a token");
  }
  return static_cast<TokenId>(id);
}

// Appends the ids that the template calls `name`.
Status AppendSpecial(const JsonView& json, std::string_view name, const Vocabulary& vocabulary,
                     std::vector<TokenId>& out) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView table, json.Member("special_tokens"));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView entry, table.Member(name));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView ids, entry.Member("ids"));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<JsonView> elements, ids.Elements());
  for (const JsonView& element : elements) {
    SGLRUN_ASSIGN_OR_RETURN(const TokenId id, ParseId(element, vocabulary));
    out.push_back(id);
  }
  return {};
}

Result<PostProcessor> ParseTemplate(const JsonView& json, const Vocabulary& vocabulary) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView single, json.Member("single"));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<JsonView> items, single.Elements());
  PostProcessor out;
  bool seen_text = false;
  for (const JsonView& item : items) {
    const bool is_text = item.Has("Sequence");
    if (!is_text && !item.Has("SpecialToken")) {
      return item.Expected("{\"Sequence\": ...} or {\"SpecialToken\": ...}");
    }
    SGLRUN_ASSIGN_OR_RETURN(const JsonView body,
                            item.Member(is_text ? "Sequence" : "SpecialToken"));
    SGLRUN_ASSIGN_OR_RETURN(const JsonView id, body.Member("id"));
    SGLRUN_ASSIGN_OR_RETURN(const std::string name, id.String());
    if (is_text) {
      if (name != "A" || seen_text) return id.Expected("\"A\", once in the template");
      seen_text = true;
    } else {
      SGLRUN_RETURN_IF_ERROR(
          AppendSpecial(json, name, vocabulary, seen_text ? out.suffix : out.prefix));
    }
  }
  if (!seen_text) return single.Expected("a template with {\"Sequence\": {\"id\": \"A\"}}");
  return out;
}

// {"cls": ["<s>", 0], "sep": ["</s>", 2]}
Result<PostProcessor> ParseClsSep(const JsonView& json, const Vocabulary& vocabulary) {
  const auto pair_id = [&](std::string_view key) -> Result<TokenId> {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView pair, json.Member(key));
    SGLRUN_ASSIGN_OR_RETURN(const std::vector<JsonView> elements, pair.Elements());
    if (elements.size() != 2) return pair.Expected("a token and its id");
    return ParseId(elements[1], vocabulary);
  };
  SGLRUN_ASSIGN_OR_RETURN(const TokenId cls, pair_id("cls"));
  SGLRUN_ASSIGN_OR_RETURN(const TokenId sep, pair_id("sep"));
  return PostProcessor{.prefix = {cls}, .suffix = {sep}};
}

// Each processor works on what the one before it gave.
Result<PostProcessor> ParseSequence(const JsonView& json, const Vocabulary& vocabulary) {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView list, json.Member("processors"));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<JsonView> elements, list.Elements());
  PostProcessor out;
  for (const JsonView& element : elements) {
    SGLRUN_ASSIGN_OR_RETURN(const PostProcessor outer, PostProcessor::Parse(element, vocabulary));
    out.prefix.insert(out.prefix.begin(), outer.prefix.begin(), outer.prefix.end());
    out.suffix.insert(out.suffix.end(), outer.suffix.begin(), outer.suffix.end());
  }
  return out;
}

}  // namespace

Result<PostProcessor> PostProcessor::Parse(const JsonView& json, const Vocabulary& vocabulary) {
  if (json.json().is_null()) return PostProcessor();
  SGLRUN_ASSIGN_OR_RETURN(const std::string type, json.Type());
  if (type == "ByteLevel") return PostProcessor();  // changes offsets only
  if (type == "TemplateProcessing") return ParseTemplate(json, vocabulary);
  if (type == "BertProcessing" || type == "RobertaProcessing") return ParseClsSep(json, vocabulary);
  if (type == "Sequence") return ParseSequence(json, vocabulary);
  SGLRUN_ASSIGN_OR_RETURN(const JsonView name, json.Member("type"));
  return name.Unsupported(type, kProcessorNames);
}

}  // namespace sglrun::tokenizer
