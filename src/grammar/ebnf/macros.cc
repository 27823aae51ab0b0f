#include "grammar/ebnf/macros.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "grammar/ebnf/chunk_runs.h"
#include "grammar/ir/dispatch.h"
#include "grammar/ir/token_element.h"

namespace sglrun::grammar::ebnf {
namespace {

constexpr std::array<std::string_view, 6> kMacros = {
    "Regex", "Token", "ExcludeToken", "TagDispatch", "TokenTagDispatch", "Substring"};

// An argument: string, number, true or false, the name of a rule, or a tuple of such.
struct Value {
  struct Rule {
    std::string_view name;
  };
  using Tuple = std::vector<Value>;

  std::size_t pos = 0;
  std::variant<std::string, std::int64_t, bool, Rule, Tuple> value;
};

struct Arguments {
  std::vector<Value> positional;
  std::map<std::string, Value, std::less<>> named;
};

class ArgumentReader {
 public:
  explicit ArgumentReader(Scanner& scanner) : scanner_(scanner) {}

  Result<Arguments, GrammarError> Take() {
    const std::size_t start = scanner_.pos();
    Arguments arguments;
    scanner_.Take("(");
    scanner_.SkipBlanks();
    if (scanner_.Take(")")) return arguments;
    while (true) {
      SGLRUN_RETURN_IF_ERROR(TakeArgument(arguments));
      scanner_.SkipBlanks();
      if (scanner_.Take(")")) return arguments;
      SGLRUN_RETURN_IF_ERROR(TakeComma(start));
      scanner_.SkipBlanks();
      if (scanner_.Peek() == ')') {
        return scanner_.Invalid(scanner_.pos(), "a comma may end a tuple, not a list of arguments");
      }
    }
  }

 private:
  Result<void, GrammarError> TakeComma(std::size_t start) {
    if (scanner_.Take(",")) return {};
    if (scanner_.at_end()) return scanner_.Invalid(start, "the parenthesis is not closed");
    return scanner_.Invalid(scanner_.pos(),
                            "\",\" or \")\" is expected, found " + scanner_.Shown(scanner_.pos()));
  }

  Result<void, GrammarError> TakeArgument(Arguments& arguments) {
    const std::size_t start = scanner_.pos();
    const std::string_view name = scanner_.TakeName();
    scanner_.SkipBlanks();
    if (name.empty() || !scanner_.Take("=")) {
      scanner_.set_pos(start);
      SGLRUN_ASSIGN_OR_RETURN(Value value, TakeValue(0));
      if (!arguments.named.empty()) {
        return scanner_.Invalid(start, "an argument without a name follows one with a name");
      }
      arguments.positional.push_back(std::move(value));
      return {};
    }
    scanner_.SkipBlanks();
    SGLRUN_ASSIGN_OR_RETURN(Value value, TakeValue(0));
    value.pos = start;
    if (!arguments.named.emplace(name, std::move(value)).second) {
      return scanner_.Invalid(start, "the argument \"" + std::string(name) + "\" is given twice");
    }
    return {};
  }

  Result<Value, GrammarError> TakeValue(int depth) {
    const std::size_t start = scanner_.pos();
    const char c = scanner_.Peek();
    if (c == '"') {
      SGLRUN_ASSIGN_OR_RETURN(std::string text, scanner_.TakeLiteral());
      return Value{start, std::move(text)};
    }
    if (c >= '0' && c <= '9') {
      const auto number = scanner_.TakeNumber();
      if (!number) return scanner_.Invalid(start, "the number is too large");
      return Value{start, *number};
    }
    if (c == '(') return TakeTuple(depth);
    const std::string_view name = scanner_.TakeName();
    if (name.empty()) {
      return scanner_.Invalid(start,
                              "a string, a number, true, false, a rule or a tuple is "
                              "expected, found " +
                                  scanner_.Shown(start));
    }
    if (name == "true" || name == "false") return Value{start, name == "true"};
    return Value{start, Value::Rule{name}};
  }

  Result<Value, GrammarError> TakeTuple(int depth) {
    constexpr int kDeepest = 4;
    const std::size_t start = scanner_.pos();
    if (depth >= kDeepest) return scanner_.Invalid(start, "tuples are nested too deep");
    scanner_.Take("(");
    Value::Tuple items;
    scanner_.SkipBlanks();
    while (!scanner_.Take(")")) {
      SGLRUN_ASSIGN_OR_RETURN(Value item, TakeValue(depth + 1));
      items.push_back(std::move(item));
      scanner_.SkipBlanks();
      if (scanner_.Peek() == ')') continue;
      SGLRUN_RETURN_IF_ERROR(TakeComma(start));
      scanner_.SkipBlanks();
    }
    return Value{start, std::move(items)};
  }

  Scanner& scanner_;
};

// Builds the expression of one macro.
class Builder {
 public:
  Builder(FrontEnd& front, Scanner& scanner, const CallRule& call_rule, std::string_view name,
          std::size_t start, Arguments arguments)
      : front_(front),
        scanner_(scanner),
        call_rule_(call_rule),
        name_(name),
        start_(start),
        arguments_(std::move(arguments)) {}

  ExprResult Build() {
    if (name_ == "Regex") return BuildRegex();
    if (name_ == "Token") return BuildTokens(/*excluded=*/false);
    if (name_ == "ExcludeToken") return BuildTokens(/*excluded=*/true);
    if (name_ == "TagDispatch") return BuildTagDispatch();
    if (name_ == "TokenTagDispatch") return BuildTokenTagDispatch();
    return BuildSubstring();
  }

 private:
  GrammarError Wrong(std::size_t pos, const std::string& sentence) const {
    return scanner_.Invalid(pos, std::string(name_) + ": " + sentence);
  }

  // The error of a part, with its place in this text.
  GrammarError Within(std::size_t pos, const GrammarError& error) const {
    return scanner_.ErrorAt(pos, error.verdict, std::string(name_) + ": " + error.message);
  }

  Result<void, GrammarError> AllowNamed(std::initializer_list<std::string_view> names) const {
    for (const auto& [name, value] : arguments_.named) {
      if (std::ranges::find(names, name) != names.end()) continue;
      const std::string near = NearestName(name, std::span(names.begin(), names.size()));
      return Wrong(value.pos, "there is no argument \"" + name + "\"" +
                                  (near.empty() ? "" : ", did you mean \"" + near + "\"?"));
    }
    return {};
  }

  template <class T>
  Result<T, GrammarError> As(const Value& value, const char* what) const {
    if (const T* as = std::get_if<T>(&value.value)) return *as;
    return Wrong(value.pos, std::string(what) + " is expected here");
  }

  // The argument `name`, by name or as the position-th; `otherwise` when it is not given.
  template <class T>
  Result<T, GrammarError> Get(std::string_view name, std::size_t position, T otherwise,
                              const char* what) const {
    const auto named = arguments_.named.find(name);
    if (named != arguments_.named.end()) {
      if (position < arguments_.positional.size()) {
        return Wrong(named->second.pos, "\"" + std::string(name) + "\" is given twice");
      }
      return As<T>(named->second, what);
    }
    if (position < arguments_.positional.size())
      return As<T>(arguments_.positional[position], what);
    return otherwise;
  }
  static constexpr std::size_t kByNameOnly = static_cast<std::size_t>(-1);

  ExprResult BuildRegex() {
    SGLRUN_RETURN_IF_ERROR(AllowNamed({"pattern", "json_string", "flags"}));
    if (arguments_.positional.size() > 3) return Wrong(start_, "at most three arguments");
    if (arguments_.positional.empty() && !arguments_.named.contains("pattern")) {
      return Wrong(start_, "the pattern is missing");
    }
    SGLRUN_ASSIGN_OR_RETURN(const auto pattern, Get<std::string>("pattern", 0, "", "a string"));
    RegexFlags flags;
    SGLRUN_ASSIGN_OR_RETURN(flags.json_string, Get("json_string", 1, false, "true or false"));
    SGLRUN_ASSIGN_OR_RETURN(const auto letters, Get<std::string>("flags", 2, "", "a string"));
    for (const char letter : letters) {
      if (letter == 'i') {
        flags.ignore_case = true;
      } else if (letter == 's') {
        flags.dot_all = true;
      } else if (letter != 'u') {  // matching is by code points always
        return Wrong(start_, "flags are made of the letters i, s and u, found \"" + letters + "\"");
      }
    }
    auto expr = AppendRegex(front_, pattern, flags);
    if (!expr.ok()) return Within(start_, expr.error());
    return expr;
  }

  Result<std::int32_t, GrammarError> TokenOf(const Value& value) const {
    Result<std::int32_t, GrammarError> id = 0;
    if (const auto* number = std::get_if<std::int64_t>(&value.value)) {
      id = TokenById(front_, *number);
    } else if (const auto* text = std::get_if<std::string>(&value.value)) {
      id = TokenByText(front_, *text);
    } else {
      return Wrong(value.pos, "a token id is expected here");
    }
    if (!id.ok()) return Within(value.pos, id.error());
    return id;
  }

  Result<std::vector<std::int32_t>, GrammarError> TokensOf(const std::vector<Value>& values) const {
    std::vector<std::int32_t> ids;
    for (const Value& value : values) {
      SGLRUN_ASSIGN_OR_RETURN(const std::int32_t id, TokenOf(value));
      ids.push_back(id);
    }
    return ids;
  }

  ExprResult BuildTokens(bool excluded) {
    SGLRUN_RETURN_IF_ERROR(AllowNamed({}));
    if (!excluded && arguments_.positional.empty()) return Wrong(start_, "name at least one token");
    SGLRUN_ASSIGN_OR_RETURN(auto ids, TokensOf(arguments_.positional));
    return front_.grammar.Tokens(std::move(ids), excluded);
  }

  // What both dispatch macros share: pairs, loop_after_dispatch, excludes.
  struct Pair {
    const Value* trigger = nullptr;
    ExprId next = 0;
  };
  Result<std::vector<Pair>, GrammarError> Pairs(const char* shape) const {
    SGLRUN_RETURN_IF_ERROR(AllowNamed({"loop_after_dispatch", "excludes"}));
    std::vector<Pair> pairs;
    for (const Value& value : arguments_.positional) {
      const auto* tuple = std::get_if<Value::Tuple>(&value.value);
      const Value::Rule* rule = nullptr;
      if (tuple != nullptr && tuple->size() == 2) {
        rule = std::get_if<Value::Rule>(&(*tuple)[1].value);
      }
      if (rule == nullptr) return Wrong(value.pos, std::string(shape) + " is expected here");
      pairs.push_back({&(*tuple)[0], call_rule_(rule->name, (*tuple)[1].pos)});
    }
    return pairs;
  }

  Result<TextDispatch::After, GrammarError> After() const {
    SGLRUN_ASSIGN_OR_RETURN(const bool loop,
                            Get("loop_after_dispatch", kByNameOnly, true, "true or false"));
    return loop ? TextDispatch::After::kFreeText : TextDispatch::After::kEnd;
  }

  ExprResult BuildTagDispatch() {
    TextDispatch dispatch;
    SGLRUN_ASSIGN_OR_RETURN(const auto pairs, Pairs("(\"tag\", rule)"));
    for (const Pair& pair : pairs) {
      SGLRUN_ASSIGN_OR_RETURN(auto tag, As<std::string>(*pair.trigger, "the text of a tag"));
      if (tag.empty()) return Wrong(pair.trigger->pos, "a tag must not be empty");
      if (std::ranges::any_of(dispatch.pairs, [&](const auto& p) { return p.trigger == tag; })) {
        return Wrong(pair.trigger->pos, "the tag \"" + tag + "\" is given twice");
      }
      dispatch.pairs.push_back({std::move(tag), pair.next});
    }
    SGLRUN_ASSIGN_OR_RETURN(const auto excludes,
                            Get<Value::Tuple>("excludes", kByNameOnly, {}, "a tuple of strings"));
    for (const Value& value : excludes) {
      SGLRUN_ASSIGN_OR_RETURN(auto text, As<std::string>(value, "a string"));
      if (text.empty()) return Wrong(value.pos, "an excluded text must not be empty");
      dispatch.excludes.push_back(std::move(text));
    }
    SGLRUN_ASSIGN_OR_RETURN(const auto dead, FindDeadTrigger(dispatch, front_.budget));
    if (dead) {
      return Wrong(excludes[dead->exclude].pos,
                   "the excluded text \"" + dispatch.excludes[dead->exclude] +
                       "\" occurs in the tag \"" + dispatch.pairs[dead->pair].trigger +
                       "\", which could never be written");
    }
    SGLRUN_ASSIGN_OR_RETURN(dispatch.after, After());
    auto expr = AppendTextDispatch(front_, dispatch);
    if (!expr.ok()) return Within(start_, expr.error());
    return expr;
  }

  ExprResult BuildTokenTagDispatch() {
    TokenDispatch dispatch;
    SGLRUN_ASSIGN_OR_RETURN(const auto pairs, Pairs("(token id, rule)"));
    for (const Pair& pair : pairs) {
      SGLRUN_ASSIGN_OR_RETURN(const std::int32_t id, TokenOf(*pair.trigger));
      if (std::ranges::any_of(dispatch.pairs, [&](const auto& p) { return p.trigger == id; })) {
        return Wrong(pair.trigger->pos, "the token " + std::to_string(id) + " is given twice");
      }
      dispatch.pairs.push_back({id, pair.next});
    }
    SGLRUN_ASSIGN_OR_RETURN(const auto excludes,
                            Get<Value::Tuple>("excludes", kByNameOnly, {}, "a tuple of token ids"));
    SGLRUN_ASSIGN_OR_RETURN(dispatch.excludes, TokensOf(excludes));
    for (const auto& pair : dispatch.pairs) {
      if (std::ranges::find(dispatch.excludes, pair.trigger) == dispatch.excludes.end()) continue;
      return Wrong(start_, "the token " + std::to_string(pair.trigger) +
                               " is excluded and has a rule, which could never be reached");
    }
    SGLRUN_ASSIGN_OR_RETURN(dispatch.after, After());
    return AppendTokenDispatch(front_, dispatch);
  }

  ExprResult BuildSubstring() {
    SGLRUN_RETURN_IF_ERROR(AllowNamed({}));
    std::vector<std::string> chunks;
    for (const Value& value : arguments_.positional) {
      SGLRUN_ASSIGN_OR_RETURN(auto chunk, As<std::string>(value, "a string"));
      if (!chunk.empty()) chunks.push_back(std::move(chunk));
    }
    return AppendChunkRuns(front_, chunks);
  }

  FrontEnd& front_;
  Scanner& scanner_;
  const CallRule& call_rule_;
  std::string_view name_;
  std::size_t start_;
  Arguments arguments_;
};

}  // namespace

bool IsMacro(std::string_view name) {
  return std::ranges::find(kMacros, name) != kMacros.end();
}

ExprResult TakeMacro(FrontEnd& front, Scanner& scanner, std::string_view name,
                     const CallRule& call_rule) {
  const std::size_t start = scanner.pos() - name.size();
  SGLRUN_ASSIGN_OR_RETURN(Arguments arguments, ArgumentReader(scanner).Take());
  return Builder(front, scanner, call_rule, name, start, std::move(arguments)).Build();
}

}  // namespace sglrun::grammar::ebnf
