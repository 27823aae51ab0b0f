#include "chat/prompt_encoder.h"

#include <algorithm>
#include <utility>

#include "engine/stop_criteria.h"

namespace sglrun::chat {
namespace {

using chat_template::ChatPrompt;
using tokenizer::TokenId;

// The text alone is one token, and it does not include blanks of the following text.
bool CanStandInFront(const tokenizer::Tokenizer& tokenizer, const std::string& token) {
  if (token.empty()) return false;
  const auto alone = tokenizer.Encode(token, {.add_special_tokens = false});
  const auto followed = tokenizer.Encode(token + "\n ", {.add_special_tokens = false});
  return alone.ok() && followed.ok() && alone->size() == 1 && followed->size() > 1 &&
         followed->front() == alone->front();
}

std::string FindAnchor(const tokenizer::Tokenizer& tokenizer) {
  for (const auto& id : {tokenizer.eos_id(), tokenizer.bos_id()}) {
    if (!id) continue;
    const std::string token = tokenizer.TokenName(*id);
    if (CanStandInFront(tokenizer, token)) return token;
  }
  return "";
}

// The ranges after the first `bytes` of a text, shifted for a text with `before` bytes in their
// place.
std::vector<TextRange> Moved(const std::vector<TextRange>& ranges, std::size_t bytes,
                             std::size_t before) {
  std::vector<TextRange> moved;
  for (const TextRange& range : ranges) {
    if (range.end <= bytes) continue;
    moved.push_back({std::max(range.begin, bytes) - bytes + before, range.end - bytes + before});
  }
  return moved;
}

}  // namespace

PromptEncoder::PromptEncoder(const tokenizer::Tokenizer& tokenizer, bool plain_content)
    : tokenizer_(tokenizer), plain_content_(plain_content), anchor_(FindAnchor(tokenizer)) {}

Result<PromptEncoder::Encoded> PromptEncoder::Encode(
    const ChatPrompt& prompt, const std::vector<ChatMessage>& messages) const {
  Beginning beginning = FindBeginning(prompt.text, messages);
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<TokenId> rest, EncodeBehind(prompt, beginning.bytes));
  Encoded encoded{.ids = std::move(beginning.ids), .kept = 0};
  encoded.kept = encoded.ids.size();
  encoded.ids.insert(encoded.ids.end(), rest.begin(), rest.end());
  return encoded;
}

// The latest turn whose prompt the text begins with; then, token by token, as much of its answer as
// the text repeats.
PromptEncoder::Beginning PromptEncoder::FindBeginning(
    std::string_view text, const std::vector<ChatMessage>& messages) const {
  for (std::size_t i = messages.size(); i-- > 0;) {
    const Making* making = messages[i].making.get();
    if (making == nullptr || !text.starts_with(making->prompt_text)) continue;
    Beginning beginning{making->prompt_ids, making->prompt_text.size()};
    tokenizer::IncrementalDetokenizer detokenizer(
        tokenizer_, engine::PromptTail(making->prompt_ids), /*skip_special_tokens=*/false);
    std::string_view rest = text.substr(beginning.bytes);
    std::string answer;
    for (std::size_t n = 0; n < making->output_ids.size(); ++n) {
      answer += detokenizer.Append(making->output_ids[n]);
      if (detokenizer.pending()) continue;
      if (!rest.starts_with(answer)) break;
      const auto& ids = making->output_ids;
      beginning.ids.insert(beginning.ids.end(),
                           ids.begin() + static_cast<std::ptrdiff_t>(beginning.ids.size() -
                                                                     making->prompt_ids.size()),
                           ids.begin() + static_cast<std::ptrdiff_t>(n + 1));
      beginning.bytes = making->prompt_text.size() + answer.size();
    }
    return beginning;
  }
  return {};
}

Result<std::vector<std::int32_t>> PromptEncoder::EncodeBehind(const ChatPrompt& prompt,
                                                              std::size_t bytes) const {
  const std::string anchor = bytes > 0 ? anchor_ : "";
  std::vector<TextRange> plain;
  if (plain_content_) plain = Moved(prompt.user, bytes, anchor.size());
  // The template has written the special tokens, so no further BOS is added.
  SGLRUN_ASSIGN_OR_RETURN(std::vector<TokenId> ids,
                          tokenizer_.Encode(anchor + prompt.text.substr(bytes),
                                            {.add_special_tokens = false, .plain = plain}));
  if (!anchor.empty()) ids.erase(ids.begin());
  return ids;
}

}  // namespace sglrun::chat
