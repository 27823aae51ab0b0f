// The names used in one scope of a template, collected by the resolver. Follows the rules of
// jinja2's idtracking: a name that is read before it is assigned comes from outside, a name that
// only some branches assign may still come from outside, and an inner scope works on a copy.
#pragma once

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "jinja/ast.h"

namespace sglrun::jinja {

// A slot of a function.
struct Place {
  FunctionInfo* function = nullptr;
  std::size_t slot = 0;
  auto operator<=>(const Place&) const = default;
};

class Symbols {
 public:
  Symbols(FunctionInfo* function, const Symbols* parent)
      : function_(function), parent_(parent), level_(parent == nullptr ? 0 : parent->level_ + 1) {}

  Symbols(Symbols&&) = default;
  Symbols& operator=(Symbols&&) = default;
  Symbols& operator=(const Symbols&) = delete;

  // The names that a statement of this scope reads and assigns, without those of inner scopes.
  void Visit(const Body& body);
  void Visit(const Stmt& statement);
  void VisitLoads(const Expr* expr);
  // `parameters`: names become parameters of the scope rather than assignments.
  void VisitTarget(const Expr& target, bool parameters);
  std::size_t DeclareParameter(const std::string& name);

  const Place* Find(const std::string& name) const;  // here or outside
  // The variable as seen from code of `function`.
  Variable Seen(const std::string& name, const FunctionInfo& function) const;
  Scope ToScope() const;
  FunctionInfo* function() const { return function_; }

 private:
  struct Loaded {
    Scope::Load load = Scope::Load::kMissing;
    std::string name = {};
    Place source = {};
  };

  Symbols(const Symbols&) = default;
  Symbols Copy() const;  // is charged

  Place Define(const std::string& name);
  void Load(const std::string& name);
  void Store(const std::string& name);
  void VisitIf(const Stmt& statement);
  void BranchUpdate(std::initializer_list<const Symbols*> branches);

  FunctionInfo* function_;
  const Symbols* parent_;
  int level_;
  std::map<std::string, Place> refs_;
  std::map<Place, Loaded> loads_;
  std::set<std::string> stores_;
};

// Which of `names` are read in the nodes before they are assigned there, in any scope.
std::set<std::string> FindUndeclared(const Body& body, std::set<std::string> names);

}  // namespace sglrun::jinja
