#include <algorithm>
#include <array>

#include "jinja/attributes.h"
#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/filter_functions.h"
#include "jinja/objects.h"
#include "jinja/text.h"

namespace sglrun::jinja {
namespace {

struct Keyed {
  Value key;
  Value item;
};

bool Flag(const Value& value) {
  return !value.missing() && Truth(value);
}

// Stable, also backwards, as Python's sorted(). The first comparison that fails ends it.
Try<void> SortKeyed(std::vector<Keyed>& items, bool backwards) {
  Try<void> result;
  std::stable_sort(items.begin(), items.end(), [&](const Keyed& a, const Keyed& b) {
    if (!result.ok()) return false;
    const Try<bool> less = backwards ? LessThan(b.key, a.key) : LessThan(a.key, b.key);
    if (!less.ok()) result = less.error();
    return less.ok() && *less;
  });
  return result;
}

std::vector<Value> ItemsOf(std::vector<Keyed> keyed) {
  std::vector<Value> items;
  for (Keyed& entry : keyed) items.push_back(std::move(entry.item));
  return items;
}

// "name,age" sorts by name, then by age.
Try<Value> SortKey(Runtime& runtime, const Value& item, const Value& attribute,
                   bool case_sensitive) {
  std::vector<Value> paths;
  if (attribute.is_string()) {
    const std::string& text = attribute.text();
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      paths.push_back(Value::Str(text.substr(at, comma - at)));
      at = comma + 1;
    }
  } else {
    paths.push_back(attribute);
  }
  std::vector<Value> keys;
  for (const Value& path : paths) {
    SGLRUN_ASSIGN_OR_RETURN(const Value key, GetPath(runtime, item, path));
    keys.push_back(IgnoreCase(key, case_sensitive));
  }
  return Value::List(std::move(keys));
}

Try<Value> Sort(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(
      const std::vector<Value> bound,
      Bind("do_sort", {"reverse", "case_sensitive", "attribute"}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime, input));
  std::vector<Keyed> keyed;
  for (const Value& item : items) {
    SGLRUN_ASSIGN_OR_RETURN(Value key, SortKey(runtime, item, bound[2], Flag(bound[1])));
    keyed.push_back({std::move(key), item});
  }
  SGLRUN_RETURN_IF_ERROR(SortKeyed(keyed, Flag(bound[0])));
  return Value::List(ItemsOf(std::move(keyed)));
}

Try<Value> DictSort(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(
      const std::vector<Value> bound,
      Bind("do_dictsort", {"case_sensitive", "by", "reverse"}, 0, std::move(args)));
  const bool by_key = bound[1].missing() || (bound[1].is_string() && bound[1].text() == "key");
  if (!by_key && !(bound[1].is_string() && bound[1].text() == "value")) {
    return Fault{FaultKind::kRuntime, "You can only sort by either \"key\" or \"value\""};
  }
  if (input.is_undefined()) return input.undefined().ToFault();
  if (!input.is(Kind::kDict)) {
    return TypeFault("'" + TypeName(input) + "' object has no attribute 'items'");
  }
  std::vector<Keyed> keyed;
  for (const Dict::Entry& entry : input.dict().entries()) {
    keyed.push_back({IgnoreCase(by_key ? entry.key : entry.value, Flag(bound[0])),
                     Value::Tuple({entry.key, entry.value})});
  }
  SGLRUN_RETURN_IF_ERROR(SortKeyed(keyed, Flag(bound[2])));
  return Value::List(ItemsOf(std::move(keyed)));
}

Try<Value> GroupBy(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(
      const std::vector<Value> bound,
      Bind("do_groupby", {"attribute", "default", "case_sensitive"}, 1, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime, input));
  std::vector<Keyed> keyed;
  for (const Value& item : items) {
    SGLRUN_ASSIGN_OR_RETURN(const Value key, GetPath(runtime, item, bound[0], bound[1]));
    keyed.push_back({IgnoreCase(key, Flag(bound[2])), item});
  }
  SGLRUN_RETURN_IF_ERROR(SortKeyed(keyed, false));
  std::vector<Value> groups;
  for (std::size_t begin = 0; begin < keyed.size();) {
    std::vector<Value> members;
    std::size_t end = begin;
    for (; end < keyed.size() && Equal(keyed[end].key, keyed[begin].key); ++end) {
      members.push_back(keyed[end].item);
    }
    if (end == begin) members.push_back(keyed[end++].item);  // NaN equals nothing
    SGLRUN_ASSIGN_OR_RETURN(const Value grouper, GetPath(runtime, members[0], bound[0], bound[1]));
    auto pair = MakeRef<Sequence>(std::vector<Value>{grouper, Value::List(std::move(members))});
    pair->group = true;
    groups.emplace_back(Kind::kTuple, pair);
    begin = end;
  }
  return Value::List(std::move(groups));
}

template <bool largest>
Try<Value> Extreme(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_min", {"case_sensitive", "attribute"}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime, input));
  if (items.empty()) return Value::Undef("No aggregated item, sequence was empty.");
  Keyed best;
  for (const Value& item : items) {
    SGLRUN_ASSIGN_OR_RETURN(Value key, GetPath(runtime, item, bound[1]));
    key = IgnoreCase(key, Flag(bound[0]));
    if (!best.item.missing()) {
      SGLRUN_ASSIGN_OR_RETURN(const bool better, Ordered(key, best.key, largest ? ">" : "<"));
      if (!better) continue;
    }
    best = {std::move(key), item};
  }
  return best.item;
}

// The first of each group of equal items, computed when requested.
class UniqueIterator final : public Iterator {
 public:
  UniqueIterator(Value input, std::vector<Value> bound, int depth)
      : input_(std::move(input)), bound_(std::move(bound)), depth_(depth) {}

  Try<bool> TakeNext(Runtime& runtime, Value& out) override {
    if (!source_) {
      SGLRUN_ASSIGN_OR_RETURN(source_, Iterate(input_));
    }
    while (true) {
      SGLRUN_ASSIGN_OR_RETURN(const bool more, source_->Next(runtime, out));
      if (!more) return false;
      SGLRUN_ASSIGN_OR_RETURN(Value key, GetPath(runtime, out, bound_[1]));
      key = IgnoreCase(key, Flag(bound_[0]));
      SGLRUN_ASSIGN_OR_RETURN(const Value* seen, seen_.Find(key));
      if (seen != nullptr) continue;
      SGLRUN_RETURN_IF_ERROR(seen_.Set(key, Value::None()));
      return true;
    }
  }
  int depth() const override { return depth_; }

 private:
  Value input_;
  std::vector<Value> bound_;
  int depth_;
  Ref<Iterator> source_;
  Dict seen_;
};

Try<Value> Unique(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> bound,
                          Bind("do_unique", {"case_sensitive", "attribute"}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const int depth, IteratorDepth(input));
  return MakeIterator(MakeRef<UniqueIterator>(input, std::move(bound), depth));
}

constexpr std::array kSortEntries = {
    FilterEntry{"dictsort", DictSort}, FilterEntry{"groupby", GroupBy},
    FilterEntry{"max", Extreme<true>}, FilterEntry{"min", Extreme<false>},
    FilterEntry{"sort", Sort},         FilterEntry{"unique", Unique},
};

}  // namespace

Value IgnoreCase(const Value& value, bool case_sensitive) {
  if (case_sensitive || !value.is_string()) return value;
  return Derived(ToLower(value.text()), value.str());
}

const std::span<const FilterEntry> kSortFilters = kSortEntries;

}  // namespace sglrun::jinja
