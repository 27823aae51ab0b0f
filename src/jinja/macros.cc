#include <algorithm>

#include "jinja/evaluator.h"
#include "jinja/operators.h"
#include "jinja/repr.h"

namespace sglrun::jinja {
namespace {

class MacroObject final : public Callable {
 public:
  MacroObject(Evaluator& evaluator, const Stmt& macro, Ref<FrameObject> outer)
      : evaluator_(&evaluator), macro_(&macro), outer_(std::move(outer)) {}

  Try<Value> Call(Runtime&, CallArgs args) const override {
    return evaluator_->CallMacro(*macro_, outer_, std::move(args));
  }
  std::string TypeName() const override { return "Macro"; }
  std::string Repr() const override {
    return "<Macro " + (macro_->name.empty() ? "anonymous" : QuotedText(macro_->name)) + ">";
  }
  Value Attribute(const std::string& name) const override {
    if (name == "name") return macro_->name.empty() ? Value::None() : Value::Str(macro_->name);
    if (name == "caller") return Value::Bool(macro_->takes_caller);
    if (name == "catch_kwargs") return Value::Bool(macro_->takes_kwargs);
    if (name == "catch_varargs") return Value::Bool(macro_->takes_varargs);
    if (name != "arguments") return {};
    std::vector<Value> names;
    for (const ExprPtr& parameter : macro_->exprs) names.push_back(Value::Str(parameter->text));
    return Value::Tuple(std::move(names));
  }

 private:
  Evaluator* evaluator_;
  const Stmt* macro_;
  Ref<FrameObject> outer_;
};

std::string NameOf(const Stmt& macro) {
  return macro.name.empty() ? "None" : QuotedText(macro.name);
}

// Takes a keyword argument out; missing when it is not there.
Value Take(CallArgs& args, const std::string& name) {
  Meter::Bytes(16 * args.named.size());
  const auto it = std::find_if(args.named.begin(), args.named.end(),
                               [&](const auto& entry) { return entry.first == name; });
  if (it == args.named.end()) return {};
  Value value = std::move(it->second);
  args.named.erase(it);
  return value;
}

}  // namespace

Try<Evaluator::Flow> Evaluator::RunMacro(const Stmt& statement, const Frame& frame) {
  SGLRUN_RETURN_IF_ERROR(Assign(
      *statement.target, MakeCallable(MakeRef<MacroObject>(*this, statement, frame)), frame));
  if (statement.exported) Export(*statement.target, frame);
  return Flow::kNext;
}

// {% call f() %}: the body is a macro that f calls as `caller`. {% generation %}: one called here.
Try<Evaluator::Flow> Evaluator::RunCallBlock(const Stmt& statement, const Frame& frame) {
  if (statement.kind == Stmt::Kind::kGeneration) {
    SGLRUN_ASSIGN_OR_RETURN(const Value text, CallMacro(statement, frame, {}));
    Print(text);
    return Flow::kNext;
  }
  const Value caller = MakeCallable(MakeRef<MacroObject>(*this, statement, frame));
  SGLRUN_ASSIGN_OR_RETURN(const Value text, EvalCall(*statement.value, frame, caller));
  Print(text);
  return Flow::kNext;
}

Try<void> Evaluator::BindParameters(const Stmt& macro, FrameObject& frame, CallArgs args) {
  const std::size_t count = macro.exprs.size();
  const std::size_t given = std::min(args.args.size(), count);
  bool found_caller = false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = macro.exprs[i]->text;
    Value& slot = frame.slots[macro.parameter_slots[i]];
    slot = i < given ? args.args[i] : Take(args, name);
    if (name == "caller") found_caller = true;
  }
  std::size_t next = count;
  if (macro.takes_caller && !found_caller) {
    Value caller = Take(args, "caller");
    if (caller.missing() || caller.is(Kind::kNone)) caller = Value::Undef("No caller defined");
    frame.slots[macro.parameter_slots[next++]] = std::move(caller);
  }
  if (macro.takes_kwargs) {
    auto rest = MakeRef<Dict>();
    for (auto& [name, value] : args.named) rest->Set(name, std::move(value));
    frame.slots[macro.parameter_slots[next++]] = MakeDict(rest);
  } else if (!args.named.empty()) {
    if (!Take(args, "caller").missing()) {
      return TypeFault("macro " + NameOf(macro) +
                       " was invoked with two values for the special caller argument. This is most "
                       "likely a bug.");
    }
    return TypeFault("macro " + NameOf(macro) + " takes no keyword argument " +
                     QuotedText(args.named[0].first));
  }
  if (macro.takes_varargs) {
    frame.slots[macro.parameter_slots[next]] =
        Value::Tuple({args.args.begin() + static_cast<std::ptrdiff_t>(given), args.args.end()});
  } else if (args.args.size() > count) {
    return TypeFault("macro " + NameOf(macro) + " takes not more than " + std::to_string(count) +
                     " argument(s)");
  }
  return {};
}

// Defaults are evaluated at each call, in order, and may use the previous parameters.
Try<void> Evaluator::FillParameters(const Stmt& macro, const Frame& frame) {
  const std::size_t first_default = macro.exprs.size() - macro.values.size();
  for (std::size_t i = 0; i < macro.exprs.size(); ++i) {
    if (!frame->slots[macro.parameter_slots[i]].missing()) continue;
    Value value;
    if (i < first_default) {
      value = Value::Undef("parameter " + QuotedText(macro.exprs[i]->text) + " was not provided");
    } else {
      SGLRUN_ASSIGN_OR_RETURN(value, Eval(*macro.values[i - first_default], frame));
    }
    frame->slots[macro.parameter_slots[i]] = std::move(value);
  }
  return {};
}

Try<Value> Evaluator::CallMacro(const Stmt& macro, const Ref<FrameObject>& outer, CallArgs args) {
  const Runtime::Depth depth(runtime_);
  SGLRUN_RETURN_IF_ERROR(depth.Check());
  const Frame frame = MakeRef<FrameObject>(runtime_.registry(), *macro.function, outer);
  SGLRUN_RETURN_IF_ERROR(BindParameters(macro, *frame, std::move(args)));
  TextBuilder text;
  TextBuilder* const before = std::exchange(out_, &text);
  Enter(macro.scope, frame);
  const Try<void> filled = FillParameters(macro, frame);
  Try<Flow> flow = Flow::kNext;
  if (filled.ok()) flow = Run(macro.body, frame);
  out_ = before;
  SGLRUN_RETURN_IF_ERROR(filled);
  SGLRUN_RETURN_IF_ERROR(flow);
  Value value = text.Build(runtime_.autoescape());
  return value;
}

}  // namespace sglrun::jinja
