#include "jinja/compare.h"
#include "jinja/evaluator.h"
#include "jinja/operators.h"
#include "jinja/repr.h"

namespace sglrun::jinja {
namespace {

// The cost of loading and dropping a variable, in bytes copied.
constexpr std::size_t kVariableBytes = 32;

class BlockCall final : public Callable {
 public:
  BlockCall(Evaluator& evaluator, std::string name)
      : evaluator_(&evaluator), name_(std::move(name)) {}
  Try<Value> Call(Runtime& runtime, CallArgs) const override {
    SGLRUN_ASSIGN_OR_RETURN(const Value text, evaluator_->RenderBlock(name_));
    return WithMarkup(text, runtime.autoescape());
  }
  std::string TypeName() const override { return "BlockReference"; }
  std::string Repr() const override { return "<BlockReference " + QuotedText(name_) + ">"; }

 private:
  Evaluator* evaluator_;
  std::string name_;
};

// `self` in a template with blocks: self.name() renders one.
Value MakeSelf(Evaluator& evaluator, const ResolvedTemplate& resolved, Runtime& runtime) {
  auto self = MakeRef<NamespaceObject>(runtime.registry());
  for (const auto& [name, block] : resolved.blocks) {
    self->attributes.Set(name, MakeCallable(MakeRef<BlockCall>(evaluator, name)));
  }
  return {Kind::kSelf, self};
}

}  // namespace

Try<Value> Evaluator::Render() {
  const Frame frame =
      MakeRef<FrameObject>(runtime_.registry(), *template_.function, Ref<FrameObject>());
  TextBuilder out;
  out_ = &out;
  if (template_.uses_self) {
    frame->slots[template_.self.slot] = MakeSelf(*this, template_, runtime_);
  }
  Enter(template_.scope, frame);
  SGLRUN_RETURN_IF_ERROR(Run(template_.body, frame));
  return out.Build();
}

Try<Value> Evaluator::RenderBlock(const std::string& name) {
  const Runtime::Depth depth(runtime_);
  SGLRUN_RETURN_IF_ERROR(depth.Check());
  const Stmt& block = *template_.blocks.at(name);
  const Frame frame =
      MakeRef<FrameObject>(runtime_.registry(), *block.function, Ref<FrameObject>());
  for (const std::size_t slot : block.parameter_slots) {
    frame->slots[slot] = MakeSelf(*this, template_, runtime_);
  }
  TextBuilder text;
  TextBuilder* const outer = std::exchange(out_, &text);
  Enter(block.scope, frame);
  const Try<Flow> flow = Run(block.body, frame);
  out_ = outer;
  SGLRUN_RETURN_IF_ERROR(flow);
  return text.Build();
}

void Evaluator::Enter(const Scope& scope, const Frame& frame) {
  Meter::Bytes(kVariableBytes * scope.entries.size());
  for (const Scope::Entry& entry : scope.entries) {
    Value& slot = frame->slots[entry.slot];
    switch (entry.load) {
      case Scope::Load::kParameter:
        break;
      case Scope::Load::kResolve:
        slot = Resolve(entry.name);
        break;
      case Scope::Load::kAlias:
        slot = Slot(entry.source, frame);
        break;
      case Scope::Load::kMissing:
        slot = Value();
        break;
    }
  }
}

void Evaluator::Leave(const Scope& scope, const Frame& frame) {
  for (const Scope::Entry& entry : scope.entries) frame->slots[entry.slot] = Value();
}

Try<Evaluator::Flow> Evaluator::Run(const Body& body, const Frame& frame) {
  for (const StmtPtr& statement : body) {
    SGLRUN_ASSIGN_OR_RETURN(const Flow flow, Run(*statement, frame));
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Try<Evaluator::Flow> Evaluator::Run(const Stmt& statement, const Frame& frame) {
  Meter::Step();
  ++stack_;
  Try<Flow> flow = Flow::kNext;
  switch (statement.kind) {
    case Stmt::Kind::kOutput:
      flow = RunOutput(statement, frame);
      break;
    case Stmt::Kind::kFor:
      flow = RunFor(statement, frame);
      break;
    case Stmt::Kind::kIf:
      flow = RunIf(statement, frame);
      break;
    case Stmt::Kind::kSet:
      flow = RunSet(statement, frame);
      break;
    case Stmt::Kind::kSetBlock:
      flow = RunSetBlock(statement, frame);
      break;
    case Stmt::Kind::kMacro:
      flow = RunMacro(statement, frame);
      break;
    case Stmt::Kind::kCallBlock:
    case Stmt::Kind::kGeneration:
      flow = RunCallBlock(statement, frame);
      break;
    case Stmt::Kind::kFilterBlock:
      flow = RunFilterBlock(statement, frame);
      break;
    case Stmt::Kind::kWith:
      flow = RunWith(statement, frame);
      break;
    case Stmt::Kind::kAutoescape:
      flow = RunAutoescape(statement, frame);
      break;
    case Stmt::Kind::kScope:
      Enter(statement.scope, frame);
      flow = Run(statement.body, frame);
      Leave(statement.scope, frame);
      break;
    case Stmt::Kind::kBlock:
      if (statement.required) {
        flow = Fault{FaultKind::kRuntime,
                     "Required block " + QuotedText(statement.name) + " not found"};
      } else if (const Try<Value> text = RenderBlock(statement.name); !text.ok()) {
        flow = text.error();
      } else {
        Print(*text);
      }
      break;
    case Stmt::Kind::kBreak:
      flow = Flow::kBreak;
      break;
    case Stmt::Kind::kContinue:
      flow = Flow::kContinue;
      break;
    case Stmt::Kind::kRefused:
      flow = Fault{FaultKind::kRuntime, statement.name};
      break;
  }
  --stack_;
  if (flow.ok()) return flow;
  Fault fault = std::move(flow).error();
  if (fault.line == 0) fault.line = statement.line;
  return fault;
}

void Evaluator::Print(const Value& value) {
  AppendStr(*out_, value);
}

void Evaluator::PrintEscaped(const Value& value) {
  Print(EscapeHtml(ToStr(value)));
}

Try<Evaluator::Flow> Evaluator::RunOutput(const Stmt& statement, const Frame& frame) {
  for (const ExprPtr& expr : statement.exprs) {
    SGLRUN_ASSIGN_OR_RETURN(const Value value, Eval(*expr, frame));
    const bool asks = statement.asks && !IsConstant(*expr);
    const bool escapes =
        expr->kind != Expr::Kind::kData && (asks ? runtime_.autoescape() : statement.escapes);
    if (escapes) {
      PrintEscaped(value);
    } else {
      Print(value);
    }
  }
  return Flow::kNext;
}

Try<Evaluator::Flow> Evaluator::RunAutoescape(const Stmt& statement, const Frame& frame) {
  Enter(statement.scope, frame);
  SGLRUN_ASSIGN_OR_RETURN(const Value flag, Eval(*statement.value, frame));
  const bool outer = runtime_.SetAutoescape(Truth(flag));
  Try<Flow> flow = Run(statement.body, frame);
  Leave(statement.scope, frame);
  runtime_.SetAutoescape(outer);
  return flow;
}

Try<Evaluator::Flow> Evaluator::RunIf(const Stmt& statement, const Frame& frame) {
  for (const Stmt::Branch& branch : statement.branches) {
    SGLRUN_ASSIGN_OR_RETURN(const Value test, Eval(*branch.test, frame));
    if (Truth(test)) return Run(branch.body, frame);
  }
  return Run(statement.otherwise, frame);
}

Try<void> Evaluator::CheckNamespaces(const Expr& target, const Frame& frame) {
  if (target.kind == Expr::Kind::kAttribute && !Slot(target.variable, frame).is(Kind::kNamespace)) {
    return Fault{FaultKind::kRuntime, "cannot assign attribute on non-namespace object"};
  }
  for (const ExprPtr& child : target.children) {
    SGLRUN_RETURN_IF_ERROR(CheckNamespaces(*child, frame));
  }
  return {};
}

Try<void> Evaluator::Assign(const Expr& target, Value value, const Frame& frame) {
  if (target.kind == Expr::Kind::kName) {
    Slot(target.variable, frame) = std::move(value);
    return {};
  }
  if (target.kind == Expr::Kind::kAttribute) {
    if (target.attribute.starts_with("_")) {
      return Fault{FaultKind::kSecurity,
                   "Chat templates cannot store underscore-prefixed attributes on a namespace, but "
                   "got " +
                       QuotedText(target.attribute) + ". Please rename the attribute."};
    }
    Slot(target.variable, frame)
        .as<NamespaceObject>()
        .attributes.Set(target.attribute, std::move(value));
    return {};
  }
  const Try<Ref<Iterator>> iterator = Iterate(value);
  if (!iterator.ok()) return TypeFault("cannot unpack non-iterable " + TypeName(value) + " object");
  std::vector<Value> items;
  while (items.size() <= target.children.size()) {
    Value item;
    SGLRUN_ASSIGN_OR_RETURN(const bool more, (*iterator)->Next(runtime_, item));
    if (!more) break;
    items.push_back(std::move(item));
  }
  const std::string expected = std::to_string(target.children.size());
  if (items.size() > target.children.size()) {
    return ValueFault("too many values to unpack (expected " + expected + ")");
  }
  if (items.size() < target.children.size()) {
    return ValueFault("not enough values to unpack (expected " + expected + ", got " +
                      std::to_string(items.size()) + ")");
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    SGLRUN_RETURN_IF_ERROR(Assign(*target.children[i], std::move(items[i]), frame));
  }
  return {};
}

void Evaluator::Export(const Expr& target, const Frame& frame) {
  if (target.kind == Expr::Kind::kName) exported_.Set(target.text, Slot(target.variable, frame));
  for (const ExprPtr& child : target.children) Export(*child, frame);
}

Try<Evaluator::Flow> Evaluator::RunSet(const Stmt& statement, const Frame& frame) {
  SGLRUN_RETURN_IF_ERROR(CheckNamespaces(*statement.target, frame));
  SGLRUN_ASSIGN_OR_RETURN(Value value, Eval(*statement.value, frame));
  SGLRUN_RETURN_IF_ERROR(Assign(*statement.target, std::move(value), frame));
  if (statement.exported) Export(*statement.target, frame);
  return Flow::kNext;
}

Try<Evaluator::Flow> Evaluator::RunSetBlock(const Stmt& statement, const Frame& frame) {
  Enter(statement.scope, frame);
  TextBuilder text;
  TextBuilder* const outer = std::exchange(out_, &text);
  const Try<Flow> flow = Run(statement.body, frame);
  out_ = outer;
  if (!flow.ok() || *flow != Flow::kNext) return flow;
  Value value = text.Build(Escapes(statement));
  if (statement.value) {
    SGLRUN_ASSIGN_OR_RETURN(value, EvalFilter(*statement.value, frame, &value));
  }
  if (runtime_.autoescape()) {
    value = ToStr(value);
    value = WithMarkup(value, true);
  }
  SGLRUN_RETURN_IF_ERROR(CheckNamespaces(*statement.target, frame));
  SGLRUN_RETURN_IF_ERROR(Assign(*statement.target, std::move(value), frame));
  if (statement.exported) Export(*statement.target, frame);
  Leave(statement.scope, frame);
  return Flow::kNext;
}

Try<Evaluator::Flow> Evaluator::RunFilterBlock(const Stmt& statement, const Frame& frame) {
  Enter(statement.scope, frame);
  TextBuilder text;
  TextBuilder* const outer = std::exchange(out_, &text);
  const Try<Flow> flow = Run(statement.body, frame);
  out_ = outer;
  if (!flow.ok() || *flow != Flow::kNext) return flow;
  const Value body = text.Build(Escapes(statement));
  SGLRUN_ASSIGN_OR_RETURN(const Value filtered, EvalFilter(*statement.value, frame, &body));
  Print(filtered);
  Leave(statement.scope, frame);
  return Flow::kNext;
}

Try<Evaluator::Flow> Evaluator::RunWith(const Stmt& statement, const Frame& frame) {
  Enter(statement.scope, frame);
  for (std::size_t i = 0; i < statement.exprs.size(); ++i) {
    SGLRUN_ASSIGN_OR_RETURN(Value value, Eval(*statement.values[i], frame));
    SGLRUN_RETURN_IF_ERROR(Assign(*statement.exprs[i], std::move(value), frame));
  }
  const Try<Flow> flow = Run(statement.body, frame);
  Leave(statement.scope, frame);
  return flow;
}

}  // namespace sglrun::jinja
