#include "jinja/callable.h"

#include "jinja/compare.h"
#include "jinja/objects.h"
#include "jinja/repr.h"

namespace sglrun::jinja {
namespace {

class FunctionObject final : public Callable {
 public:
  FunctionObject(std::string name, Function function, bool is_class)
      : name_(std::move(name)), function_(function), is_class_(is_class) {}

  Try<Value> Call(Runtime& runtime, CallArgs args) const override {
    return function_(runtime, std::move(args));
  }
  std::string TypeName() const override { return is_class_ ? "type" : "function"; }
  std::string Repr() const override {
    return std::string(is_class_ ? "<class '" : "<function ") + name_ + (is_class_ ? "'>" : ">");
  }

 private:
  std::string name_;
  Function function_;
  bool is_class_;
};

class MethodObject final : public Callable {
 public:
  MethodObject(const char* name, Value self, Method method)
      : name_(name), self_(std::move(self)), method_(method) {}

  Try<Value> Call(Runtime& runtime, CallArgs args) const override {
    return method_(runtime, self_, std::move(args));
  }
  std::string TypeName() const override { return "builtin_function_or_method"; }
  std::string Repr() const override {
    return "<built-in method " + std::string(name_) + " of " + jinja::TypeName(self_) + " object>";
  }
  bool EqualTo(const Callable& other) const override {
    const auto* method = dynamic_cast<const MethodObject*>(&other);
    return method != nullptr && method->method_ == method_ && method->self_.SameAs(self_);
  }

 private:
  const char* name_;
  Value self_;
  Method method_;
};

std::string Quoted(std::string_view name) {
  return "'" + std::string(name) + "'";
}

}  // namespace

Value MakeFunction(std::string name, Function function, bool is_class) {
  return MakeCallable(MakeRef<FunctionObject>(std::move(name), function, is_class));
}

Value MakeMethod(const char* name, const Value& self, Method method) {
  return MakeCallable(MakeRef<MethodObject>(name, self, method));
}

Try<std::vector<Value>> Bind(const std::string& function,
                             std::initializer_list<const char*> parameters, std::size_t required,
                             CallArgs args) {
  if (args.args.size() > parameters.size()) {
    return TypeFault(function + "() takes at most " + std::to_string(parameters.size()) +
                     " arguments (" + std::to_string(args.args.size()) + " given)");
  }
  std::vector<Value> bound = std::move(args.args);
  bound.resize(parameters.size());
  for (auto& [name, value] : args.named) {
    std::size_t place = 0;
    for (const char* parameter : parameters) {
      if (name == parameter) break;
      ++place;
    }
    if (place == parameters.size()) {
      return TypeFault(function + "() got an unexpected keyword argument " + Quoted(name));
    }
    if (!bound[place].missing()) {
      return TypeFault(function + "() got multiple values for argument " + Quoted(name));
    }
    bound[place] = std::move(value);
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (!bound[i].missing()) continue;
    std::string_view name = parameters.begin()[i];
    if (name[0] == '/') name.remove_prefix(1);
    return TypeFault(function + "() missing required argument " + Quoted(name));
  }
  return bound;
}

Try<std::int64_t> IntArgument(const Value& value, std::int64_t standard) {
  if (value.missing()) return standard;
  if (value.is(Kind::kInt) || value.is(Kind::kBool)) return value.int64();
  if (value.is(Kind::kBigInt)) {
    return Fault{FaultKind::kOverflow, "Python int too large to convert to C ssize_t"};
  }
  return TypeFault("'" + TypeName(value) + "' object cannot be interpreted as an integer");
}

Try<bool> BoolArgument(const Value& value, bool standard) {
  return value.missing() ? standard : Truth(value);
}

Try<Value> Call(Runtime& runtime, const Value& function, CallArgs args) {
  if (function.is_undefined()) return function.undefined().ToFault();
  if (function.is(Kind::kLoop)) {
    const Value& recurse = function.as<LoopObject>().recurse;
    if (!recurse.missing()) return Call(runtime, recurse, std::move(args));
    return TypeFault("The loop must have the 'recursive' marker to be called recursively.");
  }
  if (function.is(Kind::kJoiner)) {
    auto& joiner = function.as<JoinerObject>();
    return std::exchange(joiner.used, true) ? joiner.separator : Value::Str("");
  }
  if (!function.is(Kind::kCallable)) {
    return TypeFault("'" + TypeName(function) + "' object is not callable");
  }
  return function.as<Callable>().Call(runtime, std::move(args));
}

}  // namespace sglrun::jinja
