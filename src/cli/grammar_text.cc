#include "cli/grammar_text.h"

#include <chrono>

namespace sglrun::cli {
namespace {

using grammar::Matcher;
using grammar::Vocabulary;

double MicrosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

bool IsSet(const std::vector<std::uint32_t>& mask, std::int32_t id) {
  return (mask[static_cast<std::size_t>(id / 32)] >> (id % 32) & 1) != 0;
}

std::string Spelled(const std::vector<std::int32_t>& ids, const Vocabulary& vocabulary) {
  std::string text;
  for (const std::int32_t id : ids) text += vocabulary.Text(id);
  return text;
}

// Always the longest token that fits; empty when some byte has none.
std::vector<std::int32_t> SpellGreedily(std::string_view text, const Vocabulary& vocabulary) {
  const auto nodes = vocabulary.nodes();
  std::vector<std::int32_t> ids;
  for (std::size_t begin = 0; begin < text.size();) {
    std::int32_t node = 0, best = -1;
    std::size_t best_end = begin;
    for (std::size_t at = begin; at < text.size(); ++at) {
      std::int32_t child = node + 1;
      const std::int32_t end = nodes[static_cast<std::size_t>(node)].subtree_end;
      while (child < end &&
             nodes[static_cast<std::size_t>(child)].byte != static_cast<std::uint8_t>(text[at])) {
        child = nodes[static_cast<std::size_t>(child)].subtree_end;
      }
      if (child >= end) break;
      node = child;
      const std::int32_t first = nodes[static_cast<std::size_t>(node)].first_token;
      if (nodes[static_cast<std::size_t>(node) + 1].first_token > first) {
        best = vocabulary.sorted_ids()[static_cast<std::size_t>(first)];
        best_end = at + 1;
      }
    }
    if (best < 0) return {};
    ids.push_back(best);
    begin = best_end;
  }
  return ids;
}

void CheckMasks(Matcher matcher, const std::string& text, const TokenSide& tokens,
                TextReport& report) {
  const Vocabulary& vocabulary = *tokens.vocabulary;
  const std::vector<std::int32_t> ids = TokensOf(text, tokens);
  report.tokens = static_cast<std::int64_t>(ids.size());
  if (ids.empty() && !text.empty()) return;  // the vocabulary cannot spell it: nothing to compare
  std::vector<std::uint32_t> mask(static_cast<std::size_t>(vocabulary.words_per_mask()));
  const auto fill = [&] {
    const auto start = std::chrono::steady_clock::now();
    matcher.FillMask(mask);
    report.mask_us.push_back(MicrosecondsSince(start));
  };
  report.mask_ok = true;
  std::size_t at = 0;
  for (const std::int32_t id : ids) {
    fill();
    const std::string_view bytes = vocabulary.Text(id);
    Matcher ahead = matcher;
    const bool fits = ahead.AcceptBytes(bytes) == bytes.size();
    if (IsSet(mask, id) != fits) report.mask_ok = false;
    if (!fits) {
      // As bytes the text is a prefix: a bound on tokens stands against it.
      if (report.prefix_ok) report.error_at = at;
      report.prefix_ok = report.accepted = false;
      return;
    }
    at += bytes.size();
    if (!matcher.AcceptToken(id)) {
      report.mask_ok = false;
      return;
    }
  }
  fill();
  if (matcher.IsComplete() != report.accepted) report.mask_ok = false;
}

}  // namespace

TokenSide::TokenSide(std::unique_ptr<tokenizer::Tokenizer> the_tokenizer)
    : tokenizer(std::move(the_tokenizer)),
      vocabulary(std::make_shared<const Vocabulary>(*tokenizer, tokenizer->vocab_size())) {}

std::vector<std::int32_t> TokensOf(const std::string& text, const TokenSide& tokens) {
  const auto ids = tokens.tokenizer->Encode(text, {.add_special_tokens = false});
  if (ids.ok() && Spelled(*ids, *tokens.vocabulary) == text) return *ids;
  return SpellGreedily(text, *tokens.vocabulary);
}

TextReport CheckText(const Matcher& start, const std::string& text, const TokenSide* tokens) {
  TextReport report;
  Matcher matcher = start;
  const std::size_t taken = matcher.AcceptBytes(text);
  report.prefix_ok = taken == text.size();
  if (!report.prefix_ok) report.error_at = taken;
  report.accepted = report.prefix_ok && matcher.IsComplete();
  if (tokens != nullptr) CheckMasks(start, text, *tokens, report);
  return report;
}

}  // namespace sglrun::cli
