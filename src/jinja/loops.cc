#include "jinja/compare.h"
#include "jinja/evaluator.h"

namespace sglrun::jinja {
namespace {

// The items of a loop that pass its test, tested one at a time as the loop asks for them.
class LoopTestIterator final : public Iterator {
 public:
  LoopTestIterator(Evaluator& evaluator, const Stmt& loop, Ref<FrameObject> frame, Value iterable)
      : evaluator_(&evaluator),
        loop_(&loop),
        frame_(std::move(frame)),
        iterable_(std::move(iterable)) {}

  Try<bool> TakeNext(Runtime& runtime, Value& out) override {
    if (!source_) {
      SGLRUN_ASSIGN_OR_RETURN(source_, Iterate(iterable_));
    }
    while (true) {
      SGLRUN_ASSIGN_OR_RETURN(const bool more, source_->Next(runtime, out));
      if (!more) return false;
      SGLRUN_ASSIGN_OR_RETURN(const bool passes, evaluator_->PassesLoopTest(*loop_, frame_, out));
      if (passes) return true;
    }
  }

 private:
  Evaluator* evaluator_;
  const Stmt* loop_;
  Ref<FrameObject> frame_;
  Value iterable_;
  Ref<Iterator> source_;
};

// loop(items) inside a recursive loop.
class RecursiveCall final : public Callable {
 public:
  RecursiveCall(Evaluator& evaluator, const Stmt& loop, Ref<FrameObject> outer, int depth)
      : evaluator_(&evaluator), loop_(&loop), outer_(std::move(outer)), depth_(depth) {}

  Try<Value> Call(Runtime& runtime, CallArgs args) const override {
    static_cast<void>(runtime);
    if (args.args.size() != 1 || !args.named.empty()) {
      return TypeFault("LoopContext.__call__() takes 1 positional argument");
    }
    return evaluator_->RenderRecursive(*loop_, outer_, args.args[0], depth_);
  }
  std::string TypeName() const override { return "function"; }
  std::string Repr() const override { return "<function loop>"; }

 private:
  Evaluator* evaluator_;
  const Stmt* loop_;
  Ref<FrameObject> outer_;
  int depth_;
};

}  // namespace

Try<bool> Evaluator::PassesLoopTest(const Stmt& loop, const Ref<FrameObject>& frame,
                                    const Value& item) {
  SGLRUN_RETURN_IF_ERROR(Assign(*loop.test_target, item, frame));
  SGLRUN_ASSIGN_OR_RETURN(const Value passes, Eval(*loop.test, frame));
  return Truth(passes);
}

Try<Evaluator::Flow> Evaluator::RunFor(const Stmt& loop, const Frame& frame) {
  SGLRUN_ASSIGN_OR_RETURN(Value iterable, Eval(*loop.value, frame));
  if (!loop.recursive) return RunLoop(loop, frame, frame, std::move(iterable), 0);
  SGLRUN_ASSIGN_OR_RETURN(const Value text, RenderRecursive(loop, frame, std::move(iterable), 0));
  Print(text);
  return Flow::kNext;
}

Try<Value> Evaluator::RenderRecursive(const Stmt& loop, const Ref<FrameObject>& outer,
                                      Value iterable, int depth) {
  const Runtime::Depth level(runtime_);
  SGLRUN_RETURN_IF_ERROR(level.Check());
  const Frame frame = MakeRef<FrameObject>(runtime_.registry(), *loop.function, outer);
  TextBuilder text;
  TextBuilder* const before = std::exchange(out_, &text);
  const Try<Flow> flow = RunLoop(loop, frame, outer, std::move(iterable), depth);
  out_ = before;
  SGLRUN_RETURN_IF_ERROR(flow);
  return text.Build(Escapes(loop));
}

Try<Evaluator::Flow> Evaluator::RunLoop(const Stmt& loop, const Frame& frame, const Frame& outer,
                                        Value iterable, int depth) {
  if (loop.test) {
    const Frame test_frame = MakeRef<FrameObject>(runtime_.registry(), *loop.test_function, outer);
    Enter(loop.test_scope, test_frame);
    iterable =
        MakeIterator(MakeRef<LoopTestIterator>(*this, loop, test_frame, std::move(iterable)));
  }
  bool empty = true;  // as the reference counts: until one pass runs to its end
  SGLRUN_ASSIGN_OR_RETURN(Flow flow,
                          loop.needs_loop
                              ? RunRichLoop(loop, frame, outer, std::move(iterable), depth, empty)
                              : RunPlainLoop(loop, frame, iterable, empty));
  Leave(loop.scope, frame);
  if (!empty || loop.otherwise.empty()) return flow;
  Enter(loop.else_scope, frame);
  SGLRUN_ASSIGN_OR_RETURN(flow, Run(loop.otherwise, frame));
  Leave(loop.else_scope, frame);
  return flow;
}

// One pass; kBreak: the last one.
Try<Evaluator::Flow> Evaluator::RunIteration(const Stmt& loop, const Frame& frame,
                                             const Value& item, bool& empty) {
  SGLRUN_RETURN_IF_ERROR(Assign(*loop.target, item, frame));
  Enter(loop.scope, frame);
  SGLRUN_ASSIGN_OR_RETURN(const Flow flow, Run(loop.body, frame));
  if (flow == Flow::kNext) empty = false;
  return flow;
}

Try<Evaluator::Flow> Evaluator::RunPlainLoop(const Stmt& loop, const Frame& frame,
                                             const Value& iterable, bool& empty) {
  SGLRUN_ASSIGN_OR_RETURN(const Ref<Iterator> iterator, Iterate(iterable));
  while (true) {
    Value item;
    SGLRUN_ASSIGN_OR_RETURN(const bool more, iterator->Next(runtime_, item));
    if (!more) return Flow::kNext;
    SGLRUN_ASSIGN_OR_RETURN(const Flow flow, RunIteration(loop, frame, item, empty));
    if (flow == Flow::kBreak) return Flow::kNext;
  }
}

Try<Evaluator::Flow> Evaluator::RunRichLoop(const Stmt& loop, const Frame& frame,
                                            const Frame& outer, Value iterable, int depth,
                                            bool& empty) {
  auto state = MakeRef<LoopObject>(runtime_.registry());
  SGLRUN_ASSIGN_OR_RETURN(state->iterator, Iterate(iterable));
  state->iterable = std::move(iterable);
  state->depth0 = depth;
  if (loop.recursive) {
    state->recurse = MakeCallable(MakeRef<RecursiveCall>(*this, loop, outer, depth + 1));
  }
  frame->slots[loop.loop_variable.slot] = Value();
  while (true) {
    SGLRUN_ASSIGN_OR_RETURN(const bool more, state->Advance(runtime_));
    if (!more) return Flow::kNext;
    frame->slots[loop.loop_variable.slot] = Value(Kind::kLoop, state);
    SGLRUN_ASSIGN_OR_RETURN(const Flow flow, RunIteration(loop, frame, state->current, empty));
    if (flow == Flow::kBreak) return Flow::kNext;
  }
}

}  // namespace sglrun::jinja
