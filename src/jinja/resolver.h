// Ties every name of a parsed template to its variable (scope.h) and every filter and test to its
// function; reports the errors of a compiler: unknown filters, loops that assign `loop`, a break
// outside a loop.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "jinja/ast.h"

namespace sglrun::jinja {

struct ResolvedTemplate {
  Body body;
  std::shared_ptr<FunctionInfo> function;
  Scope scope;
  bool uses_self = false;
  Variable self;
  std::map<std::string, const Stmt*> blocks;
};

Try<ResolvedTemplate> Resolve(Body body);

}  // namespace sglrun::jinja
