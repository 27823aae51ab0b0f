// Where a sequence stands in the constraint of its record: which tokens may come next, which of
// them end the text, and whether what is there is a member.
//
//   if (state.ready()) state.Start(vocabulary);   // once, before the first token
//   state.mask() ... sample ...
//   state.Accept(token);  state.Prepare();                   // for each token but the last
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/thinking.h"
#include "engine/token_rule.h"
#include "grammar/compile/constraint.h"
#include "grammar/matcher/matcher.h"
#include "request/constraint.h"
#include "request/generate_result.h"
#include "request/record_error.h"

namespace sglrun::engine {

// The error of a record whose constraint cannot be used.
RecordError RefusedConstraint(ConstraintKind kind, const grammar::GrammarError& error);

class GrammarState : public TokenRule {
 public:
  struct Setup {
    ConstraintKind kind = ConstraintKind::kRegex;
    std::shared_ptr<const grammar::PendingConstraint> pending;
    // In the order in which a forced end chooses among them. Stop ids of the request that are
    // ordinary text stay ordinary text: the constraint allows or forbids them as such.
    std::vector<std::int32_t> model_ends, request_ends;
    grammar::Matcher::FirstSpace first_space = grammar::Matcher::FirstSpace::kKept;
    std::optional<Thinking> thinking = {};  // comes before the constraint begins
    bool shows_specials = false;            // special tokens are part of the text
  };
  explicit GrammarState(Setup setup) : setup_(std::move(setup)) {}

  bool ready() const { return setup_.pending->ready(); }
  void Wait() const { setup_.pending->Wait(); }

  // ready(). Fails with the verdict on the constraint; else the first mask is there.
  std::optional<RecordError> Start(std::shared_ptr<const grammar::Vocabulary> vocabulary);

  enum class Next : std::uint8_t {
    kSeveral,  // there is a choice, an end may be among it
    kOne,      // only_token() and nothing else, no end
    kEnd,      // the text is complete and nothing can follow
    kNone,     // a dead end of the vocabulary, or a limit of matching: failure() tells
  };
  Next next() const { return next_; }
  std::int32_t only_token() const { return only_token_; }
  // A bit for each token that may come next, ends included; empty where any may (thinking).
  std::span<const std::uint32_t> mask() const {
    return is_free() ? std::span<const std::uint32_t>() : mask_;
  }
  // The token to end with where nothing else may come; -1 when the model has none.
  std::int32_t forced_end() const { return ends_.empty() ? -1 : ends_.front(); }

  // The token, drawn now, ends the text: it is an end and the text is complete.
  bool Ends(std::int32_t token) const;
  // The text so far is a member.
  bool complete() const { return matcher_ && !thinks() && matcher_->IsComplete(); }
  // `text` as a whole is a member.
  bool IsMember(std::string_view text) const;

  // The constraint has not begun.
  bool thinks() const { return setup_.thinking && !setup_.thinking->over(); }
  // Tokens that came before it began.
  std::int64_t thinking_tokens() const { return setup_.thinking ? setup_.thinking->taken() : 0; }

  // The text that must come next, "" when there is a choice, and whether `token` may.
  std::string ForcedText() const { return thinks() ? std::string() : matcher_->ForcedBytes(); }
  bool Takes(std::int32_t token);
  const grammar::Vocabulary& vocabulary() const { return *vocabulary_; }

  // Moves on by a drawn token that does not end the text.
  void Accept(std::int32_t token) override;
  // Finds mask() and next() of the place it stands at.
  void Prepare() override;
  bool prepared() const override { return prepared_; }
  void Limit(TokenLimits& limits) const override {
    limits.mask = mask();
    limits.only_ends = next_ == Next::kEnd;
  }
  // Nothing can follow, which is known without a mask; next() is kEnd or kNone once prepared.
  bool IsAtEnd() const { return !thinks() && !matcher_->CanContinue(); }

  // Why there is no next token; `place` says where: "output token 7".
  RecordError failure(const std::string& place) const;
  const grammar::GrammarReport& report() const { return setup_.pending->outcome()->report; }

 private:
  bool is_free() const { return thinks() && setup_.thinking->forced() < 0; }
  void Think(std::int32_t token);
  void PrepareThinking();
  void AllowEnds();
  void CountAllowed();
  void SetBit(std::int32_t token, bool value);
  bool Bit(std::int32_t token) const;

  Setup setup_;
  std::shared_ptr<const grammar::Vocabulary> vocabulary_;
  std::optional<grammar::Matcher> matcher_;
  std::vector<std::int32_t> ends_;  // tokens of the vocabulary that end a complete text
  std::vector<std::uint32_t> mask_;
  bool prepared_ = false;
  Next next_ = Next::kSeveral;
  std::int32_t only_token_ = -1;
};

}  // namespace sglrun::engine
