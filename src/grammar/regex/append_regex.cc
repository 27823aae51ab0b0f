// From an expression to nodes of a Grammar. What is small becomes one automaton; a repetition with
// large bounds stays a counter around its item.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "grammar/automaton/dfa.h"
#include "grammar/ir/counted_text.h"
#include "grammar/ir/front_end.h"
#include "grammar/ir/grammar.h"
#include "grammar/regex/regex_language.h"
#include "grammar/regex/regex_nfa.h"
#include "grammar/regex/simplify.h"

namespace sglrun::grammar {
namespace {

using Kind = RegexNode::Kind;

// An automaton of up to this number of characters of a pattern, repetitions unrolled, is cheap to
// make and
// spares the matcher every choice. Beyond, the time of a subset construction is the pattern's whim.
constexpr std::int64_t kSmall = 128;
constexpr std::int64_t kSmallCount = 32;
constexpr std::int64_t kSmallStates = 512;
constexpr std::int64_t kLarge = kSmall + 1;

class Lowerer {
 public:
  Lowerer(FrontEnd& front, SimpleRegex& regex, bool json_string)
      : front_(front), regex_(regex), json_string_(json_string), sizes_(Sizes(regex)) {
    small_limits_ = front.budget.limits();
    small_limits_.automaton_states = std::min(small_limits_.automaton_states, kSmallStates);
  }

  // Nodes whose parts are not done yet lie on a stack in memory: groups may be nested deeply.
  ExprResult Lower(RegexNodeId root) {
    std::vector<Open> open;
    for (RegexNodeId next = root;;) {
      SGLRUN_RETURN_IF_ERROR(front_.budget.Spend("reading a regex"));
      SGLRUN_ASSIGN_OR_RETURN(std::optional<ExprId> expr, LowerAtOnce(next));
      if (!expr) {
        open.push_back(Divide(next));
        next = open.back().parts.front();
        continue;
      }
      for (; !open.empty(); open.pop_back()) {
        Open& node = open.back();
        node.done.push_back(*expr);
        if (node.done.size() < node.parts.size()) break;
        expr = Join(std::move(node));
      }
      if (open.empty()) return *expr;
      next = open.back().parts[open.back().done.size()];
    }
  }

 private:
  struct Open {
    Kind kind;
    std::int64_t min, max;  // of a repetition
    std::vector<RegexNodeId> parts;
    std::vector<ExprId> done;
  };

  // Nothing for a node that must be divided.
  Result<std::optional<ExprId>, GrammarError> LowerAtOnce(RegexNodeId id) {
    using Some = std::optional<ExprId>;
    const RegexNode& node = regex_[id];
    if (node.kind == Kind::kNever) return Some(front_.grammar.Never());
    if (node.kind == Kind::kEmpty) return Some(front_.grammar.Empty());
    if (auto text = Literal(node)) return Some(front_.grammar.Bytes(*text));
    if (node.kind == Kind::kChars) {
      SGLRUN_ASSIGN_OR_RETURN(const ExprId chars, Chars(*node.chars));
      return Some(chars);
    }
    if (SizeOf(id) > kSmall) return Some();
    const auto dfa = SmallDfa(id);
    if (!dfa.ok()) return Some();
    SGLRUN_ASSIGN_OR_RETURN(const ExprId regular, Spell(*dfa));
    return Some(regular);
  }

  // Small neighbours stay together.
  Open Divide(RegexNodeId id) {
    const RegexNode node = regex_[id];  // parts of it are added while it is read
    Open out{node.kind, node.min, node.max, {}, {}};
    const bool all_small = TotalSize(node) <= kSmall;  // and yet too many states together
    for (std::size_t i = 0; i < node.items.size();) {
      RegexNode run{node.kind, nullptr, {}, 0, 0};
      std::int64_t size = 0;
      while (i < node.items.size() && !all_small && size + SizeOf(node.items[i]) <= kSmall) {
        size += SizeOf(node.items[i]);
        run.items.push_back(node.items[i++]);
      }
      if (run.items.empty()) run.items.push_back(node.items[i++]);
      out.parts.push_back(run.items.size() == 1 ? run.items[0] : Add(std::move(run), size));
    }
    return out;
  }

  ExprId Join(Open node) {
    if (node.kind == Kind::kRepeat) {
      return front_.grammar.Repeat(node.done.front(), node.min, node.max);
    }
    return node.kind == Kind::kSequence ? front_.grammar.Sequence(std::move(node.done))
                                        : front_.grammar.Choice(std::move(node.done));
  }

  ExprResult Chars(const CharSet& chars) {
    static const CharSet kRaw{{0x20, 0x21}, {0x23, 0x5B}, {0x5D, 0x10FFFF}};
    if (!json_string_ || chars.Subtract(kRaw).empty()) return front_.grammar.Chars(chars);
    return Spell(OneOf(chars));
  }

  // The text of a sequence of single characters.
  std::optional<std::string> Literal(const RegexNode& node) const {
    if (node.kind != Kind::kSequence) return std::nullopt;
    std::string text;
    for (const RegexNodeId id : node.items) {
      if (regex_[id].kind != Kind::kChars || regex_[id].chars->size() != 1) return std::nullopt;
      const char32_t c = regex_[id].chars->ranges().front().first;
      if (json_string_ && (c < 0x20 || c == '"' || c == '\\')) return std::nullopt;
      AppendUtf8(text, c);
    }
    return text;
  }

  DfaResult SmallDfa(RegexNodeId id) {
    SGLRUN_ASSIGN_OR_RETURN(const Nfa nfa, BuildNfa(regex_, id, small_limits_));
    Budget budget(small_limits_);
    DfaResult dfa = Determinize(nfa, budget);
    front_.budget.Charge(budget.steps());
    return dfa;
  }

  ExprResult Spell(const Dfa& chars) {
    auto bytes = json_string_ ? ToJsonString(chars, front_.budget) : ToUtf8(chars, front_.budget);
    if (!bytes.ok()) return bytes.error();
    return front_.grammar.Regular(std::move(bytes).value());
  }

  // Characters of each node, repetitions unrolled; kLarge for all that is more than small.
  static std::vector<std::int64_t> Sizes(const SimpleRegex& regex) {
    std::vector<std::int64_t> sizes;
    for (const RegexNode& node : regex.nodes) {
      std::int64_t size = node.kind == Kind::kChars ? 1 : 0;
      for (const RegexNodeId item : node.items) size += sizes[static_cast<std::size_t>(item)];
      if (node.kind == Kind::kRepeat) {
        const std::int64_t count = std::max({node.min, node.max, std::int64_t{1}});
        size = count > kSmallCount ? kLarge : size * count;
      }
      sizes.push_back(std::min(size, kLarge));
    }
    return sizes;
  }
  std::int64_t SizeOf(RegexNodeId id) const { return sizes_[static_cast<std::size_t>(id)]; }
  std::int64_t TotalSize(const RegexNode& node) const {
    std::int64_t size = 0;
    for (const RegexNodeId item : node.items) size += SizeOf(item);
    return size;
  }

  RegexNodeId Add(RegexNode node, std::int64_t size) {
    regex_.nodes.push_back(std::move(node));
    sizes_.push_back(size);
    return static_cast<RegexNodeId>(regex_.nodes.size() - 1);
  }

  FrontEnd& front_;
  SimpleRegex& regex_;
  const bool json_string_;
  std::vector<std::int64_t> sizes_;
  Limits small_limits_;
};

}  // namespace

ExprResult AppendRegex(FrontEnd& front, std::string_view pattern, RegexFlags flags) {
  SGLRUN_ASSIGN_OR_RETURN(RegexAst ast, ParseRegex(pattern, flags, front.budget.limits()));
  if (ast.look_aheads.empty()) {
    const RegexNodeId root = WholeText(ast, ast.branches, RegexMatch::kFull);
    SimpleRegex regex = Simplify(ast, root, AtBorder::kAlways);
    if (!regex.has_anchors) return Lowerer(front, regex, flags.json_string).Lower(regex.root);
  }
  SGLRUN_ASSIGN_OR_RETURN(const RegexTexts texts, TextsOf(ast, RegexMatch::kFull, front.budget));
  return AppendCounted(front, texts.chars, texts.lengths,
                       flags.json_string ? TextSpelling::kJsonString : TextSpelling::kUtf8);
}

}  // namespace sglrun::grammar
