// Converts rendered conversations to token ids so that a prompt begins with exactly the tokens of
// the previous turns. These are then found in the prefix cache and not computed again. If the whole
// text were encoded again, an answer could get other tokens than those that were drawn.
//
// Where the template shows an earlier answer in another way (without its thinking, trimmed), the
// tokens up to that place are kept and the rest is encoded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "chat/conversation.h"
#include "chat_template/chat_template.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::chat {

class PromptEncoder {
 public:
  // `plain_content`: special tokens spelled in a message are plain text.
  PromptEncoder(const tokenizer::Tokenizer& tokenizer, bool plain_content);

  struct Encoded {
    std::vector<std::int32_t> ids;
    std::size_t kept = 0;  // of them, taken over from earlier turns
  };
  Result<Encoded> Encode(const chat_template::ChatPrompt& prompt,
                         const std::vector<ChatMessage>& messages) const;

 private:
  // The ids that `text` can begin with and how many bytes of it they are.
  struct Beginning {
    std::vector<std::int32_t> ids;
    std::size_t bytes = 0;
  };
  Beginning FindBeginning(std::string_view text, const std::vector<ChatMessage>& messages) const;
  // Encodes the text after the first `bytes`.
  Result<std::vector<std::int32_t>> EncodeBehind(const chat_template::ChatPrompt& prompt,
                                                 std::size_t bytes) const;

  const tokenizer::Tokenizer& tokenizer_;
  const bool plain_content_;
  // A special token that is put before a text, so that the tokenizer does not treat it as the start
  // of the input (where some tokenizers add a blank); "" if there is none.
  std::string anchor_;
};

}  // namespace sglrun::chat
