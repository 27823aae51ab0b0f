// The representation that every front end produces and the matcher compiles: rules over
// expressions. Text is bytes; a token element stands for one token that is not text.
//
//   Grammar g;
//   const RuleId list = g.AddRule("list");
//   const ExprId inner = g.Repeat(g.Call(list), 0, kUnbounded);
//   g.Define(list, g.Sequence({g.Bytes("("), inner, g.Bytes(")")}));
//   g.SetRoot(list);
//
// Expressions are immutable and may be used many times; recursion goes through rules. Any recursion
// is allowed: left, right, mutual, empty. Equal expressions get equal ids.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "grammar/automaton/dfa.h"
#include "text/char_set.h"

namespace sglrun::grammar {

using ExprId = std::int32_t;
using RuleId = std::int32_t;

inline constexpr std::int64_t kUnbounded = -1;

// A piece of automaton whose edges are bytes or whole expressions: for languages that are easier
// said with states than with operators (free text with triggers, the keys of an object).
// Nondeterminism is allowed; an expression edge may match nothing.
struct Network {
  struct ByteEdge {
    std::int32_t from = 0, to = 0;
    std::uint8_t first = 0, last = 0;  // inclusive

    friend bool operator==(const ByteEdge&, const ByteEdge&) = default;
  };
  struct ExprEdge {
    std::int32_t from = 0, to = 0;
    ExprId expr = 0;

    friend bool operator==(const ExprEdge&, const ExprEdge&) = default;
  };
  std::int32_t states = 1;  // state 0 is the start
  std::vector<ByteEdge> bytes;
  std::vector<ExprEdge> exprs;
  std::vector<std::int32_t> accepting;

  friend bool operator==(const Network&, const Network&) = default;
};

namespace node {

struct Never {  // no text
  friend bool operator==(const Never&, const Never&) = default;
};
struct Bytes {  // exactly these bytes; empty: the empty text
  std::string bytes;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};
struct Chars {  // one character, in UTF-8
  CharSet chars;
  friend bool operator==(const Chars&, const Chars&) = default;
};
struct Regular {  // a regular language over bytes
  std::shared_ptr<const Dfa> dfa;
  friend bool operator==(const Regular& a, const Regular& b) { return *a.dfa == *b.dfa; }
};
struct Sequence {
  std::vector<ExprId> items;
  friend bool operator==(const Sequence&, const Sequence&) = default;
};
struct Choice {
  std::vector<ExprId> items;
  friend bool operator==(const Choice&, const Choice&) = default;
};
struct Repeat {  // item{min,max}; max may be kUnbounded
  ExprId item = 0;
  std::int64_t min = 0, max = kUnbounded;
  friend bool operator==(const Repeat&, const Repeat&) = default;
};
struct Call {
  RuleId rule = 0;
  friend bool operator==(const Call&, const Call&) = default;
};
struct Tokens {  // exactly one token of the set, special ones included; excluded: one not in it
  std::vector<std::int32_t> ids;  // sorted, distinct
  bool excluded = false;
  friend bool operator==(const Tokens&, const Tokens&) = default;
};
struct TokenLimit {  // item, a Regular, spread over a bounded number of tokens (LimitTokens)
  ExprId item = 0;
  std::int64_t tokens = 0;
  friend bool operator==(const TokenLimit&, const TokenLimit&) = default;
};
struct CharLimit {  // members of item, a countable Regular, of min to max characters
  ExprId item = 0;
  std::int64_t min = 0, max = 0;
  bool empty = false, others = false;  // which texts there are: the empty one, any others
  friend bool operator==(const CharLimit&, const CharLimit&) = default;
};
// item, in which the texts of all node::Element differ as JSON values. These stand in it directly:
// in its networks, sequences and choices, not in rules that it calls.
struct Distinct {
  ExprId item = 0;
  friend bool operator==(const Distinct&, const Distinct&) = default;
};
struct Element {  // a JSON value; of the Distinct around it
  ExprId item = 0;
  friend bool operator==(const Element&, const Element&) = default;
};
struct Net {
  std::shared_ptr<const Network> network;
  friend bool operator==(const Net& a, const Net& b) { return *a.network == *b.network; }
};

}  // namespace node

using Expr = std::variant<node::Never, node::Bytes, node::Chars, node::Regular, node::Sequence,
                          node::Choice, node::Repeat, node::Call, node::Tokens, node::TokenLimit,
                          node::CharLimit, node::Distinct, node::Element, node::Net>;

class Grammar {
 public:
  ExprId Never() { return Add(node::Never{}); }
  ExprId Empty() { return Bytes(""); }
  ExprId Bytes(std::string_view bytes) { return Add(node::Bytes{std::string(bytes)}); }
  ExprId Chars(CharSet chars) { return Add(node::Chars{std::move(chars)}); }
  ExprId Regular(Dfa bytes);
  ExprId Regular(std::shared_ptr<const Dfa> bytes);
  ExprId Sequence(std::vector<ExprId> items);
  ExprId Choice(std::vector<ExprId> items);
  ExprId Optional(ExprId item) { return Choice({Empty(), item}); }
  ExprId Repeat(ExprId item, std::int64_t min, std::int64_t max);
  ExprId Call(RuleId rule) { return Add(node::Call{rule}); }
  ExprId Tokens(std::vector<std::int32_t> ids, bool excluded);
  ExprId Net(Network network);
  ExprId Distinct(ExprId item) { return Add(node::Distinct{item}); }
  ExprId Element(ExprId item) { return Add(node::Element{item}); }
  // A text of the language that at most `tokens` tokens have a part in, at least one. Once that
  // many
  // are used it must end if it can, or as soon as it can. Texts that come as bytes have no tokens,
  // and are not limited.
  ExprId LimitTokens(Dfa bytes, std::int64_t tokens);

  // The texts of a countable automaton (dfa.h) with between min and max characters. The caller has
  // found out that there are such texts, and of which kind: grammar/ir/counted_text.h.
  ExprId LimitChars(Dfa countable, const node::CharLimit& limit);

  // A rule without a definition matches nothing.
  RuleId AddRule(std::string name);
  void Define(RuleId rule, ExprId body) { rules_[static_cast<std::size_t>(rule)].body = body; }
  void SetRoot(RuleId rule) { root_ = rule; }

  struct Rule {
    std::string name;  // for messages and dumps
    ExprId body = 0;   // expression 0 is Never
  };
  RuleId root() const { return root_; }
  const Rule& rule(RuleId id) const { return rules_[static_cast<std::size_t>(id)]; }
  RuleId rule_count() const { return static_cast<RuleId>(rules_.size()); }
  ExprId expr_count() const { return static_cast<ExprId>(exprs_.size()); }
  const Expr& expr(ExprId id) const { return exprs_[static_cast<std::size_t>(id)]; }
  // Expressions, their items and the states of automata: what Limits::nodes bounds.
  std::int64_t node_count() const { return nodes_; }

 private:
  ExprId Add(Expr expr);

  std::vector<Expr> exprs_{node::Never{}};
  std::unordered_multimap<std::uint64_t, ExprId> by_hash_;
  std::unordered_map<std::shared_ptr<const Dfa>, ExprId> by_dfa_;  // those that come again
  std::vector<Rule> rules_;
  RuleId root_ = 0;
  std::int64_t nodes_ = 0;
};

}  // namespace sglrun::grammar
