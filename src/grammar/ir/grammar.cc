#include "grammar/ir/grammar.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace sglrun::grammar {
namespace {

// The content of an expression as bytes, for its hash.
struct Serialize {
  std::string& out;

  template <class T>
  void Put(T value) const {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  void operator()(const node::Never&) const {}
  void operator()(const node::Bytes& e) const { out += e.bytes; }
  void operator()(const node::Chars& e) const {
    for (const CharRange& range : e.chars.ranges()) Put(range);
  }
  void operator()(const node::Regular& e) const {
    for (const Dfa::State& state : e.dfa->states) {
      Put(state.accepting);
      for (const Dfa::Edge& edge : state.edges) Put(edge);
    }
  }
  void operator()(const node::Sequence& e) const { PutAll(e.items); }
  void operator()(const node::Choice& e) const { PutAll(e.items); }
  void operator()(const node::Repeat& e) const { Put(e.item), Put(e.min), Put(e.max); }
  void operator()(const node::Call& e) const { Put(e.rule); }
  void operator()(const node::Tokens& e) const { Put(e.excluded), PutAll(e.ids); }
  void operator()(const node::TokenLimit& e) const { Put(e.item), Put(e.tokens); }
  void operator()(const node::CharLimit& e) const { Put(e.item), Put(e.min), Put(e.max); }
  void operator()(const node::Distinct& e) const { Put(e.item); }
  void operator()(const node::Element& e) const { Put(e.item); }
  void operator()(const node::Net& e) const {
    Put(e.network->states);
    for (const Network::ByteEdge& edge : e.network->bytes) {
      Put(edge.from), Put(edge.to), Put(edge.first), Put(edge.last);
    }
    for (const Network::ExprEdge& edge : e.network->exprs) {
      Put(edge.from), Put(edge.to), Put(edge.expr);
    }
    PutAll(e.network->accepting);
  }

  void PutAll(const std::vector<std::int32_t>& values) const {
    for (const std::int32_t value : values) Put(value);
  }
};

std::int64_t NodesOf(const Expr& e) {
  if (const auto* sequence = std::get_if<node::Sequence>(&e)) {
    return 1 + static_cast<std::int64_t>(sequence->items.size());
  }
  if (const auto* choice = std::get_if<node::Choice>(&e)) {
    return 1 + static_cast<std::int64_t>(choice->items.size());
  }
  if (const auto* regular = std::get_if<node::Regular>(&e)) {
    return 1 + static_cast<std::int64_t>(regular->dfa->states.size());
  }
  if (const auto* net = std::get_if<node::Net>(&e)) return 1 + net->network->states;
  if (const auto* bytes = std::get_if<node::Bytes>(&e)) {
    return 1 + static_cast<std::int64_t>(bytes->bytes.size());
  }
  return 1;
}

}  // namespace

ExprId Grammar::Regular(Dfa bytes) {
  return Add(node::Regular{std::make_shared<const Dfa>(std::move(bytes))});
}

ExprId Grammar::Regular(std::shared_ptr<const Dfa> bytes) {
  const auto [at, is_new] = by_dfa_.try_emplace(std::move(bytes), 0);
  if (is_new) at->second = Add(node::Regular{at->first});
  return at->second;
}

ExprId Grammar::Sequence(std::vector<ExprId> items) {
  return items.size() == 1 ? items.front() : Add(node::Sequence{std::move(items)});
}

ExprId Grammar::Choice(std::vector<ExprId> items) {
  return items.size() == 1 ? items.front() : Add(node::Choice{std::move(items)});
}

ExprId Grammar::Repeat(ExprId item, std::int64_t min, std::int64_t max) {
  return min == 1 && max == 1 ? item : Add(node::Repeat{item, min, max});
}

ExprId Grammar::Tokens(std::vector<std::int32_t> ids, bool excluded) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return Add(node::Tokens{std::move(ids), excluded});
}

ExprId Grammar::LimitTokens(Dfa bytes, std::int64_t tokens) {
  CHECK(tokens > 0);
  const ExprId item = Regular(std::move(bytes));
  return Add(node::TokenLimit{item, tokens});
}

ExprId Grammar::LimitChars(Dfa countable, const node::CharLimit& limit) {
  node::CharLimit node = limit;
  node.item = Regular(std::move(countable));
  return Add(node);
}

ExprId Grammar::Net(Network network) {
  return Add(node::Net{std::make_shared<const Network>(std::move(network))});
}

RuleId Grammar::AddRule(std::string name) {
  rules_.push_back({std::move(name)});
  return rule_count() - 1;
}

ExprId Grammar::Add(Expr expr) {
  std::string content(1, static_cast<char>(expr.index()));
  std::visit(Serialize{content}, expr);
  const std::uint64_t hash = HashBytes(content).low;
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (this->expr(at->second) == expr) return at->second;
  }
  nodes_ += NodesOf(expr);
  exprs_.push_back(std::move(expr));
  const auto id = static_cast<ExprId>(exprs_.size() - 1);
  by_hash_.emplace(hash, id);
  return id;
}

}  // namespace sglrun::grammar
