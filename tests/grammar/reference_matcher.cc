#include "reference_matcher.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/utf8.h"

namespace sglrun::grammar {
namespace {

// Three questions about an expression. Their answers are sets that only ever grow, so asking all
// of them again until nothing grows gives the least solution, whatever the recursion.
enum class Ask : std::uint8_t {
  kSpells,  // {0} when some finite symbol sequence is a member
  kEnds,    // the ends j of all members symbols[i, j)
  kOpen,    // {0} when symbols[i, n) begins a member, or is one
};
struct Question {
  Ask ask;
  ExprId expr;
  int start;
  auto operator<=>(const Question&) const = default;
};
using Answer = std::set<int>;

class Solver {
 public:
  Solver(const Grammar& grammar, const Symbols& symbols)
      : grammar_(grammar), symbols_(symbols), size_(static_cast<int>(symbols.size())) {}

  Answer Solve(const Question& question) {
    Get(question);
    while (!queue_.empty()) {
      asking_ = queue_.front();
      queue_.pop_front();
      entries_[*asking_].queued = false;
      Answer answer = Evaluate(*asking_);
      Entry& entry = entries_[*asking_];
      if (answer == entry.answer) continue;
      entry.answer = std::move(answer);
      for (const Question& dependent : entry.dependents) Enqueue(dependent);
    }
    return entries_[question].answer;
  }

 private:
  struct Entry {
    Answer answer;
    std::set<Question> dependents;
    bool queued = false;
  };

  void Enqueue(const Question& question) {
    Entry& entry = entries_[question];
    if (entry.queued) return;
    entry.queued = true;
    queue_.push_back(question);
  }

  // What is known so far; whoever asks is asked again when more is known.
  const Answer& Get(const Question& question) {
    if (!entries_.contains(question)) Enqueue(question);
    Entry& entry = entries_[question];
    if (asking_) entry.dependents.insert(*asking_);
    return entry.answer;
  }
  bool Spells(ExprId expr) { return !Get({Ask::kSpells, expr, 0}).empty(); }
  bool Open(ExprId expr, int start) { return !Get({Ask::kOpen, expr, start}).empty(); }
  const Answer& Ends(ExprId expr, int start) { return Get({Ask::kEnds, expr, start}); }

  Answer Evaluate(const Question& q) {
    return std::visit(
        [&](const auto& e) -> Answer {
          if (q.ask == Ask::kSpells) return Truth(SpellsNode(e));
          if (q.ask == Ask::kEnds) return EndsNode(e, q.start);
          return Truth(OpenNode(e, q.start));
        },
        grammar_.expr(q.expr));
  }
  static Answer Truth(bool value) { return value ? Answer{0} : Answer{}; }

  // Never.
  bool SpellsNode(const node::Never&) { return false; }
  Answer EndsNode(const node::Never&, int) { return {}; }
  bool OpenNode(const node::Never&, int) { return false; }

  // Bytes.
  bool SpellsNode(const node::Bytes&) { return true; }
  Answer EndsNode(const node::Bytes& e, int start) {
    const int length = static_cast<int>(e.bytes.size());
    if (start + length > size_ || !Agrees(e.bytes, start)) return {};
    return {start + length};
  }
  bool OpenNode(const node::Bytes& e, int start) {
    return size_ - start <= static_cast<int>(e.bytes.size()) && Agrees(e.bytes, start);
  }
  bool Agrees(std::string_view bytes, int start) const {
    for (int i = 0; i < static_cast<int>(bytes.size()) && start + i < size_; ++i) {
      if (symbols_[start + i] != static_cast<unsigned char>(bytes[i])) return false;
    }
    return true;
  }

  // Chars.
  bool SpellsNode(const node::Chars& e) { return !e.chars.empty(); }
  Answer EndsNode(const node::Chars& e, int start) {
    for (int length = 1; length <= 4 && start + length <= size_; ++length) {
      const std::optional<std::string> text = TextOf(start, start + length);
      if (!text || !IsValidUtf8(*text) || CountCodePoints(*text) != 1) continue;
      std::size_t pos = 0;
      if (e.chars.Contains(DecodeUtf8(*text, pos))) return {start + length};
    }
    return {};
  }
  bool OpenNode(const node::Chars& e, int start) {
    if (start == size_) return SpellsNode(e);
    if (!EndsNode(e, start).empty()) return *EndsNode(e, start).begin() == size_;
    const std::optional<std::string> text = TextOf(start, size_);
    if (!text || text->size() > 3) return false;
    // A character of k bytes in UTF-8 lies in one of these ranges; its first bytes cut them down.
    constexpr CharRange kOfLength[] = {
        {0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xFFFF}, {0x10000, 0x10FFFF}};
    const CharRange range = kOfLength[LengthByLead((*text)[0]) - 1];
    const CharSet possible = e.chars.Intersect(CharSet{range});
    for (const CharRange& part : possible.ranges()) {
      if (Spelling(part.first).substr(0, text->size()) <= *text &&
          *text <= Spelling(part.last).substr(0, text->size()) && ContinuesWell(*text)) {
        return true;
      }
    }
    return false;
  }
  static int LengthByLead(char lead) {
    const int byte = static_cast<unsigned char>(lead);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  }
  static bool ContinuesWell(const std::string& text) {
    return std::all_of(text.begin() + 1, text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
  }
  static std::string Spelling(char32_t c) {
    std::string out;
    AppendUtf8(out, c);
    return out;
  }
  std::optional<std::string> TextOf(int begin, int end) const {
    std::string text;
    for (int i = begin; i < end; ++i) {
      if (symbols_[i] >= kFirstTokenSymbol) return std::nullopt;
      text += static_cast<char>(symbols_[i]);
    }
    return text;
  }

  // Regular.
  static bool Live(const Dfa& dfa, std::int32_t from) {
    std::set<std::int32_t> seen{from};
    std::vector<std::int32_t> todo{from};
    while (!todo.empty()) {
      const Dfa::State& state = dfa.states[todo.back()];
      todo.pop_back();
      if (state.accepting) return true;
      for (const Dfa::Edge& edge : state.edges) {
        if (seen.insert(edge.target).second) todo.push_back(edge.target);
      }
    }
    return false;
  }
  static std::int32_t Follow(const Dfa& dfa, std::int32_t state, std::int32_t symbol) {
    for (const Dfa::Edge& edge : dfa.states[state].edges) {
      if (symbol < kFirstTokenSymbol && edge.first <= static_cast<std::uint32_t>(symbol) &&
          static_cast<std::uint32_t>(symbol) <= edge.last) {
        return edge.target;
      }
    }
    return -1;
  }
  bool SpellsNode(const node::Regular& e) { return !e.dfa->states.empty() && Live(*e.dfa, 0); }
  Answer EndsNode(const node::Regular& e, int start) {
    Answer ends;
    std::int32_t state = e.dfa->states.empty() ? -1 : 0;
    for (int at = start; state >= 0; ++at) {
      if (e.dfa->states[state].accepting) ends.insert(at);
      if (at == size_) break;
      state = Follow(*e.dfa, state, symbols_[at]);
    }
    return ends;
  }
  bool OpenNode(const node::Regular& e, int start) {
    std::int32_t state = e.dfa->states.empty() ? -1 : 0;
    for (int at = start; state >= 0 && at < size_; ++at) {
      state = Follow(*e.dfa, state, symbols_[at]);
    }
    return state >= 0 && Live(*e.dfa, state);
  }

  // Sequence.
  bool SpellsNode(const node::Sequence& e) { return SpellFrom(e, 0); }
  bool SpellFrom(const node::Sequence& e, std::size_t item) {
    return std::all_of(e.items.begin() + static_cast<std::ptrdiff_t>(item), e.items.end(),
                       [&](ExprId id) { return Spells(id); });
  }
  Answer EndsNode(const node::Sequence& e, int start) {
    Answer at{start};
    for (const ExprId item : e.items) at = EndsFromAll(item, at);
    return at;
  }
  bool OpenNode(const node::Sequence& e, int start) {
    Answer at{start};
    for (std::size_t i = 0; i < e.items.size(); ++i) {
      if (SpellFrom(e, i + 1) && OpenFromAny(e.items[i], at)) return true;
      at = EndsFromAll(e.items[i], at);
    }
    return at.contains(size_);
  }
  Answer EndsFromAll(ExprId item, const Answer& starts) {
    Answer ends;
    for (const int start : starts) {
      const Answer& more = Ends(item, start);
      ends.insert(more.begin(), more.end());
    }
    return ends;
  }
  bool OpenFromAny(ExprId item, const Answer& starts) {
    return std::any_of(starts.begin(), starts.end(), [&](int s) { return Open(item, s); });
  }

  // Choice.
  template <class Predicate>
  static bool Any(const node::Choice& e, Predicate predicate) {
    return std::any_of(e.items.begin(), e.items.end(), predicate);
  }
  bool SpellsNode(const node::Choice& e) {
    return Any(e, [&](ExprId item) { return Spells(item); });
  }
  Answer EndsNode(const node::Choice& e, int start) {
    Answer ends;
    for (const ExprId item : e.items) {
      const Answer& more = Ends(item, start);
      ends.insert(more.begin(), more.end());
    }
    return ends;
  }
  bool OpenNode(const node::Choice& e, int start) {
    return Any(e, [&](ExprId item) { return Open(item, start); });
  }

  // Repeat. Rounds that take nothing are left out, so at most size_ rounds matter; where the item
  // may be empty they make up for any number that is missing to `min`.
  bool SpellsNode(const node::Repeat& e) { return Sensible(e) && (e.min == 0 || Spells(e.item)); }
  static bool Sensible(const node::Repeat& e) { return e.max == kUnbounded || e.min <= e.max; }
  bool Enough(const node::Repeat& e, std::int64_t count, int at) {
    return count >= e.min || Ends(e.item, at).contains(at);
  }
  // Calls visit(count, positions after `count` items) while there are some.
  template <class Visit>
  void Rounds(const node::Repeat& e, int start, Visit visit) {
    if (!Sensible(e)) return;
    Answer at{start};
    for (std::int64_t count = 0; !at.empty(); ++count) {
      visit(count, at);
      if (count == e.max) return;
      Answer next;
      for (const int position : at) {
        for (const int end : Ends(e.item, position)) {
          if (end > position) next.insert(end);
        }
      }
      at = std::move(next);
    }
  }
  Answer EndsNode(const node::Repeat& e, int start) {
    Answer ends;
    Rounds(e, start, [&](std::int64_t count, const Answer& at) {
      for (const int position : at) {
        if (Enough(e, count, position)) ends.insert(position);
      }
    });
    return ends;
  }
  bool OpenNode(const node::Repeat& e, int start) {
    bool open = false;
    Rounds(e, start, [&](std::int64_t count, const Answer& at) {
      for (const int position : at) {
        open = open || (position == size_ && (Enough(e, count, position) || Spells(e.item)));
        open = open || (count != e.max && Open(e.item, position));
      }
    });
    return open;
  }

  // Call.
  bool SpellsNode(const node::Call& e) { return Spells(grammar_.rule(e.rule).body); }
  Answer EndsNode(const node::Call& e, int start) {
    return Ends(grammar_.rule(e.rule).body, start);
  }
  bool OpenNode(const node::Call& e, int start) { return Open(grammar_.rule(e.rule).body, start); }

  // Tokens.
  bool SpellsNode(const node::Tokens& e) { return e.excluded || !e.ids.empty(); }
  Answer EndsNode(const node::Tokens& e, int start) {
    if (start == size_ || symbols_[start] < kFirstTokenSymbol) return {};
    const bool named = std::count(e.ids.begin(), e.ids.end(), symbols_[start] - kFirstTokenSymbol);
    return named != e.excluded ? Answer{start + 1} : Answer{};
  }
  bool OpenNode(const node::Tokens& e, int start) {
    return start == size_ ? SpellsNode(e) : EndsNode(e, start).contains(size_);
  }

  // TokenLimit: texts here come as bytes, which no token counts.
  // Whether elements differ is compared elsewhere (json_schema/unique_items_test.cc).
  bool SpellsNode(const node::Distinct& e) { return Spells(e.item); }
  Answer EndsNode(const node::Distinct& e, int start) { return Ends(e.item, start); }
  bool OpenNode(const node::Distinct& e, int start) { return Open(e.item, start); }
  bool SpellsNode(const node::Element& e) { return Spells(e.item); }
  Answer EndsNode(const node::Element& e, int start) { return Ends(e.item, start); }
  bool OpenNode(const node::Element& e, int start) { return Open(e.item, start); }

  bool SpellsNode(const node::TokenLimit& e) { return Spells(e.item); }
  Answer EndsNode(const node::TokenLimit& e, int start) { return Ends(e.item, start); }
  bool OpenNode(const node::TokenLimit& e, int start) { return Open(e.item, start); }

  // CharLimit: the bytes of the item, each with or without the mark of those that go on with a
  // character.
  struct Counted {
    std::int32_t state;
    std::int64_t chars;
    auto operator<=>(const Counted&) const = default;
  };
  std::vector<Counted> NextCounted(const Dfa& dfa, Counted from, std::uint32_t byte) {
    std::vector<Counted> next;
    if (byte > 0xFF) return next;  // a token
    if (const auto to = dfa.Next(from.state, byte); to >= 0) next.push_back({to, from.chars + 1});
    if (const auto to = dfa.Next(from.state, byte + kContinues); to >= 0) {
      next.push_back({to, from.chars});
    }
    return next;
  }
  const Dfa& DfaOf(const node::CharLimit& e) {
    return *std::get<node::Regular>(grammar_.expr(e.item)).dfa;
  }
  // Whether a member within the limit can follow, by trying all.
  bool CanEnd(const node::CharLimit& e, const std::vector<Counted>& from) {
    const Dfa& dfa = DfaOf(e);
    std::set<Counted> seen(from.begin(), from.end());
    std::deque<Counted> todo(from.begin(), from.end());
    for (; !todo.empty(); todo.pop_front()) {
      const Counted at = todo.front();
      if (at.chars > e.max) continue;
      const Dfa::State& state = dfa.states[static_cast<std::size_t>(at.state)];
      if (state.accepting && at.chars >= e.min) return true;
      for (const Dfa::Edge& edge : state.edges) {
        const Counted next{edge.target, at.chars + (edge.first < kContinues ? 1 : 0)};
        if (seen.insert(next).second) todo.push_back(next);
      }
    }
    return false;
  }
  bool SpellsNode(const node::CharLimit& e) {
    return !DfaOf(e).states.empty() && CanEnd(e, {{0, 0}});
  }
  template <class Visit>
  std::vector<Counted> WalkCounted(const node::CharLimit& e, int start, Visit visit) {
    std::vector<Counted> at;
    if (!DfaOf(e).states.empty()) at.push_back({0, 0});
    for (int i = start; !at.empty(); ++i) {
      visit(i, at);
      if (i == size_) break;
      std::vector<Counted> next;
      for (const Counted& place : at) {
        const auto more = NextCounted(DfaOf(e), place, static_cast<std::uint32_t>(symbols_[i]));
        next.insert(next.end(), more.begin(), more.end());
      }
      at = std::move(next);
    }
    return at;
  }
  Answer EndsNode(const node::CharLimit& e, int start) {
    Answer ends;
    WalkCounted(e, start, [&](int i, const std::vector<Counted>& at) {
      for (const Counted& place : at) {
        const bool fits = place.chars >= e.min && place.chars <= e.max;
        if (fits && DfaOf(e).states[static_cast<std::size_t>(place.state)].accepting) {
          ends.insert(i);
        }
      }
    });
    return ends;
  }
  bool OpenNode(const node::CharLimit& e, int start) {
    return CanEnd(e, WalkCounted(e, start, [](int, const std::vector<Counted>&) {}));
  }

  // Net.
  struct Place {
    int state, position;
    auto operator<=>(const Place&) const = default;
  };
  // States from which accepting ones can be reached.
  std::set<int> Alive(const Network& net) {
    std::set<int> alive(net.accepting.begin(), net.accepting.end());
    for (bool grew = true; grew;) {
      const std::size_t before = alive.size();
      for (const Network::ByteEdge& edge : net.bytes) {
        if (alive.contains(edge.to)) alive.insert(edge.from);
      }
      for (const Network::ExprEdge& edge : net.exprs) {
        if (Spells(edge.expr) && alive.contains(edge.to)) alive.insert(edge.from);
      }
      grew = alive.size() > before;
    }
    return alive;
  }
  std::set<Place> Places(const Network& net, int start) {
    std::set<Place> seen{{0, start}};
    std::vector<Place> todo{{0, start}};
    const auto reach = [&](Place place) {
      if (seen.insert(place).second) todo.push_back(place);
    };
    while (!todo.empty()) {
      const Place at = todo.back();
      todo.pop_back();
      for (const Network::ByteEdge& edge : net.bytes) {
        if (edge.from == at.state && at.position < size_ && edge.first <= symbols_[at.position] &&
            symbols_[at.position] <= edge.last) {
          reach({edge.to, at.position + 1});
        }
      }
      for (const Network::ExprEdge& edge : net.exprs) {
        if (edge.from != at.state) continue;
        for (const int end : Ends(edge.expr, at.position)) reach({edge.to, end});
      }
    }
    return seen;
  }
  bool SpellsNode(const node::Net& e) { return Alive(*e.network).contains(0); }
  Answer EndsNode(const node::Net& e, int start) {
    Answer ends;
    for (const Place& place : Places(*e.network, start)) {
      const std::vector<std::int32_t>& accepting = e.network->accepting;
      if (std::count(accepting.begin(), accepting.end(), place.state)) ends.insert(place.position);
    }
    return ends;
  }
  bool OpenNode(const node::Net& e, int start) {
    const std::set<int> alive = Alive(*e.network);
    for (const Place& place : Places(*e.network, start)) {
      if (place.position == size_ && alive.contains(place.state)) return true;
      for (const Network::ExprEdge& edge : e.network->exprs) {
        if (edge.from == place.state && alive.contains(edge.to) &&
            Open(edge.expr, place.position)) {
          return true;
        }
      }
    }
    return false;
  }

  const Grammar& grammar_;
  const Symbols& symbols_;
  const int size_;
  std::map<Question, Entry> entries_;
  std::deque<Question> queue_;
  std::optional<Question> asking_;
};

}  // namespace

Symbols SymbolsOf(std::string_view text) {
  Symbols symbols;
  for (const char c : text) symbols.push_back(static_cast<unsigned char>(c));
  return symbols;
}

bool IsMember(const Grammar& grammar, const Symbols& symbols) {
  const ExprId body = grammar.rule(grammar.root()).body;
  return Solver(grammar, symbols)
      .Solve({Ask::kEnds, body, 0})
      .contains(static_cast<int>(symbols.size()));
}

bool IsPrefix(const Grammar& grammar, const Symbols& symbols) {
  const ExprId body = grammar.rule(grammar.root()).body;
  return !Solver(grammar, symbols).Solve({Ask::kOpen, body, 0}).empty();
}

bool IsMember(const Grammar& grammar, std::string_view text) {
  return IsMember(grammar, SymbolsOf(text));
}

bool IsPrefix(const Grammar& grammar, std::string_view text) {
  return IsPrefix(grammar, SymbolsOf(text));
}

}  // namespace sglrun::grammar
