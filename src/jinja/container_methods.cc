#include <algorithm>
#include <array>
#include <cmath>

#include "jinja/compare.h"
#include "jinja/methods.h"
#include "jinja/number.h"
#include "jinja/objects.h"
#include "jinja/repr.h"

namespace sglrun::jinja {
namespace {

Ref<Dict> DictOf(const Value& self) {
  return Ref<Dict>(&self.as<Dict>());
}

Try<Value> Get(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("get", {"/key", "/default"}, 1, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const Value* found, self.dict().Find(bound[0]));
  if (found != nullptr) return *found;
  return bound[1].missing() ? Value::None() : bound[1];
}

template <DictView::Part part>
Try<Value> View(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("dict view", {}, 0, std::move(args)));
  return Value(Kind::kDictView, MakeRef<DictView>(DictOf(self), part));
}

// Values never change, so a copy may share them; only the container must be a new object.
Try<Value> CopyDict(Runtime&, const Value& self, CallArgs) {
  auto copy = MakeRef<Dict>();
  for (const Dict::Entry& entry : self.dict().entries()) {
    SGLRUN_RETURN_IF_ERROR(copy->Set(entry.key, entry.value));
  }
  return MakeDict(copy);
}

Try<Value> CopyList(Runtime&, const Value& self, CallArgs) {
  return Value::List(self.items());
}

Try<Value> IndexOf(Runtime& runtime, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("index", {"/value", "/start", "/stop"}, 1, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime, self));
  const auto length = static_cast<std::int64_t>(items.size());
  SGLRUN_ASSIGN_OR_RETURN(std::int64_t start, IntArgument(bound[1], 0));
  SGLRUN_ASSIGN_OR_RETURN(std::int64_t stop, IntArgument(bound[2], length));
  if (start < 0) start = std::max<std::int64_t>(0, start + length);
  if (stop < 0) stop += length;
  for (std::int64_t i = start; i < std::min(stop, length); ++i) {
    if (Equal(items[static_cast<std::size_t>(i)], bound[0])) return Value::Int(i);
  }
  const std::string shown = Repr(bound[0]);
  return ValueFault(shown + " is not in " + TypeName(self));
}

Try<Value> CountOf(Runtime& runtime, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("count", {"/value"}, 1, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime, self));
  return Value::Int(std::count_if(items.begin(), items.end(),
                                  [&](const Value& item) { return Equal(item, bound[0]); }));
}

Try<Value> BitLength(Runtime&, const Value& self, CallArgs) {
  return Value::Int(static_cast<std::int64_t>(ToBigInt(self).bits()));
}

Try<Value> Conjugate(Runtime&, const Value& self, CallArgs) {
  return self.is(Kind::kBool) ? Value::Int(self.int64()) : self;
}

Try<Value> IsInteger(Runtime&, const Value& self, CallArgs) {
  return Value::Bool(std::isfinite(self.number()) && std::trunc(self.number()) == self.number());
}

constexpr std::array kDictMethods = {
    MethodEntry{"copy", CopyDict},
    MethodEntry{"get", Get},
    MethodEntry{"items", View<DictView::Part::kItems>},
    MethodEntry{"keys", View<DictView::Part::kKeys>},
    MethodEntry{"values", View<DictView::Part::kValues>},
};
constexpr std::array kListMethods = {
    MethodEntry{"copy", CopyList},
    MethodEntry{"count", CountOf},
    MethodEntry{"index", IndexOf},
};
constexpr std::array kTupleMethods = {
    MethodEntry{"count", CountOf},
    MethodEntry{"index", IndexOf},
};
constexpr std::array kIntMethods = {
    MethodEntry{"bit_length", BitLength},
    MethodEntry{"conjugate", Conjugate},
};
constexpr std::array kFloatMethods = {
    MethodEntry{"conjugate", Conjugate},
    MethodEntry{"is_integer", IsInteger},
};

template <std::size_t size>
const MethodEntry* FindIn(const std::array<MethodEntry, size>& table, std::string_view name) {
  for (const MethodEntry& entry : table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

const MethodEntry* FindContainerMethod(Kind kind, std::string_view name) {
  switch (kind) {
    case Kind::kDict:
      return FindIn(kDictMethods, name);
    case Kind::kList:
      return FindIn(kListMethods, name);
    case Kind::kTuple:
    case Kind::kRange:
      return FindIn(kTupleMethods, name);
    default:
      return nullptr;
  }
}

const MethodEntry* FindNumberMethod(Kind kind, std::string_view name) {
  return kind == Kind::kFloat ? FindIn(kFloatMethods, name) : FindIn(kIntMethods, name);
}

bool IsMutatingMethod(Kind kind, std::string_view name) {
  static constexpr std::array<std::string_view, 8> kOfLists = {
      "append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove"};
  static constexpr std::array<std::string_view, 5> kOfDicts = {"clear", "pop", "popitem",
                                                               "setdefault", "update"};
  if (kind == Kind::kList)
    return std::find(kOfLists.begin(), kOfLists.end(), name) != kOfLists.end();
  if (kind == Kind::kDict)
    return std::find(kOfDicts.begin(), kOfDicts.end(), name) != kOfDicts.end();
  return false;
}

}  // namespace sglrun::jinja
