// From --model, --tokenizer and --template to the chat template that `template` and `chat` work
// with.
#pragma once

#include "base/result.h"
#include "cli/options.h"
#include "io/chat_record.h"
#include "tokenizer/chat_template.h"

namespace sglrun::cli {

// What --tokenizer, else --model says about chats; nothing when neither is given. --template FILE
// takes the place of all its templates, not of its special tokens.
Result<tokenizer::ChatTemplateFiles> FindChatTemplates(const Options& options);

// Turns `messages` of input lines into token ids. Without a usable template it fails for each of
// them, saying what to do. `tokenizer` must outlive it.
io::RenderChat MakeChatRenderer(const Options& options, const tokenizer::Tokenizer& tokenizer);

}  // namespace sglrun::cli
