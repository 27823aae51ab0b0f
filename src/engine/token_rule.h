// Limits of the next token of a row, in addition to its sampling parameters: a constraint with its
// thinking budget, min_new_tokens, logit_bias. Each is a rule; the draw uses their combination.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sglrun::engine {

// The combined limits of the next token. Spans point into the rules.
struct TokenLimits {
  std::span<const std::uint32_t> mask;   // a bit for each allowed token; empty: all are allowed
  std::span<const std::int32_t> banned;  // tokens that may not come
  std::span<const std::pair<std::int32_t, float>> bias;  // added to their logits
  bool only_ends = false;                                // only an end token is allowed
};

class TokenRule {
 public:
  virtual ~TokenRule() = default;
  // Computes the allowed tokens, if that takes work. Rules of different sequences may do this on
  // several threads at once.
  virtual void Prepare() {}
  // Limit() applies to the next token.
  virtual bool prepared() const { return true; }
  // Adds the limits of this rule to those of the previous rules.
  virtual void Limit(TokenLimits& limits) const = 0;
  // Accepts the generated token, which did not end the sequence.
  virtual void Accept(std::int32_t token) = 0;
};

// min_new_tokens: no end token before this number of tokens, unless no other token is allowed.
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
