#include "text/unicode.h"

#include <algorithm>
#include <bitset>
#include <vector>

#include "base/stop_flag.h"
#include "base/utf8.h"
#include "text/unicode_tables.h"

namespace sglrun::unicode {
namespace {

// Hangul syllables are composed by arithmetic (The Unicode Standard, section 3.12).
constexpr char32_t kSyllableBase = 0xAC00, kLeadBase = 0x1100, kVowelBase = 0x1161,
                   kTrailBase = 0x11A7;
constexpr char32_t kLeadCount = 19, kVowelCount = 21, kTrailCount = 28;
constexpr char32_t kSyllableCount = kLeadCount * kVowelCount * kTrailCount;

// Below these no character changes in the form, so most text needs no work at all.
constexpr char32_t kFirstComposing = 0x300, kFirstCanonical = 0xC0, kFirstCompatible = 0xA0;

bool Contains(std::span<const CodePointRange> ranges, char32_t c) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), c,
                       [](char32_t x, const auto& range) { return x < range.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

int ValueOf(std::span<const ValueRange> table, char32_t c) {
  const auto after = std::upper_bound(
      table.begin(), table.end(), c, [](char32_t x, const auto& range) { return x < range.first; });
  if (after == table.begin() || c > std::prev(after)->last) return 0;
  return std::prev(after)->value;
}

int CombiningClassOf(char32_t c) {
  return c < kFirstComposing ? 0 : ValueOf(kCombiningClasses, c);
}

template <class Row>
const Row* FindRow(std::span<const Row> table, char32_t c) {
  const auto at = std::lower_bound(table.begin(), table.end(), c,
                                   [](const Row& row, char32_t x) { return row.from < x; });
  return at != table.end() && at->from == c ? &*at : nullptr;
}

void Decompose(char32_t c, bool compatible, std::u32string& out) {
  if (c < (compatible ? kFirstCompatible : kFirstCanonical)) {
    out.push_back(c);
    return;
  }
  if (c - kSyllableBase < kSyllableCount) {
    const char32_t index = c - kSyllableBase;
    out.push_back(kLeadBase + index / (kVowelCount * kTrailCount));
    out.push_back(kVowelBase + index / kTrailCount % kVowelCount);
    if (index % kTrailCount != 0) out.push_back(kTrailBase + index % kTrailCount);
    return;
  }
  const Decomposition* row = compatible ? FindRow(kCompatibleDecompositions, c) : nullptr;
  if (row == nullptr) row = FindRow(kCanonicalDecompositions, c);
  if (row == nullptr) {
    out.push_back(c);
  } else {
    out.append(kDecompositionText.data() + row->offset, row->length);
  }
}

// Sorts each run of characters with a non-zero combining class by that class, stably.
void ReorderMarks(std::u32string& text) {
  std::vector<std::pair<int, char32_t>> run;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (CombiningClassOf(text[i]) == 0) continue;
    const std::size_t start = i;
    run.clear();
    for (; i < text.size(); ++i) {
      const int value = CombiningClassOf(text[i]);
      if (value == 0) break;
      run.emplace_back(value, text[i]);
    }
    std::stable_sort(run.begin(), run.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < run.size(); ++k) text[start + k] = run[k].second;
  }
}

// The primary composite of a pair, or 0.
char32_t ComposePair(char32_t first, char32_t second) {
  if (first - kLeadBase < kLeadCount && second - kVowelBase < kVowelCount) {
    return kSyllableBase +
           ((first - kLeadBase) * kVowelCount + (second - kVowelBase)) * kTrailCount;
  }
  if (first - kSyllableBase < kSyllableCount && (first - kSyllableBase) % kTrailCount == 0 &&
      second > kTrailBase && second < kTrailBase + kTrailCount) {
    return first + (second - kTrailBase);
  }
  const auto& table = kCompositions;
  const auto at = std::lower_bound(table.begin(), table.end(), std::pair(first, second),
                                   [](const Composition& row, const auto& key) {
                                     return std::pair(row.first, row.second) < key;
                                   });
  return at != table.end() && at->first == first && at->second == second ? at->composed : 0;
}

// Joins each starter with the following marks that are not blocked (UAX #15, D117).
void Compose(std::u32string& text) {
  std::size_t out = 0;
  std::size_t starter = std::u32string::npos;
  int last_class = 0;
  for (const char32_t c : text) {
    const int value = CombiningClassOf(c);
    const bool adjacent = starter != std::u32string::npos && out == starter + 1;
    if (starter != std::u32string::npos && (adjacent || last_class < value)) {
      const char32_t composed = (c < kFirstComposing) ? 0 : ComposePair(text[starter], c);
      if (composed != 0) {
        text[starter] = composed;
        continue;
      }
    }
    if (value == 0) starter = out;
    last_class = value;
    text[out++] = c;
  }
  text.resize(out);
}

bool AllBelow(std::string_view text, char32_t limit) {
  for (std::size_t pos = 0; pos < text.size();) {
    if (static_cast<unsigned char>(text[pos]) < 0x80) {
      ++pos;
    } else if (DecodeUtf8(text, pos) >= limit) {
      return false;
    }
  }
  return true;
}

std::string ToUtf8(const std::u32string& text) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (const char32_t c : text) AppendUtf8(out, c);
  return out;
}

// Characters that form C may change or join with the preceding text. All others are boundaries: a
// text is in form C if the parts between them are (UAX #15, section 9.1).
class Unstable {
 public:
  Unstable() {
    for (const ValueRange& range : kCombiningClasses) Add(range.first, range.last);
    for (const Decomposition& row : kCanonicalDecompositions) Add(row.from, row.from);
    for (const Composition& row : kCompositions) set_.reset(row.composed);
    for (const Composition& row : kCompositions) Add(row.second, row.second);
    Add(kVowelBase, kVowelBase + kVowelCount - 1);
    Add(kTrailBase + 1, kTrailBase + kTrailCount - 1);
  }
  bool Holds(char32_t c) const { return c >= kEnd || set_[c]; }

 private:
  static constexpr char32_t kEnd = 0x30000;
  void Add(char32_t first, char32_t last) {
    for (char32_t c = first; c <= last && c < kEnd; ++c) set_.set(c);
  }
  std::bitset<kEnd> set_;
};

// Form C for texts in which most characters are stable: only the parts around unstable characters
// are processed.
std::string ToFormC(std::string_view text) {
  static const Unstable kUnstable;
  std::string out;
  out.reserve(text.size());
  std::u32string segment;
  std::size_t done = 0;      // before it, all is in `out`
  std::size_t previous = 0;  // where the last stable character begins
  for (std::size_t pos = 0; pos < text.size() && !StopFlag::requested();) {
    const std::size_t begin = pos;
    const char32_t c = DecodeUtf8(text, pos);
    if (c < kFirstComposing || !kUnstable.Holds(c)) {
      previous = begin;
      continue;
    }
    out.append(text, done, previous - done);
    segment.clear();
    for (done = previous; done < text.size() && !StopFlag::requested();) {
      std::size_t next = done;
      const char32_t character = DecodeUtf8(text, next);
      if (done >= pos && !kUnstable.Holds(character)) break;
      Decompose(character, false, segment);
      done = next;
    }
    ReorderMarks(segment);
    Compose(segment);
    out += ToUtf8(segment);
    pos = previous = done;
  }
  return out.append(text, done);
}

// Walks along a text and determines where it must not break (UAX #29, rules GB3 to GB13). GB9c,
// which keeps Indic conjuncts together, is left out: the callers use graphemes of fewer than six
// bytes only, and two such letters are longer.
class GraphemeState {
 public:
  explicit GraphemeState(char32_t first) { Move(BreakOf(first)); }

  // Moves on to `c` and says whether it belongs to the character before.
  bool Joins(char32_t c) {
    const GraphemeBreak next = BreakOf(c);
    const bool joins = Continues(next);
    Move(next);
    return joins;
  }

 private:
  using enum GraphemeBreak;

  static GraphemeBreak BreakOf(char32_t c) {
    if (c >= 0x20 && c < 0x7F) return kOther;
    return static_cast<GraphemeBreak>(ValueOf(kGraphemeBreaks, c));
  }
  static bool EndsLine(GraphemeBreak value) {
    return value == kCr || value == kLf || value == kControl;
  }
  bool Continues(GraphemeBreak next) const {
    if (last_ == kCr && next == kLf) return true;
    if (EndsLine(last_) || EndsLine(next)) return false;
    if (next == kExtend || next == kZwj || next == kSpacingMark || last_ == kPrepend) return true;
    switch (last_) {
      case kLead:
        return next == kLead || next == kVowel || next == kLeadVowel || next == kLeadVowelTrail;
      case kLeadVowel:
      case kVowel:
        return next == kVowel || next == kTrail;
      case kLeadVowelTrail:
      case kTrail:
        return next == kTrail;
      case kZwj:
        return next == kPictograph && after_pictograph_;
      case kRegionalIndicator:
        return next == kRegionalIndicator && odd_indicators_;
      default:
        return false;
    }
  }
  void Move(GraphemeBreak next) {
    odd_indicators_ = next == kRegionalIndicator && !odd_indicators_;
    if (next != kExtend && next != kZwj) after_pictograph_ = next == kPictograph;
    last_ = next;
  }

  GraphemeBreak last_ = kOther;
  bool odd_indicators_ = false;    // an odd number of regional indicators ends here
  bool after_pictograph_ = false;  // a pictograph precedes the extending characters here
};

}  // namespace

std::string ToNormalForm(std::string_view text, NormalForm form) {
  const bool compatible = form == NormalForm::kNfkc || form == NormalForm::kNfkd;
  const bool composed = form == NormalForm::kNfc || form == NormalForm::kNfkc;
  const char32_t first_changed = compatible                 ? kFirstCompatible
                                 : form == NormalForm::kNfc ? kFirstComposing
                                                            : kFirstCanonical;
  if (AllBelow(text, first_changed)) return std::string(text);
  if (form == NormalForm::kNfc) return ToFormC(text);
  std::u32string characters;
  characters.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size() && !StopFlag::requested();) {
    Decompose(DecodeUtf8(text, pos), compatible, characters);
  }
  ReorderMarks(characters);
  if (composed) Compose(characters);
  return ToUtf8(characters);
}

std::string ToLowerCase(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size() && !StopFlag::requested();) {
    const char32_t c = DecodeUtf8(text, pos);
    if (c < 0x80) {
      out.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c));
    } else if (c == 0x130) {  // the one character whose lower case is two: i and a dot above
      out += "i\xCC\x87";
    } else {
      const CaseMapping* row = FindRow(kLowerCase, c);
      AppendUtf8(out, row != nullptr ? row->to : c);
    }
  }
  return out;
}

std::string RemoveMarks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size() && !StopFlag::requested();) {
    const std::size_t start = pos;
    if (!IsMark(DecodeUtf8(text, pos))) out.append(text.substr(start, pos - start));
  }
  return out;
}

std::size_t EndOfGrapheme(std::string_view text, std::size_t pos) {
  GraphemeState state(DecodeUtf8(text, pos));
  while (pos < text.size()) {
    std::size_t next = pos;
    if (!state.Joins(DecodeUtf8(text, next))) break;
    pos = next;
  }
  return pos;
}

bool IsMark(char32_t c) {
  return c >= kFirstComposing && Contains(kMarks, c);
}

bool IsNonSpacingMark(char32_t c) {
  return c >= kFirstComposing && Contains(kNonSpacingMarks, c);
}

bool IsControl(char32_t c) {
  return c < 0x80 ? c < 0x20 || c == 0x7F : Contains(kControls, c);
}

int ScriptOf(char32_t c) {
  return ValueOf(kScripts, c);
}

bool IsNumber(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  return Contains(kNumbers, c);
}

bool IsPunctuation(char32_t c) {
  if (c < 0x80) {
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
           (c >= 123 && c <= 126);
  }
  return Contains(kPunctuation, c);
}

bool IsWordCharacter(char32_t c) {
  if (c < 0x80) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  return Contains(kWordCharacters, c);
}

bool IsWhitespace(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

}  // namespace sglrun::unicode
