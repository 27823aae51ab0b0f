// The exit codes of all commands. Scripts depend on them.
#pragma once

namespace sglrun::console {

inline constexpr int kExitOk = 0;
inline constexpr int kExitRecordErrors = 1;  // finished, some records failed
inline constexpr int kExitFailure = 2;       // could not start or continue
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitBrokenPipe = 141;
inline constexpr int kExitTerminated = 143;

}  // namespace sglrun::console
