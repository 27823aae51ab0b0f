// Values that are not plain data: ranges, views of dictionaries, iterators, and the few objects a
// template can change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jinja/runtime.h"
#include "jinja/value.h"

namespace sglrun::jinja {

struct RangeObject final : Object {
  RangeObject(std::int64_t first, std::int64_t end, std::int64_t by);
  std::int64_t start, stop, step, length;
  std::int64_t at(std::int64_t index) const { return start + index * step; }
  bool EqualTo(const RangeObject& other) const;
  bool Contains(std::int64_t value) const;
};

struct DictView final : Object {
  enum class Part { kKeys, kValues, kItems };
  DictView(Ref<Dict> of, Part which) : dict(std::move(of)), part(which) {}
  Ref<Dict> dict;
  Part part;
  const char* TypeName() const;
  Value at(std::size_t index) const;
};

// Returns its values once. Iterators over other iterators record their depth (kMaxIteratorDepth).
class Iterator : public Object {
 public:
  // False: there is none left, and `out` holds nothing of use.
  Try<bool> Next(Runtime& runtime, Value& out) {
    Meter::Step();
    return TakeNext(runtime, out);
  }
  virtual std::string TypeName() const { return "generator"; }
  virtual int depth() const { return 0; }

 private:
  virtual Try<bool> TakeNext(Runtime& runtime, Value& out) = 0;
};

inline constexpr int kMaxIteratorDepth = 200;

Value MakeIterator(Ref<Iterator> iterator);
// The depth of an iterator made over `source`; fails when that is too deep.
Try<int> IteratorDepth(const Value& source);
// The iterator over anything that can be iterated.
Try<Ref<Iterator>> Iterate(const Value& value);
Ref<Iterator> IterateItems(Ref<Sequence> items, bool backwards = false);
// All values of it, in a list.
Try<std::vector<Value>> Collect(Runtime& runtime, const Value& value);
// Python's len().
Try<std::int64_t> Length(const Value& value);
// Python's reversed(); none when it is not reversible.
Try<Ref<Iterator>> Reversed(const Value& value);

struct NamespaceObject final : Mutable {
  using Mutable::Mutable;
  Dict attributes;
  void Clear() override { attributes.Clear(); }
};

struct CyclerObject final : Mutable {
  using Mutable::Mutable;
  std::vector<Value> items;
  std::size_t position = 0;
  void Clear() override { items.clear(); }
};

struct JoinerObject final : Mutable {
  using Mutable::Mutable;
  Value separator;
  bool used = false;
  void Clear() override { separator = Value(); }
};

// The variable `loop`.
struct LoopObject final : Mutable {
  using Mutable::Mutable;
  Value iterable;
  Ref<Iterator> iterator;
  std::int64_t index0 = -1;
  std::int64_t known_length = -1;
  int depth0 = 0;
  Value before, current, after;  // after: looked at ahead of time
  Value last_changed;
  Value recurse;  // a callable: renders the body over another iterable

  Try<bool> Advance(Runtime& runtime);  // to the next item; false at the end
  Try<bool> Peek(Runtime& runtime);     // whether there is an item after this one
  Try<std::int64_t> Length(Runtime& runtime);
  void Clear() override;
};

}  // namespace sglrun::jinja
