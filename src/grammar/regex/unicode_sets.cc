#include "grammar/regex/unicode_sets.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <string>

#include "base/pcre2_ptr.h"
#include "base/utf8.h"
#include "grammar/regex/property_names.h"

namespace sglrun::grammar {
namespace {

PcreCode Compile(const std::string& pattern) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  return PcreCode(pcre2_compile(PcreUnits(pattern), pattern.size(), PCRE2_UTF | PCRE2_DOTALL,
                                &error, &offset, nullptr));
}

std::string AllScalars() {
  std::string out;
  const CharSet all = CharSet::All();
  for (const CharRange& range : all.ranges()) {
    for (char32_t c = range.first; c <= range.last; ++c) AppendUtf8(out, c);
  }
  return out;
}

// Runs of characters that match, in one pass over all characters.
std::shared_ptr<const CharSet> Ask(const std::string& pcre_name) {
  if (pcre_name == "Cs") return std::make_shared<const CharSet>();  // never in UTF-8
  const PcreCode code = Compile("\\p{" + pcre_name + "}+");
  if (code == nullptr) return nullptr;
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  const PcreMatchData data(pcre2_match_data_create(1, nullptr));
  const std::string text = AllScalars();
  std::vector<CharRange> ranges;
  for (std::size_t pos = 0; pos < text.size();) {
    if (pcre2_match(code.get(), PcreUnits(text), text.size(), pos, PCRE2_NO_UTF_CHECK, data.get(),
                    nullptr) < 0) {
      break;
    }
    const PCRE2_SIZE* found = pcre2_get_ovector_pointer(data.get());
    std::size_t first = found[0], last = found[1] - 1;
    while ((static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    pos = found[1];
    const char32_t first_char = DecodeUtf8(text, first);
    ranges.push_back({first_char, DecodeUtf8(text, last)});
  }
  return std::make_shared<const CharSet>(std::move(ranges));
}

// Every character of `text` in upper (\U) or lower (\L) case.
std::u32string ForceCase(const std::string& text, const char* replacement) {
  const PcreCode code = Compile(".");
  std::string out(4 * text.size() + 16, '\0');
  PCRE2_SIZE size = out.size();
  const int count = pcre2_substitute(code.get(), PcreUnits(text), text.size(), 0,
                                     PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_EXTENDED, nullptr,
                                     nullptr, PcreUnits(replacement), PCRE2_ZERO_TERMINATED,
                                     reinterpret_cast<PCRE2_UCHAR*>(out.data()), &size);
  std::u32string chars;
  if (count < 0) return chars;
  for (std::size_t pos = 0; pos < size;) chars += DecodeUtf8({out.data(), size}, pos);
  return chars;
}

// Joins characters that stand for each other.
class Joiner {
 public:
  void Join(char32_t a, char32_t b) { parent_[Root(a)] = Root(b); }

  std::vector<std::vector<char32_t>> Groups() {
    std::map<char32_t, std::vector<char32_t>> by_root;
    for (const auto& [c, parent] : parent_) by_root[Root(c)].push_back(c);
    std::vector<std::vector<char32_t>> groups;
    for (auto& [root, group] : by_root) {
      if (group.size() > 1) groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  char32_t Root(char32_t c) {
    parent_.try_emplace(c, c);
    while (parent_[c] != c) c = parent_[c];
    return c;
  }

  std::map<char32_t, char32_t> parent_;
};

std::vector<std::vector<char32_t>> ComputeCaseGroups() {
  Joiner joiner;
  std::string text;
  std::u32string chars;
  const auto letters = UnicodeProperty("L");
  for (const CharRange& range : letters->ranges()) {
    for (char32_t c = range.first; c <= range.last; ++c) {
      // Ideographs and syllables have no case; leaving them out keeps the table quick to make.
      if ((c >= 0x3400 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7FF) || c >= 0x20000) continue;
      AppendUtf8(text, c);
      chars += c;
    }
  }
  for (const char* replacement : {"\\U$0", "\\L$0"}) {
    const std::u32string other = ForceCase(text, replacement);
    for (std::size_t i = 0; i < std::min(chars.size(), other.size()); ++i) {
      if (other[i] != chars[i]) joiner.Join(chars[i], other[i]);
    }
  }
  // Cased characters that are no letters: Roman numerals, circled letters, the iota below.
  for (char32_t i = 0; i < 16; ++i) joiner.Join(0x2160 + i, 0x2170 + i);
  for (char32_t i = 0; i < 26; ++i) joiner.Join(0x24B6 + i, 0x24D0 + i);
  joiner.Join(0x345, 0x3B9);
  // Python's re also joins these (its table of extra cases, Lib/re/_casefix.py).
  for (const auto& [a, b] : {std::pair{U'i', char32_t{0x130}},
                             {U'i', char32_t{0x131}},
                             {char32_t{0x390}, char32_t{0x1FD3}},
                             {char32_t{0x3B0}, char32_t{0x1FE3}},
                             {char32_t{0xFB05}, char32_t{0xFB06}}}) {
    joiner.Join(a, b);
  }
  return joiner.Groups();
}

}  // namespace

std::shared_ptr<const CharSet> UnicodeProperty(std::string_view name) {
  const std::string pcre_name = PcrePropertyName(name);
  if (pcre_name.empty()) return nullptr;
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const CharSet>, std::less<>> known;
  {
    const std::lock_guard lock(mutex);
    if (const auto at = known.find(pcre_name); at != known.end()) return at->second;
  }
  auto set = Ask(pcre_name);  // outside the lock: a race asks twice and gets the same
  if (set == nullptr) return nullptr;
  const std::lock_guard lock(mutex);
  return known.emplace(pcre_name, std::move(set)).first->second;
}

const std::vector<std::vector<char32_t>>& CaseGroups() {
  static const std::vector<std::vector<char32_t>> groups = ComputeCaseGroups();
  return groups;
}

}  // namespace sglrun::grammar
