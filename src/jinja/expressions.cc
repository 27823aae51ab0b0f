#include <algorithm>

#include "jinja/attributes.h"
#include "jinja/compare.h"
#include "jinja/evaluator.h"
#include "jinja/filters.h"
#include "jinja/operators.h"
#include "jinja/repr.h"
#include "jinja/tests.h"

namespace sglrun::jinja {
namespace {

// Bounds the machine's stack: macros within macros, each with deep statements and expressions.
constexpr int kMaxStack = 1000;

// The cost of visiting a node of the tree, in bytes copied.
constexpr std::size_t kNodeBytes = 32;

class StackGuard {
 public:
  explicit StackGuard(int& depth) : depth_(depth) { ++depth_; }
  ~StackGuard() { --depth_; }
  StackGuard(const StackGuard&) = delete;
  StackGuard& operator=(const StackGuard&) = delete;

 private:
  int& depth_;
};

Fault WithLine(Fault fault, int line) {
  if (fault.line == 0) fault.line = line;
  return fault;
}

}  // namespace

bool IsConstant(const Expr& expr) {
  const bool asks = expr.kind == Expr::Kind::kName || expr.kind == Expr::Kind::kCall ||
                    expr.kind == Expr::Kind::kFilter || expr.kind == Expr::Kind::kTest;
  return !asks && std::ranges::all_of(expr.children, [](const ExprPtr& child) {
    return !child || IsConstant(*child);
  });
}

Try<Value> EvaluateConstant(const Expr& expr) {
  if (!IsConstant(expr)) return TypeFault("the expression asks for a variable");
  Runtime runtime({}, {});
  const ResolvedTemplate nothing;
  const Dict no_globals;
  return Evaluator(runtime, nothing, no_globals).Constant(expr);
}

Value& Evaluator::Slot(const Variable& variable, const Frame& frame) {
  FrameObject* place = frame.get();
  Meter::Bytes(8 * static_cast<std::size_t>(variable.hops));
  for (int i = 0; i < variable.hops; ++i) place = place->parent.get();
  return place->slots[variable.slot];
}

Value Evaluator::Resolve(const std::string& name) const {
  if (const Value* value = exported_.Find(name)) return *value;
  if (const Value* value = globals_.Find(name)) return *value;
  return {};
}

Try<Value> Evaluator::Eval(const Expr& expr, const Frame& frame) {
  const StackGuard guard(stack_);
  Meter::Bytes(kNodeBytes);
  if (stack_ > kMaxStack)
    return LimitFault("the template is nested more than " + std::to_string(kMaxStack) +
                      " levels deep");
  Try<Value> value = EvalNode(expr, frame);
  if (!value.ok()) return WithLine(std::move(value).error(), expr.line);
  return value;
}

Try<Value> Evaluator::EvalNode(const Expr& expr, const Frame& frame) {
  switch (expr.kind) {
    case Expr::Kind::kData:
    case Expr::Kind::kConst:
      return expr.constant;
    case Expr::Kind::kName: {
      const Value& value = Slot(expr.variable, frame);
      if (value.missing()) return Value::Undef(QuotedText(expr.text) + " is undefined");
      return value;
    }
    case Expr::Kind::kTuple: {
      SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> items, EvalAll(expr.children, frame));
      return Value::Tuple(std::move(items));
    }
    case Expr::Kind::kList: {
      SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> items, EvalAll(expr.children, frame));
      return Value::List(std::move(items));
    }
    case Expr::Kind::kDict:
      return EvalDict(expr, frame);
    case Expr::Kind::kNot: {
      SGLRUN_ASSIGN_OR_RETURN(const Value operand, Eval(*expr.children[0], frame));
      return Value::Bool(!Truth(operand));
    }
    case Expr::Kind::kNegate:
    case Expr::Kind::kPlus: {
      SGLRUN_ASSIGN_OR_RETURN(const Value operand, Eval(*expr.children[0], frame));
      return UnaryOperation(expr.kind == Expr::Kind::kNegate ? "-" : "+", operand);
    }
    case Expr::Kind::kBinary: {
      SGLRUN_ASSIGN_OR_RETURN(const Value left, Eval(*expr.children[0], frame));
      SGLRUN_ASSIGN_OR_RETURN(const Value right, Eval(*expr.children[1], frame));
      return BinaryOperation(expr.text, left, right);
    }
    case Expr::Kind::kAnd:
    case Expr::Kind::kOr:
      return EvalLogic(expr, frame);
    case Expr::Kind::kCompare:
      return EvalCompare(expr, frame);
    case Expr::Kind::kConcat:
      return EvalConcat(expr, frame);
    case Expr::Kind::kGetAttr: {
      SGLRUN_ASSIGN_OR_RETURN(const Value object, Eval(*expr.children[0], frame));
      return GetAttribute(runtime_, object, expr.constant);
    }
    case Expr::Kind::kGetItem:
      return EvalGetItem(expr, frame);
    case Expr::Kind::kCall:
      return EvalCall(expr, frame, {});
    case Expr::Kind::kFilter:
      return EvalFilter(expr, frame, nullptr);
    case Expr::Kind::kTest:
      return EvalTest(expr, frame);
    case Expr::Kind::kCond:
      return EvalCond(expr, frame);
    case Expr::Kind::kSlice:
    case Expr::Kind::kAttribute:
      break;
  }
  return TypeFault("a slice cannot stand here");
}

Try<std::vector<Value>> Evaluator::EvalAll(const std::vector<ExprPtr>& exprs, const Frame& frame) {
  std::vector<Value> values;
  values.reserve(exprs.size());
  for (const ExprPtr& expr : exprs) {
    SGLRUN_ASSIGN_OR_RETURN(Value value, Eval(*expr, frame));
    values.push_back(std::move(value));
  }
  return values;
}

Try<Value> Evaluator::EvalDict(const Expr& expr, const Frame& frame) {
  auto dict = MakeRef<Dict>();
  for (std::size_t i = 0; i + 1 < expr.children.size(); i += 2) {
    SGLRUN_ASSIGN_OR_RETURN(const Value key, Eval(*expr.children[i], frame));
    SGLRUN_ASSIGN_OR_RETURN(Value value, Eval(*expr.children[i + 1], frame));
    SGLRUN_RETURN_IF_ERROR(dict->Set(key, std::move(value)));
  }
  return MakeDict(dict);
}

Try<Value> Evaluator::EvalLogic(const Expr& expr, const Frame& frame) {
  SGLRUN_ASSIGN_OR_RETURN(Value left, Eval(*expr.children[0], frame));
  if (Truth(left) == (expr.kind == Expr::Kind::kOr)) return left;
  return Eval(*expr.children[1], frame);
}

Try<bool> Evaluator::CompareOnce(const std::string& op, const Value& a, const Value& b) {
  if (op == "==" || op == "!=") return Equal(a, b) == (op == "==");
  if (op == "in" || op == "not in") {
    SGLRUN_ASSIGN_OR_RETURN(const bool inside, Contains(runtime_, b, a));
    return inside == (op == "in");
  }
  return Ordered(a, b, op);
}

Try<Value> Evaluator::EvalCompare(const Expr& expr, const Frame& frame) {
  SGLRUN_ASSIGN_OR_RETURN(Value left, Eval(*expr.children[0], frame));
  for (std::size_t i = 0; i < expr.operators.size(); ++i) {
    SGLRUN_ASSIGN_OR_RETURN(Value right, Eval(*expr.children[i + 1], frame));
    SGLRUN_ASSIGN_OR_RETURN(const bool holds, CompareOnce(expr.operators[i], left, right));
    if (!holds) return Value::Bool(false);
    left = std::move(right);
  }
  return Value::Bool(true);
}

Try<Value> Evaluator::EvalConcat(const Expr& expr, const Frame& frame) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> parts, EvalAll(expr.children, frame));
  const bool escapes = expr.escapes && std::ranges::any_of(parts, IsMarkup);
  TextBuilder out;
  for (const Value& part : parts) {
    if (!escapes) {
      AppendStr(out, part);
      continue;
    }
    const Value shown = ToStr(part);
    const Value escaped = EscapeHtml(shown);
    out.Append(escaped.str());
  }
  Value text = out.Build(escapes);
  return text;
}

Try<Value> Evaluator::EvalGetItem(const Expr& expr, const Frame& frame) {
  SGLRUN_ASSIGN_OR_RETURN(const Value object, Eval(*expr.children[0], frame));
  const Expr& key = *expr.children[1];
  if (key.kind != Expr::Kind::kSlice) {
    SGLRUN_ASSIGN_OR_RETURN(const Value index, Eval(key, frame));
    return GetItem(runtime_, object, index);
  }
  Value bounds[3];
  for (std::size_t i = 0; i < 3; ++i) {
    if (!key.children[i]) continue;
    SGLRUN_ASSIGN_OR_RETURN(bounds[i], Eval(*key.children[i], frame));
  }
  Try<Value> sliced = GetSlice(object, bounds[0], bounds[1], bounds[2]);
  // The reference works literals out ahead, where an item that cannot be had is undefined.
  if (!sliced.ok() && sliced.error().kind == FaultKind::kType && IsConstant(*expr.children[0]) &&
      IsConstant(key)) {
    return Value::Undef(ObjectName(object) + " has no such slice");
  }
  if (!sliced.ok()) return std::move(sliced).error();
  Value part = std::move(*sliced);
  return part;
}

Try<CallArgs> Evaluator::EvalArgs(const Expr& expr, const Frame& frame) {
  CallArgs args;
  SGLRUN_ASSIGN_OR_RETURN(args.args, EvalAll(expr.args, frame));
  for (const auto& [name, value] : expr.named) {
    SGLRUN_ASSIGN_OR_RETURN(Value evaluated, Eval(*value, frame));
    args.named.emplace_back(name, std::move(evaluated));
  }
  if (expr.star_args) {
    SGLRUN_ASSIGN_OR_RETURN(const Value more, Eval(*expr.star_args, frame));
    SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime_, more));
    args.args.insert(args.args.end(), items.begin(), items.end());
  }
  if (!expr.star_named) return args;
  SGLRUN_ASSIGN_OR_RETURN(const Value more, Eval(*expr.star_named, frame));
  if (!more.is(Kind::kDict)) {
    return TypeFault("argument after ** must be a mapping, not " + TypeName(more));
  }
  for (const Dict::Entry& entry : more.dict().entries()) {
    if (!entry.key.is_string()) return TypeFault("keywords must be strings");
    Meter::Bytes(16 * args.named.size());
    for (const auto& [name, value] : args.named) {
      if (name != entry.key.text()) continue;
      return TypeFault("got multiple values for keyword argument '" + name + "'");
    }
    args.named.emplace_back(entry.key.text(), entry.value);
  }
  return args;
}

Try<Value> Evaluator::EvalCall(const Expr& expr, const Frame& frame, const Value& caller) {
  SGLRUN_ASSIGN_OR_RETURN(const Value function, Eval(*expr.children[0], frame));
  SGLRUN_ASSIGN_OR_RETURN(CallArgs args, EvalArgs(expr, frame));
  if (!caller.missing()) args.named.emplace_back("caller", caller);
  Meter::Step();
  return Call(runtime_, function, std::move(args));
}

Try<Value> Evaluator::EvalFilter(const Expr& expr, const Frame& frame, const Value* body) {
  Value input;
  if (body != nullptr && !expr.children[0]) {
    input = *body;
  } else if (expr.children[0]->kind == Expr::Kind::kFilter) {
    SGLRUN_ASSIGN_OR_RETURN(input, EvalFilter(*expr.children[0], frame, body));
  } else {
    SGLRUN_ASSIGN_OR_RETURN(input, Eval(*expr.children[0], frame));
  }
  if (expr.filter == nullptr) {
    return Fault{FaultKind::kRuntime, "No filter named '" + expr.text + "' found.", expr.line};
  }
  SGLRUN_ASSIGN_OR_RETURN(CallArgs args, EvalArgs(expr, frame));
  Meter::Step();
  Try<Value> result = expr.filter->apply(runtime_, input, std::move(args));
  if (!result.ok()) return WithLine(std::move(result).error(), expr.line);
  return result;
}

Try<Value> Evaluator::EvalTest(const Expr& expr, const Frame& frame) {
  SGLRUN_ASSIGN_OR_RETURN(const Value input, Eval(*expr.children[0], frame));
  if (expr.test == nullptr) {
    return Fault{FaultKind::kRuntime, "No test named '" + expr.text + "' found."};
  }
  SGLRUN_ASSIGN_OR_RETURN(CallArgs args, EvalArgs(expr, frame));
  Meter::Step();
  SGLRUN_ASSIGN_OR_RETURN(const bool holds, expr.test->apply(runtime_, input, std::move(args)));
  return Value::Bool(holds);
}

Try<Value> Evaluator::EvalCond(const Expr& expr, const Frame& frame) {
  SGLRUN_ASSIGN_OR_RETURN(const Value test, Eval(*expr.children[0], frame));
  if (Truth(test)) return Eval(*expr.children[1], frame);
  if (expr.children[2]) return Eval(*expr.children[2], frame);
  return Value::Undef("the inline if-expression on line " + std::to_string(expr.line) +
                      " evaluated to false and no else section was defined.");
}

}  // namespace sglrun::jinja
