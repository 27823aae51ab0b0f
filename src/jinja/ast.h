// The tree of a template. The parser makes it, the resolver (scope.h) ties names to variables, the
// evaluator walks it; after that it never changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jinja/scope.h"
#include "jinja/value.h"

namespace sglrun::jinja {

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;
struct FilterEntry;
struct TestEntry;

struct Expr {
  enum class Kind {
    kData,  // text of the template, in `constant`
    kConst,
    kName,
    kAttribute,  // a target: ns.attr, `name` and `text`
    kTuple,
    kList,
    kDict,  // key, value, key, value, ...
    kNot,
    kNegate,
    kPlus,
    kBinary,  // `text` is the operator
    kAnd,
    kOr,
    kCompare,  // first, then one operand for each of `operators`
    kConcat,
    kGetAttr,  // a.text
    kGetItem,  // a[b]
    kSlice,    // start, stop, step; any may be null
    kCall,     // callee
    kFilter,   // input or null (the body of a filter block)
    kTest,
    kCond,  // test, then, else or null
  };

  Kind kind = Kind::kConst;
  int line = 0;
  int depth = 1;
  Value constant;
  std::string text;  // a name, an operator
  std::vector<ExprPtr> children;
  std::vector<std::string> operators;

  // Calls, filters, tests.
  std::vector<ExprPtr> args;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr star_args, star_named;
  const FilterEntry* filter = nullptr;  // nullptr: unknown, an error once it is reached
  const TestEntry* test = nullptr;

  bool escapes = false;   // a kConcat inside {% autoescape true %}, not of a computed flag
  Variable variable;      // of a name
  std::string attribute;  // of kAttribute
};

struct Stmt;
using StmtPtr = std::unique_ptr<Stmt>;
using Body = std::vector<StmtPtr>;

struct Stmt {
  enum class Kind {
    kOutput,  // expressions to print
    kFor,
    kIf,  // one (test, body) for each of `branches`; `otherwise`
    kSet,
    kSetBlock,
    kMacro,
    kCallBlock,
    kFilterBlock,
    kWith,
    kScope,
    kAutoescape,  // a scope in which values are escaped, or no longer
    kBlock,
    kBreak,
    kContinue,
    kGeneration,  // {% generation %}: its body, in a scope of a macro
    kRefused,     // refers to another file; an error when executed
  };

  struct Branch {
    ExprPtr test;
    Body body;
  };

  Kind kind = Kind::kOutput;
  int line = 0;
  std::string name;             // of a macro, a block; why it is refused
  std::vector<ExprPtr> exprs;   // printed; targets of `with`; parameters of a macro
  std::vector<ExprPtr> values;  // of `with`; defaults of a macro, for its last parameters
  ExprPtr target, value, test;  // value: iterated, assigned, the call, the filter, the flag
  ExprPtr test_target;          // a second copy of a loop's target, inside its test
  Body body, otherwise;
  std::vector<Branch> branches;
  bool recursive = false, scoped = false, required = false;
  bool escapes = false;  // inside {% autoescape true %}
  bool asks =
      false;  // inside {% autoescape FLAG %}: whether values are escaped is known when it runs

  // Filled by the resolver.
  bool exported = false;    // assigns at the top level
  bool needs_loop = false;  // the loop's body speaks of `loop`
  bool takes_caller = false, takes_kwargs = false, takes_varargs = false;
  Variable loop_variable;
  Scope scope, else_scope, test_scope;
  std::shared_ptr<FunctionInfo> function;       // of a macro, a recursive loop, a block
  std::shared_ptr<FunctionInfo> test_function;  // of a loop's test
  std::vector<std::size_t> parameter_slots;     // then caller, kwargs, varargs, as taken
};

// Whether the expression depends only on the template, not on its variables.
bool IsConstant(const Expr& expr);
// Its value; fails for any other expression.
Try<Value> EvaluateConstant(const Expr& expr);

inline ExprPtr MakeExpr(Expr::Kind kind, int line) {
  auto node = std::make_unique<Expr>();
  node->kind = kind;
  node->line = line;
  return node;
}

}  // namespace sglrun::jinja
