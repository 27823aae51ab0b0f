// The global functions of a chat template: range, dict, namespace, cycler, joiner, raise_exception,
// strftime_now.
#pragma once

#include "tokenizer/jinja/value.h"

namespace sglrun::tokenizer::jinja {

void AddFunctions(Dict& globals);

}  // namespace sglrun::tokenizer::jinja
