#include "jinja/tests.h"

#include <algorithm>
#include <array>

#include "jinja/compare.h"
#include "jinja/filters.h"
#include "jinja/objects.h"
#include "jinja/operators.h"
#include "jinja/repr.h"
#include "jinja/string_search.h"

namespace sglrun::jinja {
namespace {

// A test of the value alone.
template <bool (*holds)(const Value&)>
Try<bool> Plain(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("test", {}, 0, std::move(args)));
  return holds(input);
}

bool Defined(const Value& value) {
  return !value.is_undefined();
}
bool NotDefined(const Value& value) {
  return value.is_undefined();
}
bool IsNone(const Value& value) {
  return value.is(Kind::kNone);
}
bool IsBoolean(const Value& value) {
  return value.is(Kind::kBool);
}
bool IsTrue(const Value& value) {
  return value.is(Kind::kBool) && value.int64() != 0;
}
bool IsFalse(const Value& value) {
  return value.is(Kind::kBool) && value.int64() == 0;
}
bool IsInteger(const Value& value) {
  return value.is(Kind::kInt) || value.is(Kind::kBigInt);
}
bool IsFloat(const Value& value) {
  return value.is(Kind::kFloat);
}
bool IsNumber(const Value& value) {
  return value.is_number();
}
bool IsString(const Value& value) {
  return value.is_string();
}
bool IsMapping(const Value& value) {
  return value.is(Kind::kDict);
}
bool IsEscaped(const Value& value) {
  return value.is_string() && value.str().markup;
}
bool IsIterable(const Value& value) {
  return Iterate(value).ok();
}

bool IsSequence(const Value& value) {
  return value.is_string() || value.is_sequence() || value.is(Kind::kDict) ||
         value.is(Kind::kRange) || value.is_undefined();
}

bool IsCallable(const Value& value) {
  return value.is(Kind::kCallable) || value.is(Kind::kJoiner) || value.is(Kind::kLoop) ||
         value.is_undefined();
}

template <bool upper>
Try<bool> Case(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("test", {}, 0, std::move(args)));
  const Value text = ToStr(input);
  return IsAllCase(text.text(), upper);
}

Try<bool> RemainderIs(const Value& value, const Value& by, std::int64_t remainder) {
  SGLRUN_ASSIGN_OR_RETURN(const Value rest, BinaryOperation("%", value, by));
  return Equal(rest, Value::Int(remainder));
}

template <int remainder>
Try<bool> Parity(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("test", {}, 0, std::move(args)));
  return RemainderIs(input, Value::Int(2), remainder);
}

Try<bool> DivisibleBy(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("test_divisibleby", {"num"}, 1, std::move(args)));
  return RemainderIs(input, bound[0], 0);
}

Try<Value> Other(CallArgs args, const char* name) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound, Bind(name, {"/b"}, 1, std::move(args)));
  return bound[0];
}

template <bool wanted>
Try<bool> EqualTo(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const Value other, Other(std::move(args), "eq"));
  return Equal(input, other) == wanted;
}

enum Order { kLt, kLe, kGt, kGe };

template <Order order>
Try<bool> OrderedAs(Runtime&, const Value& input, CallArgs args) {
  static constexpr const char* kSymbols[] = {"<", "<=", ">", ">="};
  SGLRUN_ASSIGN_OR_RETURN(const Value other, Other(std::move(args), "order"));
  return Ordered(input, other, kSymbols[order]);
}

Try<bool> SameAs(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("test_sameas", {"other"}, 1, std::move(args)));
  return input.SameAs(bound[0]);
}

Try<bool> In(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("test_in", {"seq"}, 1, std::move(args)));
  return Contains(runtime, bound[0], input);
}

Try<bool> IsFilter(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("test_filter", {}, 0, std::move(args)));
  SGLRUN_RETURN_IF_ERROR(Hash(input));
  return input.is_string() && FindFilter(input.text()) != nullptr;
}

Try<bool> IsTest(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("test_test", {}, 0, std::move(args)));
  SGLRUN_RETURN_IF_ERROR(Hash(input));
  return input.is_string() && FindTest(input.text()) != nullptr;
}

constexpr std::array kTests = {
    TestEntry{"!=", EqualTo<false>},
    TestEntry{"<", OrderedAs<kLt>},
    TestEntry{"<=", OrderedAs<kLe>},
    TestEntry{"==", EqualTo<true>},
    TestEntry{">", OrderedAs<kGt>},
    TestEntry{">=", OrderedAs<kGe>},
    TestEntry{"boolean", Plain<IsBoolean>},
    TestEntry{"callable", Plain<IsCallable>},
    TestEntry{"defined", Plain<Defined>},
    TestEntry{"divisibleby", DivisibleBy},
    TestEntry{"eq", EqualTo<true>},
    TestEntry{"equalto", EqualTo<true>},
    TestEntry{"escaped", Plain<IsEscaped>},
    TestEntry{"even", Parity<0>},
    TestEntry{"false", Plain<IsFalse>},
    TestEntry{"filter", IsFilter},
    TestEntry{"float", Plain<IsFloat>},
    TestEntry{"ge", OrderedAs<kGe>},
    TestEntry{"greaterthan", OrderedAs<kGt>},
    TestEntry{"gt", OrderedAs<kGt>},
    TestEntry{"in", In},
    TestEntry{"integer", Plain<IsInteger>},
    TestEntry{"iterable", Plain<IsIterable>},
    TestEntry{"le", OrderedAs<kLe>},
    TestEntry{"lessthan", OrderedAs<kLt>},
    TestEntry{"lower", Case<false>},
    TestEntry{"lt", OrderedAs<kLt>},
    TestEntry{"mapping", Plain<IsMapping>},
    TestEntry{"ne", EqualTo<false>},
    TestEntry{"none", Plain<IsNone>},
    TestEntry{"number", Plain<IsNumber>},
    TestEntry{"odd", Parity<1>},
    TestEntry{"sameas", SameAs},
    TestEntry{"sequence", Plain<IsSequence>},
    TestEntry{"string", Plain<IsString>},
    TestEntry{"test", IsTest},
    TestEntry{"true", Plain<IsTrue>},
    TestEntry{"undefined", Plain<NotDefined>},
    TestEntry{"upper", Case<true>},
};

}  // namespace

const TestEntry* FindTest(std::string_view name) {
  const auto it =
      std::lower_bound(kTests.begin(), kTests.end(), name,
                       [](const TestEntry& entry, std::string_view x) { return entry.name < x; });
  return it != kTests.end() && it->name == name ? &*it : nullptr;
}

}  // namespace sglrun::jinja
