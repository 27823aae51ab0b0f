#include "engine/jump_forward.h"

#include <algorithm>
#include <string>

#include "base/utf8.h"

namespace sglrun::engine {
namespace {

// Tokens before the forced text that are tokenized again with it, to see where it begins.
constexpr std::size_t kContextTokens = 5;

// Whether a token begins with `text` and is longer.
bool SomeTokenGoesBeyond(const grammar::Vocabulary& vocabulary, std::string_view text) {
  const auto nodes = vocabulary.nodes();
  std::int32_t at = 0;
  for (const char c : text) {
    const std::int32_t end = nodes[static_cast<std::size_t>(at)].subtree_end;
    std::int32_t child = at + 1;
    while (child < end &&
           nodes[static_cast<std::size_t>(child)].byte != static_cast<std::uint8_t>(c)) {
      child = nodes[static_cast<std::size_t>(child)].subtree_end;
    }
    if (child >= end) return false;
    at = child;
  }
  return nodes[static_cast<std::size_t>(at)].subtree_end > at + 1;
}

// The last place in `text` at which a token boundary is final: a later token may become longer with
// the text that follows.
std::size_t SettledBytes(const grammar::Vocabulary& vocabulary, std::string_view text) {
  const auto longest = static_cast<std::size_t>(vocabulary.longest_text());
  std::size_t at = text.size() > longest ? text.size() - longest : 0;
  while (at < text.size() && !SomeTokenGoesBeyond(vocabulary, text.substr(at))) ++at;
  return at;
}

// The text of the last tokens, as far back as they are text and whole characters.
std::string ContextOf(const grammar::Vocabulary& vocabulary, std::span<const std::int32_t> before) {
  before = before.last(std::min(before.size(), kContextTokens));
  for (; !before.empty(); before = before.subspan(1)) {
    std::string text;
    bool is_text = true;
    for (const std::int32_t token : before) {
      is_text &= vocabulary.IsText(token);
      text += vocabulary.Text(token);
    }
    if (is_text && IsValidUtf8(text)) return text;
  }
  return "";
}

}  // namespace

std::vector<std::int32_t> TokensOfForcedText(const tokenizer::Tokenizer& tokenizer,
                                             const grammar::Vocabulary& vocabulary,
                                             std::span<const std::int32_t> before,
                                             std::string_view forced) {
  const std::string context = ContextOf(vocabulary, before);
  std::string text = context + std::string(forced);
  text.resize(text.size() - IncompleteUtf8Suffix(text));
  if (!IsValidUtf8(text) || text.size() <= context.size()) return {};
  const auto ids = tokenizer.Encode(text, {.add_special_tokens = false});
  if (!ids.ok()) return {};
  std::string spelled;
  for (const std::int32_t id : *ids) spelled += vocabulary.Text(id);
  // Some tokenizers put a blank before every text.
  const bool has_blank = spelled.size() == text.size() + 1 && spelled.front() == ' ';
  if (!spelled.ends_with(text) || (spelled.size() != text.size() && !has_blank)) return {};
  const std::size_t blank = has_blank ? 1 : 0;
  const std::size_t begin = context.empty() ? 0 : context.size() + blank;
  const std::size_t settled = SettledBytes(vocabulary, text) + blank;
  std::vector<std::int32_t> tokens;
  std::size_t at = 0;
  bool begins_here = begin == 0;
  for (const std::int32_t id : *ids) {
    const std::size_t end = at + vocabulary.Text(id).size();
    if (end > settled) break;
    if (at >= begin && begins_here) tokens.push_back(id);
    begins_here |= end == begin;
    at = end;
  }
  return tokens;
}

std::int64_t JumpForward(Sequence& sequence, const tokenizer::Tokenizer& tokenizer) {
  const GrammarState& grammar = *sequence.grammar();
  const std::string forced = grammar.ForcedText();
  if (forced.size() < 2) return 0;  // the decoding of a byte depends on the next one
  const auto thoughts = static_cast<std::size_t>(grammar.thinking_tokens());
  std::int64_t count = 0;
  for (const std::int32_t token : TokensOfForcedText(
           tokenizer, grammar.vocabulary(), sequence.generated().subspan(thoughts), forced)) {
    if (!sequence.AppendForced(token)) break;
    ++count;
  }
  if (count > 0) sequence.grammar()->Prepare();
  return count;
}

}  // namespace sglrun::engine
