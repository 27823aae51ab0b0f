#include "jinja/attributes.h"

#include <algorithm>
#include <array>

#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/methods.h"
#include "jinja/number.h"
#include "jinja/objects.h"
#include "jinja/repr.h"
#include "jinja/text.h"

namespace sglrun::jinja {
namespace {

// Names every Python object has; the sandbox hides them.
bool IsInternal(const std::string& name) {
  static constexpr std::array<std::string_view, 27> kNames = {
      "__class__",        "__doc__",
      "__init__",         "__new__",
      "__repr__",         "__str__",
      "__eq__",           "__ne__",
      "__lt__",           "__le__",
      "__gt__",           "__ge__",
      "__hash__",         "__dir__",
      "__format__",       "__reduce__",
      "__reduce_ex__",    "__sizeof__",
      "__setattr__",      "__delattr__",
      "__getattribute__", "__init_subclass__",
      "__subclasshook__", "__len__",
      "__contains__",     "__getitem__",
      "__iter__"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Value Unsafe(const Value& object, const std::string& name) {
  return Value::Undef("access to attribute " + QuotedText(name) + " of " +
                          QuotedText(TypeName(object)) + " object is unsafe.",
                      FaultKind::kSecurity);
}

Try<Value> UndefinedElement(const Value& object, const Value& key) {
  if (key.is_string()) {
    return Value::Undef(QuotedText(ObjectName(object)) + " has no attribute " +
                        QuotedText(key.text()));
  }
  const std::string shown = Repr(key);
  return Value::Undef(ObjectName(object) + " has no element " + shown);
}

Try<Value> LoopCycle(Runtime&, const Value& self, CallArgs args) {
  if (args.args.empty()) return TypeFault("no items for cycling given");
  const auto index = static_cast<std::size_t>(self.as<LoopObject>().index0);
  return args.args[index % args.args.size()];
}

Try<Value> LoopChanged(Runtime&, const Value& self, CallArgs args) {
  auto& loop = self.as<LoopObject>();
  const Value values = Value::Tuple(std::move(args.args));
  if (!loop.last_changed.missing() && Equal(loop.last_changed, values)) return Value::Bool(false);
  loop.last_changed = values;
  return Value::Bool(true);
}

Try<Value> LoopAttribute(Runtime& runtime, const Value& self, const std::string& name) {
  auto& loop = self.as<LoopObject>();
  if (name == "index0") return Value::Int(loop.index0);
  if (name == "index") return Value::Int(loop.index0 + 1);
  if (name == "first") return Value::Bool(loop.index0 == 0);
  if (name == "depth0") return Value::Int(loop.depth0);
  if (name == "depth") return Value::Int(loop.depth0 + 1);
  if (name == "cycle") return MakeMethod("cycle", self, LoopCycle);
  if (name == "changed") return MakeMethod("changed", self, LoopChanged);
  if (name == "previtem") {
    return loop.index0 == 0 ? Value::Undef("there is no previous item") : loop.before;
  }
  if (name == "last" || name == "nextitem") {
    SGLRUN_ASSIGN_OR_RETURN(const bool more, loop.Peek(runtime));
    if (name == "last") return Value::Bool(!more);
    return more ? loop.after : Value::Undef("there is no next item");
  }
  if (name != "length" && name != "revindex" && name != "revindex0") return Value();
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t length, loop.Length(runtime));
  if (name == "length") return Value::Int(length);
  return Value::Int(length - loop.index0 - (name == "revindex0" ? 1 : 0));
}

Try<Value> CyclerNext(Runtime&, const Value& self, CallArgs) {
  auto& cycler = self.as<CyclerObject>();
  const std::size_t now = cycler.position;
  cycler.position = (now + 1) % cycler.items.size();
  return cycler.items[now];
}

Try<Value> CyclerReset(Runtime&, const Value& self, CallArgs) {
  self.as<CyclerObject>().position = 0;
  return Value::None();
}

Value CyclerAttribute(const Value& self, const std::string& name) {
  const auto& cycler = self.as<CyclerObject>();
  if (name == "current") return cycler.items[cycler.position];
  if (name == "next") return MakeMethod("next", self, CyclerNext);
  if (name == "reset") return MakeMethod("reset", self, CyclerReset);
  if (name == "pos") return Value::Int(static_cast<std::int64_t>(cycler.position));
  if (name == "items") return Value::Tuple(cycler.items);
  return {};
}

Value MethodOf(const MethodEntry* entry, const Value& self) {
  return entry == nullptr ? Value() : MakeMethod(entry->name, self, entry->method);
}

Value NumberAttribute(const Value& self, const std::string& name) {
  const bool whole = self.is_integer();
  const Value plain = self.is(Kind::kBool) ? Value::Int(self.int64()) : self;
  if (name == "real" || (whole && name == "numerator")) return plain;
  if (name == "imag") return whole ? Value::Int(0) : Value::Float(0.0);
  if (whole && name == "denominator") return Value::Int(1);
  return MethodOf(FindNumberMethod(self.kind(), name), self);
}

// obj[key] of Python; missing where that raises TypeError, LookupError.
Try<Value> OwnItem(const Value& object, const Value& key) {
  if (object.is(Kind::kDict)) {
    const Try<const Value*> found = object.dict().Find(key);
    return found.ok() && *found != nullptr ? **found : Value();
  }
  if (!key.is(Kind::kInt) && !key.is(Kind::kBool)) return Value();
  const Try<std::int64_t> length = Length(object);
  const bool indexable = object.is_string() || object.is_sequence() || object.is(Kind::kRange);
  if (!indexable || !length.ok()) return Value();
  std::int64_t index = key.int64();
  if (index < 0) index += *length;
  if (index < 0 || index >= *length) return Value();
  if (object.is_sequence()) return object.items()[static_cast<std::size_t>(index)];
  if (object.is(Kind::kRange)) return Value::Int(object.as<RangeObject>().at(index));
  const String& text = object.str();
  const std::size_t begin = text.ByteOffset(static_cast<std::size_t>(index));
  std::size_t end = begin;
  NextCharacter(text.text, end);
  return Part(text, begin, end, text.markup);
}

// From character `index`, which begins at byte `at`, to character `index + by`.
std::size_t OffsetAfter(const String& text, std::size_t at, std::int64_t index, std::int64_t by) {
  constexpr std::int64_t kNear = 16;
  if (by > kNear || by < -kNear) return text.ByteOffset(static_cast<std::size_t>(index + by));
  for (; by > 0; --by) NextCharacter(text.text, at);
  for (; by < 0; ++by) at = PreviousCharacter(text.text, at);
  return at;
}

}  // namespace

Try<Value> OwnAttribute(Runtime& runtime, const Value& object, const std::string& name) {
  if (object.is(Kind::kNamespace)) {
    const Value* value = object.as<NamespaceObject>().attributes.Find(name);
    if (value != nullptr) return *value;
    return name == "__class__" ? Unsafe(object, name) : Value();
  }
  if (IsInternal(name)) return Unsafe(object, name);
  if (IsMutatingMethod(object.kind(), name)) return Unsafe(object, name);
  switch (object.kind()) {
    case Kind::kString:
      return MethodOf(FindStringMethod(name), object);
    case Kind::kTuple:
      if (object.as<Sequence>().group && name == "grouper") return object.items()[0];
      if (object.as<Sequence>().group && name == "list") return object.items()[1];
      return MethodOf(FindContainerMethod(object.kind(), name), object);
    case Kind::kRange: {
      const auto& range = object.as<RangeObject>();
      if (name == "start") return Value::Int(range.start);
      if (name == "stop") return Value::Int(range.stop);
      if (name == "step") return Value::Int(range.step);
      return MethodOf(FindContainerMethod(object.kind(), name), object);
    }
    case Kind::kList:
    case Kind::kDict:
    case Kind::kDictView:
      return MethodOf(FindContainerMethod(object.kind(), name), object);
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kBigInt:
    case Kind::kFloat:
      return NumberAttribute(object, name);
    case Kind::kLoop:
      return LoopAttribute(runtime, object, name);
    case Kind::kCycler:
      return CyclerAttribute(object, name);
    case Kind::kJoiner:
      if (name == "sep") return object.as<JoinerObject>().separator;
      if (name == "used") return Value::Bool(object.as<JoinerObject>().used);
      return Value();
    case Kind::kCallable:
      return object.as<Callable>().Attribute(name);
    case Kind::kSelf: {
      const Value* block = object.as<NamespaceObject>().attributes.Find(name);
      return block == nullptr ? Value() : *block;
    }
    default:
      return Value();
  }
}

Try<Value> GetAttribute(Runtime& runtime, const Value& object, const Value& name) {
  if (object.is_undefined()) return object.undefined().ToFault();
  SGLRUN_ASSIGN_OR_RETURN(Value value, OwnAttribute(runtime, object, name.text()));
  if (!value.missing()) return value;
  SGLRUN_ASSIGN_OR_RETURN(value, OwnItem(object, name));
  if (!value.missing()) return value;
  return UndefinedElement(object, name);
}

Try<Value> GetItem(Runtime& runtime, const Value& object, const Value& key) {
  if (object.is_undefined()) return object.undefined().ToFault();
  SGLRUN_ASSIGN_OR_RETURN(Value value, OwnItem(object, key));
  if (!value.missing()) return value;
  if (object.is(Kind::kSelf)) {
    return Fault{FaultKind::kLookup, "there is no such block"};
  }
  if (key.is_string()) {
    SGLRUN_ASSIGN_OR_RETURN(value, OwnAttribute(runtime, object, key.text()));
    if (!value.missing()) return value;
  }
  return UndefinedElement(object, key);
}

Try<Value> GetSlice(const Value& object, const Value& start, const Value& stop, const Value& step) {
  if (object.is_undefined()) return object.undefined().ToFault();
  if (object.is(Kind::kDict)) return TypeFault("unhashable type: 'slice'");
  if (!object.is_string() && !object.is_sequence() && !object.is(Kind::kRange)) {
    return TypeFault("'" + TypeName(object) + "' object is not subscriptable");
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t length, Length(object));
  const auto bound = [&](const Value& value, std::int64_t standard,
                         bool backwards) -> Try<std::int64_t> {
    if (value.missing() || value.is(Kind::kNone)) return standard;
    if (value.is(Kind::kBigInt)) return value.big().negative() ? (backwards ? -1 : 0) : length;
    if (value.is_undefined() || !value.is_integer()) {
      return TypeFault("slice indices must be integers or None or have an __index__ method");
    }
    std::int64_t index = value.int64();
    if (index < 0) index += length;
    if (index < 0) return backwards ? -1 : 0;
    if (index >= length) return backwards ? length - 1 : length;
    return index;
  };
  SGLRUN_ASSIGN_OR_RETURN(std::int64_t by, bound({}, 1, false));
  if (!step.missing() && !step.is(Kind::kNone)) {
    if (!step.is_integer()) {
      return TypeFault("slice indices must be integers or None or have an __index__ method");
    }
    by = step.is(Kind::kBigInt) ? (step.big().negative() ? -length - 1 : length + 1) : step.int64();
    by = std::clamp<std::int64_t>(by, -length - 1, length + 1);
  }
  if (by == 0) return ValueFault("slice step cannot be zero");
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t first, bound(start, by > 0 ? 0 : length - 1, by < 0));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t last, bound(stop, by > 0 ? length : -1, by < 0));
  const auto inside = [&](std::int64_t i) { return by > 0 ? i < last : i > last; };
  if (object.is(Kind::kRange)) {
    const auto& range = object.as<RangeObject>();
    return Value(Kind::kRange,
                 MakeRef<RangeObject>(range.start + first * range.step,
                                      range.start + last * range.step, range.step * by));
  }
  if (object.is_sequence()) {
    std::vector<Value> items;
    for (std::int64_t i = first; inside(i); i += by) {
      Meter::Bytes(sizeof(Value));
      items.push_back(object.items()[static_cast<std::size_t>(i)]);
    }
    return object.is(Kind::kList) ? Value::List(std::move(items)) : Value::Tuple(std::move(items));
  }
  const String& text = object.str();
  if (by == 1) {
    if (first >= last) return Part(text, 0, 0, text.markup);
    const std::size_t begin = text.ByteOffset(static_cast<std::size_t>(first));
    return Part(text, begin, text.ByteOffset(static_cast<std::size_t>(last)), text.markup);
  }
  TextBuilder out;
  std::size_t begin = inside(first) ? text.ByteOffset(static_cast<std::size_t>(first)) : 0;
  for (std::int64_t i = first; inside(i); i += by) {
    std::size_t end = begin;
    NextCharacter(text.text, end);
    out.Append(text, begin, end);
    if (inside(i + by)) begin = OffsetAfter(text, begin, i, by);
  }
  return out.Build(text.markup);
}

Try<Value> GetPath(Runtime& runtime, const Value& object, const Value& path,
                   const Value& standard) {
  std::vector<Value> parts;
  if (path.is_string()) {
    std::string_view text = path.text();
    Meter::Bytes(text.size());
    while (true) {
      const std::size_t dot = text.find('.');
      const std::string_view part = text.substr(0, dot);
      const std::optional<Value> index =
          !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos
              ? ParseInt(part, 10)
              : std::nullopt;
      parts.push_back(index ? *index : Value::Str(std::string(part)));
      if (dot == std::string_view::npos) break;
      text.remove_prefix(dot + 1);
    }
  } else if (!path.missing() && !path.is(Kind::kNone)) {
    parts.push_back(path);
  }
  Value value = object;
  for (const Value& part : parts) {
    SGLRUN_ASSIGN_OR_RETURN(value, GetItem(runtime, value, part));
    if (!standard.missing() && !standard.is(Kind::kNone) && value.is_undefined()) value = standard;
  }
  return value;
}

}  // namespace sglrun::jinja
