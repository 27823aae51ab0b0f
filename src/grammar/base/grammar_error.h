// Why a constraint cannot be used. Always an error of one record.
#pragma once

#include <cstdint>
#include <string>

namespace sglrun::grammar {

enum class Verdict : std::uint8_t {
  kInvalid,        // not well-formed
  kUnsupported,    // well-formed, meaning known, cannot be enforced
  kUnsatisfiable,  // no text matches
  kUnreachable,    // texts match, but the vocabulary cannot spell any
  kTooLarge,       // a limit of limits.h was hit
  kStopped,        // no verdict: the process was asked to stop meanwhile (StopFlag)
};

const char* VerdictName(Verdict verdict);  // "invalid", "unsupported", ...

struct GrammarError {
  Verdict verdict = Verdict::kInvalid;
  std::string message;       // one sentence that names the place, what was found and what to change
  std::string pointer = {};  // JSON pointer of the place in a schema or structural tag, else ""
};

}  // namespace sglrun::grammar
