#include "tokenizer/jinja/compare.h"

#include <cmath>

#include "tokenizer/jinja/big_int.h"
#include "tokenizer/jinja/callable.h"
#include "tokenizer/jinja/number.h"
#include "tokenizer/jinja/objects.h"

namespace sglrun::tokenizer::jinja {
namespace {

// How deep and how much a comparison has looked.
struct Reach {
  int depth = 0;
  std::int64_t* work;
  Reach Inner() const { return {depth + 1, work}; }
};

bool EqualWithin(const Value& a, const Value& b, Reach reach);

bool EqualDicts(const Dict& a, const Dict& b, Reach reach) {
  if (a.size() != b.size()) return false;
  for (const Dict::Entry& entry : a.entries()) {
    const Try<const Value*> other = b.Find(entry.key);
    if (!other.ok() || *other == nullptr || !EqualWithin(entry.value, **other, reach.Inner())) {
      return false;
    }
  }
  return true;
}

bool EqualItems(const std::vector<Value>& a, const std::vector<Value>& b, Reach reach) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].SameAs(b[i]) && !EqualWithin(a[i], b[i], reach.Inner())) return false;
  }
  return true;
}

bool EqualViews(const DictView& a, const DictView& b, Reach reach) {
  if (a.part == DictView::Part::kValues || b.part != a.part) return &a == &b;
  if (a.part == DictView::Part::kItems) return EqualDicts(*a.dict, *b.dict, reach);
  if (a.dict->size() != b.dict->size()) return false;
  for (const Dict::Entry& entry : a.dict->entries()) {
    const Try<const Value*> found = b.dict->Find(entry.key);
    if (!found.ok() || *found == nullptr) return false;
  }
  return true;
}

bool EqualWithin(const Value& a, const Value& b, Reach reach) {
  if (reach.depth > kMaxValueDepth || ++*reach.work > kMaxCompared) return false;
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
    case Kind::kMissing:
      return true;
    case Kind::kString:
      return a.text() == b.text();
    case Kind::kList:
    case Kind::kTuple:
      return EqualItems(a.items(), b.items(), reach);
    case Kind::kDict:
      return EqualDicts(a.dict(), b.dict(), reach);
    case Kind::kRange:
      return a.as<RangeObject>().EqualTo(b.as<RangeObject>());
    case Kind::kDictView:
      return EqualViews(a.as<DictView>(), b.as<DictView>(), reach);
    case Kind::kCallable:
      return a.SameAs(b) || a.as<Callable>().EqualTo(b.as<Callable>());
    default:
      return a.SameAs(b);
  }
}

Try<std::uint64_t> HashWithin(const Value& value, Reach reach);

Try<std::uint64_t> HashTuple(const std::vector<Value>& items, Reach reach) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const Value& item : items) {
    SGLRUN_ASSIGN_OR_RETURN(const std::uint64_t part, HashWithin(item, reach.Inner()));
    hash = (hash ^ part) * 0x100000001b3u + 1;
  }
  return hash;
}

Try<std::uint64_t> HashWithin(const Value& value, Reach reach) {
  if (reach.depth > kMaxValueDepth || ++*reach.work > kMaxCompared) {
    return LimitFault("a key is nested more than " + std::to_string(kMaxValueDepth) +
                      " levels deep");
  }
  switch (value.kind()) {
    case Kind::kBool:
    case Kind::kInt:
      return std::hash<std::int64_t>()(value.int64());
    case Kind::kFloat:
      // Equal numbers hash alike, whatever their kind.
      if (const auto whole = WholeInt64(value.number())) return std::hash<std::int64_t>()(*whole);
      return std::hash<double>()(value.number());
    case Kind::kBigInt:
      return std::hash<double>()(value.big().ToDouble());
    case Kind::kString:
      return std::hash<std::string_view>()(value.text());
    case Kind::kTuple:
      return HashTuple(value.items(), reach);
    case Kind::kList:
    case Kind::kDict:
    case Kind::kDictView:
      return TypeFault("unhashable type: '" + TypeName(value) + "'");
    case Kind::kNone:
    case Kind::kMissing:
    case Kind::kUndefined:
      return static_cast<std::uint64_t>(value.kind());
    case Kind::kRange:
      return static_cast<std::uint64_t>(value.as<RangeObject>().length);
    case Kind::kCallable:
      return value.as<Callable>().Identity();
    default:
      return std::hash<const void*>()(value.object());
  }
}

Try<int> CompareItems(const std::vector<Value>& a, const std::vector<Value>& b, const char* symbol,
                      int depth) {
  if (depth > kMaxValueDepth)
    return LimitFault("a compared value is nested more than " + std::to_string(kMaxValueDepth) +
                      " levels deep");
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (!a[i].SameAs(b[i]) && !Equal(a[i], b[i])) return Compare(a[i], b[i], symbol, depth + 1);
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

Try<bool> ViewContains(Runtime& runtime, const DictView& view, const Value& item) {
  if (view.part == DictView::Part::kKeys) {
    SGLRUN_ASSIGN_OR_RETURN(const Value* found, view.dict->Find(item));
    return found != nullptr;
  }
  SGLRUN_RETURN_IF_ERROR(runtime.Step(static_cast<std::int64_t>(view.dict->size()) / 16));
  for (std::size_t i = 0; i < view.dict->size(); ++i) {
    if (Equal(view.at(i), item)) return true;
  }
  return false;
}

}  // namespace

bool Truth(const Value& value) {
  switch (value.kind()) {
    case Kind::kMissing:
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
    case Kind::kInt:
      return value.int64() != 0;
    case Kind::kFloat:
      return value.number() != 0.0;
    case Kind::kString:
      return !value.text().empty();
    case Kind::kList:
    case Kind::kTuple:
      return !value.items().empty();
    case Kind::kDict:
      return value.dict().size() != 0;
    case Kind::kDictView:
      return value.as<DictView>().dict->size() != 0;
    case Kind::kRange:
      return value.as<RangeObject>().length != 0;
    default:
      return true;
  }
}

bool Equal(const Value& a, const Value& b, std::int64_t* work) {
  std::int64_t unasked = 0;
  return EqualWithin(a, b, {.work = work == nullptr ? &unasked : work});
}

Try<int> Compare(const Value& a, const Value& b, const char* symbol, int depth) {
  if (a.is_undefined()) return a.undefined().ToFault();
  if (b.is_undefined()) return b.undefined().ToFault();
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b);
  if (a.is_string() && b.is_string()) {
    // Bytes of UTF-8 are ordered as code points are.
    const int order = a.text().compare(b.text());
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  if (a.is_sequence() && a.kind() == b.kind()) {
    return CompareItems(a.items(), b.items(), symbol, depth);
  }
  return TypeFault("'" + std::string(symbol) + "' not supported between instances of '" +
                   TypeName(a) + "' and '" + TypeName(b) + "'");
}

Try<bool> LessThan(const Value& a, const Value& b) {
  SGLRUN_ASSIGN_OR_RETURN(const int order, Compare(a, b, "<"));
  return order == -1;
}

Try<bool> Ordered(const Value& a, const Value& b, const std::string& symbol) {
  SGLRUN_ASSIGN_OR_RETURN(const int order, Compare(a, b, symbol.c_str()));
  if (order == 2) return false;
  if (order == 0) return symbol.size() == 2;
  return (order < 0) == (symbol[0] == '<');
}

Try<std::uint64_t> Hash(const Value& value) {
  std::int64_t work = 0;
  return HashWithin(value, {.work = &work});
}

Try<bool> Contains(Runtime& runtime, const Value& container, const Value& item) {
  switch (container.kind()) {
    case Kind::kUndefined:
      return false;
    case Kind::kString:
      if (!item.is_string()) {
        if (item.is_undefined()) return item.undefined().ToFault();
        return TypeFault("'in <string>' requires string as left operand, not " + TypeName(item));
      }
      return container.text().find(item.text()) != std::string::npos;
    case Kind::kDict: {
      SGLRUN_ASSIGN_OR_RETURN(const Value* found, container.dict().Find(item));
      return found != nullptr;
    }
    case Kind::kDictView:
      return ViewContains(runtime, container.as<DictView>(), item);
    case Kind::kRange:
      if (!item.is(Kind::kInt) && !item.is(Kind::kBool)) break;
      return container.as<RangeObject>().Contains(item.int64());
    default:
      break;
  }
  const Try<Ref<Iterator>> iterator = Iterate(container);
  if (!iterator.ok()) {
    if (container.is_undefined()) return iterator.error();
    return TypeFault("argument of type '" + TypeName(container) + "' is not iterable");
  }
  while (true) {
    Value other;
    SGLRUN_ASSIGN_OR_RETURN(const bool more, (*iterator)->Next(runtime, other));
    if (!more) return false;
    std::int64_t work = 0;
    if (other.SameAs(item) || Equal(other, item, &work)) return true;
    SGLRUN_RETURN_IF_ERROR(runtime.Step(work / 16));
  }
}

std::string TypeName(const Value& value) {
  switch (value.kind()) {
    case Kind::kMissing:
    case Kind::kUndefined:
      return "Undefined";
    case Kind::kNone:
      return "NoneType";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
    case Kind::kBigInt:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kString:
      return value.str().markup ? "Markup" : "str";
    case Kind::kList:
      return "list";
    case Kind::kTuple:
      return value.as<Sequence>().group ? "_GroupTuple" : "tuple";
    case Kind::kDict:
      return "dict";
    case Kind::kDictView:
      return value.as<DictView>().TypeName();
    case Kind::kRange:
      return "range";
    case Kind::kIterator:
      return value.as<Iterator>().TypeName();
    case Kind::kNamespace:
      return "TemplateNamespace";
    case Kind::kCallable:
      return value.as<Callable>().TypeName();
    case Kind::kLoop:
      return "LoopContext";
    case Kind::kCycler:
      return "Cycler";
    case Kind::kJoiner:
      return "Joiner";
    case Kind::kSelf:
      return "TemplateReference";
  }
  return "object";
}

std::string ObjectName(const Value& value) {
  switch (value.kind()) {
    case Kind::kNone:
      return "None";
    case Kind::kUndefined:
      return "jinja2.runtime.Undefined object";
    case Kind::kString:
      return value.str().markup ? "markupsafe.Markup object" : "str object";
    case Kind::kNamespace:
      return "transformers.utils.chat_template_utils.TemplateNamespace object";
    case Kind::kLoop:
    case Kind::kSelf:
      return "jinja2.runtime." + TypeName(value) + " object";
    case Kind::kCycler:
    case Kind::kJoiner:
      return "jinja2.utils." + TypeName(value) + " object";
    default:
      return TypeName(value) + " object";
  }
}

}  // namespace sglrun::tokenizer::jinja
