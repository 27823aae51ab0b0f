#include "jinja/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "jinja/big_int.h"
#include "jinja/callable.h"
#include "jinja/number.h"
#include "jinja/objects.h"
#include "jinja/text_search.h"

namespace sglrun::jinja {
namespace {

bool EqualDicts(const Dict& a, const Dict& b, int depth) {
  if (a.size() != b.size()) return false;
  for (const Dict::Entry& entry : a.entries()) {
    const Try<const Value*> other = b.Find(entry.key);
    if (!other.ok() || *other == nullptr || !Equal(entry.value, **other, depth)) return false;
  }
  return true;
}

bool EqualItems(const std::vector<Value>& a, const std::vector<Value>& b, int depth) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].SameAs(b[i]) && !Equal(a[i], b[i], depth)) return false;
  }
  return true;
}

bool EqualViews(const DictView& a, const DictView& b, int depth) {
  if (a.part == DictView::Part::kValues || b.part != a.part) return &a == &b;
  if (a.part == DictView::Part::kItems) return EqualDicts(*a.dict, *b.dict, depth);
  if (a.dict->size() != b.dict->size()) return false;
  for (const Dict::Entry& entry : a.dict->entries()) {
    const Try<const Value*> found = b.dict->Find(entry.key);
    if (!found.ok() || *found == nullptr) return false;
  }
  return true;
}

bool EqualTexts(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  Meter::Bytes(a.size());
  return a == b;
}

// Spreads numbers that follow each other by some step.
std::uint64_t HashNumber(std::int64_t number) {
  return static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u;
}

Try<std::uint64_t> HashTuple(const std::vector<Value>& items, int depth) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const Value& item : items) {
    SGLRUN_ASSIGN_OR_RETURN(const std::uint64_t part, Hash(item, depth));
    hash = (hash ^ part) * 0x100000001b3u + 1;
  }
  return hash;
}

Try<int> CompareItems(const std::vector<Value>& a, const std::vector<Value>& b, const char* symbol,
                      int depth) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (!a[i].SameAs(b[i]) && !Equal(a[i], b[i], depth)) return Compare(a[i], b[i], symbol, depth);
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

Try<bool> ViewContains(const DictView& view, const Value& item) {
  if (view.part == DictView::Part::kKeys) {
    SGLRUN_ASSIGN_OR_RETURN(const Value* found, view.dict->Find(item));
    return found != nullptr;
  }
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

bool Equal(const Value& a, const Value& b, int depth) {
  Meter::NeedDepth("a compared value", depth, kMaxValueDepth);
  Meter::Bytes(16);
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
    case Kind::kMissing:
      return true;
    case Kind::kString:
      return EqualTexts(a.text(), b.text());
    case Kind::kList:
    case Kind::kTuple:
      return EqualItems(a.items(), b.items(), depth + 1);
    case Kind::kDict:
      return EqualDicts(a.dict(), b.dict(), depth + 1);
    case Kind::kRange:
      return a.as<RangeObject>().EqualTo(b.as<RangeObject>());
    case Kind::kDictView:
      return EqualViews(a.as<DictView>(), b.as<DictView>(), depth + 1);
    case Kind::kCallable:
      return a.SameAs(b) || a.as<Callable>().EqualTo(b.as<Callable>());
    default:
      return a.SameAs(b);
  }
}

Try<int> Compare(const Value& a, const Value& b, const char* symbol, int depth) {
  Meter::NeedDepth("a compared value", depth, kMaxValueDepth);
  Meter::Bytes(16);
  if (a.is_undefined()) return a.undefined().ToFault();
  if (b.is_undefined()) return b.undefined().ToFault();
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b);
  if (a.is_string() && b.is_string()) {
    // Bytes of UTF-8 are ordered as code points are.
    Meter::Bytes(std::min(a.text().size(), b.text().size()));
    const int order = a.text().compare(b.text());
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  if (a.is_sequence() && a.kind() == b.kind()) {
    return CompareItems(a.items(), b.items(), symbol, depth + 1);
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

std::uint64_t HashText(std::string_view text) {
  Meter::Bytes(text.size());
  return std::hash<std::string_view>()(text);
}

Try<std::uint64_t> Hash(const Value& value, int depth) {
  Meter::NeedDepth("a key", depth, kMaxValueDepth);
  Meter::Bytes(16);
  switch (value.kind()) {
    case Kind::kBool:
    case Kind::kInt:
      return HashNumber(value.int64());
    case Kind::kFloat:
      // Equal numbers hash alike, whatever their kind.
      if (const auto whole = WholeInt64(value.number())) return HashNumber(*whole);
      return std::hash<double>()(value.number());
    case Kind::kBigInt:
      return std::hash<double>()(value.big().ToDouble());
    case Kind::kString:
      return HashText(value.text());
    case Kind::kTuple:
      return HashTuple(value.items(), depth + 1);
    case Kind::kList:
    case Kind::kDict:
    case Kind::kDictView:
      return TypeFault("unhashable type: '" + TypeName(value) + "'");
    case Kind::kRange:
      return HashNumber(value.as<RangeObject>().length);
    default:
      // Objects are distinguished by comparing them: an address would make what is counted depend
      // on the run.
      return static_cast<std::uint64_t>(value.kind());
  }
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
      return FindFirst(container.text(), item.text()) != TextSearch::kNone;
    case Kind::kDict: {
      SGLRUN_ASSIGN_OR_RETURN(const Value* found, container.dict().Find(item));
      return found != nullptr;
    }
    case Kind::kDictView:
      return ViewContains(container.as<DictView>(), item);
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
    if (other.SameAs(item) || Equal(other, item)) return true;
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

}  // namespace sglrun::jinja
