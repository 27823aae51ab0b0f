#include "tokenizer/regex_tree.h"

#include <algorithm>
#include <utility>

namespace sglrun::tokenizer {
namespace {

constexpr int kMaxTreeDepth = 32;
constexpr int kMaxAtoms = 256;    // of a pattern; each costs microseconds
constexpr int kMaxRepeats = 100;  // of "x{n,m}", written out

bool MayBeEmpty(const RegexNode& node) {
  using enum RegexNode::Kind;
  const auto& children = node.children;
  switch (node.kind) {
    case kSet:
      return false;
    case kNotAhead:
      return true;
    case kSequence:
      return std::all_of(children.begin(), children.end(), MayBeEmpty);
    case kChoice:
      return std::any_of(children.begin(), children.end(), MayBeEmpty);
    case kRepeat:
      return node.min == 0 || MayBeEmpty(children[0]);
  }
  return true;
}

class TreeParser {
 public:
  TreeParser(std::string_view pattern, const AsciiSetOf& set_of)
      : pattern_(pattern), set_of_(set_of) {}

  std::optional<RegexNode> Run() {
    std::optional<RegexNode> tree = Choice(0, false);
    if (pos_ != pattern_.size()) return std::nullopt;
    return tree;
  }

 private:
  bool At(std::string_view text) const { return pattern_.substr(pos_).starts_with(text); }
  bool Take(std::string_view text) {
    if (!At(text)) return false;
    pos_ += text.size();
    return true;
  }

  std::optional<RegexNode> Choice(int depth, bool caseless) {
    if (depth > kMaxTreeDepth) return std::nullopt;
    RegexNode choice{.kind = RegexNode::Kind::kChoice};
    do {
      std::optional<RegexNode> sequence = Sequence(depth, caseless);
      if (!sequence) return std::nullopt;
      choice.children.push_back(std::move(*sequence));
    } while (Take("|"));
    return choice;
  }

  std::optional<RegexNode> Sequence(int depth, bool caseless) {
    RegexNode sequence;
    while (pos_ < pattern_.size() && !At("|") && !At(")")) {
      std::optional<RegexNode> item = At("(") ? Group(depth, caseless) : Atom(caseless);
      if (item) item = Repeats(std::move(*item));
      if (!item) return std::nullopt;
      sequence.children.push_back(std::move(*item));
    }
    return sequence;
  }

  std::optional<RegexNode> Group(int depth, bool caseless) {
    if (Take("(?!")) {
      std::optional<RegexNode> atom = Atom(caseless);
      if (!atom || !Take(")")) return std::nullopt;
      atom->kind = RegexNode::Kind::kNotAhead;
      return atom;
    }
    if (Take("(?i:")) {
      caseless = true;
    } else if (!Take("(?:")) {
      ++pos_;
      if (At("?") || At("*")) return std::nullopt;
    }
    std::optional<RegexNode> inside = Choice(depth + 1, caseless);
    if (!Take(")")) return std::nullopt;
    return inside;
  }

  // What PCRE2 reads as one character: asked by the name that the pattern gives it.
  std::optional<RegexNode> Atom(bool caseless) {
    const std::size_t begin = pos_;
    if (++atoms_ > kMaxAtoms || begin >= pattern_.size() || !(At("[") ? Class() : Character())) {
      return std::nullopt;
    }
    const std::optional<AsciiSet> set = set_of_(pattern_.substr(begin, pos_ - begin), caseless);
    if (!set) return std::nullopt;
    return RegexNode{.kind = RegexNode::Kind::kSet, .set = *set};
  }

  bool Character() {
    const char c = pattern_[pos_];
    if (c == '\\') return Escape("pPdDrntfx");
    if (std::string_view("^$*+?{}()|").find(c) != std::string_view::npos) return false;
    ++pos_;
    while (pos_ < pattern_.size() && (static_cast<unsigned char>(pattern_[pos_]) & 0xC0) == 0x80) {
      ++pos_;
    }
    return true;
  }

  bool Class() {
    ++pos_;
    Take("^");
    if (At("]")) ++pos_;
    while (pos_ < pattern_.size() && !At("]")) {
      if (At("\\")) {
        if (!Escape("pPdDsSrntfx")) return false;
      } else if (At("[:")) {
        pos_ = std::min(pattern_.find(":]", pos_), pattern_.size() - 2) + 2;
      } else {
        ++pos_;
      }
    }
    return Take("]");
  }

  // `letters`: those that may stand after the backslash. Others mean more than a character.
  bool Escape(std::string_view letters) {
    if (++pos_ >= pattern_.size()) return false;
    const char c = pattern_[pos_];
    const bool sign = c >= ' ' && c < 0x7F && !IsAlphanumeric(c);
    if (!sign && letters.find(c) == std::string_view::npos) return false;
    ++pos_;
    if (c == 'x' && !At("{")) {
      for (int digits = 0; digits < 2 && pos_ < pattern_.size() && IsHex(pattern_[pos_]); ++digits)
        ++pos_;
      return true;
    }
    if (c == 'x' || c == 'p' || c == 'P') {
      if (!At("{")) return ++pos_ <= pattern_.size();
      const std::size_t end = pattern_.find('}', pos_);
      if (end == std::string_view::npos) return false;
      pos_ = end + 1;
    }
    return true;
  }

  static bool IsHex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
  static bool IsAlphanumeric(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  // The repeats after an item.
  std::optional<RegexNode> Repeats(RegexNode item) {
    RegexNode repeat{.kind = RegexNode::Kind::kRepeat};
    if (Take("?")) {
      repeat.max = 1;
    } else if (Take("+")) {
      repeat.min = 1;
    } else if (At("{")) {
      if (!Counts(repeat)) return std::nullopt;
    } else if (!Take("*")) {
      return item;
    }
    repeat.lazy = Take("?");
    if (At("+") || At("*") || At("?") || At("{")) return std::nullopt;
    if (MayBeEmpty(item)) return std::nullopt;
    repeat.children.push_back(std::move(item));
    return repeat;
  }

  // {2}, {2,} or {2,3}.
  bool Counts(RegexNode& repeat) {
    Take("{");
    const std::optional<int> min = Number();
    if (!min) return false;
    repeat.min = *min;
    repeat.max = *min;
    if (Take(",")) {
      repeat.max = RegexNode::kUnbounded;
      if (!At("}")) {
        const std::optional<int> max = Number();
        if (!max) return false;
        repeat.max = *max;
      }
    }
    return Take("}");
  }

  std::optional<int> Number() {
    int value = 0;
    const std::size_t begin = pos_;
    for (; pos_ < pattern_.size() && pattern_[pos_] >= '0' && pattern_[pos_] <= '9'; ++pos_) {
      value = 10 * value + (pattern_[pos_] - '0');
      if (value > kMaxRepeats) return std::nullopt;
    }
    return pos_ == begin ? std::nullopt : std::optional<int>(value);
  }

  std::string_view pattern_;
  const AsciiSetOf& set_of_;
  std::size_t pos_ = 0;
  int atoms_ = 0;
};

}  // namespace

std::optional<RegexNode> ParseRegexTree(std::string_view pattern, const AsciiSetOf& set_of) {
  return TreeParser(pattern, set_of).Run();
}

}  // namespace sglrun::tokenizer
