// Substring(...) of EBNF: the texts made of neighbouring chunks.
#pragma once

#include <span>
#include <string>

#include "grammar/ir/front_end.h"

namespace sglrun::grammar::ebnf {

// Any run of neighbours of `chunks`, none included. No chunk is empty.
ExprResult AppendChunkRuns(FrontEnd& front, std::span<const std::string> chunks);

}  // namespace sglrun::grammar::ebnf
