#include <array>
#include <functional>

#include "jinja/attributes.h"
#include "jinja/compare.h"
#include "jinja/filter_functions.h"
#include "jinja/objects.h"
#include "jinja/operators.h"
#include "jinja/repr.h"
#include "jinja/text.h"

namespace sglrun::jinja {
namespace {

// A generator whose values are all computed when the first one is requested.
class DeferredIterator final : public Iterator {
 public:
  using Make = std::function<Try<std::vector<Value>>(Runtime&)>;
  explicit DeferredIterator(Make make) : make_(std::move(make)) {}

  Try<bool> TakeNext(Runtime& runtime, Value& out) override {
    if (!items_) {
      SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> items, make_(runtime));
      items_ = IterateItems(MakeRef<Sequence>(std::move(items)));
    }
    return items_->Next(runtime, out);
  }

 private:
  Make make_;
  Ref<Iterator> items_;
};

Value Defer(DeferredIterator::Make make) {
  return MakeIterator(MakeRef<DeferredIterator>(std::move(make)));
}

Try<Value> Default(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_default", {"default_value", "boolean"}, 0, std::move(args)));
  const bool also_false = !bound[1].missing() && Truth(bound[1]);
  if (!input.is_undefined() && !(also_false && !Truth(input))) return input;
  return bound[0].missing() ? Value::Str("") : bound[0];
}

Try<Value> First(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_first", {}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const Ref<Iterator> iterator, Iterate(input));
  Value item;
  SGLRUN_ASSIGN_OR_RETURN(const bool found, iterator->Next(runtime, item));
  return found ? item : Value::Undef("No first item, sequence was empty.");
}

Try<Value> Last(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_last", {}, 0, std::move(args)));
  Value item;
  bool found = false;
  if (!input.is_undefined()) {
    SGLRUN_ASSIGN_OR_RETURN(const Ref<Iterator> iterator, Reversed(input));
    SGLRUN_ASSIGN_OR_RETURN(found, iterator->Next(runtime, item));
  }
  return found ? item : Value::Undef("No last item, sequence was empty.");
}

// The reference draws again for each rendering; here a rendering draws the same each time.
Try<Value> Random(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_random", {}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t length, Length(input));
  if (length == 0) return Value::Undef("No random item, sequence was empty.");
  const auto drawn = static_cast<std::int64_t>(runtime.Draw(static_cast<std::size_t>(length)));
  SGLRUN_ASSIGN_OR_RETURN(const Value item, GetItem(runtime, input, Value::Int(drawn)));
  if (!item.is_undefined()) return item;
  return TypeFault("'" + TypeName(input) + "' object has no items by number");
}

Try<Value> LengthFilter(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("len", {}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t length, Length(input));
  return Value::Int(length);
}

Try<Value> List(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_list", {}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> items, Collect(runtime, input));
  return Value::List(std::move(items));
}

Try<Value> Reverse(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_reverse", {}, 0, std::move(args)));
  if (input.is_string()) return GetSlice(input, {}, {}, Value::Int(-1));
  if (input.is_undefined()) return MakeIterator(*Iterate(input));
  if (Try<Ref<Iterator>> backwards = Reversed(input); backwards.ok()) {
    return MakeIterator(*backwards);
  }
  if (!Iterate(input).ok()) return Fault{FaultKind::kRuntime, "argument must be iterable"};
  SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> items, Collect(runtime, input));
  return Value::List({items.rbegin(), items.rend()});
}

Try<std::vector<Value>> MakeBatches(Runtime& runtime, const std::vector<Value>& bound,
                                    const Value& input) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime, input));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t count, IntArgument(bound[0], 0));
  if (count > 0) Meter::NeedItems(static_cast<std::size_t>(count));
  std::vector<Value> batches;
  std::vector<Value> batch;
  for (const Value& item : items) {
    if (static_cast<std::int64_t>(batch.size()) == count) {
      batches.push_back(Value::List(std::exchange(batch, {})));
    }
    batch.push_back(item);
  }
  if (batch.empty()) return batches;
  if (!bound[1].missing() && !bound[1].is(Kind::kNone)) {
    while (static_cast<std::int64_t>(batch.size()) < count) batch.push_back(bound[1]);
  }
  batches.push_back(Value::List(std::move(batch)));
  return batches;
}

Try<Value> Batch(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> bound,
                          Bind("do_batch", {"linecount", "fill_with"}, 1, std::move(args)));
  return Defer([bound, input](Runtime& runtime) { return MakeBatches(runtime, bound, input); });
}

Try<std::vector<Value>> MakeSlices(Runtime& runtime, const std::vector<Value>& bound,
                                   const Value& input) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime, input));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t slices, IntArgument(bound[0], 0));
  if (slices == 0) {
    return Fault{FaultKind::kZeroDivision, "integer division or modulo by zero"};
  }
  if (slices > 0) Meter::NeedItems(static_cast<std::size_t>(slices));
  std::vector<Value> parts;
  const auto length = static_cast<std::int64_t>(items.size());
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < slices; ++i) {
    const bool longer = i < length % slices;
    const std::int64_t end = begin + length / slices + (longer ? 1 : 0);
    std::vector<Value> part(items.begin() + begin, items.begin() + end);
    if (!longer && !bound[1].missing() && !bound[1].is(Kind::kNone)) part.push_back(bound[1]);
    parts.push_back(Value::List(std::move(part)));
    begin = end;
  }
  return parts;
}

Try<Value> SliceFilter(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> bound,
                          Bind("do_slice", {"slices", "fill_with"}, 1, std::move(args)));
  return Defer([bound, input](Runtime& runtime) { return MakeSlices(runtime, bound, input); });
}

Try<std::vector<Value>> MakeItems(const Value& input) {
  std::vector<Value> items;
  if (input.is_undefined()) return items;
  if (!input.is(Kind::kDict)) return TypeFault("Can only get item pairs from a mapping.");
  for (const Dict::Entry& entry : input.dict().entries()) {
    items.push_back(Value::Tuple({entry.key, entry.value}));
  }
  return items;
}

Try<Value> Items(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_items", {}, 0, std::move(args)));
  return Defer([input](Runtime&) { return MakeItems(input); });
}

Try<Value> Sum(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_sum", {"attribute", "start"}, 0, std::move(args)));
  Value sum = bound[1].missing() ? Value::Int(0) : bound[1];
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime, input));
  if (sum.is_string()) {
    return TypeFault("sum() can't sum strings [use ''.join(seq) instead]");
  }
  for (const Value& item : items) {
    SGLRUN_ASSIGN_OR_RETURN(const Value part, GetPath(runtime, item, bound[0]));
    SGLRUN_ASSIGN_OR_RETURN(sum, BinaryOperation("+", sum, part));
  }
  return sum;
}

Try<Value> Attr(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_attr", {"name"}, 1, std::move(args)));
  if (!bound[0].is_string()) return TypeFault("attribute name must be string");
  if (input.is_undefined()) return input.undefined().ToFault();
  SGLRUN_ASSIGN_OR_RETURN(Value value, OwnAttribute(runtime, input, bound[0].text()));
  if (!value.missing()) return value;
  return Value::Undef(QuotedText(ObjectName(input)) + " has no attribute " +
                      QuotedText(bound[0].text()));
}

// Short values only: the reference breaks longer ones into lines.
Try<Value> PPrint(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_pprint", {}, 0, std::move(args)));
  Value sorted = input;
  if (input.is(Kind::kDict)) {
    SGLRUN_ASSIGN_OR_RETURN(
        const Value pairs,
        FindFilter("dictsort")->apply(runtime, input, {{Value::Bool(true)}, {}}));
    auto dict = MakeRef<Dict>();
    for (const Value& pair : pairs.items()) {
      SGLRUN_RETURN_IF_ERROR(dict->Set(pair.items()[0], pair.items()[1]));
    }
    sorted = MakeDict(dict);
  }
  TextBuilder out;
  AppendRepr(out, sorted);
  constexpr std::size_t kLine = 79;
  if (out.size() > kLine) {
    return Fault{FaultKind::kRuntime, "the filter pprint is not supported for long values"};
  }
  return out.Build();
}

constexpr std::array kSequenceEntries = {
    FilterEntry{"attr", Attr},
    FilterEntry{"batch", Batch},
    FilterEntry{"count", LengthFilter},
    FilterEntry{"d", Default},
    FilterEntry{"default", Default},
    FilterEntry{"first", First},
    FilterEntry{"items", Items},
    FilterEntry{"last", Last},
    FilterEntry{"length", LengthFilter},
    FilterEntry{"list", List},
    FilterEntry{"pprint", PPrint},
    FilterEntry{"random", Random},
    FilterEntry{"reverse", Reverse},
    FilterEntry{"slice", SliceFilter},
    FilterEntry{"sum", Sum},
};

}  // namespace

const std::span<const FilterEntry> kSequenceFilters = kSequenceEntries;

}  // namespace sglrun::jinja
