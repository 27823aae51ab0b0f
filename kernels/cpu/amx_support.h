// Whether this process may use matrix tiles.
#pragma once

namespace sglrun::kernels::cpu {

// True when the processor has tiles with products of bf16 and int8, and the system saves them: it
// is asked for that here, for all threads of the process.
bool GrantsAmx();

}  // namespace sglrun::kernels::cpu
