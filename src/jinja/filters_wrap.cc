// The filter wordwrap: Python's textwrap with the settings of jinja2 (white space is kept as it is
// inside a line and dropped where lines break).
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "jinja/attributes.h"
#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/filter_functions.h"
#include "jinja/methods.h"
#include "jinja/operators.h"
#include "jinja/repr.h"
#include "jinja/text.h"

namespace sglrun::jinja {
namespace {

// A character, and a chunk of one character.
constexpr std::size_t kScratchPerCharacter = 24;

using Line = std::u32string;
using Chunk = std::u32string_view;

// textwrap knows the white space of ASCII only.
bool IsWrapSpace(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool IsLetter(char32_t c) {
  return IsWordCharacter(c) && !IsIn(kDecimals, c);
}

// After these characters, hyphens form a dash between words.
bool MayStandBeforeDash(char32_t c) {
  return IsWordCharacter(c) || std::u32string_view(U"!\"'&.,?").find(c) != Chunk::npos;
}

// Splits a line into parts after which it may be broken: words, parts of hyphenated words, dashes,
// white space.
class Chunker {
 public:
  Chunker(const Line& line, bool break_on_hyphens) : line_(line), hyphens_(break_on_hyphens) {}

  std::vector<Chunk> Chunks() const {
    std::vector<Chunk> chunks;
    for (std::size_t begin = 0; begin < line_.size();) {
      const std::size_t end = EndOf(begin);
      chunks.push_back(Chunk(line_).substr(begin, end - begin));
      begin = end;
    }
    return chunks;
  }

 private:
  std::size_t EndOf(std::size_t begin) const {
    std::size_t end = begin;
    if (IsWrapSpace(line_[begin])) {
      while (end < line_.size() && IsWrapSpace(line_[end])) ++end;
      return end;
    }
    if (hyphens_ && DashAt(begin)) return line_.find_first_not_of(U'-', begin);
    for (end = begin + 1; end < line_.size() && !IsWrapSpace(line_[end]); ++end) {
      if (!hyphens_) continue;
      if (HyphenAt(end)) return end + 1;
      if (DashAt(end)) return end;
    }
    return end;
  }

  char32_t At(std::size_t place) const { return place < line_.size() ? line_[place] : U'\0'; }
  // Of the characters before `place`, the one `back` places away.
  bool LetterBefore(std::size_t place, std::size_t back) const {
    return place >= back && IsLetter(line_[place - back]);
  }

  // Two or more dashes between words.
  bool DashAt(std::size_t place) const {
    if (place == 0 || line_[place] != '-' || !MayStandBeforeDash(line_[place - 1])) return false;
    const std::size_t end = line_.find_first_not_of(U'-', place);
    return end != Line::npos && end - place >= 2 && IsWordCharacter(line_[end]);
  }

  // A hyphen inside a word, with letters on both sides.
  bool HyphenAt(std::size_t place) const {
    if (line_[place] != '-') return false;
    const bool behind_word = LetterBefore(place, 1) && LetterBefore(place, 2);
    const bool behind_part =
        LetterBefore(place, 3) && line_[place - 2] == '-' && MayStandBeforeDash(line_[place - 1]);
    if (!behind_word && !behind_part) return false;
    const char32_t next = At(place + 1), second = At(place + 2);
    return IsLetter(next) && (IsLetter(second) || (second == '-' && IsLetter(At(place + 3))));
  }

  const Line& line_;
  bool hyphens_;
};

struct WrapOptions {
  std::size_t width = 79;
  bool break_long_words = true;
  bool break_on_hyphens = true;
};

bool IsBlank(Chunk chunk) {
  return std::ranges::all_of(chunk, IsSpace);
}

// Takes the part of a chunk that fits, if the chunk is longer than a line.
Chunk TakeLongWord(Chunk& chunk, std::size_t room, const WrapOptions& options) {
  std::size_t end = std::min(room, chunk.size());
  if (options.break_on_hyphens && chunk.size() > room) {
    const std::size_t hyphen = chunk.substr(0, room).rfind(U'-');
    const bool cuts = hyphen != Chunk::npos && hyphen > 0 &&
                      chunk.substr(0, hyphen).find_first_not_of(U'-') != Chunk::npos;
    if (cuts) end = hyphen + 1;
  }
  const Chunk taken = chunk.substr(0, end);
  chunk.remove_prefix(end);
  return taken;
}

// Appends the lines that a line becomes.
void WrapLine(const Line& line, const WrapOptions& options, std::vector<Line>& out) {
  std::vector<Chunk> chunks = Chunker(line, options.break_on_hyphens).Chunks();
  bool any_line = false;
  for (std::size_t next = 0; next < chunks.size();) {
    if (any_line && IsBlank(chunks[next])) ++next;
    std::vector<Chunk> row;
    std::size_t size = 0;
    for (; next < chunks.size() && size + chunks[next].size() <= options.width; ++next) {
      row.push_back(chunks[next]);
      size += chunks[next].size();
    }
    if (next < chunks.size() && chunks[next].size() > options.width) {
      if (options.break_long_words) {
        row.push_back(TakeLongWord(chunks[next], options.width - size, options));
      } else if (row.empty()) {
        row.push_back(chunks[next++]);
      }
    }
    if (!row.empty() && IsBlank(row.back())) row.pop_back();
    if (row.empty()) continue;
    any_line = true;
    Line& joined = out.emplace_back();
    for (const Chunk chunk : row) joined += chunk;
  }
}

Line ToLine(std::string_view text) {
  Line line;
  for (std::size_t at = 0; at < text.size();) line.push_back(NextCharacter(text, at));
  return line;
}

Try<WrapOptions> ReadWrapOptions(const std::vector<Value>& bound) {
  WrapOptions options;
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t width, IntArgument(bound[0], 79));
  if (width <= 0) {
    return ValueFault("invalid width " + std::to_string(width) + " (must be > 0)");
  }
  options.width = static_cast<std::size_t>(width);
  options.break_long_words = bound[1].missing() || Truth(bound[1]);
  options.break_on_hyphens = bound[3].missing() || Truth(bound[3]);
  return options;
}

Fault NoSuchAttribute(const Value& value, const char* name) {
  if (value.is_undefined()) return value.undefined().ToFault();
  return {FaultKind::kRuntime, "'" + TypeName(value) + "' object has no attribute '" + name + "'"};
}

Try<Value> WordWrap(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(
      const std::vector<Value> bound,
      Bind("do_wordwrap", {"width", "break_long_words", "wrapstring", "break_on_hyphens"}, 0,
           std::move(args)));
  if (!input.is_string()) return NoSuchAttribute(input, "splitlines");
  const bool has_separator = !bound[2].missing() && !bound[2].is(Kind::kNone);
  const Value separator = has_separator ? bound[2] : Value::Str("\n");
  if (!separator.is_string()) return NoSuchAttribute(separator, "join");
  std::vector<Value> paragraphs;
  for (const Value& line : SplitLines(input.str(), false)) {
    SGLRUN_ASSIGN_OR_RETURN(const WrapOptions options, ReadWrapOptions(bound));
    const Held scratch(line.str().length * kScratchPerCharacter);
    Meter::Step(1 + line.str().length / 2);
    std::vector<Line> wrapped;
    WrapLine(ToLine(line.text()), options, wrapped);
    std::vector<Value> lines;
    for (const Line& one : wrapped) {
      std::string text;
      for (const char32_t c : one) AppendUtf8(text, c);
      lines.push_back(Derived(std::move(text), line.str()));
    }
    Value paragraph = JoinTexts(separator, lines);
    paragraphs.push_back(std::move(paragraph));
  }
  return JoinTexts(separator, paragraphs);
}

constexpr std::array kWrapEntries = {FilterEntry{"wordwrap", WordWrap}};

}  // namespace

const std::span<const FilterEntry> kWrapFilters = kWrapEntries;

}  // namespace sglrun::jinja
