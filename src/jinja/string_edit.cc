// Code shared by methods and filters on texts.
#include "jinja/characters.h"
#include "jinja/methods.h"
#include "jinja/string_search.h"
#include "jinja/text.h"
#include "jinja/text_search.h"

namespace sglrun::jinja {

bool IsAllCase(std::string_view text, bool upper) {
  bool cased = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = NextCharacter(text, at);
    if (IsIn(upper ? kLowercase : kUppercase, c) || IsIn(kTitlecase, c)) return false;
    cased = cased || IsIn(upper ? kUppercase : kLowercase, c);
  }
  return cased;
}

Value Center(const Value& text, std::int64_t width, std::string_view fill, char align) {
  TextBuilder out;
  const auto length = static_cast<std::int64_t>(text.str().length);
  const std::int64_t missing = width > length ? width - length : 0;
  // str.center puts the odd blank on the left when the width is odd too.
  const std::int64_t left = align == '>'   ? missing
                            : align == '<' ? 0
                                           : missing / 2 + (missing & width & 1);
  out.Fill(fill, left);
  out.Append(text.str());
  out.Fill(fill, missing - left);
  return out.Build(text.str().markup);
}

Try<Value> StripText(const Value& value, const Value& characters, bool left, bool right) {
  const String& text = value.str();
  std::size_t begin = 0, end = text.text.size();
  if (characters.missing() || characters.is(Kind::kNone)) {
    if (left) begin = LeadingSpace(text.text);
    if (right) end -= TrailingSpace(std::string_view(text.text).substr(begin));
    return Part(text, begin, end, text.markup);
  }
  if (!characters.is_string()) {
    return TypeFault("strip arg must be None or str");
  }
  const std::string& set = characters.text();
  const auto strips = [&](std::size_t from, std::size_t to) {
    const std::string_view c = std::string_view(text.text).substr(from, to - from);
    return FindFirst(set, c) != TextSearch::kNone;
  };
  while (left && begin < end) {
    std::size_t next = begin;
    NextCharacter(text.text, next);
    if (!strips(begin, next)) break;
    begin = next;
  }
  while (right && end > begin) {
    const std::size_t previous = PreviousCharacter(text.text, end);
    if (!strips(previous, end)) break;
    end = previous;
  }
  return Part(text, begin, end, text.markup);
}

Value ReplaceText(const Value& value, const Value& from, const Value& to, std::int64_t count) {
  const String& text = value.str();
  const std::string& old = from.text();
  TextBuilder out;
  std::size_t done = 0;
  if (old.empty()) {
    // Between all characters, and at both ends.
    for (std::size_t at = 0; count != 0; --count) {
      out.Append(to.str());
      done = at;
      if (at == text.text.size()) break;
      NextCharacter(text.text, at);
      out.Append(text, done, at);
      done = at;
    }
  } else {
    TextSearch search(old);
    for (; count != 0; --count) {
      const std::size_t found = search.First(text.text, done);
      if (found == TextSearch::kNone) break;
      out.Append(text, done, found);
      out.Append(to.str());
      done = found + old.size();
    }
  }
  out.Append(text, done, text.text.size());
  return out.Build(text.markup);
}

std::vector<Value> SplitLines(const String& text, bool keep_ends) {
  std::vector<Value> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t end = at;
    const char32_t c = NextCharacter(text.text, at);
    if (!IsLineBreak(c)) continue;
    if (c == '\r' && at < text.text.size() && text.text[at] == '\n') ++at;
    lines.push_back(Part(text, begin, keep_ends ? at : end, text.markup));
    begin = at;
  }
  if (begin < text.text.size()) lines.push_back(Part(text, begin, text.text.size(), text.markup));
  return lines;
}

Value JoinTexts(const Value& separator, const std::vector<Value>& parts) {
  TextBuilder out;
  bool first = true;
  for (const Value& part : parts) {
    if (!first) out.Append(separator.str());
    first = false;
    out.Append(part.str());
  }
  return out.Build(separator.str().markup);
}

}  // namespace sglrun::jinja
