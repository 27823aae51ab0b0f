// What a rendering is given.
#pragma once

#include <string_view>

#include "base/json.h"

namespace sglrun::jinja {

enum class Origin { kTemplate, kUser };

// What a template gets to see under a name. Texts inside the value are marked as the caller's when
// they come from there; keys are not, nor are plain words (letters, digits, _ and - only). Numbers
// kept as text (JsonNumber) become integers of any length.
struct Given {
  std::string_view name;
  const Json& value;
  Origin origin;
};

}  // namespace sglrun::jinja
