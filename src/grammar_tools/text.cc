#include "grammar_tools/text.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace sglrun::grammar_tools {
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

// Always takes the longest token that matches; empty if no token matches at some byte.
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

// Whether the matcher has exceeded a limit; then there is no verdict on the text.
bool TellsLimit(const Matcher& matcher, std::size_t at, TextReport& report) {
  if (!matcher.failure()) return false;
  report.message = "at byte " + std::to_string(at) + ": " + matcher.failure()->message;
  return true;
}

// Decodes `ids` and computes the mask before each. Reports the verdict of the tokens; if `report`
// already has a verdict from the bytes, only where the tokens are stricter.
void Decode(Matcher matcher, const std::vector<std::int32_t>& ids, const TokenSide& tokens,
            TextReport& report) {
  const Vocabulary& vocabulary = *tokens.vocabulary;
  report.tokens = static_cast<std::int64_t>(ids.size());
  std::vector<std::uint32_t> mask(static_cast<std::size_t>(vocabulary.words_per_mask()));
  const auto fill = [&] {
    const auto start = std::chrono::steady_clock::now();
    matcher.FillMask(mask);
    report.mask_us.push_back(MicrosecondsSince(start));
  };
  const bool by_bytes = report.prefix_ok.has_value();
  bool masks_agree = true;
  std::size_t at = 0;
  for (const std::int32_t id : ids) {
    fill();
    const bool fits = matcher.AcceptToken(id);
    if (TellsLimit(matcher, at, report)) return;
    masks_agree &= IsSet(mask, id) == fits;
    if (!fits) {
      if (!by_bytes || *report.prefix_ok) report.error_at = at;
      report.prefix_ok = report.accepted = false;
      report.mask_ok = masks_agree;
      return;
    }
    at +=
        vocabulary.IsText(id) ? vocabulary.Text(id).size() : tokens.tokenizer->TokenName(id).size();
  }
  fill();
  if (TellsLimit(matcher, at, report)) return;
  if (!by_bytes) {
    report.prefix_ok = true;
    report.accepted = matcher.IsComplete();
  } else {
    masks_agree &= matcher.IsComplete() == *report.accepted;
  }
  report.mask_ok = masks_agree;
}

// Checks the tokens alone, for constraints that the bytes cannot decide.
TextReport CheckTokens(const Matcher& start, const std::string& text, const TokenSide& tokens) {
  TextReport report;
  const std::vector<std::int32_t> ids = TokensWithSpecials(text, tokens);
  // Otherwise the vocabulary cannot spell it: there is nothing to judge.
  if (!ids.empty() || text.empty()) Decode(start, ids, tokens, report);
  return report;
}

}  // namespace

TokenSide::TokenSide(std::unique_ptr<tokenizer::Tokenizer> the_tokenizer)
    : tokenizer(std::move(the_tokenizer)),
      vocabulary(std::make_shared<const Vocabulary>(*tokenizer, tokenizer->vocab_size())) {
  for (std::int32_t id = 0; id < tokenizer->vocab_size(); ++id) {
    if (!vocabulary->IsToken(id) || vocabulary->IsText(id)) continue;
    if (std::string name = tokenizer->TokenName(id); !name.empty()) {
      specials.emplace_back(std::move(name), id);
    }
  }
  std::ranges::stable_sort(
      specials, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::vector<std::int32_t> TokensOf(std::string_view text, const TokenSide& tokens) {
  const auto ids = tokens.tokenizer->Encode(text, {.add_special_tokens = false});
  if (ids.ok() && Spelled(*ids, *tokens.vocabulary) == text) return *ids;
  return SpellGreedily(text, *tokens.vocabulary);
}

std::vector<std::int32_t> TokensWithSpecials(std::string_view text, const TokenSide& tokens) {
  std::vector<std::int32_t> ids;
  std::size_t plain = 0;  // begin of the text since the last special token
  bool spelled = true;
  const auto flush = [&](std::size_t end) {
    const std::vector<std::int32_t> words = TokensOf(text.substr(plain, end - plain), tokens);
    spelled = spelled && (end == plain || !words.empty());
    ids.insert(ids.end(), words.begin(), words.end());
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto special = std::ranges::find_if(
        tokens.specials, [&](const auto& one) { return text.substr(at).starts_with(one.first); });
    if (special == tokens.specials.end()) {
      ++at;
      continue;
    }
    flush(at);
    ids.push_back(special->second);
    plain = at += special->first.size();
  }
  flush(text.size());
  return spelled ? ids : std::vector<std::int32_t>();
}

TextReport CheckText(const std::shared_ptr<const grammar::CompiledGrammar>& grammar,
                     const Matcher& start, const std::string& text, const TokenSide* tokens) {
  if (grammar->names_tokens()) {
    return tokens == nullptr ? TextReport{} : CheckTokens(start, text, *tokens);
  }
  TextReport report;
  Matcher matcher = start;
  const std::size_t taken = matcher.AcceptBytes(text);
  if (!TellsLimit(matcher, taken, report)) {
    report.prefix_ok = taken == text.size();
    if (!*report.prefix_ok) report.error_at = taken;
    report.accepted = *report.prefix_ok && matcher.IsComplete();
  }
  if (tokens == nullptr) return report;
  const std::vector<std::int32_t> ids = TokensOf(text, *tokens);
  // Otherwise the vocabulary cannot spell it: there is nothing to compare.
  if (ids.empty() && !text.empty()) return report;
  report.message.clear();  // the limits that count are those of tokens
  Decode(start, ids, *tokens, report);
  return report;
}

std::string LimitOfBytes(const grammar::CompiledGrammar& grammar) {
  if (grammar.names_tokens()) {
    return "the constraint names tokens: texts cannot be judged without --tokenizer";
  }
  if (grammar.counts_tokens()) {
    return "the constraint bounds tokens (max_tokens), which are not counted without --tokenizer";
  }
  return "";
}

}  // namespace sglrun::grammar_tools
