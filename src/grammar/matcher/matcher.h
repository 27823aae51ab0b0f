// The parse state of one text in a grammar, and the tokens that are allowed next. Owned by one
// thread. Copies are independent, which allows trying a continuation.
//
//   Matcher m(compiled, vocabulary);
//   m.FillMask(mask);            // before sampling
//   m.AcceptToken(id);           // after
//   if (m.IsComplete()) ...      // an end token is allowed here
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "grammar/ir/vocabulary.h"
#include "grammar/matcher/compiled_grammar.h"

namespace sglrun::grammar {

class Matcher {
 public:
  // kDropped: the text begins with the first token and the detokenizer takes a leading space from
  // it (Tokenizer::StripsLeadingSpace, and no text of the prompt before it).
  enum class FirstSpace : std::uint8_t { kKept, kDropped };
  Matcher(std::shared_ptr<const CompiledGrammar> grammar,
          std::shared_ptr<const Vocabulary> vocabulary, FirstSpace first_space = FirstSpace::kKept);
  ~Matcher();
  Matcher(const Matcher&);
  Matcher& operator=(const Matcher&);
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  // The text so far (empty at first) is a complete member: end tokens are allowed.
  bool IsComplete() const;
  // Some byte or token can still follow.
  bool CanContinue() const;
  // kTooLarge once a frontier, the memory, or the work of a token or of the whole text passed its
  // limit; nothing is accepted then. It depends on the grammar and the tokens alone.
  const std::optional<GrammarError>& failure() const;

  // Advances by bytes; the number taken before the first that no member has there. When that is
  // less than bytes.size(), the state is that after the accepted ones.
  std::size_t AcceptBytes(std::string_view bytes);
  // Advances by one token, as text or as a token element; false (and no change) when neither fits.
  bool AcceptToken(std::int32_t id);
  // Whether AcceptToken would.
  bool Takes(std::int32_t id);

  // Sets bit id % 32 of word id / 32 for each id that may come next, end tokens apart; all other
  // bits are cleared. words.size() == vocabulary.words_per_mask().
  enum class Mask : std::uint8_t { kSome, kNone, kAllText };
  Mask FillMask(std::span<std::uint32_t> words);
  // The same, by trying every token: the oracle of the tests and of --random-masks. Nullopt where
  // that passes a limit, which a mask need not: `words` is no measure of it then.
  std::optional<Mask> FillMaskSlowly(std::span<std::uint32_t> words) const;

  // The longest text that must come next, whatever is chosen; "" when there is a choice or the text
  // may end here.
  std::string ForcedBytes() const;

  // Its memory, without the grammar, which is shared.
  std::size_t MemoryBytes() const;
  // The work so far, counting masks as if none had been cached; Limits bounds it.
  std::int64_t steps() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sglrun::grammar
