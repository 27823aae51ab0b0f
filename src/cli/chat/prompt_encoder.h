// Rendered conversations to token ids, so that a prompt begins with the very tokens of the turns
// before it: what the model has read and written is found in the prefix cache and never computed
// again. Encoding the whole text anew could spell an answer in other tokens than were drawn.
//
// Where the template shows an earlier answer in another way (without its thinking, trimmed), the
// tokens up to that place are kept and the rest is encoded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "chat_template/chat_template.h"
#include "cli/chat/conversation.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::cli {

class PromptEncoder {
 public:
  // `plain_content`: special tokens that a message spells are words like others.
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
  // What stands behind the first `bytes`.
  Result<std::vector<std::int32_t>> EncodeBehind(const chat_template::ChatPrompt& prompt,
                                                 std::size_t bytes) const;

  const tokenizer::Tokenizer& tokenizer_;
  const bool plain_content_;
  // A special token that can stand in front of a text so that its beginning is not taken for the
  // beginning of all (where some tokenizers add a blank); "" when there is none.
  std::string anchor_;
};

}  // namespace sglrun::cli
