// The formats of a structural tag (grammar.md 4.2), each an object that becomes an expression.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grammar/bounded_text.h"
#include "grammar/dispatch.h"
#include "grammar/front_end.h"
#include "grammar/structural_tag/node.h"

namespace sglrun::grammar::tag {

// What stands around a format: the ends of the nearest tag, which free text must not contain
// (4.3), and whether that end may follow the format directly.
struct Around {
  std::vector<std::string> ends = {};
  std::vector<std::int32_t> end_tokens = {};
  bool before_end = false;
};

// A tag without its `begin`: for the place behind a trigger.
struct TagParts {
  explicit TagParts(Node tag) : node(std::move(tag)) {}

  Node node;
  std::string begin;              // when it begins with text
  std::int32_t begin_token = -1;  // else
  ExprId rest = 0;                // content and end
};

class Builder {
 public:
  explicit Builder(FrontEnd& front) : front_(front) {}

  using Fn = ExprResult (Builder::*)(const Node& node, const Around& around);

  ExprResult Format(const Node& node, const Around& around);
  // The top-level object of the legacy shape (4.1).
  ExprResult Legacy(const Node& node);

 private:
  struct Type;
  static std::span<const Type> Types();
  Result<const Type*, GrammarError> TypeOf(const Node& node) const;

  // format.cc
  ExprResult Content(const Node& node, const Around& around);
  Result<std::vector<ExprId>, GrammarError> Elements(const Node& node, const Around& around);
  ExprResult ConstString(const Node& node, const Around& around);
  ExprResult JsonSchema(const Node& node, const Around& around);
  ExprResult Ebnf(const Node& node, const Around& around);
  ExprResult Regex(const Node& node, const Around& around);
  ExprResult Sequence(const Node& node, const Around& around);
  ExprResult Or(const Node& node, const Around& around);
  ExprResult Optional(const Node& node, const Around& around);
  ExprResult Star(const Node& node, const Around& around);
  ExprResult Plus(const Node& node, const Around& around);
  ExprResult Repeat(const Node& node, const Around& around);
  ExprResult QwenXml(const Node& node, const Around& around);
  ExprResult StyledSchema(const Node& node, JsonStyle style);
  ExprResult Schema(const Node* schema, const GrammarOptions& options,
                    JsonStyle style = JsonStyle::kJson);

  // tags.cc
  struct TriggeredTags {
    bool at_least_one = false;
    bool stop_after_first = false;
    std::vector<TagParts> tags = {};
  };
  ExprResult Tag(const Node& node, const Around& around);
  ExprResult TagsWithSeparator(const Node& node, const Around& around);
  ExprResult TextTriggeredTags(const Node& node, const Around& around);
  ExprResult TokenTriggeredTags(const Node& node, const Around& around);
  ExprResult OverText(const Node& node, const TriggeredTags& triggered, const Around& around);
  ExprResult WithLeadingTag(const TriggeredTags& triggered, ExprId dispatch);
  Result<TriggeredTags, GrammarError> TriggeredFlags(const Node& node);
  Result<TagParts, GrammarError> Parts(const Node& node);
  Result<std::vector<TagParts>, GrammarError> Tags(const Node& node);
  ExprResult End(const Node& node, Around& inside);
  ExprId Whole(const TagParts& parts);

  // free_text.cc
  ExprResult AnyText(const Node& node, const Around& around);
  ExprResult ShortText(const Node& node, const TextBounds& bounds,
                       const std::vector<std::string>& excludes, const Around& around);
  ExprResult Dispatch(const Node& node, const Around& around);
  ExprResult FreeText(const Node& node, TextDispatch dispatch, const Around& around);

  // tokens.cc
  ExprResult Token(const Node& node, const Around& around);
  ExprResult ExcludeToken(const Node& node, const Around& around);
  ExprResult AnyTokens(const Node& node, const Around& around);
  ExprResult TokenRules(const Node& node, const Around& around);
  ExprResult FreeTokens(const Node& node, TokenDispatch dispatch, const Around& around);
  Result<std::int32_t, GrammarError> TokenOf(const Node& node) const;
  Result<std::vector<std::int32_t>, GrammarError> TokensOf(std::span<const Node> nodes) const;

  FrontEnd& front_;
  int depth_ = 0;  // of formats
};

}  // namespace sglrun::grammar::tag
