#include "grammar/structural_tag/format.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace sglrun::grammar::tag {
namespace {

// After a fixed depth, formats inside each other become a rule of their own, so that expressions
// stay
// shallow (front_end.h).
constexpr int kFormatsPerRule = 32;

// Looks for a proof that a member of an expression cannot be empty, and gives up early.
class EmptinessProbe {
 public:
  explicit EmptinessProbe(const Grammar& grammar) : grammar_(grammar) {}

  // True when unsure.
  bool MayBeEmpty(ExprId expr) {
    if (depth_ >= kDeepest || ++steps_ > kMostSteps) return true;
    ++depth_;
    const bool may = std::visit([&](const auto& e) { return Look(e); }, grammar_.expr(expr));
    --depth_;
    return may;
  }

 private:
  static constexpr int kDeepest = 50, kMostSteps = 1'000;

  static bool Look(const node::Never&) { return false; }
  static bool Look(const node::Bytes& e) { return e.bytes.empty(); }
  static bool Look(const node::Chars&) { return false; }
  static bool Look(const node::Regular& e) {
    return !e.dfa->states.empty() && e.dfa->states.front().accepting;
  }
  bool Look(const node::Sequence& e) {
    return std::ranges::all_of(e.items, [&](ExprId item) { return MayBeEmpty(item); });
  }
  bool Look(const node::Choice& e) {
    return std::ranges::any_of(e.items, [&](ExprId item) { return MayBeEmpty(item); });
  }
  bool Look(const node::Repeat& e) { return e.min == 0 || MayBeEmpty(e.item); }
  bool Look(const node::Call& e) { return MayBeEmpty(grammar_.rule(e.rule).body); }
  static bool Look(const node::Tokens&) { return false; }
  bool Look(const node::TokenLimit& e) { return MayBeEmpty(e.item); }
  static bool Look(const node::CharLimit& e) { return e.empty; }
  bool Look(const node::Distinct& e) { return MayBeEmpty(e.item); }
  bool Look(const node::Element& e) { return MayBeEmpty(e.item); }
  static bool Look(const node::Net&) { return true; }

  const Grammar& grammar_;
  int depth_ = 0, steps_ = 0;
};

}  // namespace

struct Builder::Type {
  std::string_view name;
  std::vector<std::string_view> fields, required;
  ExprResult (*build)(Builder& builder, const Node& node, const Around& around);

  // Whether an object without "type" can be this format.
  bool Fits(const Node& node) const {
    if (name == QwenXmlParameterFormat::kType) return false;  // json_schema has its fields
    return std::ranges::all_of(required, [&](auto field) { return node.Has(field); }) &&
           std::ranges::all_of(node.json().as_object(), [&](const Json::Member& member) {
             return std::ranges::find(fields, member.first) != fields.end();
           });
  }
};

template <class F>
Builder::Type Builder::TypeFor() {
  const auto build = [](Builder& builder, const Node& node, const Around& around) -> ExprResult {
    SGLRUN_ASSIGN_OR_RETURN(const F format, ReadFields<F>(node));
    return builder.Build(format, node, around);
  };
  return {F::kType, FieldNames<F>(), FieldNames<F>(true), build};
}

std::span<const Builder::Type> Builder::Types() {
  static const std::vector<Type> types = []<class... Formats>(std::tuple<Formats...>*) {
    return std::vector<Type>{TypeFor<Formats>()...};
  }(static_cast<AllFormats*>(nullptr));
  return types;
}

Result<const Builder::Type*, GrammarError> Builder::TypeOf(const Node& node) {
  if (!node.json().is_object()) return node.Expected(kFormat.expected);
  if (!node.Has("type")) return OnlyTypeThatFits(node);
  const Node name = node.Find("type");
  if (!name.json().is_string()) return name.Expected("the name of a format (a string)");
  const std::string& type = name.json().as_string();
  std::vector<std::string_view> known;
  for (const Type& candidate : Types()) {
    if (candidate.name == type) return &candidate;
    known.push_back(candidate.name);
  }
  const std::string near = NearestName(type, known);
  return name.Invalid("there is no format \"" + type + "\"" +
                      (near.empty() ? "" : ", did you mean \"" + near + "\"?"));
}

Result<const Builder::Type*, GrammarError> Builder::OnlyTypeThatFits(const Node& node) {
  const Type* only = nullptr;
  for (const Type& candidate : Types()) {
    if (!candidate.Fits(node)) continue;
    if (only != nullptr) {
      return node.Invalid("the field \"type\" is missing; the other fields fit \"" +
                          std::string(only->name) + "\" and \"" + std::string(candidate.name) +
                          "\"");
    }
    only = &candidate;
  }
  if (only == nullptr) {
    return node.Invalid("the field \"type\" is missing and the other fields fit no format, found " +
                        node.json().Excerpt());
  }
  return only;
}

ExprResult Builder::Format(const Node& node, const Around& around) {
  SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("reading a structural tag"));
  SGLRUN_ASSIGN_OR_RETURN(const Type* type, TypeOf(node));
  ++depth_;
  ExprResult expr = type->build(*this, node, around);
  --depth_;
  if (!expr.ok()) return expr;
  if (front_.grammar.node_count() > front_.budget.limits().nodes) {
    return node.Error(
        Verdict::kTooLarge,
        "the grammar has more than " + std::to_string(front_.budget.limits().nodes) + " parts");
  }
  if (depth_ % kFormatsPerRule != kFormatsPerRule - 1) return expr;
  const RuleId rule = front_.grammar.AddRule(node.pointer());
  front_.grammar.Define(rule, *expr);
  return front_.grammar.Call(rule);
}

ExprResult Builder::Build(const ConstStringFormat& format, const Node&, const Around&) {
  return front_.grammar.Bytes(format.value.value);
}

ExprResult Builder::Build(const EbnfFormat& format, const Node&, const Around&) {
  if (format.syntax.value == "lark") {
    return format.syntax.at.Error(Verdict::kUnsupported,
                                  "the syntax \"lark\" is not offered, \"ebnf\" is");
  }
  if (format.syntax.value != "ebnf") return format.syntax.at.Expected("\"ebnf\"");
  ExprResult expr = AppendEbnf(front_, format.grammar.value);
  if (!expr.ok()) return format.grammar.at.Within(expr.error());
  return expr;
}

ExprResult Builder::Build(const RegexFormat& format, const Node&, const Around&) {
  ExprResult expr = AppendRegex(front_, format.pattern.value);
  if (!expr.ok()) return format.pattern.at.Within(expr.error());
  return expr;
}

ExprResult Builder::Build(const SequenceFormat& format, const Node&, const Around& around) {
  const std::vector<Node>& elements = format.elements.value;
  std::vector<ExprId> items(elements.size());
  // From the last: an element stands before the end when all after it may be empty.
  Around here = around;
  for (std::size_t i = elements.size(); i-- > 0;) {
    SGLRUN_ASSIGN_OR_RETURN(items[i], Format(elements[i], here));
    if (!EmptinessProbe(front_.grammar).MayBeEmpty(items[i])) here.tails.clear();
  }
  return front_.grammar.Sequence(std::move(items));
}

ExprResult Builder::Build(const OrFormat& format, const Node&, const Around& around) {
  std::vector<ExprId> items;
  for (const Node& element : format.elements.value) {
    SGLRUN_ASSIGN_OR_RETURN(items.emplace_back(), Format(element, around));
  }
  return front_.grammar.Choice(std::move(items));
}

ExprResult Builder::Build(const OptionalFormat& format, const Node&, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId content, Format(format.content.value, around));
  return front_.grammar.Optional(content);
}

ExprResult Builder::Build(const StarFormat& format, const Node&, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId content, Format(format.content.value, around));
  return front_.grammar.Repeat(content, 0, kUnbounded);
}

ExprResult Builder::Build(const PlusFormat& format, const Node&, const Around& around) {
  SGLRUN_ASSIGN_OR_RETURN(const ExprId content, Format(format.content.value, around));
  return front_.grammar.Repeat(content, 1, kUnbounded);
}

ExprResult Builder::Build(const RepeatFormat& format, const Node& node, const Around& around) {
  const std::int64_t min = format.min.value, max = format.max.value;
  if (min < 0) return format.min.at.Expected("a number that is not negative");
  if (max < -1) return format.max.at.Expected("a number that is not negative, or -1");
  if (max != -1 && max < min) {
    return format.max.at.Invalid("the maximum " + std::to_string(max) + " is below the minimum " +
                                 std::to_string(min));
  }
  const std::int64_t most = front_.budget.limits().repetition;
  if (std::max(min, max) > most) {
    return node.Error(Verdict::kTooLarge,
                      "a repetition may have bounds up to " + std::to_string(most));
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId content, Format(format.content.value, around));
  if (max == 0) return front_.grammar.Empty();
  return front_.grammar.Repeat(content, min, max == -1 ? kUnbounded : max);
}

}  // namespace sglrun::grammar::tag
