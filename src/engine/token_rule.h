// What limits the next token of a row beside its sampling parameters: a constraint with its
// thinking budget, min_new_tokens, logit_bias. Each is a rule; the draw reads what they say
// together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sglrun::engine {

// What the rules say of the next token. Spans point into the rules.
struct TokenLimits {
  std::span<const std::uint32_t> mask;   // a bit for each token that may come; empty: all may
  std::span<const std::int32_t> banned;  // tokens that may not come
  std::span<const std::pair<std::int32_t, float>> bias;  // added to their logits
  bool only_ends = false;                                // nothing but an end of the text may come
};

class TokenRule {
 public:
  virtual ~TokenRule() = default;
  // Finds what may come next, where that takes work. Rules of different sequences may do so on
  // several threads at once.
  virtual void Prepare() {}
  // Limit() says what holds for the next token.
  virtual bool prepared() const { return true; }
  // Adds what the rule says of the next token to what the rules before it said.
  virtual void Limit(TokenLimits& limits) const = 0;
  // Takes the token that came and did not end the sequence.
  virtual void Accept(std::int32_t token) = 0;
};

// min_new_tokens: no end before so many tokens, unless nothing else may come.
class BannedEnds : public TokenRule {
 public:
  BannedEnds(std::vector<std::int32_t> ends, std::int64_t min_new_tokens)
      : ends_(std::move(ends)), tokens_left_(min_new_tokens) {}
  void Limit(TokenLimits& limits) const override {
    if (tokens_left_ > 0 && !limits.only_ends) limits.banned = ends_;
  }
  void Accept(std::int32_t) override { --tokens_left_; }

 private:
  std::vector<std::int32_t> ends_;
  std::int64_t tokens_left_;
};

// logit_bias, the same for every token. `bias` must outlive the rule.
class LogitBias : public TokenRule {
 public:
  explicit LogitBias(std::span<const std::pair<std::int32_t, float>> bias) : bias_(bias) {}
  void Limit(TokenLimits& limits) const override { limits.bias = bias_; }
  void Accept(std::int32_t) override {}

 private:
  std::span<const std::pair<std::int32_t, float>> bias_;
};

}  // namespace sglrun::engine
