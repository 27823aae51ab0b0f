// From --model, --tokenizer and --template to the chat template that `template` and `chat` work
// with.
#pragma once

#include "base/result.h"
#include "cli/options.h"
#include "tokenizer/chat_template.h"

namespace sglrun::cli {

// What --tokenizer, else --model says about chats; nothing when neither is given. --template FILE
// takes the place of all its templates, not of its special tokens.
Result<tokenizer::ChatTemplateFiles> FindChatTemplates(const Options& options);

}  // namespace sglrun::cli
