// {"vocab": {"token": id, ...}}, as most models of a tokenizer.json write it, and vocab.json.
#pragma once

#include "tokenizer/json_view.h"
#include "tokenizer/vocabulary.h"

namespace sglrun::tokenizer {

Result<Vocabulary> ParseModelVocabulary(const JsonView& model);
// The object itself.
Result<Vocabulary> ParseVocabularyTable(const JsonView& table);

}  // namespace sglrun::tokenizer
