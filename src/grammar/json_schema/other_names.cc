#include "grammar/json_schema/other_names.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "grammar/json_schema/string_language.h"

namespace sglrun::grammar {
namespace {

// Characters that stand raw between quotes.
CharSet RawCharacters() {
  return CharSet{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}.Complement();
}

bool IsRaw(const std::string& name) {
  return std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  });
}

// The trie of the names, with an exit from every node to a state that allows everything.
class OtherNames {
 public:
  OtherNames(Grammar& grammar, ExprId any_text) : grammar_(grammar), any_text_(any_text) {}

  ExprId Draw(const std::set<std::string>& names) {
    net_.states = kStates;
    net_.accepting.push_back(kEnd);
    net_.exprs.push_back({kText, kFree, any_text_});
    net_.bytes.push_back({kFree, kEnd, '"', '"'});
    net_.exprs.push_back({kEscape, kText, AfterBackslash()});
    DrawContinuations();
    nodes_.push_back(0);  // where a network starts
    children_.emplace_back();
    is_name_.push_back(0);
    for (const std::string& name : names) Insert(name);
    for (std::size_t i = 0; i < nodes_.size(); ++i) Leave(i);
    return grammar_.Sequence({grammar_.Bytes("\""), grammar_.Net(std::move(net_))});
  }

 private:
  // The ways out of the nodes are alike, so they share what follows the first byte: inside a
  // character of several bytes (those that may continue with fewer bytes than others have a state
  // of their own), after a backslash, after a whole character that no name has.
  enum : std::int32_t {
    kFree = 1,
    kEnd,
    kText,
    kEscape,
    kOneLeft,
    kTwoLeft,
    kThreeLeft,
    kBehindE0,
    kBehindED,
    kBehindF0,
    kBehindF4,
    kStates
  };

  void AddBytes(std::int32_t from, int first, int last, std::int32_t to) {
    net_.bytes.push_back(
        {from, to, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last)});
  }

  void DrawContinuations() {
    AddBytes(kOneLeft, 0x80, 0xBF, kText);
    AddBytes(kTwoLeft, 0x80, 0xBF, kOneLeft);
    AddBytes(kThreeLeft, 0x80, 0xBF, kTwoLeft);
    AddBytes(kBehindE0, 0xA0, 0xBF, kOneLeft);  // shorter forms exist
    AddBytes(kBehindED, 0x80, 0x9F, kOneLeft);  // surrogates
    AddBytes(kBehindF0, 0x90, 0xBF, kTwoLeft);
    AddBytes(kBehindF4, 0x80, 0x8F, kTwoLeft);  // beyond U+10FFFF
  }

  // All characters beyond ASCII.
  void LeaveByManyBytes(std::int32_t node) {
    AddBytes(node, 0xC2, 0xDF, kOneLeft);
    AddBytes(node, 0xE0, 0xE0, kBehindE0);
    AddBytes(node, 0xE1, 0xEC, kTwoLeft);
    AddBytes(node, 0xED, 0xED, kBehindED);
    AddBytes(node, 0xEE, 0xEF, kTwoLeft);
    AddBytes(node, 0xF0, 0xF0, kBehindF0);
    AddBytes(node, 0xF1, 0xF3, kThreeLeft);
    AddBytes(node, 0xF4, 0xF4, kBehindF4);
  }

  void Insert(const std::string& name) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < name.size();) {
      const char32_t c = DecodeUtf8(name, i);
      const auto found = children_[at].find(c);
      if (found != children_[at].end()) {
        at = found->second;
        continue;
      }
      const std::size_t next = nodes_.size();
      nodes_.push_back(net_.states++);
      children_[at].emplace(c, next);
      children_.emplace_back();
      is_name_.push_back(0);
      net_.exprs.push_back({nodes_[at], nodes_[next], grammar_.Chars(CharSet::Of(c))});
      at = next;
    }
    is_name_[at] = 1;
  }

  void Leave(std::size_t index) {
    CharSet named;
    for (const auto& [c, child] : children_[index]) named.Add({c, c});
    const CharSet others = RawCharacters().Subtract(named);
    const std::int32_t node = nodes_[index];
    for (const CharRange& range : others.ranges()) {
      if (range.first > 0x7F) break;
      AddBytes(node, static_cast<int>(range.first),
               static_cast<int>(std::min<char32_t>(range.last, 0x7F)), kText);
    }
    if (named.empty() || named.ranges().back().last <= 0x7F) {
      LeaveByManyBytes(node);
    } else {
      const CharSet ascii{{0, 0x7F}};
      net_.exprs.push_back({node, kText, grammar_.Chars(others.Subtract(ascii))});
    }
    AddBytes(node, '\\', '\\', kEscape);
    if (is_name_[index] == 0) AddBytes(node, '"', '"', kEnd);
  }

  // Characters that are never raw, so never those of a name.
  ExprId AfterBackslash() {
    const CharSet digits{{'0', '9'}, {'a', 'f'}, {'A', 'F'}};
    const CharSet letters{{'"', '"'}, {'\\', '\\'}, {'b', 'b'}, {'f', 'f'},
                          {'n', 'n'}, {'r', 'r'},   {'t', 't'}};
    return grammar_.Choice({
        grammar_.Chars(letters),
        grammar_.Sequence(
            {grammar_.Bytes("u00"), grammar_.Chars(CharSet{{'0', '1'}}), grammar_.Chars(digits)}),
    });
  }

  Grammar& grammar_;
  ExprId any_text_;
  Network net_;
  std::vector<std::int32_t> nodes_;
  std::vector<std::map<char32_t, std::size_t>> children_;
  std::vector<char> is_name_;
};

}  // namespace

ExprResult AppendOtherNames(FrontEnd& front, const std::set<std::string>& names) {
  StringConstraints others{.excluded = names};
  if (names.empty() || !std::all_of(names.begin(), names.end(), IsRaw)) {
    return AppendString(front, others);
  }
  SGLRUN_ASSIGN_OR_RETURN(const ExprId any_string, AppendString(front, {}));
  const auto* quoted = std::get_if<node::Sequence>(&front.grammar.expr(any_string));
  if (quoted == nullptr || quoted->items.size() != 3) return AppendString(front, others);
  return OtherNames(front.grammar, quoted->items[1]).Draw(names);
}

}  // namespace sglrun::grammar
