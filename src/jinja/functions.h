// The global functions of a chat template: range, dict, namespace, cycler, joiner, raise_exception,
// strftime_now.
#pragma once

#include "jinja/value.h"

namespace sglrun::jinja {

void AddFunctions(Dict& globals);

}  // namespace sglrun::jinja
