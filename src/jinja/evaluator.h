// Walks a resolved template.
#pragma once

#include <string>
#include <vector>

#include "jinja/ast.h"
#include "jinja/callable.h"
#include "jinja/objects.h"
#include "jinja/resolver.h"
#include "jinja/text.h"

namespace sglrun::jinja {

// The variables of one call of a function; macros defined in it keep it alive.
struct FrameObject final : Mutable {
  FrameObject(Mutable::Registry& registry, const FunctionInfo& function, Ref<FrameObject> outer)
      : Mutable(registry), slots(function.slots.size()), parent(std::move(outer)) {
    Hold(slots.size() * sizeof(Value));
  }
  std::vector<Value> slots;
  Ref<FrameObject> parent;
  void Clear() override {
    slots.clear();
    parent = Ref<FrameObject>();
  }
};

class Evaluator {
 public:
  // `globals`: functions and the caller's data. All must outlive the evaluator.
  Evaluator(Runtime& runtime, const ResolvedTemplate& resolved, const Dict& globals)
      : runtime_(runtime), template_(resolved), globals_(globals) {}

  Try<Value> Render();

  // For macros, recursive loops and loop tests, which call back.
  Try<Value> CallMacro(const Stmt& macro, const Ref<FrameObject>& outer, CallArgs args);
  Try<Value> RenderRecursive(const Stmt& loop, const Ref<FrameObject>& outer, Value iterable,
                             int depth);
  Try<bool> PassesLoopTest(const Stmt& loop, const Ref<FrameObject>& frame, const Value& item);
  Try<Value> RenderBlock(const std::string& name);
  // An expression without variables (IsConstant).
  Try<Value> Constant(const Expr& expr) { return Eval(expr, Frame()); }

 private:
  enum class Flow { kNext, kBreak, kContinue };
  using Frame = Ref<FrameObject>;

  // Statements (statements.cc, loops.cc, macros.cc).
  Try<Flow> Run(const Body& body, const Frame& frame);
  Try<Flow> Run(const Stmt& statement, const Frame& frame);
  Try<Flow> RunOutput(const Stmt& statement, const Frame& frame);
  Try<Flow> RunIf(const Stmt& statement, const Frame& frame);
  Try<Flow> RunSet(const Stmt& statement, const Frame& frame);
  Try<Flow> RunSetBlock(const Stmt& statement, const Frame& frame);
  Try<Flow> RunFilterBlock(const Stmt& statement, const Frame& frame);
  bool Escapes(const Stmt& statement) const {
    return statement.asks ? runtime_.autoescape() : statement.escapes;
  }
  Try<Flow> RunAutoescape(const Stmt& statement, const Frame& frame);
  Try<Flow> RunWith(const Stmt& statement, const Frame& frame);
  Try<Flow> RunMacro(const Stmt& statement, const Frame& frame);
  Try<Flow> RunCallBlock(const Stmt& statement, const Frame& frame);
  Try<Flow> RunFor(const Stmt& statement, const Frame& frame);
  Try<Flow> RunLoop(const Stmt& loop, const Frame& frame, const Frame& outer, Value iterable,
                    int depth);
  Try<Flow> RunPlainLoop(const Stmt& loop, const Frame& frame, const Value& iterable, bool& empty);
  Try<Flow> RunRichLoop(const Stmt& loop, const Frame& frame, const Frame& outer, Value iterable,
                        int depth, bool& empty);
  Try<Flow> RunIteration(const Stmt& loop, const Frame& frame, const Value& item, bool& empty);
  void Print(const Value& value);
  void PrintEscaped(const Value& value);
  void Enter(const Scope& scope, const Frame& frame);
  void Leave(const Scope& scope, const Frame& frame);
  Try<void> CheckNamespaces(const Expr& target, const Frame& frame);
  Try<void> Assign(const Expr& target, Value value, const Frame& frame);
  void Export(const Expr& target, const Frame& frame);
  Try<void> BindParameters(const Stmt& macro, FrameObject& frame, CallArgs args);
  Try<void> FillParameters(const Stmt& macro, const Frame& frame);

  // Expressions (expressions.cc).
  Try<Value> Eval(const Expr& expr, const Frame& frame);
  Try<Value> EvalNode(const Expr& expr, const Frame& frame);
  Try<Value> EvalDict(const Expr& expr, const Frame& frame);
  Try<Value> EvalLogic(const Expr& expr, const Frame& frame);
  Try<Value> EvalCompare(const Expr& expr, const Frame& frame);
  Try<bool> CompareOnce(const std::string& op, const Value& a, const Value& b);
  Try<Value> EvalConcat(const Expr& expr, const Frame& frame);
  Try<Value> EvalGetItem(const Expr& expr, const Frame& frame);
  Try<Value> EvalCall(const Expr& expr, const Frame& frame, const Value& caller);
  Try<Value> EvalFilter(const Expr& expr, const Frame& frame, const Value* body);
  Try<Value> EvalTest(const Expr& expr, const Frame& frame);
  Try<Value> EvalCond(const Expr& expr, const Frame& frame);
  Try<std::vector<Value>> EvalAll(const std::vector<ExprPtr>& exprs, const Frame& frame);
  Try<CallArgs> EvalArgs(const Expr& expr, const Frame& frame);
  Value Resolve(const std::string& name) const;
  static Value& Slot(const Variable& variable, const Frame& frame);

  Runtime& runtime_;
  const ResolvedTemplate& template_;
  const Dict& globals_;
  Dict exported_;  // assigned at the top level, for blocks
  TextBuilder* out_ = nullptr;
  int stack_ = 0;
};

}  // namespace sglrun::jinja
