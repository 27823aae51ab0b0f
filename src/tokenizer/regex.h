// Regular expressions of tokenizer files. They are written for Oniguruma and run by PCRE2 here;
// regex_dialect.h describes the translation. Only regex.cc uses PCRE2.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/regex_tree.h"

namespace sglrun::tokenizer {

struct Match {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Regex {
 public:
  static Result<Regex> Compile(std::string_view pattern);
  static Result<Regex> CompileLiteral(std::string_view text);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  // Appends all matches from left to right, not overlapping. An empty match directly after another
  // match is not counted. `text` must be valid UTF-8. Fails when a matching limit is exhausted, and
  // never gives a part of the matches.
  Status FindAll(std::string_view text, std::vector<Match>& out) const;
  // The same for several texts, which share the objects of the search.
  class Search;

 private:
  struct Code;
  explicit Regex(std::unique_ptr<Code> code);
  // `before`: PCRE2's own items before the pattern.
  static Result<Regex> CompileWith(std::string_view pattern, unsigned options,
                                   std::string_view before = "");
  static std::optional<AsciiSet> AsciiSetOfAtom(std::string_view atom, unsigned options);

  std::unique_ptr<Code> code_;
};

class Regex::Search {
 public:
  explicit Search(const Regex& regex);  // `regex` must live as long
  ~Search();
  Status FindAll(std::string_view text, std::vector<Match>& out);

 private:
  class Pass;
  std::unique_ptr<Pass> pass_;
};

// Every match replaced by `content`, which is taken literally.
Status ReplaceAll(const Regex& regex, std::string_view content, std::string& text);

}  // namespace sglrun::tokenizer
