// From characters to bytes: every edge of a character automaton becomes the byte strings that spell
// its characters. Characters are spelled without prefixes of each other, so the result stays
// deterministic; the states within a spelling are shared by their contents.
#include <algorithm>
#include <array>
#include <utility>

#include "grammar/automaton/dfa.h"
#include "grammar/automaton/sequence_pool.h"
#include "grammar/automaton/work.h"

namespace sglrun::grammar {
namespace {

struct ByteRange {
  std::uint8_t first = 0;
  std::uint8_t last = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// A byte string with a choice at each place.
struct Spelling {
  std::array<ByteRange, 6> bytes;
  std::size_t size = 0;

  void Append(int first, int last) {
    bytes[size++] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last)};
  }
};

// Bytes of one length: two characters of the same length whose ranges agree place by place.
Spelling Utf8OfBlock(char32_t first, char32_t last) {
  Spelling out;
  const auto put = [&](int shift, unsigned mask, unsigned mark) {
    out.Append(static_cast<int>(mark | (first >> shift & mask)),
               static_cast<int>(mark | (last >> shift & mask)));
  };
  if (last < 0x80) {
    put(0, 0x7F, 0);
    return out;
  }
  if (last < 0x800) {
    put(6, 0x1F, 0xC0);
  } else {
    if (last < 0x10000) {
      put(12, 0x0F, 0xE0);
    } else {
      put(18, 0x07, 0xF0);
      put(12, 0x3F, 0x80);
    }
    put(6, 0x3F, 0x80);
  }
  put(0, 0x3F, 0x80);
  return out;
}

// Calls `emit` with blocks that cover [first, last]: within a block the places of the UTF-8 bytes
// vary independently of each other. Each cut makes one end round, so the depth is below ten.
template <class Emit>
void ForUtf8(char32_t first, char32_t last, const Emit& emit) {
  const auto cut_before = [&](char32_t middle) {
    ForUtf8(first, middle - 1, emit);
    ForUtf8(middle, last, emit);
  };
  for (const char32_t longer : {0x80, 0x800, 0x10000}) {
    if (first < longer && longer <= last) return cut_before(longer);
  }
  if (last < 0x80) return emit(Utf8OfBlock(first, last));
  for (int bits = 6; bits <= 18; bits += 6) {
    const char32_t low = (char32_t{1} << bits) - 1;
    if ((first & ~low) == (last & ~low)) break;
    if ((first & low) != 0) return cut_before((first | low) + 1);
    if ((last & low) != low) return cut_before(last & ~low);
  }
  emit(Utf8OfBlock(first, last));
}

// The letter of the short escape of a character, 0 when it has none or needs none.
char ShortEscape(char32_t c) {
  switch (c) {
    case '"':
    case '\\':
      return static_cast<char>(c);
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

template <class Emit>
void EmitControlEscape(char32_t c, const Emit& emit) {
  constexpr std::string_view kLower = "0123456789abcdef", kUpper = "0123456789ABCDEF";
  const std::size_t digit = c & 0xF;
  for (const auto digits : {kLower, kUpper}) {
    if (digits == kUpper && digit < 10) break;
    Spelling out;
    for (const char byte : {'\\', 'u', '0', '0', c < 0x10 ? '0' : '1', digits[digit]}) {
      out.Append(byte, byte);
    }
    emit(out);
  }
}

template <class Emit>
void ForJsonString(char32_t first, char32_t last, const Emit& emit) {
  char32_t raw_from = first;  // raw characters wait until one that must be escaped
  const auto flush_before = [&](char32_t c) {
    if (raw_from < c) ForUtf8(raw_from, c - 1, emit);
    raw_from = c + 1;
  };
  for (char32_t c = first; c <= std::min<char32_t>(last, '\\'); ++c) {
    if (const char letter = ShortEscape(c); letter != 0) {
      flush_before(c);
      Spelling out;
      out.Append('\\', '\\');
      out.Append(letter, letter);
      emit(out);
    } else if (c < 0x20) {
      flush_before(c);
      EmitControlEscape(c, emit);
    }
  }
  flush_before(last + 1);
}

// The spellings that leave one state, as a tree.
class Tree {
 public:
  Tree() : nodes_(1) {}

  void Insert(const Spelling& spelling, std::int32_t target) {
    std::size_t node = 0;
    for (std::size_t i = 0; i + 1 < spelling.size; ++i) node = Child(node, spelling.bytes[i]);
    const ByteRange last = spelling.bytes[spelling.size - 1];
    nodes_[node].push_back({last, kLeaf, target});
  }

  // The root's edges; inner nodes get the numbers `base` + their place in `pool`.
  std::vector<Dfa::Edge> Flatten(SequencePool& pool, std::int32_t base) {
    return Edges(0, pool, base);
  }

 private:
  static constexpr std::size_t kLeaf = 0;  // the root is nobody's child

  struct Edge {
    ByteRange bytes;
    std::size_t child = kLeaf;
    std::int32_t target = 0;  // of a leaf
  };

  std::size_t Child(std::size_t node, ByteRange bytes) {
    for (auto edge = nodes_[node].rbegin(); edge != nodes_[node].rend(); ++edge) {
      if (edge->bytes == bytes && edge->child != kLeaf) return edge->child;
    }
    nodes_[node].push_back({bytes, nodes_.size()});
    nodes_.emplace_back();
    return nodes_.size() - 1;
  }

  // As deep as the longest spelling: six.
  std::vector<Dfa::Edge> Edges(std::size_t node, SequencePool& pool, std::int32_t base) {
    std::vector<Dfa::Edge> out;
    for (const Edge& edge : nodes_[node]) {
      const std::int32_t target =
          edge.child == kLeaf ? edge.target : base + Share(edge.child, pool, base);
      out.push_back({edge.bytes.first, edge.bytes.last, target});
    }
    std::ranges::sort(out, {}, &Dfa::Edge::first);
    return out;
  }

  std::int32_t Share(std::size_t node, SequencePool& pool, std::int32_t base) {
    std::vector<std::int32_t> content;
    for (const Dfa::Edge& edge : Edges(node, pool, base)) {
      content.insert(content.end(), {static_cast<std::int32_t>(edge.first),
                                     static_cast<std::int32_t>(edge.last), edge.target});
    }
    return pool.Intern(content);
  }

  std::vector<std::vector<Edge>> nodes_;
};

// `spell(first, last, emit)` calls emit with the spellings of a range of characters.
template <class Spell>
DfaResult SpellOut(const Dfa& chars, Budget& budget, const Spell& spell) {
  Work work(budget, "the bytes of a text");
  const auto base = static_cast<std::int32_t>(chars.states.size());
  SequencePool pool;
  Dfa out;
  out.states.reserve(chars.states.size());
  for (const Dfa::State& state : chars.states) {
    Tree tree;
    for (const Dfa::Edge& edge : state.edges) {
      spell(edge.first, edge.last, [&](const Spelling& s) { tree.Insert(s, edge.target); });
      if (!work.Step()) return work.error();
    }
    out.states.push_back({tree.Flatten(pool, base), state.accepting});
    if (!work.HasRoomFor(out.states.size() + static_cast<std::size_t>(pool.size())) ||
        !work.HasMemoryFor(pool.numbers())) {
      return work.error();
    }
  }
  for (std::int32_t node = 0; node < pool.size(); ++node) {
    const auto content = pool[node];
    Dfa::State& state = out.states.emplace_back();
    for (std::size_t i = 0; i < content.size(); i += 3) {
      state.edges.push_back({static_cast<std::uint32_t>(content[i]),
                             static_cast<std::uint32_t>(content[i + 1]), content[i + 2]});
    }
  }
  return Minimize(out, budget);
}

}  // namespace

DfaResult ToUtf8(const Dfa& chars, Budget& budget) {
  return SpellOut(chars, budget, [](char32_t first, char32_t last, const auto& emit) {
    ForUtf8(first, last, emit);
  });
}

DfaResult ToJsonString(const Dfa& chars, Budget& budget) {
  return SpellOut(chars, budget, [](char32_t first, char32_t last, const auto& emit) {
    ForJsonString(first, last, emit);
  });
}

}  // namespace sglrun::grammar
