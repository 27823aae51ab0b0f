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

// ParseJson for a text that is not needed any more: strings are decoded where they stand, so that a
// long one is held twice and no more. What is left of `text` is of no use. `max_bytes`: what the
// values may take while they are read, as a count that is the same everywhere.
Result<ParsedJson, LargeJsonError> ParseLargeJson(std::string& text, std::size_t max_bytes,
                                                  JsonParseOptions options = {});

// HashBytes of `prefix` and value.CanonicalDump(), which is never held as a whole.
Hash128 CanonicalHash(const Json& value, std::string_view prefix = {});

}  // namespace sglrun
