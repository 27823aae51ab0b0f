#include "random_grammar.h"

#include <algorithm>

#include "base/utf8.h"

namespace sglrun::grammar {
namespace {

// Few different bytes, so that texts meet; some characters of two and three bytes that share them.
constexpr std::string_view kTexts[] = {"a", "b", "ab", "ba", "c", "", "aa", "(", ")", "\xC3\xA9"};
constexpr char32_t kChars[] = {U'a', U'b', U'c', U'(', U')', 0xE9, 0xEA, 0x20AC};

class Maker {
 public:
  Maker(Random& random, const RandomGrammarOptions& options) : random_(random), options_(options) {}

  Grammar Make() {
    for (int i = 0; i < options_.rules; ++i) grammar_.AddRule("r" + std::to_string(i));
    for (int i = 0; i < options_.rules; ++i) grammar_.Define(i, Any(options_.depth));
    grammar_.SetRoot(0);
    return std::move(grammar_);
  }

 private:
  int Below(int n) { return Pick(random_, n); }

  ExprId Any(int depth) {
    const int kind = depth == 0 ? Below(6) : Below(17);
    switch (kind) {
      case 0:
      case 1:
        return grammar_.Bytes(kTexts[Below(std::size(kTexts))]);
      case 2:
        return Chars();
      case 3:
      case 4:
        return grammar_.Call(Below(options_.rules));
      case 5:
        return Leaf();
      case 6:
      case 7:
      case 8:
      case 9:
        return grammar_.Sequence(Items(depth));
      case 10:
      case 11:
      case 12:
        return grammar_.Choice(Items(depth));
      case 13:
      case 14:
      case 15:
        return Repeat(depth);
      default:
        return Net(depth);
    }
  }

  ExprId Leaf() {
    const int kind = Below(options_.tokens ? 4 : 3);
    if (kind == 0) return Below(4) == 0 ? grammar_.Never() : grammar_.Empty();
    if (kind == 1) return Regular();
    if (kind == 2)
      return grammar_.Repeat(Chars(), Below(3), Below(2) == 0 ? kUnbounded : 2 + Below(40));
    std::vector<std::int32_t> ids;
    for (int i = Below(3); i >= 0; --i) ids.push_back(Below(options_.ids));
    return grammar_.Tokens(ids, Below(4) == 0);
  }

  ExprId Chars() {
    CharSet chars;
    for (int i = Below(3); i >= 0; --i) {
      const char32_t a = kChars[Below(std::size(kChars))], b = kChars[Below(std::size(kChars))];
      chars.Add({std::min(a, b), Below(3) == 0 ? std::max(a, b) : std::min(a, b)});
    }
    return grammar_.Chars(chars);
  }

  std::vector<ExprId> Items(int depth) {
    std::vector<ExprId> items;
    for (int i = Below(4); i >= 0; --i) items.push_back(Any(depth - 1));
    return items;
  }

  ExprId Repeat(int depth) {
    const ExprId item = Any(depth - 1);
    constexpr std::int64_t kBounds[] = {0, 0, 1, 2, 3, 7, 40, 1'000'000};
    const std::int64_t min = kBounds[Below(7)], max = kBounds[Below(8)];
    if (Below(3) == 0) return grammar_.Repeat(item, min, kUnbounded);
    return grammar_.Repeat(item, std::min(min, max), std::max(min, max));
  }

  ExprId Regular() {
    Dfa dfa;
    const int states = 1 + Below(4);
    for (int s = 0; s < states; ++s) {
      Dfa::State state;
      state.accepting = Below(2) == 0;
      for (const char byte : std::string_view("()abc\xA9\xC3")) {
        if (Below(3) != 0) continue;
        const auto symbol = static_cast<std::uint32_t>(static_cast<unsigned char>(byte));
        state.edges.push_back({symbol, symbol, Below(states)});
      }
      dfa.states.push_back(std::move(state));
    }
    return grammar_.Regular(std::move(dfa));
  }

  ExprId Net(int depth) {
    Network net;
    net.states = 1 + Below(4);
    for (int i = Below(6); i > 0; --i) {
      const auto first = static_cast<std::uint8_t>('a' + Below(3));
      net.bytes.push_back({Below(net.states), Below(net.states), first,
                           static_cast<std::uint8_t>(first + Below(2))});
    }
    for (int i = Below(4); i > 0; --i) {
      net.exprs.push_back({Below(net.states), Below(net.states), Any(depth - 1)});
    }
    for (int i = Below(3); i >= 0; --i) net.accepting.push_back(Below(net.states));
    return grammar_.Net(std::move(net));
  }

  Random& random_;
  const RandomGrammarOptions& options_;
  Grammar grammar_;
};

// Walks an expression, choosing at random. Gives up, for good, where it gets long.
class Walker {
 public:
  Walker(const Grammar& grammar, Random& random) : grammar_(grammar), random_(random) {}

  std::string Walk() {
    Visit(grammar_.rule(grammar_.root()).body);
    return failed_ ? "" : text_;
  }

 private:
  void Visit(ExprId e) {
    if (++steps_ > 300) failed_ = true;
    if (failed_) return;
    std::visit([&](const auto& node) { Take(node); }, grammar_.expr(e));
  }

  void Take(const node::Never&) { failed_ = true; }
  void Take(const node::Bytes& e) { text_ += e.bytes; }
  void Take(const node::Chars& e) {
    if (e.chars.empty()) return void(failed_ = true);
    const CharRange range = e.chars.ranges()[static_cast<std::size_t>(
        Pick(random_, static_cast<int>(e.chars.ranges().size())))];
    AppendUtf8(text_, range.first + static_cast<char32_t>(Pick(
                                        random_, static_cast<int>(range.last - range.first) + 1)));
  }
  void Take(const node::Regular& e) {
    for (std::int32_t state = 0; state < static_cast<std::int32_t>(e.dfa->states.size());) {
      if (++steps_ > 300) failed_ = true;
      if (failed_) return;
      const Dfa::State& at = e.dfa->states[static_cast<std::size_t>(state)];
      if (at.accepting && (at.edges.empty() || Pick(random_, 3) == 0)) return;
      if (at.edges.empty()) break;
      const Dfa::Edge& edge =
          at.edges[static_cast<std::size_t>(Pick(random_, static_cast<int>(at.edges.size())))];
      text_ += static_cast<char>(edge.first);
      state = edge.target;
    }
    failed_ = true;
  }
  void Take(const node::Sequence& e) {
    for (const ExprId item : e.items) Visit(item);
  }
  void Take(const node::Choice& e) {
    if (e.items.empty()) return void(failed_ = true);
    Visit(e.items[static_cast<std::size_t>(Pick(random_, static_cast<int>(e.items.size())))]);
  }
  void Take(const node::Repeat& e) {
    if (e.max != kUnbounded && e.min > e.max) return void(failed_ = true);
    std::int64_t rounds = e.min + Pick(random_, 4);
    if (e.max != kUnbounded) rounds = std::min(rounds, e.max);
    for (; rounds > 0 && !failed_; --rounds) Visit(e.item);
  }
  void Take(const node::Call& e) { Visit(grammar_.rule(e.rule).body); }
  void Take(const node::Tokens&) { failed_ = true; }
  void Take(const node::Distinct& e) { Visit(e.item); }
  void Take(const node::Element& e) { Visit(e.item); }
  void Take(const node::TokenLimit& e) { Visit(e.item); }
  void Take(const node::CharLimit&) { failed_ = true; }
  void Take(const node::Net& e) {
    const Network& net = *e.network;
    for (std::int32_t state = 0; !failed_;) {
      if (++steps_ > 300) failed_ = true;
      const bool accepts = std::count(net.accepting.begin(), net.accepting.end(), state) > 0;
      if (accepts && Pick(random_, 2) == 0) return;
      std::vector<std::pair<std::int32_t, ExprId>> next;
      for (const Network::ExprEdge& edge : net.exprs) {
        if (edge.from == state) next.emplace_back(edge.to, edge.expr);
      }
      for (const Network::ByteEdge& edge : net.bytes) {
        if (edge.from == state) next.emplace_back(edge.to, -1 - edge.first);
      }
      if (next.empty()) {
        failed_ = failed_ || !accepts;
        return;
      }
      const auto [to, what] =
          next[static_cast<std::size_t>(Pick(random_, static_cast<int>(next.size())))];
      if (what < 0) text_ += static_cast<char>(-1 - what);
      if (what >= 0) Visit(what);
      state = to;
    }
  }

  const Grammar& grammar_;
  Random& random_;
  std::string text_;
  int steps_ = 0;
  bool failed_ = false;
};

}  // namespace

int Pick(Random& random, int below) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(below));
}

Grammar RandomGrammar(Random& random, const RandomGrammarOptions& options) {
  return Maker(random, options).Make();
}

std::string RandomMember(const Grammar& grammar, Random& random) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::string text = Walker(grammar, random).Walk();
    if (!text.empty() && text.size() < 40) return text;
  }
  return "";
}

std::string Mutate(std::string text, Random& random) {
  constexpr std::string_view kBytes = "abc()\xC3\xA9\xE2\x82\xACz";
  const auto byte = [&] { return kBytes[static_cast<std::size_t>(Pick(random, kBytes.size()))]; };
  for (int i = Pick(random, 3); i >= 0; --i) {
    const auto at = static_cast<std::size_t>(Pick(random, static_cast<int>(text.size()) + 1));
    const int kind = Pick(random, 4);
    if (kind == 0) text.insert(at, 1, byte());
    if (kind == 1 && at < text.size()) text.erase(at, 1);
    if (kind == 2 && at < text.size()) text[at] = byte();
    if (kind == 3) text.insert(at, text.substr(at / 2, 4));
  }
  return text;
}

std::vector<std::string> RandomVocabulary(Random& random, int size) {
  constexpr std::string_view kBytes = "abc()ab\xC3\xA9\xE2\x82\xAC";
  std::vector<std::string> texts;
  for (const char byte : kBytes) texts.emplace_back(1, byte);
  texts.emplace_back("z");
  texts.emplace_back("");
  while (static_cast<int>(texts.size()) < size) {
    if (Pick(random, 40) == 0) {
      texts.push_back(
          texts[static_cast<std::size_t>(Pick(random, static_cast<int>(texts.size())))]);
      continue;
    }
    std::string text;
    for (int i = Pick(random, 7); i >= 0; --i) {
      text += kBytes[static_cast<std::size_t>(Pick(random, static_cast<int>(kBytes.size())))];
    }
    texts.push_back(text);
  }
  return texts;
}

}  // namespace sglrun::grammar
