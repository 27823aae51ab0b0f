#include "tokenizer/jinja/text.h"

#include <algorithm>

#include "base/utf8.h"
#include "tokenizer/jinja/runtime.h"

namespace sglrun::tokenizer::jinja {
namespace {

void AddRange(std::vector<TextRange>& ranges, TextRange range) {
  if (range.begin == range.end) return;
  if (!ranges.empty() && ranges.back().end == range.begin) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

// What of `ranges` lies in [begin, end), as seen from `begin`, moved by `offset`.
void AddRanges(std::vector<TextRange>& out, const std::vector<TextRange>& ranges, std::size_t begin,
               std::size_t end, std::size_t offset) {
  for (const TextRange& range : ranges) {
    const std::size_t first = std::max(range.begin, begin);
    const std::size_t last = std::min(range.end, end);
    if (first < last) AddRange(out, {first - begin + offset, last - begin + offset});
  }
}

}  // namespace

bool TextBuilder::Fits(std::size_t more) {
  overflow_ = overflow_ || more > kMaxTextBytes || text_.size() + more > kMaxTextBytes;
  return !overflow_;
}

void TextBuilder::Append(std::string_view text) {
  if (Fits(text.size())) text_ += text;
}

void TextBuilder::Append(const String& text, std::size_t begin, std::size_t end) {
  if (!Fits(end - begin)) return;
  AddRanges(user_, text.user, begin, end, text_.size());
  text_.append(text.text, begin, end - begin);
}

void TextBuilder::AppendDerived(std::string_view text, const String& source) {
  if (!Fits(text.size())) return;
  if (!source.user.empty()) AddRange(user_, {text_.size(), text_.size() + text.size()});
  text_ += text;
}

void TextBuilder::Fill(std::string_view text, std::int64_t times) {
  if (times <= 0 || text.empty()) return;
  if (static_cast<std::uint64_t>(times) > kMaxTextBytes / text.size()) {
    overflow_ = true;
    return;
  }
  const auto count = static_cast<std::size_t>(times);
  if (!Fits(count * text.size())) return;
  if (text.size() == 1) {
    text_.append(count, text[0]);
  } else {
    for (std::size_t i = 0; i < count; ++i) text_ += text;
  }
}

Try<void> TextBuilder::Check() const {
  if (!overflow_) return {};
  return LimitFault("a text is longer than " + std::to_string(kMaxTextBytes) + " bytes");
}

Try<Value> TextBuilder::Build(bool markup) {
  SGLRUN_RETURN_IF_ERROR(Check());
  auto text = MakeRef<String>(std::move(text_));
  text->user = std::move(user_);
  text->markup = markup;
  return Value(Kind::kString, text);
}

Value Part(const String& text, std::size_t begin, std::size_t end, bool markup) {
  auto part = MakeRef<String>(text.text.substr(begin, end - begin));
  AddRanges(part->user, text.user, begin, end, 0);
  part->markup = markup;
  return {Kind::kString, part};
}

Value Derived(std::string text, const String& source) {
  auto derived = MakeRef<String>(std::move(text));
  if (!source.user.empty()) AddRange(derived->user, {0, derived->text.size()});
  derived->markup = source.markup;
  return {Kind::kString, derived};
}

Value WithMarkup(const Value& text, bool markup) {
  if (text.str().markup == markup) return text;
  return Part(text.str(), 0, text.text().size(), markup);
}

std::size_t ByteOffset(const String& text, std::size_t index) {
  if (text.ascii()) return index;
  std::size_t at = 0;
  for (; index > 0; --index) DecodeUtf8(text.text, at);
  return at;
}

Try<std::vector<Value>> Characters(const String& text) {
  if (text.length > kMaxItems) {
    return LimitFault("a list has more than " + std::to_string(kMaxItems) + " items");
  }
  std::vector<Value> characters;
  characters.reserve(text.length);
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t begin = at;
    DecodeUtf8(text.text, at);
    characters.push_back(Part(text, begin, at));
  }
  return characters;
}

Try<Value> EscapeHtml(const Value& value) {
  const String& text = value.str();
  if (text.markup) return value;
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

}  // namespace sglrun::tokenizer::jinja
