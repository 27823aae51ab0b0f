#include "jinja/resolver.h"

#include "jinja/filters.h"
#include "jinja/symbols.h"
#include "jinja/tests.h"

namespace sglrun::jinja {
namespace {

// The context of code: the visible names, and what is allowed there.
struct Frame {
  Symbols* symbols = nullptr;
  FunctionInfo* function = nullptr;
  bool toplevel = false;
  bool soft = false;     // under an `if`: unknown filters matter only when they are reached
  bool in_loop = false;  // of the same function
};

bool AssignsLoop(const Expr& target) {
  if (target.kind == Expr::Kind::kName) return target.text == "loop";
  for (const ExprPtr& child : target.children) {
    if (AssignsLoop(*child)) return true;
  }
  return false;
}

bool AssignsLoop(const Body& body);

bool AssignsLoop(const Stmt& statement) {
  Meter::Step();
  const bool stores = statement.kind == Stmt::Kind::kFor || statement.kind == Stmt::Kind::kSet ||
                      statement.kind == Stmt::Kind::kSetBlock;
  if (stores && AssignsLoop(*statement.target)) return true;
  for (const Stmt::Branch& branch : statement.branches) {
    if (AssignsLoop(branch.body)) return true;
  }
  return AssignsLoop(statement.body) || AssignsLoop(statement.otherwise);
}

bool AssignsLoop(const Body& body) {
  for (const StmtPtr& statement : body) {
    if (AssignsLoop(*statement)) return true;
  }
  return false;
}

bool HasScopedBlock(const Body& body) {
  for (const StmtPtr& statement : body) {
    Meter::Step();
    if (statement->kind == Stmt::Kind::kBlock && statement->scoped) return true;
    for (const Stmt::Branch& branch : statement->branches) {
      if (HasScopedBlock(branch.body)) return true;
    }
    if (HasScopedBlock(statement->body) || HasScopedBlock(statement->otherwise)) return true;
  }
  return false;
}

class Resolver {
 public:
  Try<ResolvedTemplate> Run(Body body) {
    ResolvedTemplate result;
    result.function = std::make_shared<FunctionInfo>();
    Symbols symbols(result.function.get(), nullptr);
    result.uses_self = !FindUndeclared(body, {"self"}).empty();
    if (result.uses_self) result.self.slot = symbols.DeclareParameter("self");
    symbols.Visit(body);
    SGLRUN_RETURN_IF_ERROR(
        Visit(body, {.symbols = &symbols, .function = result.function.get(), .toplevel = true}));
    result.scope = symbols.ToScope();
    for (std::size_t i = 0; i < pending_blocks_.size(); ++i) {
      SGLRUN_RETURN_IF_ERROR(VisitBlockBody(*pending_blocks_[i]));
    }
    result.blocks = std::move(blocks_);
    result.body = std::move(body);
    return result;
  }

 private:
  static Fault Error(std::string message, int line) {
    return {FaultKind::kSyntax, std::move(message), line};
  }

  static std::shared_ptr<FunctionInfo> NewFunction(FunctionInfo* parent) {
    auto function = std::make_shared<FunctionInfo>();
    function->parent = parent;
    function->depth = parent == nullptr ? 0 : parent->depth + 1;
    return function;
  }

  static Frame Inner(const Frame& frame, Symbols& symbols) {
    return {.symbols = &symbols, .function = symbols.function(), .in_loop = frame.in_loop};
  }

  static Frame Soft(Frame frame) {
    frame.soft = true;
    return frame;
  }

  Try<void> Visit(const Body& body, const Frame& frame) {
    for (const StmtPtr& statement : body) SGLRUN_RETURN_IF_ERROR(Visit(*statement, frame));
    return {};
  }

  Try<void> Visit(Stmt& s, const Frame& frame) {
    Meter::Step();
    switch (s.kind) {
      case Stmt::Kind::kOutput:
        return Visit(s.exprs, frame);
      case Stmt::Kind::kFor:
        return VisitFor(s, frame);
      case Stmt::Kind::kIf:
        return VisitIf(s, Soft(frame));
      case Stmt::Kind::kSet:
        s.exported = frame.toplevel;
        VisitTarget(*s.target, frame);
        return Visit(s.value.get(), frame);
      case Stmt::Kind::kSetBlock:
        s.exported = frame.toplevel;
        VisitTarget(*s.target, frame);
        return VisitScoped(s, frame);
      case Stmt::Kind::kMacro:
        s.exported = frame.toplevel;
        VisitTarget(*s.target, frame);
        return VisitMacro(s, frame);
      case Stmt::Kind::kCallBlock:
        SGLRUN_RETURN_IF_ERROR(VisitMacro(s, frame));
        return Visit(s.value.get(), frame);
      case Stmt::Kind::kGeneration:
        return VisitMacro(s, frame);
      case Stmt::Kind::kFilterBlock:
      case Stmt::Kind::kScope:
      case Stmt::Kind::kAutoescape:
        return VisitScoped(s, frame);
      case Stmt::Kind::kWith:
        return VisitWith(s, frame);
      case Stmt::Kind::kBlock:
        return VisitBlock(s);
      case Stmt::Kind::kBreak:
      case Stmt::Kind::kContinue:
        if (frame.in_loop) return {};
        return Error(s.kind == Stmt::Kind::kBreak ? "'break' outside loop"
                                                  : "'continue' not properly in loop",
                     s.line);
      case Stmt::Kind::kRefused:
        return {};
    }
    return {};
  }

  Try<void> VisitIf(Stmt& s, const Frame& frame) {
    for (Stmt::Branch& branch : s.branches) {
      SGLRUN_RETURN_IF_ERROR(Visit(branch.test.get(), frame));
      SGLRUN_RETURN_IF_ERROR(Visit(branch.body, frame));
    }
    return Visit(s.otherwise, frame);
  }

  // A body in its own scope, and its filter.
  Try<void> VisitScoped(Stmt& s, const Frame& frame) {
    Symbols symbols(frame.function, frame.symbols);
    if (s.kind == Stmt::Kind::kAutoescape) symbols.VisitLoads(s.value.get());
    symbols.Visit(s.body);
    if (s.kind == Stmt::Kind::kFilterBlock) symbols.VisitLoads(s.value.get());
    const Frame inner = Inner(frame, symbols);
    SGLRUN_RETURN_IF_ERROR(Visit(s.body, inner));
    SGLRUN_RETURN_IF_ERROR(Visit(s.value.get(), EnsureLoaded(s.value.get(), inner)));
    s.scope = symbols.ToScope();
    return {};
  }

  // The filter of a set block is not part of its scope's analysis in the reference, which then
  // fails on names it has not met; here they are looked up like any other.
  static const Frame& EnsureLoaded(const Expr* expr, const Frame& frame) {
    frame.symbols->VisitLoads(expr);
    return frame;
  }

  Try<void> VisitWith(Stmt& s, const Frame& frame) {
    SGLRUN_RETURN_IF_ERROR(Visit(s.values, frame));
    Symbols symbols(frame.function, frame.symbols);
    for (const ExprPtr& target : s.exprs) symbols.VisitTarget(*target, true);
    symbols.Visit(s.body);
    const Frame inner = Inner(frame, symbols);
    for (const ExprPtr& target : s.exprs) VisitTarget(*target, inner);
    SGLRUN_RETURN_IF_ERROR(Visit(s.body, inner));
    s.scope = symbols.ToScope();
    return {};
  }

  Try<void> VisitFor(Stmt& s, const Frame& frame) {
    s.needs_loop =
        s.recursive || !FindUndeclared(s.body, {"loop"}).empty() || HasScopedBlock(s.body);
    if (AssignsLoop(s)) {
      return Error("Can't assign to special loop variable in for-loop target", s.line);
    }
    SGLRUN_RETURN_IF_ERROR(Visit(s.value.get(), frame));
    if (s.test) SGLRUN_RETURN_IF_ERROR(VisitLoopTest(s, frame));
    FunctionInfo* function = frame.function;
    if (s.recursive) {
      s.function = NewFunction(frame.function);
      function = s.function.get();
    }
    Symbols symbols(function, frame.symbols);
    if (s.needs_loop) s.loop_variable.slot = symbols.DeclareParameter("loop");
    symbols.VisitTarget(*s.target, true);
    symbols.Visit(s.body);
    Frame inner = Inner(frame, symbols);
    VisitTarget(*s.target, inner);
    inner.in_loop = true;
    SGLRUN_RETURN_IF_ERROR(Visit(s.body, inner));
    s.scope = symbols.ToScope();
    return VisitLoopElse(s, frame, function);
  }

  // The test runs in its own generator function.
  Try<void> VisitLoopTest(Stmt& s, const Frame& frame) {
    s.test_function = NewFunction(frame.function);
    Symbols symbols(s.test_function.get(), frame.symbols);
    symbols.VisitTarget(*s.test_target, true);
    symbols.VisitLoads(s.test.get());
    const Frame inner = Inner(frame, symbols);
    VisitTarget(*s.test_target, inner);
    SGLRUN_RETURN_IF_ERROR(Visit(s.test.get(), inner));
    s.test_scope = symbols.ToScope();
    return {};
  }

  Try<void> VisitLoopElse(Stmt& s, const Frame& frame, FunctionInfo* function) {
    Symbols symbols(function, frame.symbols);
    symbols.Visit(s.otherwise);
    Frame inner = Inner(frame, symbols);
    if (s.recursive) inner.in_loop = false;
    SGLRUN_RETURN_IF_ERROR(Visit(s.otherwise, inner));
    s.else_scope = symbols.ToScope();
    return {};
  }

  Try<void> VisitMacro(Stmt& s, const Frame& frame) {
    s.function = NewFunction(frame.function);
    Symbols symbols(s.function.get(), frame.symbols);
    for (const ExprPtr& parameter : s.exprs) {
      s.parameter_slots.push_back(symbols.DeclareParameter(parameter->text));
    }
    for (const ExprPtr& standard : s.values) symbols.VisitLoads(standard.get());
    symbols.Visit(s.body);
    SGLRUN_RETURN_IF_ERROR(DeclareSpecial(s, symbols));
    const Frame inner{.symbols = &symbols, .function = s.function.get()};
    SGLRUN_RETURN_IF_ERROR(Visit(s.values, inner));
    SGLRUN_RETURN_IF_ERROR(Visit(s.body, inner));
    s.scope = symbols.ToScope();
    return {};
  }

  // caller, kwargs and varargs exist in a macro that reads them.
  static Try<void> DeclareSpecial(Stmt& s, Symbols& symbols) {
    const auto parameter = [&](std::string_view name) {
      for (std::size_t i = 0; i < s.exprs.size(); ++i) {
        if (s.exprs[i]->text == name) return i;
      }
      return s.exprs.size();
    };
    const std::set<std::string> used = FindUndeclared(s.body, {"caller", "kwargs", "varargs"});
    if (used.count("caller") > 0) {
      const std::size_t place = parameter("caller");
      if (place == s.exprs.size()) {
        s.takes_caller = true;
        s.parameter_slots.push_back(symbols.DeclareParameter("caller"));
      } else if (place + s.values.size() < s.exprs.size()) {
        return Error(
            "When defining macros or call blocks the special \"caller\" argument must be omitted "
            "or be given a default.",
            s.line);
      }
    }
    if (used.count("kwargs") > 0 && parameter("kwargs") == s.exprs.size()) {
      s.takes_kwargs = true;
      s.parameter_slots.push_back(symbols.DeclareParameter("kwargs"));
    }
    if (used.count("varargs") > 0 && parameter("varargs") == s.exprs.size()) {
      s.takes_varargs = true;
      s.parameter_slots.push_back(symbols.DeclareParameter("varargs"));
    }
    return {};
  }

  Try<void> VisitBlock(Stmt& s) {
    if (s.scoped) {
      return Error("{% block " + s.name + " scoped %} is not supported in a chat template", s.line);
    }
    if (!blocks_.emplace(s.name, &s).second) {
      return Error("block '" + s.name + "' defined twice", s.line);
    }
    pending_blocks_.push_back(&s);
    return {};
  }

  // A block sees the template's variables by name only.
  Try<void> VisitBlockBody(Stmt& s) {
    s.function = NewFunction(nullptr);
    Symbols symbols(s.function.get(), nullptr);
    if (!FindUndeclared(s.body, {"self"}).empty()) {
      s.parameter_slots.push_back(symbols.DeclareParameter("self"));
    }
    symbols.Visit(s.body);
    SGLRUN_RETURN_IF_ERROR(Visit(s.body, {.symbols = &symbols, .function = s.function.get()}));
    s.scope = symbols.ToScope();
    return {};
  }

  void VisitTarget(Expr& target, const Frame& frame) {
    if (target.kind == Expr::Kind::kName || target.kind == Expr::Kind::kAttribute) {
      target.variable = frame.symbols->Seen(target.text, *frame.function);
    }
    for (const ExprPtr& child : target.children) VisitTarget(*child, frame);
  }

  Try<void> Visit(const std::vector<ExprPtr>& exprs, const Frame& frame) {
    for (const ExprPtr& expr : exprs) SGLRUN_RETURN_IF_ERROR(Visit(expr.get(), frame));
    return {};
  }

  Try<void> Visit(Expr* expr, const Frame& frame) {
    if (expr == nullptr) return {};
    if (expr->kind == Expr::Kind::kName) {
      expr->variable = frame.symbols->Seen(expr->text, *frame.function);
    }
    if (expr->kind == Expr::Kind::kFilter) {
      expr->filter = FindFilter(expr->text);
      if (expr->filter == nullptr && !frame.soft) {
        return Error("No filter named '" + expr->text + "'.", expr->line);
      }
    }
    if (expr->kind == Expr::Kind::kTest) {
      expr->test = FindTest(expr->text);
      if (expr->test == nullptr && !frame.soft) {
        return Error("No test named '" + expr->text + "'.", expr->line);
      }
    }
    if (expr->kind == Expr::Kind::kTuple) {
      for (const ExprPtr& child : expr->children) {
        if (child->kind == Expr::Kind::kSlice) return Error("invalid syntax", child->line);
      }
    }
    const Frame& place = expr->kind == Expr::Kind::kCond ? Soft(frame) : frame;
    SGLRUN_RETURN_IF_ERROR(Visit(expr->children, place));
    SGLRUN_RETURN_IF_ERROR(Visit(expr->args, place));
    for (const auto& [name, value] : expr->named) {
      SGLRUN_RETURN_IF_ERROR(Visit(value.get(), place));
    }
    SGLRUN_RETURN_IF_ERROR(Visit(expr->star_args.get(), place));
    return Visit(expr->star_named.get(), place);
  }

  std::map<std::string, const Stmt*> blocks_;
  std::vector<Stmt*> pending_blocks_;
};

}  // namespace

Try<ResolvedTemplate> Resolve(Body body) {
  return Resolver().Run(std::move(body));
}

}  // namespace sglrun::jinja
