// The filters of jinja2, with `tojson` as transformers sets it up.
#pragma once

#include <string_view>

#include "jinja/callable.h"

namespace sglrun::jinja {

struct FilterEntry {
  std::string_view name;
  Try<Value> (*apply)(Runtime& runtime, const Value& input, CallArgs args);
};

const FilterEntry* FindFilter(std::string_view name);  // nullptr: there is none

}  // namespace sglrun::jinja
