#include "jinja/objects.h"

#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/text.h"

namespace sglrun::jinja {
namespace {

class ItemIterator final : public Iterator {
 public:
  ItemIterator(Ref<Sequence> items, bool backwards)
      : items_(std::move(items)), backwards_(backwards) {}

  Try<bool> TakeNext(Runtime&, Value& out) override {
    const std::vector<Value>& items = items_->items;
    if (next_ >= items.size()) return false;
    out = items[backwards_ ? items.size() - 1 - next_ : next_];
    ++next_;
    return true;
  }
  std::string TypeName() const override {
    return backwards_ ? "list_reverseiterator" : "list_iterator";
  }

 private:
  Ref<Sequence> items_;
  bool backwards_;
  std::size_t next_ = 0;
};

class ViewIterator final : public Iterator {
 public:
  ViewIterator(Ref<DictView> view, bool backwards)
      : view_(std::move(view)), backwards_(backwards) {}

  Try<bool> TakeNext(Runtime&, Value& out) override {
    const std::size_t size = view_->dict->size();
    if (next_ >= size) return false;
    out = view_->at(backwards_ ? size - 1 - next_ : next_);
    ++next_;
    return true;
  }
  std::string TypeName() const override { return "dict_keyiterator"; }

 private:
  Ref<DictView> view_;
  bool backwards_;
  std::size_t next_ = 0;
};

class RangeIterator final : public Iterator {
 public:
  RangeIterator(Ref<RangeObject> range, bool backwards)
      : range_(std::move(range)), backwards_(backwards) {}

  Try<bool> TakeNext(Runtime&, Value& out) override {
    if (next_ >= range_->length) return false;
    out = Value::Int(range_->at(backwards_ ? range_->length - 1 - next_ : next_));
    ++next_;
    return true;
  }
  std::string TypeName() const override { return "range_iterator"; }

 private:
  Ref<RangeObject> range_;
  bool backwards_;
  std::int64_t next_ = 0;
};

class CharacterIterator final : public Iterator {
 public:
  explicit CharacterIterator(Ref<String> text) : text_(std::move(text)) {}

  Try<bool> TakeNext(Runtime&, Value& out) override {
    if (next_ >= text_->text.size()) return false;
    std::size_t end = next_;
    NextCharacter(text_->text, end);
    out = Part(*text_, next_, end);
    next_ = end;
    return true;
  }
  std::string TypeName() const override { return "str_iterator"; }

 private:
  Ref<String> text_;
  std::size_t next_ = 0;
};

class EmptyIterator final : public Iterator {
 public:
  Try<bool> TakeNext(Runtime&, Value&) override { return false; }
};

// The loop itself as an iterable: its remaining items.
class LoopIterator final : public Iterator {
 public:
  explicit LoopIterator(Ref<LoopObject> loop) : loop_(std::move(loop)) {}

  Try<bool> TakeNext(Runtime& runtime, Value& out) override {
    SGLRUN_ASSIGN_OR_RETURN(const bool more, loop_->Advance(runtime));
    if (more) out = Value::Tuple({loop_->current, Value(Kind::kLoop, loop_)});
    return more;
  }

 private:
  Ref<LoopObject> loop_;
};

template <class T>
Ref<T> RefTo(const Value& value) {
  return Ref<T>(&value.as<T>());
}

}  // namespace

RangeObject::RangeObject(std::int64_t first, std::int64_t end, std::int64_t by)
    : start(first), stop(end), step(by) {
  using Wide = __int128;
  const Wide span = by > 0 ? Wide{end} - first : Wide{first} - end;
  const Wide stride = by > 0 ? Wide{by} : -Wide{by};
  const Wide count = span <= 0 ? 0 : (span + stride - 1) / stride;
  constexpr Wide kMax = INT64_MAX;
  length = static_cast<std::int64_t>(count > kMax ? kMax : count);
}

bool RangeObject::EqualTo(const RangeObject& other) const {
  if (length != other.length) return false;
  if (length == 0) return true;
  return start == other.start && (length == 1 || step == other.step);
}

bool RangeObject::Contains(std::int64_t value) const {
  if (length == 0) return false;
  const __int128 distance = static_cast<__int128>(value) - start;
  return distance % step == 0 && distance / step >= 0 && distance / step < length;
}

const char* DictView::TypeName() const {
  switch (part) {
    case Part::kKeys:
      return "dict_keys";
    case Part::kValues:
      return "dict_values";
    case Part::kItems:
      return "dict_items";
  }
  return "";
}

Value DictView::at(std::size_t index) const {
  const Dict::Entry& entry = dict->entries()[index];
  if (part == Part::kKeys) return entry.key;
  if (part == Part::kValues) return entry.value;
  return Value::Tuple({entry.key, entry.value});
}

Value MakeIterator(Ref<Iterator> iterator) {
  return {Kind::kIterator, std::move(iterator)};
}

Try<int> IteratorDepth(const Value& source) {
  const int depth = source.is(Kind::kIterator) ? source.as<Iterator>().depth() + 1 : 1;
  if (depth <= kMaxIteratorDepth) return depth;
  return LimitFault("generators are nested more than " + std::to_string(kMaxIteratorDepth) +
                    " levels deep");
}

Ref<Iterator> IterateItems(Ref<Sequence> items, bool backwards) {
  return MakeRef<ItemIterator>(std::move(items), backwards);
}

Try<Ref<Iterator>> Iterate(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return Ref<Iterator>(MakeRef<EmptyIterator>());
    case Kind::kString:
      return Ref<Iterator>(MakeRef<CharacterIterator>(RefTo<String>(value)));
    case Kind::kList:
    case Kind::kTuple:
      return IterateItems(RefTo<Sequence>(value));
    case Kind::kDict:
      return Ref<Iterator>(MakeRef<ViewIterator>(
          MakeRef<DictView>(RefTo<Dict>(value), DictView::Part::kKeys), false));
    case Kind::kDictView:
      return Ref<Iterator>(MakeRef<ViewIterator>(RefTo<DictView>(value), false));
    case Kind::kRange:
      return Ref<Iterator>(MakeRef<RangeIterator>(RefTo<RangeObject>(value), false));
    case Kind::kIterator:
      return RefTo<Iterator>(value);
    case Kind::kLoop:
      return Ref<Iterator>(MakeRef<LoopIterator>(RefTo<LoopObject>(value)));
    default:
      return TypeFault("'" + TypeName(value) + "' object is not iterable");
  }
}

Try<Ref<Iterator>> Reversed(const Value& value) {
  switch (value.kind()) {
    case Kind::kList:
    case Kind::kTuple:
      return IterateItems(RefTo<Sequence>(value), true);
    case Kind::kDict:
      return Ref<Iterator>(MakeRef<ViewIterator>(
          MakeRef<DictView>(RefTo<Dict>(value), DictView::Part::kKeys), true));
    case Kind::kDictView:
      return Ref<Iterator>(MakeRef<ViewIterator>(RefTo<DictView>(value), true));
    case Kind::kRange:
      return Ref<Iterator>(MakeRef<RangeIterator>(RefTo<RangeObject>(value), true));
    case Kind::kString: {
      std::vector<Value> characters = Characters(value.str());
      return IterateItems(MakeRef<Sequence>(std::move(characters)), true);
    }
    default:
      return TypeFault("'" + TypeName(value) + "' object is not reversible");
  }
}

Try<std::vector<Value>> Collect(Runtime& runtime, const Value& value) {
  if (value.is_sequence()) {
    Meter::Bytes(value.items().size() * sizeof(Value));
    return value.items();
  }
  SGLRUN_ASSIGN_OR_RETURN(const Ref<Iterator> iterator, Iterate(value));
  std::vector<Value> items;
  Held held;
  while (true) {
    Value item;
    SGLRUN_ASSIGN_OR_RETURN(const bool more, iterator->Next(runtime, item));
    if (!more) return items;
    Meter::NeedItems(items.size() + 1);
    held.Grow(sizeof(Value));
    items.push_back(std::move(item));
  }
}

Try<std::int64_t> Length(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return 0;
    case Kind::kString:
      return static_cast<std::int64_t>(value.str().length);
    case Kind::kList:
    case Kind::kTuple:
      return static_cast<std::int64_t>(value.items().size());
    case Kind::kDict:
      return static_cast<std::int64_t>(value.dict().size());
    case Kind::kDictView:
      return static_cast<std::int64_t>(value.as<DictView>().dict->size());
    case Kind::kRange:
      return value.as<RangeObject>().length;
    default:
      return TypeFault("object of type '" + TypeName(value) + "' has no len()");
  }
}

Try<bool> LoopObject::Advance(Runtime& runtime) {
  Value next = std::exchange(after, Value());
  if (next.missing()) {
    SGLRUN_ASSIGN_OR_RETURN(const bool more, iterator->Next(runtime, next));
    if (!more) return false;
  }
  ++index0;
  before = std::exchange(current, std::move(next));
  return true;
}

Try<bool> LoopObject::Peek(Runtime& runtime) {
  if (!after.missing()) return true;
  if (!iterator) return false;
  Value next;
  SGLRUN_ASSIGN_OR_RETURN(const bool more, iterator->Next(runtime, next));
  if (more) after = std::move(next);
  return more;
}

Try<std::int64_t> LoopObject::Length(Runtime& runtime) {
  if (known_length >= 0) return known_length;
  if (Try<std::int64_t> length = jinja::Length(iterable); length.ok()) {
    return known_length = *length;
  }
  SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> rest, Collect(runtime, MakeIterator(iterator)));
  known_length = static_cast<std::int64_t>(rest.size()) + index0 + 1 + (after.missing() ? 0 : 1);
  iterator = IterateItems(MakeRef<Sequence>(std::move(rest)));
  return known_length;
}

void LoopObject::Clear() {
  iterable = before = current = after = last_changed = recurse = Value();
  iterator = Ref<Iterator>();
}

}  // namespace sglrun::jinja
