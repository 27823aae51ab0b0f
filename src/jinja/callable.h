// What a template can call: macros, functions, methods bound to their object.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "jinja/runtime.h"
#include "jinja/value.h"

namespace sglrun::jinja {

struct CallArgs {
  std::vector<Value> args;
  std::vector<std::pair<std::string, Value>> named;
};

class Callable : public Object {
 public:
  virtual Try<Value> Call(Runtime& runtime, CallArgs args) const = 0;
  virtual std::string TypeName() const = 0;
  virtual std::string Repr() const = 0;
  virtual Value Attribute(const std::string&) const { return {}; }  // missing: none
  virtual bool EqualTo(const Callable& other) const { return this == &other; }
};

inline Value MakeCallable(Ref<Callable> callable) {
  return {Kind::kCallable, std::move(callable)};
}

Try<Value> Call(Runtime& runtime, const Value& function, CallArgs args);

// A function of C++ with a name.
using Function = Try<Value> (*)(Runtime& runtime, CallArgs args);
Value MakeFunction(std::string name, Function function, bool is_class = false);
// A method of `self`.
using Method = Try<Value> (*)(Runtime& runtime, const Value& self, CallArgs args);
Value MakeMethod(const char* name, const Value& self, Method method);

// Sorts arguments into parameters as Python does. A name that begins with '/' takes no keyword;
// names after `required` of them may be left out and are missing in the result.
Try<std::vector<Value>> Bind(const std::string& function,
                             std::initializer_list<const char*> parameters, std::size_t required,
                             CallArgs args);

// Arguments of a given type; a missing one gets the default. Undefined values fail with their own
// message.
Try<std::int64_t> IntArgument(const Value& value, std::int64_t standard);
Try<bool> BoolArgument(const Value& value, bool standard);

}  // namespace sglrun::jinja
