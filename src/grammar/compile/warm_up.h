// Finds the masks that nearly every schema needs (strings, numbers, white space) before a record
// waits for them: walking a vocabulary for the first of them takes milliseconds.
#pragma once

#include <memory>

#include "grammar/ir/options.h"
#include "grammar/ir/vocabulary.h"

namespace sglrun::grammar {

// False when something of it could not be had: a matter of speed alone.
bool WarmUp(const std::shared_ptr<const Vocabulary>& vocabulary, const GrammarOptions& options);

}  // namespace sglrun::grammar
