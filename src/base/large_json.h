// JSON texts that may be large: read in place, within a bound of memory, and hashed without being
// written out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/json.h"

namespace sglrun {

struct LargeJsonError {
  JsonError error;
  bool too_large = false;  // well-formed so far, but past max_bytes
};

// ParseJson for a text that is not needed afterwards: strings are decoded in place, so a long
// string is in memory at most twice. `text` is unusable afterwards. `max_bytes`: the memory limit
// for the values, counted in the same way on every machine. A signal ends it with an error, which is
// no verdict about the text: callers check StopFlag.
Result<ParsedJson, LargeJsonError> ParseLargeJson(std::string& text, std::size_t max_bytes,
                                                  JsonParseOptions options = {});

// HashBytes of `prefix` and value.CanonicalDump(), computed without storing the whole dump.
Hash128 CanonicalHash(const Json& value, std::string_view prefix = {});

}  // namespace sglrun
