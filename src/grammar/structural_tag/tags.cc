// Tags, and the formats made of lists of tags (grammar.md 4.1, 4.3, 4.4).
#include <algorithm>
#include <array>
#include <utility>

#include "grammar/structural_tag/format.h"

namespace sglrun::grammar::tag {

// The texts or the token that close a tag; `inside` learns what its content must not contain.
ExprResult Builder::End(const Node& node, Around& inside) {
  if (node.json().is_object()) {
    SGLRUN_ASSIGN_OR_RETURN(const std::int32_t token, TokenOf(node));
    inside.end_tokens = {token};
    return front_.grammar.Tokens({token}, false);
  }
  std::vector<std::string> texts;
  if (node.json().is_array()) {
    SGLRUN_ASSIGN_OR_RETURN(const auto items, node.Items());
    if (items.empty()) return node.Invalid("the list of ends is empty");
    for (const Node& item : items) {
      SGLRUN_ASSIGN_OR_RETURN(std::string text, item.AsText());
      texts.push_back(std::move(text));
    }
  } else {
    if (!node.json().is_string()) {
      return node.Expected("a string, a list of strings or a token");
    }
    texts.push_back(node.json().as_string());
  }
  std::vector<ExprId> ends;
  for (const std::string& text : texts) {
    ends.push_back(front_.grammar.Bytes(text));
    // An empty end closes the tag anywhere: nothing is forbidden before it.
    if (!text.empty()) inside.ends.push_back(text);
  }
  inside.before_end = true;
  return front_.grammar.Choice(std::move(ends));
}

Result<TagParts, GrammarError> Builder::Parts(const Node& node) {
  constexpr std::array<std::string_view, 4> kFields = {"type", "begin", "content", "end"};
  SGLRUN_RETURN_IF_ERROR(node.AllowMembers(kFields));
  if (node.Has("type") && !node.Member("type").Is("tag")) {
    return node.Member("type").Expected("\"tag\"");
  }
  TagParts parts(node);
  SGLRUN_ASSIGN_OR_RETURN(const Node begin, node.Require("begin"));
  if (begin.json().is_object()) {
    SGLRUN_ASSIGN_OR_RETURN(parts.begin_token, TokenOf(begin));
  } else if (begin.json().is_string()) {
    parts.begin = begin.json().as_string();
  } else {
    return begin.Expected("a string or a token");
  }
  Around inside;
  SGLRUN_ASSIGN_OR_RETURN(const Node end, node.Require("end"));
  SGLRUN_ASSIGN_OR_RETURN(const ExprId closing, End(end, inside));
  SGLRUN_ASSIGN_OR_RETURN(const ExprId content, Content(node, inside));
  parts.rest = front_.grammar.Sequence({content, closing});
  return parts;
}

Result<std::vector<TagParts>, GrammarError> Builder::Tags(const Node& node) {
  SGLRUN_ASSIGN_OR_RETURN(const auto nodes, node.List("tags"));
  std::vector<TagParts> tags;
  for (const Node& tag : nodes) {
    SGLRUN_ASSIGN_OR_RETURN(TagParts parts, Parts(tag));
    tags.push_back(std::move(parts));
  }
  return tags;
}

ExprId Builder::Whole(const TagParts& parts) {
  const ExprId begin = parts.begin_token >= 0 ? front_.grammar.Tokens({parts.begin_token}, false)
                                              : front_.grammar.Bytes(parts.begin);
  return front_.grammar.Sequence({begin, parts.rest});
}

ExprResult Builder::Tag(const Node& node, const Around&) {
  SGLRUN_ASSIGN_OR_RETURN(const TagParts parts, Parts(node));
  return Whole(parts);
}

ExprResult Builder::TagsWithSeparator(const Node& node, const Around&) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string separator, node.Text("separator"));
  SGLRUN_ASSIGN_OR_RETURN(const TriggeredTags list, TriggeredFlags(node));
  std::vector<ExprId> tags;
  for (const TagParts& parts : list.tags) tags.push_back(Whole(parts));
  const ExprId one = front_.grammar.Choice(std::move(tags));
  ExprId all = one;
  if (!list.stop_after_first) {
    const ExprId next = front_.grammar.Sequence({front_.grammar.Bytes(separator), one});
    all = front_.grammar.Sequence({one, front_.grammar.Repeat(next, 0, kUnbounded)});
  }
  return list.at_least_one ? all : front_.grammar.Optional(all);
}

Result<Builder::TriggeredTags, GrammarError> Builder::TriggeredFlags(const Node& node) {
  TriggeredTags triggered;
  SGLRUN_ASSIGN_OR_RETURN(triggered.at_least_one, node.Flag("at_least_one", false));
  SGLRUN_ASSIGN_OR_RETURN(triggered.stop_after_first, node.Flag("stop_after_first", false));
  SGLRUN_ASSIGN_OR_RETURN(triggered.tags, Tags(node));
  return triggered;
}

// Puts the tag that must come first before the free text, or in its place.
ExprResult Builder::WithLeadingTag(const TriggeredTags& triggered, ExprId dispatch) {
  if (!triggered.at_least_one) return dispatch;
  std::vector<ExprId> tags;
  for (const TagParts& parts : triggered.tags) tags.push_back(Whole(parts));
  const ExprId first = front_.grammar.Choice(std::move(tags));
  if (triggered.stop_after_first) return first;
  return front_.grammar.Sequence({first, dispatch});
}

ExprResult Builder::TextTriggeredTags(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const TriggeredTags triggered, TriggeredFlags(node));
  return OverText(node, triggered, around);
}

ExprResult Builder::OverText(const Node& node, const TriggeredTags& triggered,
                             const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const auto trigger_nodes, node.List("triggers"));
  SGLRUN_ASSIGN_OR_RETURN(auto triggers, node.Texts(trigger_nodes));
  std::ranges::sort(triggers);
  triggers.erase(std::unique(triggers.begin(), triggers.end()), triggers.end());
  std::vector<std::vector<ExprId>> next(triggers.size());
  for (const TagParts& parts : triggered.tags) {
    if (parts.begin_token >= 0) {
      return parts.node.Member("begin").Expected("a string (the triggers are strings)");
    }
    std::size_t found = triggers.size();
    for (std::size_t i = 0; i < triggers.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("matching tags with triggers"));
      if (!parts.begin.starts_with(triggers[i])) continue;
      if (found < triggers.size()) {
        return parts.node.Member("begin").Invalid(
            "\"" + parts.begin + "\" starts with two triggers, \"" + triggers[found] + "\" and \"" +
            triggers[i] + "\"");
      }
      found = i;
    }
    if (found == triggers.size()) {
      return parts.node.Member("begin").Invalid("\"" + parts.begin +
                                                "\" starts with none of the triggers");
    }
    const ExprId rest =
        front_.grammar.Bytes(std::string_view(parts.begin).substr(triggers[found].size()));
    next[found].push_back(front_.grammar.Sequence({rest, parts.rest}));
  }
  TextDispatch dispatch;
  if (triggered.stop_after_first) dispatch.after = TextDispatch::After::kEnd;
  for (std::size_t i = 0; i < triggers.size(); ++i) {
    dispatch.pairs.push_back(
        {triggers[i], next[i].empty() ? front_.grammar.Never() : front_.grammar.Choice(next[i])});
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId free, FreeText(node, std::move(dispatch), around));
  return WithLeadingTag(triggered, free);
}

ExprResult Builder::TokenTriggeredTags(const Node& node, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const TriggeredTags triggered, TriggeredFlags(node));
  SGLRUN_ASSIGN_OR_RETURN(const auto trigger_nodes, node.List("trigger_tokens"));
  SGLRUN_ASSIGN_OR_RETURN(auto triggers, TokensOf(trigger_nodes));
  std::ranges::sort(triggers);
  triggers.erase(std::unique(triggers.begin(), triggers.end()), triggers.end());
  std::vector<std::vector<ExprId>> next(triggers.size());
  for (const TagParts& parts : triggered.tags) {
    const auto trigger = std::ranges::lower_bound(triggers, parts.begin_token);
    if (parts.begin_token < 0 || trigger == triggers.end() || *trigger != parts.begin_token) {
      return parts.node.Member("begin").Expected("one of the trigger tokens");
    }
    next[static_cast<std::size_t>(trigger - triggers.begin())].push_back(parts.rest);
  }
  TokenDispatch dispatch;
  if (triggered.stop_after_first) dispatch.after = TextDispatch::After::kEnd;
  for (std::size_t i = 0; i < triggers.size(); ++i) {
    dispatch.pairs.push_back(
        {triggers[i], next[i].empty() ? front_.grammar.Never() : front_.grammar.Choice(next[i])});
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId free, FreeTokens(node, std::move(dispatch), around));
  return WithLeadingTag(triggered, free);
}

// {"structures": [{begin, schema, end}], "triggers": [...]}: triggered tags that hold schemas.
ExprResult Builder::Legacy(const Node& node) {
  constexpr std::array<std::string_view, 5> kFields = {"type", "structures", "triggers",
                                                       "at_least_one", "format"};
  constexpr std::array<std::string_view, 3> kStructure = {"begin", "schema", "end"};
  SGLRUN_RETURN_IF_ERROR(node.AllowMembers(kFields));
  TriggeredTags triggered;
  SGLRUN_ASSIGN_OR_RETURN(triggered.at_least_one, node.Flag("at_least_one", false));
  SGLRUN_RETURN_IF_ERROR(node.Require("triggers"));
  SGLRUN_ASSIGN_OR_RETURN(const auto structures, node.List("structures"));
  for (const Node& structure : structures) {
    SGLRUN_RETURN_IF_ERROR(structure.AllowMembers(kStructure));
    TagParts parts(structure);
    SGLRUN_ASSIGN_OR_RETURN(parts.begin, structure.Text("begin"));
    SGLRUN_ASSIGN_OR_RETURN(const std::string end, structure.Text("end"));
    ExprResult schema = ExprId{0};
    if (structure.HasValue("schema")) {
      const Node own = structure.Member("schema");
      schema = Schema(&own, front_.options);
    } else {
      schema = Schema(nullptr, front_.options);
    }
    if (!schema.ok()) return schema;
    parts.rest = front_.grammar.Sequence({*schema, front_.grammar.Bytes(end)});
    triggered.tags.push_back(std::move(parts));
  }
  return OverText(node, triggered, {});
}

}  // namespace sglrun::grammar::tag
