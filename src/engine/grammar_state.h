// The state of a sequence in the constraint of its record: which tokens are allowed next, which of
// them end the text, and whether the text so far satisfies the constraint.
//
//   if (state.ready()) state.Start(vocabulary);   // once, before the first token
//   state.mask() ... sample ...
//   state.Accept(token);  state.Prepare();                   // for each token but the last
#pragma once

#include <atomic>
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
    // In the order of preference for a forced end. Stop ids of the request that are ordinary text
    // are treated as text by the constraint.
    std::vector<std::int32_t> model_ends, request_ends;
    grammar::Matcher::FirstSpace first_space = grammar::Matcher::FirstSpace::kKept;
    std::optional<Thinking> thinking = {};  // comes before the constraint begins
    bool shows_specials = false;            // special tokens are part of the text
    // The bytes that all states take together; nullptr: not counted.
    std::shared_ptr<std::atomic<std::int64_t>> all_bytes = {};
  };
  explicit GrammarState(Setup setup) : setup_(std::move(setup)) {}
  ~GrammarState() override { CountBytes(0); }
  GrammarState(const GrammarState&) = delete;
  GrammarState& operator=(const GrammarState&) = delete;

  bool ready() const { return setup_.pending->ready(); }
  void Wait() const { setup_.pending->Wait(); }

  // Requires ready(). Fails with the verdict on the constraint; otherwise computes the first mask.
  std::optional<RecordError> Start(std::shared_ptr<const grammar::Vocabulary> vocabulary);

  enum class Next : std::uint8_t {
    kSeveral,  // several tokens are allowed, possibly including an end
    kOne,      // only only_token() is allowed, and it is not an end
    kEnd,      // the text is complete and nothing can follow
    kNone,     // no token is allowed, or a limit of matching was exceeded: see failure()
  };
  Next next() const { return next_; }
  std::int32_t only_token() const { return only_token_; }
  // A bit for each token that is allowed next, including ends; empty if all are allowed (during
  // reasoning).
  std::span<const std::uint32_t> mask() const {
    return is_free() ? std::span<const std::uint32_t>() : mask_;
  }
  // The end token to use if no other token is allowed; -1 if the model has none.
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

  // The text that must follow ("" if there is a choice), and whether `token` is allowed.
  std::string ForcedText() const { return thinks() ? std::string() : matcher_->ForcedBytes(); }
  bool Takes(std::int32_t token);
  const grammar::Vocabulary& vocabulary() const { return *vocabulary_; }

  // Advances by a drawn token that does not end the text.
  void Accept(std::int32_t token) override;
  // Computes mask() and next() of the current state.
  void Prepare() override;
  bool prepared() const override { return prepared_; }
  void Limit(TokenLimits& limits) const override {
    limits.mask = mask();
    limits.only_ends = next_ == Next::kEnd;
  }
  // No token can follow, which is known without a mask; after Prepare, next() is kEnd or kNone.
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
  void CountBytes(std::int64_t bytes);
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
  std::int64_t counted_bytes_ = 0;  // of setup_.all_bytes
};

}  // namespace sglrun::engine
