#include "jinja/symbols.h"

namespace sglrun::jinja {
namespace {

Variable FromFunction(const Place& place, const FunctionInfo& function) {
  return {function.depth - place.function->depth, place.slot};
}

// Walks all nodes in order, scopes inside scopes too, blocks left out.
class UndeclaredFinder {
 public:
  explicit UndeclaredFinder(std::set<std::string> names) : names_(std::move(names)) {}

  void Visit(const Body& body) {
    for (const StmtPtr& statement : body) Visit(*statement);
  }

  std::set<std::string> found;

 private:
  void Visit(const std::vector<ExprPtr>& exprs) {
    for (const ExprPtr& expr : exprs) Visit(expr.get());
  }

  void Assign(const Expr& target) {
    if (target.kind == Expr::Kind::kName) names_.erase(target.text);
    for (const ExprPtr& child : target.children) Assign(*child);
  }

  void Visit(const Expr* expr) {
    if (expr == nullptr) return;
    Meter::Step();
    if (expr->kind == Expr::Kind::kName && names_.count(expr->text) > 0) found.insert(expr->text);
    Visit(expr->children);
    Visit(expr->args);
    for (const auto& [name, value] : expr->named) Visit(value.get());
    Visit(expr->star_args.get());
    Visit(expr->star_named.get());
  }

  void Visit(const Stmt& statement) {
    Meter::Step();
    switch (statement.kind) {
      case Stmt::Kind::kBlock:
        return;
      case Stmt::Kind::kFor:
        Assign(*statement.target);
        Visit(statement.value.get());
        Visit(statement.body);
        Visit(statement.otherwise);
        Visit(statement.test.get());
        return;
      case Stmt::Kind::kCallBlock:
        Visit(statement.value.get());
        VisitParameters(statement);
        Visit(statement.body);
        return;
      case Stmt::Kind::kMacro:
        VisitParameters(statement);
        Visit(statement.body);
        return;
      case Stmt::Kind::kFilterBlock:
        Visit(statement.body);
        Visit(statement.value.get());
        return;
      case Stmt::Kind::kWith:
        for (const ExprPtr& target : statement.exprs) Assign(*target);
        Visit(statement.values);
        Visit(statement.body);
        return;
      default:
        break;
    }
    if (statement.target) Assign(*statement.target);
    Visit(statement.exprs);
    Visit(statement.value.get());
    for (const Stmt::Branch& branch : statement.branches) {
      Visit(branch.test.get());
      Visit(branch.body);
    }
    Visit(statement.body);
    Visit(statement.otherwise);
  }

  void VisitParameters(const Stmt& macro) {
    for (const ExprPtr& parameter : macro.exprs) Assign(*parameter);
    Visit(macro.values);
  }

  std::set<std::string> names_;
};

}  // namespace

std::set<std::string> FindUndeclared(const Body& body, std::set<std::string> names) {
  UndeclaredFinder finder(std::move(names));
  finder.Visit(body);
  return finder.found;
}

const Place* Symbols::Find(const std::string& name) const {
  for (const Symbols* scope = this; scope != nullptr; scope = scope->parent_) {
    Meter::Step();
    const auto it = scope->refs_.find(name);
    if (it != scope->refs_.end()) return &it->second;
  }
  return nullptr;
}

Variable Symbols::Seen(const std::string& name, const FunctionInfo& function) const {
  const Place* place = Find(name);
  CHECK(place != nullptr) << name;
  return FromFunction(*place, function);
}

Scope Symbols::ToScope() const {
  Scope scope;
  for (const auto& [place, loaded] : loads_) {
    Scope::Entry entry{.slot = place.slot, .load = loaded.load, .name = loaded.name};
    if (loaded.load == Scope::Load::kAlias) entry.source = FromFunction(loaded.source, *function_);
    scope.entries.push_back(std::move(entry));
  }
  return scope;
}

Place Symbols::Define(const std::string& name) {
  const Place place{function_, function_->Slot(level_, name)};
  refs_[name] = place;
  return place;
}

std::size_t Symbols::DeclareParameter(const std::string& name) {
  stores_.insert(name);
  const Place place = Define(name);
  loads_[place] = {.load = Scope::Load::kParameter};
  return place.slot;
}

void Symbols::Load(const std::string& name) {
  if (Find(name) == nullptr) loads_[Define(name)] = {.load = Scope::Load::kResolve, .name = name};
}

void Symbols::Store(const std::string& name) {
  stores_.insert(name);
  if (refs_.count(name) > 0) return;
  const Place* outer = parent_ == nullptr ? nullptr : parent_->Find(name);
  if (outer != nullptr) {
    const Place source = *outer;
    loads_[Define(name)] = {.load = Scope::Load::kAlias, .source = source};
  } else {
    loads_[Define(name)] = {.load = Scope::Load::kMissing};
  }
}

void Symbols::VisitLoads(const Expr* expr) {
  if (expr == nullptr) return;
  Meter::Step();
  if (expr->kind == Expr::Kind::kName) Load(expr->text);
  for (const ExprPtr& child : expr->children) VisitLoads(child.get());
  for (const ExprPtr& arg : expr->args) VisitLoads(arg.get());
  for (const auto& [name, value] : expr->named) VisitLoads(value.get());
  VisitLoads(expr->star_args.get());
  VisitLoads(expr->star_named.get());
}

void Symbols::VisitTarget(const Expr& target, bool parameters) {
  if (target.kind == Expr::Kind::kAttribute) {
    Load(target.text);
  } else if (target.kind == Expr::Kind::kName) {
    if (parameters) {
      DeclareParameter(target.text);
    } else {
      Store(target.text);
    }
  }
  for (const ExprPtr& child : target.children) VisitTarget(*child, parameters);
}

void Symbols::Visit(const Body& body) {
  for (const StmtPtr& statement : body) Visit(*statement);
}

void Symbols::Visit(const Stmt& statement) {
  switch (statement.kind) {
    case Stmt::Kind::kOutput:
      for (const ExprPtr& expr : statement.exprs) VisitLoads(expr.get());
      return;
    case Stmt::Kind::kIf:
      VisitIf(statement);
      return;
    case Stmt::Kind::kSet:
      VisitLoads(statement.value.get());
      VisitTarget(*statement.target, false);
      return;
    case Stmt::Kind::kSetBlock:
    case Stmt::Kind::kMacro:
      VisitTarget(*statement.target, false);
      return;
    case Stmt::Kind::kFor:
    case Stmt::Kind::kCallBlock:
    case Stmt::Kind::kFilterBlock:
      VisitLoads(statement.value.get());
      return;
    case Stmt::Kind::kWith:
      for (const ExprPtr& value : statement.values) VisitLoads(value.get());
      return;
    default:
      return;
  }
}

Symbols Symbols::Copy() const {
  // An entry is a node of a tree with a text, which is made, merged with another copy and freed.
  constexpr std::size_t kStepsPerEntry = 8;
  Meter::Step(kStepsPerEntry * (refs_.size() + loads_.size() + stores_.size()));
  return *this;
}

// The reference treats `elif` as a nested if: its test belongs to the branch.
void Symbols::VisitIf(const Stmt& statement) {
  VisitLoads(statement.branches[0].test.get());
  Symbols body = Copy();
  body.Visit(statement.branches[0].body);
  Symbols rest = Copy();
  for (std::size_t i = 1; i < statement.branches.size(); ++i) {
    const Stmt::Branch& branch = statement.branches[i];
    rest.VisitLoads(branch.test.get());
    Symbols inner = rest.Copy();
    inner.Visit(branch.body);
    const Symbols none = rest.Copy();
    rest.BranchUpdate({&inner, &none, &none});
  }
  Symbols otherwise = Copy();
  otherwise.Visit(statement.otherwise);
  BranchUpdate({&body, &rest, &otherwise});
}

void Symbols::BranchUpdate(std::initializer_list<const Symbols*> branches) {
  std::set<std::string> stores;
  for (const Symbols* branch : branches)
    stores.insert(branch->stores_.begin(), branch->stores_.end());
  for (const std::string& name : stores_) stores.erase(name);
  for (const Symbols* branch : branches) {
    for (const auto& [name, place] : branch->refs_) refs_[name] = place;
    for (const auto& [place, loaded] : branch->loads_) loads_[place] = loaded;
    stores_.insert(branch->stores_.begin(), branch->stores_.end());
  }
  for (const std::string& name : stores) {
    const Place place = *Find(name);
    const Place* outer = parent_ == nullptr ? nullptr : parent_->Find(name);
    loads_[place] = outer != nullptr ? Loaded{.load = Scope::Load::kAlias, .source = *outer}
                                     : Loaded{.load = Scope::Load::kResolve, .name = name};
  }
}

}  // namespace sglrun::jinja
