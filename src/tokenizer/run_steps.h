// Pre-tokenizer steps that cut a text into runs of characters, without a delimiter of their own.
#pragma once

#include <memory>

#include "tokenizer/json_view.h"
#include "tokenizer/pre_tokenizer.h"

namespace sglrun::tokenizer {

// Runs of word characters and runs of other characters, blanks dropped: \w+|[^\w\s]+.
Result<std::unique_ptr<PreTokenizerStep>> ParseWhitespace(const JsonView& json);

// Runs of one script, each with the following spaces. Text before the first character of a script
// (spaces, unassigned characters) is dropped, as in the reference.
Result<std::unique_ptr<PreTokenizerStep>> ParseUnicodeScripts(const JsonView& json);

// Runs of "length" characters, the last one shorter.
Result<std::unique_ptr<PreTokenizerStep>> ParseFixedLength(const JsonView& json);

}  // namespace sglrun::tokenizer
