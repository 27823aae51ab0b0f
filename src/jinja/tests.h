// The tests of jinja2: `x is defined`.
#pragma once

#include <string_view>

#include "jinja/callable.h"

namespace sglrun::jinja {

struct TestEntry {
  std::string_view name;
  Try<bool> (*apply)(Runtime& runtime, const Value& input, CallArgs args);
};

const TestEntry* FindTest(std::string_view name);  // nullptr: there is none

}  // namespace sglrun::jinja
