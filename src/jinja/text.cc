#include "jinja/text.h"

#include <algorithm>

#include "jinja/characters.h"

namespace sglrun::jinja {
namespace {

void AddRange(std::vector<TextRange>& ranges, TextRange range) {
  if (range.begin == range.end) return;
  if (!ranges.empty() && ranges.back().end == range.begin) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

// The parts of `ranges` in [begin, end), relative to `begin` and shifted by `offset`.
void AddRanges(std::vector<TextRange>& out, const std::vector<TextRange>& ranges, std::size_t begin,
               std::size_t end, std::size_t offset) {
  auto range = std::partition_point(ranges.begin(), ranges.end(),
                                    [&](const TextRange& one) { return one.end <= begin; });
  for (; range != ranges.end() && range->begin < end; ++range) {
    Meter::Bytes(sizeof(TextRange));
    const std::size_t first = std::max(range->begin, begin);
    const std::size_t last = std::min(range->end, end);
    AddRange(out, {first - begin + offset, last - begin + offset});
  }
}

std::vector<TextRange> Whole(const std::string& text) {
  if (text.empty()) return {};
  return {{0, text.size()}};
}

Value MakeString(std::string text, std::vector<TextRange> user, bool markup) {
  return {Kind::kString, MakeRef<String>(std::move(text), std::move(user), markup)};
}

}  // namespace

void TextBuilder::MakeRoom(std::size_t more) {
  Meter::Bytes(8 + more);
  Meter::NeedText(more);
  Meter::NeedText(text_.size() + more);
  held_.Grow(more);
}

void TextBuilder::Append(std::string_view text) {
  MakeRoom(text.size());
  text_ += text;
}

void TextBuilder::Append(const String& text, std::size_t begin, std::size_t end) {
  MakeRoom(end - begin);
  const std::size_t ranges = user_.size();
  AddRanges(user_, text.user, begin, end, text_.size());
  held_.Grow((user_.size() - ranges) * sizeof(TextRange));
  text_.append(text.text, begin, end - begin);
}

void TextBuilder::AppendDerived(std::string_view text, const String& source) {
  MakeRoom(text.size() + sizeof(TextRange));
  if (!source.user.empty()) AddRange(user_, {text_.size(), text_.size() + text.size()});
  text_ += text;
}

void TextBuilder::Fill(std::string_view text, std::int64_t times) {
  if (times <= 0 || text.empty()) return;
  const auto count = static_cast<std::size_t>(times);
  Meter::NeedText(count);
  MakeRoom(count * text.size());
  if (text.size() == 1) {
    text_.append(count, text[0]);
  } else {
    for (std::size_t i = 0; i < count; ++i) text_ += text;
  }
}

Value TextBuilder::Build(bool markup) {
  held_.Release();
  return MakeString(std::exchange(text_, {}), std::exchange(user_, {}), markup);
}

Value Part(const String& text, std::size_t begin, std::size_t end, bool markup) {
  std::vector<TextRange> user;
  AddRanges(user, text.user, begin, end, 0);
  return MakeString(text.text.substr(begin, end - begin), std::move(user), markup);
}

Value Derived(std::string text, const String& source) {
  std::vector<TextRange> user;
  if (!source.user.empty()) user = Whole(text);
  return MakeString(std::move(text), std::move(user), source.markup);
}

Value WithMarkup(const Value& text, bool markup) {
  if (text.str().markup == markup) return text;
  return MakeString(text.text(), text.str().user, markup);
}

std::vector<Value> Characters(const String& text) {
  Meter::NeedItems(text.length);
  std::vector<Value> characters;
  characters.reserve(text.length);
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t begin = at;
    NextCharacter(text.text, at);
    characters.push_back(Part(text, begin, at));
  }
  return characters;
}

Value EscapeHtml(const Value& value) {
  const String& text = value.str();
  if (text.markup) return value;
  Meter::Characters(text.text.size());
  TextBuilder out;
  std::size_t done = 0;
  while (true) {
    const std::size_t next = text.text.find_first_of("<>&'\"", done);
    const std::size_t end = std::min(next, text.text.size());
    out.Append(text, done, end);
    if (end == text.text.size()) break;
    const char c = text.text[end];
    out.AppendDerived(c == '<'    ? "&lt;"
                      : c == '>'  ? "&gt;"
                      : c == '&'  ? "&amp;"
                      : c == '\'' ? "&#39;"
                                  : "&#34;",
                      text);
    done = end + 1;
  }
  return out.Build(true);
}

}  // namespace sglrun::jinja
