#include "grammar/regex/class_parser.h"

#include <vector>

#include "grammar/regex/escape.h"
#include "grammar/regex/fold.h"

namespace sglrun::grammar {
namespace {

class ClassParser {
 public:
  ClassParser(Cursor& cursor, ClassContext context) : cursor_(cursor), context_(context) {}

  Result<CharSet, GrammarError> Parse() {
    const std::size_t begin = cursor_.offset() - 1;
    const bool negated = cursor_.Take('^');
    while (!cursor_.Take(']')) {
      if (cursor_.AtEnd()) return Cursor::Invalid(begin, "\"[\" is not closed");
      SGLRUN_RETURN_IF_ERROR(ParseItem());
    }
    return negated ? Negated() : Plain();
  }

 private:
  // One character, a range, or a class escape.
  Result<void, GrammarError> ParseItem() {
    const std::size_t begin = cursor_.offset();
    SGLRUN_ASSIGN_OR_RETURN(const Escape low, ParseEnd());
    // Between two ends a hyphen means a range; before the bracket it is itself.
    const bool is_range = cursor_.Peek() == '-' && cursor_.Peek(1) != ']';
    if (is_range) cursor_.Skip(1);
    if (!is_range) {
      if (const auto* set = std::get_if<ClassEscape>(&low)) {
        sets_.push_back(*set);
      } else {
        ranges_.push_back({std::get<char32_t>(low), std::get<char32_t>(low)});
      }
      return {};
    }
    if (cursor_.AtEnd()) return {};  // the missing bracket is reported
    SGLRUN_ASSIGN_OR_RETURN(const Escape high, ParseEnd());
    const auto* first = std::get_if<char32_t>(&low);
    const auto* last = std::get_if<char32_t>(&high);
    if (first == nullptr || last == nullptr) {
      return Cursor::Invalid(
          begin, cursor_.From(begin) + " is not a range; a hyphen next to a class must be escaped");
    }
    if (*first > *last) {
      return Cursor::Invalid(begin, "the range " + cursor_.From(begin) + " goes backwards");
    }
    ranges_.push_back({*first, *last});
    return {};
  }

  Result<Escape, GrammarError> ParseEnd() {
    if (IsPosixClass()) {
      return Cursor::Unsupported(cursor_.offset(), "a POSIX class such as [:alpha:]");
    }
    const char32_t c = cursor_.Next();
    if (c != '\\') return Escape{c};
    return ParseEscape(cursor_, {true, context_.ignore_case, context_.wide});
  }

  // "[:" or "[." or "[=", a word, the same sign again and "]".
  bool IsPosixClass() const {
    const char32_t sign = cursor_.Peek(1);
    if (cursor_.Peek() != '[' || (sign != ':' && sign != '.' && sign != '=')) return false;
    std::size_t i = 2;
    while ((cursor_.Peek(i) >= 'a' && cursor_.Peek(i) <= 'z') || cursor_.Peek(i) == '^') ++i;
    return cursor_.Peek(i) == sign && cursor_.Peek(i + 1) == ']';
  }

  // The ranges with their other cases: as many as any engine sees, or as all of them do.
  CharSet Literal(bool widely) const {
    const CharSet literal(ranges_);
    if (!context_.ignore_case) return literal;
    return widely ? FoldWidely(literal) : FoldNarrowly(literal);
  }

  CharSet Plain() const {
    std::vector<CharRange> all;
    const auto add = [&](const CharSet& set) {
      all.insert(all.end(), set.ranges().begin(), set.ranges().end());
    };
    add(Literal(context_.wide));
    for (const ClassEscape& set : sets_) add(*set.inside);
    return CharSet(std::move(all));
  }

  // What none of the items can mean, in any engine; widely, what they need not all mean.
  CharSet Negated() const {
    std::vector<CharRange> excluded;
    const auto add = [&](const CharSet& set) {
      excluded.insert(excluded.end(), set.ranges().begin(), set.ranges().end());
    };
    add(Literal(!context_.wide));
    for (const ClassEscape& set : sets_) add(set.outside->Complement());
    return CharSet(std::move(excluded)).Complement();
  }

  Cursor& cursor_;
  const ClassContext context_;
  std::vector<CharRange> ranges_;
  std::vector<ClassEscape> sets_;
};

}  // namespace

Result<CharSet, GrammarError> ParseClass(Cursor& cursor, ClassContext context) {
  return ClassParser(cursor, context).Parse();
}

}  // namespace sglrun::grammar
