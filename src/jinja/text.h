// Builds texts from parts. Each part keeps its origin: the template, or data of the user. A text
// that becomes too long ends the rendering (meter.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jinja/meter.h"
#include "jinja/value.h"

namespace sglrun::jinja {

class TextBuilder {
 public:
  void Append(std::string_view text);
  void Append(const String& text) { Append(text, 0, text.text.size()); }
  void Append(const String& text, std::size_t begin, std::size_t end);
  // `text` derived from `source` (a case mapping, an escape): it is user text if any part of
  // `source` is.
  void AppendDerived(std::string_view text, const String& source);
  void Fill(std::string_view text, std::int64_t times);

  std::size_t size() const { return text_.size(); }
  const std::string& text() const { return text_; }
  // The builder is empty afterwards.
  Value Build(bool markup = false);

 private:
  void MakeRoom(std::size_t more);

  std::string text_;
  std::vector<TextRange> user_;
  Held held_;
};

// Bytes [begin, end) of a text.
Value Part(const String& text, std::size_t begin, std::size_t end, bool markup = false);
// `text` derived from `source`, which it replaces.
Value Derived(std::string text, const String& source);
// The same text, marked as escaped or not.
Value WithMarkup(const Value& text, bool markup);
std::vector<Value> Characters(const String& text);

// A text that is already escaped.
inline bool IsMarkup(const Value& value) {
  return value.is_string() && value.str().markup;
}
// <, >, &, ' and " as HTML writes them, in a text that was not escaped before.
Value EscapeHtml(const Value& text);

}  // namespace sglrun::jinja
