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

// How a rendered conversation becomes token ids; `prompt` must outlive what comes back.
tokenizer::EncodeOptions PromptEncoding(const Options& options,
                                        const tokenizer::ChatPrompt& prompt);

// Turns `messages` of input lines into token ids. A --template FILE that cannot be used is an error
// at once; a model without a usable template fails each of them, saying what to do. `tokenizer`
// must outlive it.
Result<io::RenderChat> MakeChatRenderer(const Options& options,
                                        const tokenizer::Tokenizer& tokenizer);

}  // namespace sglrun::cli
