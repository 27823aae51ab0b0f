// Tags, and the formats made of lists of tags.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "grammar/structural_tag/format.h"

namespace sglrun::grammar::tag {

// What a text must not stop with before `end`: the beginning of some end whose rest is a beginning
// of `end`, and not all of it. A reader would take that one for the end, since it comes first.
Result<std::vector<std::string>, GrammarError> Builder::TailsBefore(
    const std::string& end, const std::vector<std::string>& ends) {
  std::set<std::string> tails;
  for (const std::string& other : ends) {
    SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("comparing the ends of a tag"));
    for (std::size_t cut = 1; cut < other.size(); ++cut) {
      const std::string_view rest = std::string_view(other).substr(cut);
      if (end.size() > rest.size() && end.starts_with(rest)) tails.insert(other.substr(0, cut));
    }
  }
  return std::vector(tails.begin(), tails.end());
}

// Any of several ends: those that forbid different tails need contents of their own.
ExprResult Builder::ContentAndEnds(const Node& content, const std::vector<std::string>& texts) {
  Around inside;
  // An empty end closes the tag anywhere: nothing is forbidden before it.
  std::ranges::copy_if(texts, std::back_inserter(inside.ends),
                       [](const std::string& text) { return !text.empty(); });
  std::map<std::vector<std::string>, ExprId> contents;  // by tails
  std::map<ExprId, std::vector<ExprId>> ends;           // by content
  for (const std::string& text : texts) {
    SGLRUN_ASSIGN_OR_RETURN(inside.tails, TailsBefore(text, inside.ends));
    auto known = contents.find(inside.tails);
    if (known == contents.end()) {
      SGLRUN_ASSIGN_OR_RETURN(const ExprId expr, Format(content, inside));
      known = contents.emplace(inside.tails, expr).first;
    }
    ends[known->second].push_back(front_.grammar.Bytes(text));
  }
  std::vector<ExprId> choices;
  for (auto& [expr, closing] : ends) {
    choices.push_back(front_.grammar.Sequence({expr, front_.grammar.Choice(std::move(closing))}));
  }
  return front_.grammar.Choice(std::move(choices));
}

ExprResult Builder::ContentAndEnd(const TagFormat& format) {
  const Node& end = format.end.value;
  if (end.json().is_object()) {
    SGLRUN_ASSIGN_OR_RETURN(const std::int32_t token, TokenOf(end));
    SGLRUN_ASSIGN_OR_RETURN(const ExprId content,
                            Format(format.content.value, {.end_tokens = {token}}));
    return front_.grammar.Sequence({content, front_.grammar.Tokens({token}, false)});
  }
  std::vector<Node> nodes{end};
  if (end.json().is_array()) {
    SGLRUN_ASSIGN_OR_RETURN(nodes, end.Items());
  }
  std::vector<std::string> texts;
  for (const Node& node : nodes) {
    SGLRUN_ASSIGN_OR_RETURN(texts.emplace_back(), kText.read(node, kText.expected));
  }
  return ContentAndEnds(format.content.value, texts);
}

Result<TagParts, GrammarError> Builder::Parts(const TagFormat& format) {
  TagParts parts{.at = format.begin.at};
  if (parts.at.json().is_object()) {
    SGLRUN_ASSIGN_OR_RETURN(parts.begin_token, TokenOf(parts.at));
  } else {
    parts.begin = parts.at.json().as_string();
  }
  SGLRUN_ASSIGN_OR_RETURN(parts.rest, ContentAndEnd(format));
  return parts;
}

ExprId Builder::Whole(const TagParts& parts) {
  const ExprId begin = parts.begin_token >= 0 ? front_.grammar.Tokens({parts.begin_token}, false)
                                              : front_.grammar.Bytes(parts.begin);
  return front_.grammar.Sequence({begin, parts.rest});
}

ExprResult Builder::Build(const TagFormat& format, const Node&, const Around&) {
  SGLRUN_ASSIGN_OR_RETURN(const TagParts parts, Parts(format));
  return Whole(parts);
}

// What the three formats that hold a list of tags have in common.
template <class F>
Result<Builder::TriggeredTags, GrammarError> Builder::Triggered(const F& format) {
  TriggeredTags triggered{.at_least_one = format.at_least_one.value,
                          .stop_after_first = format.stop_after_first.value};
  for (const Node& node : format.tags.value) {
    SGLRUN_ASSIGN_OR_RETURN(const auto tag, ReadFields<TagFormat>(node));
    SGLRUN_ASSIGN_OR_RETURN(TagParts parts, Parts(tag));
    triggered.tags.push_back(std::move(parts));
  }
  return triggered;
}

ExprResult Builder::Build(const TagsWithSeparatorFormat& format, const Node&, const Around&) {
  SGLRUN_ASSIGN_OR_RETURN(const TriggeredTags list, Triggered(format));
  const ExprId one = AnyOf(list);
  ExprId all = one;
  if (!list.stop_after_first) {
    const ExprId next =
        front_.grammar.Sequence({front_.grammar.Bytes(format.separator.value), one});
    all = front_.grammar.Sequence({one, front_.grammar.Repeat(next, 0, kUnbounded)});
  }
  return list.at_least_one ? all : front_.grammar.Optional(all);
}

// Puts the tag that must come first before the free text.
ExprId Builder::WithLeadingTag(const TriggeredTags& triggered, ExprId dispatch) {
  if (!triggered.at_least_one) return dispatch;
  return front_.grammar.Sequence({AnyOf(triggered), dispatch});
}

ExprId Builder::AnyOf(const TriggeredTags& triggered) {
  std::vector<ExprId> tags;
  for (const TagParts& parts : triggered.tags) tags.push_back(Whole(parts));
  return front_.grammar.Choice(std::move(tags));
}

ExprResult Builder::Build(const TriggeredTagsFormat& format, const Node& node,
                          const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const TriggeredTags triggered, Triggered(format));
  return OverText(node, triggered, format.triggers.value, format.excludes.value, around);
}

// The only trigger that the begin of a tag starts with.
Result<std::size_t, GrammarError> Builder::TriggerOf(const TagParts& parts,
                                                     std::span<const std::string> triggers) {
  if (parts.begin_token >= 0) return parts.at.Expected("a string (the triggers are strings)");
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < triggers.size(); ++i) {
    SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("matching tags with triggers"));
    if (!parts.begin.starts_with(triggers[i])) continue;
    if (found) {
      return parts.at.Invalid("\"" + parts.begin + "\" starts with two triggers, \"" +
                              triggers[*found] + "\" and \"" + triggers[i] + "\"");
    }
    found = i;
  }
  if (found) return *found;
  return parts.at.Invalid("\"" + parts.begin + "\" starts with none of the triggers");
}

ExprResult Builder::OverText(const Node& node, const TriggeredTags& triggered,
                             const Texts& trigger_texts, const Texts& excludes,
                             const Around& around) {
  std::vector<std::string> triggers;
  for (const auto& trigger : trigger_texts) triggers.push_back(trigger.value);
  std::ranges::sort(triggers);
  triggers.erase(std::unique(triggers.begin(), triggers.end()), triggers.end());
  std::vector<std::vector<ExprId>> next(triggers.size());
  for (const TagParts& parts : triggered.tags) {
    SGLRUN_ASSIGN_OR_RETURN(const std::size_t found, TriggerOf(parts, triggers));
    const ExprId rest =
        front_.grammar.Bytes(std::string_view(parts.begin).substr(triggers[found].size()));
    next[found].push_back(front_.grammar.Sequence({rest, parts.rest}));
  }
  if (triggered.one_tag()) return AnyOf(triggered);
  TextDispatch dispatch;
  if (triggered.stop_after_first) dispatch.after = TextDispatch::After::kEnd;
  for (std::size_t i = 0; i < triggers.size(); ++i) {
    dispatch.pairs.push_back(
        {triggers[i], next[i].empty() ? front_.grammar.Never() : front_.grammar.Choice(next[i])});
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId free, FreeText(node, std::move(dispatch), excludes, around));
  return WithLeadingTag(triggered, free);
}

ExprResult Builder::Build(const TokenTriggeredTagsFormat& format, const Node&,
                          const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const TriggeredTags triggered, Triggered(format));
  SGLRUN_ASSIGN_OR_RETURN(auto triggers, TokensOf(format.trigger_tokens.value));
  std::ranges::sort(triggers);
  triggers.erase(std::unique(triggers.begin(), triggers.end()), triggers.end());
  std::vector<std::vector<ExprId>> next(triggers.size());
  for (const TagParts& parts : triggered.tags) {
    const auto trigger = std::ranges::lower_bound(triggers, parts.begin_token);
    if (parts.begin_token < 0 || trigger == triggers.end() || *trigger != parts.begin_token) {
      return parts.at.Expected("one of the trigger tokens");
    }
    next[static_cast<std::size_t>(trigger - triggers.begin())].push_back(parts.rest);
  }
  if (triggered.one_tag()) return AnyOf(triggered);
  TokenDispatch dispatch;
  if (triggered.stop_after_first) dispatch.after = TextDispatch::After::kEnd;
  for (std::size_t i = 0; i < triggers.size(); ++i) {
    dispatch.pairs.push_back(
        {triggers[i], next[i].empty() ? front_.grammar.Never() : front_.grammar.Choice(next[i])});
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId free,
                          FreeTokens(std::move(dispatch), format.exclude_tokens.value, around));
  return WithLeadingTag(triggered, free);
}

// {"structures": [{begin, schema, end}], "triggers": [...]}: triggered tags that hold schemas.
ExprResult Builder::Legacy(const Node& node) {
  SGLRUN_ASSIGN_OR_RETURN(const auto document, ReadFields<LegacyDocument>(node));
  TriggeredTags triggered{.at_least_one = document.at_least_one.value};
  for (const Node& item : document.structures.value) {
    SGLRUN_ASSIGN_OR_RETURN(const auto structure, ReadFields<LegacyStructure>(item));
    TagParts parts{.at = structure.begin.at, .begin = structure.begin.value};
    SGLRUN_ASSIGN_OR_RETURN(const ExprId schema, Schema(structure.schema.at, front_.options));
    parts.rest = front_.grammar.Sequence({schema, front_.grammar.Bytes(structure.end.value)});
    triggered.tags.push_back(std::move(parts));
  }
  return OverText(node, triggered, document.triggers.value, {}, {});
}

}  // namespace sglrun::grammar::tag
