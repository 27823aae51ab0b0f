#include "engine/stop_pattern_tree.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace sglrun::engine {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsOctal(char c) {
  return c >= '0' && c <= '7';
}
bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

StopNode AssertionNode(StopAssertion assertion) {
  return {.kind = StopNode::Kind::kAssertion, .assertion = assertion};
}

StopNode Repeat(StopNode part, std::uint32_t least, std::uint32_t most) {
  StopNode node{.kind = StopNode::Kind::kRepeat, .least = least, .most = most};
  node.parts.push_back(std::move(part));
  return node;
}

class StopPatternReader {
 public:
  explicit StopPatternReader(std::string_view pattern) : pattern_(pattern) {}

  std::optional<StopTree> Read() {
    tree_.root = Choice();
    if (foreign_ || !AtEnd()) return std::nullopt;
    return std::move(tree_);
  }

 private:
  struct Flags {
    bool caseless = false, multiline = false, dot_all = false;
  };

  bool AtEnd() const { return at_ >= pattern_.size(); }
  // '\0' past the end.
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool Take(std::string_view text) {
    if (!pattern_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  // Abandons the pattern: moves to its end, so that all readers stop.
  StopNode Foreign() {
    foreign_ = true;
    at_ = pattern_.size();
    return {};
  }

  StopNode Atom(StopAtom atom) {
    const auto found = std::ranges::find(tree_.atoms, atom);
    const auto index = static_cast<std::size_t>(found - tree_.atoms.begin());
    if (found == tree_.atoms.end()) tree_.atoms.push_back(std::move(atom));
    return {.kind = StopNode::Kind::kAtom, .atom = index};
  }
  StopNode AtomOf(std::string_view pattern) {
    return Atom({.pattern = (flags_.caseless ? "(?i)" : "") + std::string(pattern)});
  }
  StopNode Literal() {
    const std::size_t begin = at_;
    const char32_t character = DecodeUtf8(pattern_, at_);
    const bool has_case = IsLetter(pattern_[begin]) || character >= 0x80;
    if (!flags_.caseless || !has_case) return Atom({.literal = character});
    return AtomOf(pattern_.substr(begin, at_ - begin));
  }

  StopNode Choice() {
    StopNode choice{.kind = StopNode::Kind::kChoice};
    do {
      choice.parts.push_back(Sequence());
    } while (Take("|"));
    return choice;
  }

  StopNode Sequence() {
    StopNode sequence;
    while (!AtEnd() && Peek() != '|' && Peek() != ')') {
      if (TakeFlagsUpTo(')')) continue;
      sequence.parts.push_back(Repeated(Item()));
    }
    return sequence;
  }

  StopNode Item() {
    switch (Peek()) {
      case '(':
        return Group();
      case '[':
        return Class();
      case '\\':
        return Escape();
      case '^':
        ++at_;
        return AssertionNode(flags_.multiline ? StopAssertion::kLineStart
                                              : StopAssertion::kTextStart);
      case '$':
        ++at_;
        return AssertionNode(flags_.multiline ? StopAssertion::kLineEnd : StopAssertion::kTextEnd);
      case '.':
        ++at_;
        return AtomOf(flags_.dot_all ? "(?s)." : ".");
      case '{':
        return MayBeQuantifier() ? Foreign() : Literal();
      default:
        return Literal();
    }
  }

  // Some releases read {,3} and { 1, 3 } as quantifiers, others as text.
  bool MayBeQuantifier() const {
    const char next = Peek(1);
    return IsDigit(next) || next == ',' || next == ' ' || next == '\t';
  }

  // The item with the quantifiers that follow it.
  StopNode Repeated(StopNode item) {
    while (true) {
      std::uint32_t least = 0, most = StopNode::kNoEnd;
      if (Take("?")) {
        most = 1;
      } else if (Take("+")) {
        least = 1;
      } else if (!Take("*")) {
        if (Peek() != '{' || !MayBeQuantifier()) return item;
        if (!TakeCount(least, most)) return Foreign();
      }
      if (Peek() == '+') return Foreign();  // possessive
      Take("?");                            // whether a match exists does not depend on laziness
      item = Repeat(std::move(item), least, most);
    }
  }

  // {3}, {3,} or {3,5}
  bool TakeCount(std::uint32_t& least, std::uint32_t& most) {
    ++at_;
    if (!TakeNumber(least)) return false;
    most = least;
    if (Take(",")) {
      most = StopNode::kNoEnd;
      if (IsDigit(Peek()) && !TakeNumber(most)) return false;
    }
    return Take("}");
  }
  bool TakeNumber(std::uint32_t& number) {
    constexpr std::uint32_t kMost = 65535;
    if (!IsDigit(Peek())) return false;
    for (number = 0; IsDigit(Peek()) && number <= kMost; ++at_) {
      number = number * 10 + static_cast<std::uint32_t>(Peek() - '0');
    }
    return number <= kMost;
  }

  StopNode Group() {
    const Flags outside = flags_;
    if (!TakeGroupHead()) return Foreign();
    StopNode inside = Choice();
    if (!Take(")")) return Foreign();
    flags_ = outside;
    return inside;
  }

  // Whether a plain non-capturing or capturing group begins here.
  bool TakeGroupHead() {
    if (Take("(?:")) return true;
    if (Take("(?P<")) return TakeName('>');
    if (Peek(1) == '?' && Peek(2) == '<' && Peek(3) != '=' && Peek(3) != '!') {
      at_ += 3;
      return TakeName('>');
    }
    if (Take("(?'")) return TakeName('\'');
    if (Peek(1) == '?') return TakeFlagsUpTo(':');
    return Peek(1) != '*' && Take("(");
  }
  bool TakeName(char end) {
    const std::size_t found = pattern_.find(end, at_);
    if (found == std::string_view::npos) return false;
    at_ = found + 1;
    return true;
  }

  // "(?i-s)" or "(?i-s:". Other flags than these change how the pattern itself is read.
  bool TakeFlagsUpTo(char end) {
    if (Peek() != '(' || Peek(1) != '?') return false;
    Flags flags = flags_;
    bool on = true;
    std::size_t ahead = 2;
    for (; Peek(ahead) != end; ++ahead) {
      const char flag = Peek(ahead);
      if (flag == '^' && ahead == 2) {
        flags = {};
      } else if (flag == '-') {
        on = false;
      } else if (flag == 'i') {
        flags.caseless = on;
      } else if (flag == 'm') {
        flags.multiline = on;
      } else if (flag == 's') {
        flags.dot_all = on;
      } else if (flag != 'n') {
        return false;
      }
    }
    flags_ = flags;
    at_ += ahead + 1;
    return true;
  }

  StopNode Class() {
    const std::size_t begin = at_++;
    Take("^");
    Take("]");  // in the first place it is a member
    while (!AtEnd() && Peek() != ']') {
      if (Peek() == '\\') {
        if (Peek(1) == 'Q' || Peek(1) == 'E' || Peek(1) == 'c') return Foreign();
        at_ += 2;
      } else if (Peek() == '[' && (Peek(1) == ':' || Peek(1) == '.' || Peek(1) == '=')) {
        if (!TakePosixName()) return Foreign();
      } else {
        ++at_;
      }
    }
    if (!Take("]")) return Foreign();
    return AtomOf(pattern_.substr(begin, at_ - begin));
  }
  // "[:alpha:]", "[:^alpha:]"
  bool TakePosixName() {
    if (!Take("[:")) return false;
    Take("^");
    while (IsLetter(Peek())) ++at_;
    return Take(":]");
  }

  StopNode Escape() {
    const char letter = Peek(1);
    switch (letter) {
      case 'A':
        return Place(StopAssertion::kTextStart);
      case 'Z':
        return Place(StopAssertion::kTextEnd);
      case 'z':
        return Place(StopAssertion::kVeryEnd);
      case 'b':
        return Place(StopAssertion::kWordBoundary);
      case 'B':
        return Place(StopAssertion::kNoWordBoundary);
      default:
        break;
    }
    if (const std::size_t size = EscapeSize(letter); size > 0) {
      at_ += size;
      return AtomOf(pattern_.substr(at_ - size, size));
    }
    if (IsLetter(letter) || IsDigit(letter) || at_ + 1 >= pattern_.size()) return Foreign();
    ++at_;
    return Literal();
  }
  StopNode Place(StopAssertion assertion) {
    at_ += 2;
    return AssertionNode(assertion);
  }

  // Bytes of an escape that stands for one character, 0 where it does not or may not.
  std::size_t EscapeSize(char letter) const {
    constexpr std::string_view kPlain = "dDhHsSvVwWaefnrt";
    if (kPlain.find(letter) != std::string_view::npos) return 2;
    const std::size_t braced = BracedSize();
    if (letter == 'N') return Peek(2) == '{' ? 0 : 2;
    if (letter == 'o') return braced;
    if (letter == 'p' || letter == 'P') return Peek(2) == '{' ? braced : 3;
    if (letter == 'x') return Peek(2) == '{' ? braced : 2 + Run(2, 2, IsHex);
    if (letter == '0') return 2 + Run(2, 2, IsOctal);
    return 0;
  }
  std::size_t BracedSize() const {
    if (Peek(2) != '{') return 0;
    const std::size_t end = pattern_.find('}', at_ + 2);
    return end == std::string_view::npos ? 0 : end + 1 - at_;
  }
  template <class Is>
  std::size_t Run(std::size_t ahead, std::size_t most, Is is) const {
    std::size_t count = 0;
    while (count < most && is(Peek(ahead + count))) ++count;
    return count;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  Flags flags_;
  bool foreign_ = false;
  StopTree tree_;
};

}  // namespace

std::optional<StopTree> ReadStopPattern(std::string_view pattern) {
  return StopPatternReader(pattern).Read();
}

}  // namespace sglrun::engine
