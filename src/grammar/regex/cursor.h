// Reads a pattern character by character, and words errors with their place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "grammar/base/grammar_error.h"

namespace sglrun::grammar {

class Cursor {
 public:
  explicit Cursor(std::u32string text) : text_(std::move(text)) {}

  static constexpr char32_t kEnd = 0xFFFFFFFF;

  std::size_t offset() const { return offset_; }
  bool AtEnd() const { return offset_ == text_.size(); }
  char32_t Peek(std::size_t ahead = 0) const {
    return ahead < text_.size() - offset_ ? text_[offset_ + ahead] : kEnd;
  }
  bool StartsWith(std::u32string_view prefix) const {
    return std::u32string_view(text_).substr(offset_).substr(0, prefix.size()) == prefix;
  }
  char32_t Next() { return text_[offset_++]; }
  void Skip(std::size_t count) { offset_ += count; }
  bool Take(char32_t c) {
    if (Peek() != c) return false;
    ++offset_;
    return true;
  }

  std::string From(std::size_t begin) const {  // the text up to here, as UTF-8
    std::string out;
    for (std::size_t i = begin; i < offset_; ++i) AppendUtf8(out, text_[i]);
    return out;
  }

  static GrammarError Error(Verdict verdict, std::size_t offset, const std::string& what) {
    return {verdict, "regex, at character " + std::to_string(offset) + ": " + what};
  }
  static GrammarError Invalid(std::size_t offset, const std::string& what) {
    return Error(Verdict::kInvalid, offset, what);
  }
  static GrammarError Unsupported(std::size_t offset, const std::string& what) {
    return Error(Verdict::kUnsupported, offset, what + " cannot be enforced");
  }

 private:
  std::u32string text_;
  std::size_t offset_ = 0;
};

}  // namespace sglrun::grammar
