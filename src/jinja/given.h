// The variables that the caller passes to a rendering.
#pragma once

#include <string_view>

#include "base/json.h"

namespace sglrun::jinja {

enum class Origin { kTemplate, kUser };

// A variable of a template. Texts inside a value from the user are marked as user text, except keys
// and plain words (letters, digits, _ and - only). Numbers kept as text (JsonNumber) become
// integers of any length.
struct Given {
  std::string_view name;
  const Json& value;
  Origin origin;
};

}  // namespace sglrun::jinja
