// From the formats of a structural tag to expressions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grammar/ir/bounded_text.h"
#include "grammar/ir/dispatch.h"
#include "grammar/ir/front_end.h"
#include "grammar/structural_tag/formats.h"

namespace sglrun::grammar::tag {

// What stands around a format: the ends of the nearest tag, which free text must not contain. Where
// one of them may follow the format directly, `tails` are what the free text must not stop with, so
// that no end begins before the one that follows: "`" before the end "```".
struct Around {
  std::vector<std::string> ends = {};
  std::vector<std::int32_t> end_tokens = {};
  std::vector<std::string> tails = {};
};

// A tag without its `begin`: for the place that follows a trigger.
struct TagParts {
  Node at;                        // where the begin stands
  std::string begin = {};         // when it begins with text
  std::int32_t begin_token = -1;  // else
  ExprId rest = 0;                // content and end
};

class Builder {
 public:
  explicit Builder(FrontEnd& front) : front_(front) {}

  ExprResult Format(const Node& node, const Around& around);
  ExprResult Legacy(const Node& node);

 private:
  struct Type;
  template <class F>
  static Type TypeFor();
  static std::span<const Type> Types();
  static Result<const Type*, GrammarError> TypeOf(const Node& node);
  static Result<const Type*, GrammarError> OnlyTypeThatFits(const Node& node);

  // format.cc
  ExprResult Build(const ConstStringFormat& format, const Node& node, const Around& around);
  ExprResult Build(const EbnfFormat& format, const Node& node, const Around& around);
  ExprResult Build(const RegexFormat& format, const Node& node, const Around& around);
  ExprResult Build(const SequenceFormat& format, const Node& node, const Around& around);
  ExprResult Build(const OrFormat& format, const Node& node, const Around& around);
  ExprResult Build(const OptionalFormat& format, const Node& node, const Around& around);
  ExprResult Build(const StarFormat& format, const Node& node, const Around& around);
  ExprResult Build(const PlusFormat& format, const Node& node, const Around& around);
  ExprResult Build(const RepeatFormat& format, const Node& node, const Around& around);

  // schemas.cc
  ExprResult Build(const JsonSchemaFormat& format, const Node& node, const Around& around);
  ExprResult Build(const QwenXmlParameterFormat& format, const Node& node, const Around& around);
  template <class F>
  ExprResult StyledSchema(const F& format, JsonStyle style);
  ExprResult Schema(const Node& schema, const GrammarOptions& options,
                    const SchemaSpelling& spelling = {});

  // tags.cc
  struct TriggeredTags {
    bool at_least_one = false;
    bool stop_after_first = false;
    std::vector<TagParts> tags = {};

    // One tag and nothing else: no free text.
    bool one_tag() const { return at_least_one && stop_after_first; }
  };
  ExprResult Build(const TagFormat& format, const Node& node, const Around& around);
  ExprResult Build(const TagsWithSeparatorFormat& format, const Node& node, const Around& around);
  ExprResult Build(const TriggeredTagsFormat& format, const Node& node, const Around& around);
  ExprResult Build(const TokenTriggeredTagsFormat& format, const Node& node, const Around& around);
  template <class F>
  Result<TriggeredTags, GrammarError> Triggered(const F& format);
  ExprResult OverText(const Node& node, const TriggeredTags& triggered, const Texts& triggers,
                      const Texts& excludes, const Around& around);
  Result<std::size_t, GrammarError> TriggerOf(const TagParts& parts,
                                              std::span<const std::string> triggers);
  ExprId WithLeadingTag(const TriggeredTags& triggered, ExprId dispatch);
  ExprId AnyOf(const TriggeredTags& triggered);
  Result<TagParts, GrammarError> Parts(const TagFormat& format);
  Result<std::vector<std::string>, GrammarError> TailsBefore(const std::string& end,
                                                             const std::vector<std::string>& ends);
  ExprResult ContentAndEnd(const TagFormat& format);
  ExprResult ContentAndEnds(const Node& content, const std::vector<std::string>& ends);
  ExprId Whole(const TagParts& parts);

  // free_text.cc
  ExprResult Build(const AnyTextFormat& format, const Node& node, const Around& around);
  ExprResult Build(const DispatchFormat& format, const Node& node, const Around& around);
  ExprResult ShortText(const AnyTextFormat& format, const Node& node, const Around& around);
  Result<void, GrammarError> CheckBounds(const AnyTextFormat& format, bool counts_only);
  ExprResult FreeText(const Node& node, TextDispatch dispatch, const Texts& excludes,
                      const Around& around);

  // tokens.cc
  ExprResult Build(const TokenFormat& format, const Node& node, const Around& around);
  ExprResult Build(const ExcludeTokenFormat& format, const Node& node, const Around& around);
  ExprResult Build(const AnyTokensFormat& format, const Node& node, const Around& around);
  ExprResult Build(const TokenDispatchFormat& format, const Node& node, const Around& around);
  ExprResult TokenBut(std::span<const Node> excluded, const Around& around);
  ExprResult FreeTokens(TokenDispatch dispatch, std::span<const Node> excludes,
                        const Around& around);
  Result<std::int32_t, GrammarError> TokenOf(const Node& node) const;
  Result<std::vector<std::int32_t>, GrammarError> TokensOf(std::span<const Node> nodes) const;

  FrontEnd& front_;
  int depth_ = 0;  // of formats
};

}  // namespace sglrun::grammar::tag
