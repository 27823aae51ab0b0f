// Hidden states as a file beside the output: one matrix [rows, width] of float32, or one vector.
#pragma once

#include <string>

#include "base/result.h"
#include "request/generate_result.h"

namespace sglrun::io {

// The shape that is written: [rows, width], or [width] for "last".
std::vector<std::int64_t> HiddenStateShape(const HiddenStateResult& states);

// A safetensors file with the tensor "hidden_states".
Status WriteSafetensors(const std::string& path, const HiddenStateResult& states);
// NumPy's format, version 1.0.
Status WriteNpy(const std::string& path, const HiddenStateResult& states);

}  // namespace sglrun::io
