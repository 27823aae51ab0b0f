// map, select and related filters: generators, which process an item when it is requested.
#include <array>

#include "jinja/attributes.h"
#include "jinja/compare.h"
#include "jinja/filter_functions.h"
#include "jinja/objects.h"
#include "jinja/operators.h"
#include "jinja/repr.h"
#include "jinja/tests.h"

namespace sglrun::jinja {
namespace {

class LazyIterator : public Iterator {
 public:
  LazyIterator(Value input, CallArgs args, int depth)
      : args_(std::move(args)), input_(std::move(input)), depth_(depth) {}

  Try<bool> TakeNext(Runtime& runtime, Value& out) override {
    if (!source_) {
      if (!Truth(input_)) return false;
      SGLRUN_RETURN_IF_ERROR(Prepare());
      SGLRUN_ASSIGN_OR_RETURN(source_, Iterate(input_));
    }
    while (true) {
      Value item;
      SGLRUN_ASSIGN_OR_RETURN(const bool more, source_->Next(runtime, item));
      if (!more) return false;
      SGLRUN_ASSIGN_OR_RETURN(const bool kept, Take(runtime, item, out));
      if (kept) return true;
    }
  }
  int depth() const override { return depth_; }

 protected:
  // Reads the arguments, once.
  virtual Try<void> Prepare() = 0;
  // Sets `out` from the item; false leaves it out.
  virtual Try<bool> Take(Runtime& runtime, const Value& item, Value& out) = 0;

  CallArgs args_;

 private:
  Value input_;
  int depth_;
  Ref<Iterator> source_;
};

// The first positional argument, taken out.
Try<Value> TakeFirst(CallArgs& args, const char* missing) {
  if (args.args.empty()) return Fault{FaultKind::kRuntime, missing};
  Value first = args.args[0];
  args.args.erase(args.args.begin());
  return first;
}

class MapIterator final : public LazyIterator {
 public:
  using LazyIterator::LazyIterator;

 private:
  Try<void> Prepare() override {
    const bool by_attribute = args_.args.empty() && HasNamed("attribute");
    if (!by_attribute) return PrepareFilter();
    for (auto& [name, value] : args_.named) {
      if (name == "attribute") {
        attribute_ = value;
      } else if (name == "default") {
        standard_ = value;
      } else {
        return Fault{FaultKind::kRuntime, "Unexpected keyword argument " + QuotedText(name)};
      }
    }
    return {};
  }

  Try<void> PrepareFilter() {
    SGLRUN_ASSIGN_OR_RETURN(const Value name, TakeFirst(args_, "map requires a filter argument"));
    filter_ = name.is_string() ? FindFilter(name.text()) : nullptr;
    if (filter_ != nullptr) return {};
    const std::string shown = Repr(name);
    return Fault{FaultKind::kRuntime, "No filter named " + shown + "."};
  }

  bool HasNamed(const std::string& wanted) const {
    for (const auto& [name, value] : args_.named) {
      if (name == wanted) return true;
    }
    return false;
  }

  Try<bool> Take(Runtime& runtime, const Value& item, Value& out) override {
    if (filter_ == nullptr) {
      SGLRUN_ASSIGN_OR_RETURN(out, GetPath(runtime, item, attribute_, standard_));
      return true;
    }
    Meter::Step();
    SGLRUN_ASSIGN_OR_RETURN(out, filter_->apply(runtime, item, args_));
    return true;
  }

  const FilterEntry* filter_ = nullptr;
  Value attribute_, standard_;
};

class SelectIterator final : public LazyIterator {
 public:
  SelectIterator(Value input, CallArgs args, int depth, bool wanted, bool by_attribute)
      : LazyIterator(std::move(input), std::move(args), depth),
        wanted_(wanted),
        by_attribute_(by_attribute) {}

 private:
  Try<void> Prepare() override {
    if (by_attribute_) {
      SGLRUN_ASSIGN_OR_RETURN(attribute_, TakeFirst(args_, "Missing parameter for attribute name"));
    }
    if (args_.args.empty()) return {};
    SGLRUN_ASSIGN_OR_RETURN(const Value name, TakeFirst(args_, ""));
    test_ = name.is_string() ? FindTest(name.text()) : nullptr;
    if (test_ != nullptr) return {};
    const std::string shown = Repr(name);
    return Fault{FaultKind::kRuntime, "No test named " + shown + "."};
  }

  Try<bool> Take(Runtime& runtime, const Value& item, Value& out) override {
    SGLRUN_ASSIGN_OR_RETURN(const Value value, GetPath(runtime, item, attribute_));
    bool holds = Truth(value);
    if (test_ != nullptr) {
      SGLRUN_ASSIGN_OR_RETURN(holds, test_->apply(runtime, value, args_));
    }
    out = item;
    return holds == wanted_;
  }

  bool wanted_;
  bool by_attribute_;
  Value attribute_;
  const TestEntry* test_ = nullptr;
};

Try<Value> Map(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const int depth, IteratorDepth(input));
  return MakeIterator(MakeRef<MapIterator>(input, std::move(args), depth));
}

template <bool wanted, bool by_attribute>
Try<Value> Select(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const int depth, IteratorDepth(input));
  return MakeIterator(MakeRef<SelectIterator>(input, std::move(args), depth, wanted, by_attribute));
}

constexpr std::array kLazyEntries = {
    FilterEntry{"map", Map},
    FilterEntry{"reject", Select<false, false>},
    FilterEntry{"rejectattr", Select<false, true>},
    FilterEntry{"select", Select<true, false>},
    FilterEntry{"selectattr", Select<true, true>},
};

}  // namespace

const std::span<const FilterEntry> kLazyFilters = kLazyEntries;

}  // namespace sglrun::jinja
