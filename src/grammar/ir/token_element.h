// Tokens that a constraint names by id or by text. The message of a refusal
// is a part of a sentence without its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "grammar/ir/front_end.h"

namespace sglrun::grammar {

// The error's pointer is left empty.
Result<std::int32_t, GrammarError> TokenById(const FrontEnd& front, std::int64_t id);
Result<std::int32_t, GrammarError> TokenByText(const FrontEnd& front, std::string_view text);

}  // namespace sglrun::grammar
