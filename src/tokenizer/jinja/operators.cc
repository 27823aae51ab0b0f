#include "tokenizer/jinja/operators.h"

#include "tokenizer/jinja/callable.h"
#include "tokenizer/jinja/compare.h"
#include "tokenizer/jinja/number.h"
#include "tokenizer/jinja/objects.h"
#include "tokenizer/jinja/repr.h"
#include "tokenizer/jinja/text.h"

namespace sglrun::tokenizer::jinja {
namespace {

constexpr std::int64_t kBytesAStep = 512, kItemsAStep = 64;

Fault Unsupported(const std::string& symbol, const Value& a, const Value& b) {
  return TypeFault("unsupported operand type(s) for " + (symbol == "**" ? "** or pow()" : symbol) +
                   ": '" + TypeName(a) + "' and '" + TypeName(b) + "'");
}

// Escaped text escapes what it is joined with.
Try<Value> AddStrings(const Value& a, const Value& b) {
  const bool markup = a.str().markup || b.str().markup;
  Value left = a, right = b;
  if (markup) {
    SGLRUN_ASSIGN_OR_RETURN(left, EscapeHtml(a));
    SGLRUN_ASSIGN_OR_RETURN(right, EscapeHtml(b));
  }
  TextBuilder out;
  out.Append(left.str());
  out.Append(right.str());
  return out.Build(markup);
}

Try<Value> AddSequences(Runtime& runtime, const Value& a, const Value& b) {
  if (a.items().size() + b.items().size() > kMaxItems) {
    return LimitFault("a list has more than " + std::to_string(kMaxItems) + " items");
  }
  std::vector<Value> items = a.items();
  items.insert(items.end(), b.items().begin(), b.items().end());
  SGLRUN_RETURN_IF_ERROR(runtime.Produce(items.size() * sizeof(Value)));
  return a.is(Kind::kList) ? Value::List(std::move(items)) : Value::Tuple(std::move(items));
}

Try<Value> Add(Runtime& runtime, const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) return AddStrings(a, b);
  if (a.is_sequence() && a.kind() == b.kind()) return AddSequences(runtime, a, b);
  if (a.is_string() && !a.str().markup) {
    return TypeFault("can only concatenate str (not \"" + TypeName(b) + "\") to str");
  }
  if (a.is_sequence()) {
    return TypeFault("can only concatenate " + TypeName(a) + " (not \"" + TypeName(b) + "\") to " +
                     TypeName(a));
  }
  return Unsupported("+", a, b);
}

Try<Value> Repeat(Runtime& runtime, const Value& value, const Value& times) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t count, IntArgument(times, 0));
  if (value.is_string()) {
    TextBuilder out;
    const String& text = value.str();
    if (!text.text.empty() && count > 0 &&
        count > static_cast<std::int64_t>(kMaxTextBytes / text.text.size())) {
      return LimitFault("a text is longer than " + std::to_string(kMaxTextBytes) + " bytes");
    }
    for (std::int64_t i = 0; i < count && !text.text.empty(); ++i) out.Append(text);
    return out.Build(text.markup);
  }
  const std::vector<Value>& once = value.items();
  if (!once.empty() && count > static_cast<std::int64_t>(kMaxItems / once.size())) {
    return LimitFault("a list has more than " + std::to_string(kMaxItems) + " items");
  }
  std::vector<Value> items;
  for (std::int64_t i = 0; i < count && !once.empty(); ++i) {
    items.insert(items.end(), once.begin(), once.end());
  }
  SGLRUN_RETURN_IF_ERROR(runtime.Produce(items.size() * sizeof(Value)));
  return value.is(Kind::kList) ? Value::List(std::move(items)) : Value::Tuple(std::move(items));
}

bool IsRepeatable(const Value& value) {
  return value.is_string() || value.is_sequence();
}

}  // namespace

std::int64_t Weight(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return static_cast<std::int64_t>(value.text().size()) / kBytesAStep;
    case Kind::kList:
    case Kind::kTuple:
      return static_cast<std::int64_t>(value.items().size()) / kItemsAStep;
    case Kind::kDict:
      return static_cast<std::int64_t>(value.dict().size()) / kItemsAStep;
    default:
      return 0;
  }
}

Try<void> Account(Runtime& runtime, const Value& value) {
  SGLRUN_RETURN_IF_ERROR(runtime.Step(Weight(value)));
  return runtime.Produce(value.is_string() ? value.text().size() + sizeof(String) : sizeof(Value));
}

Try<Value> BinaryOperation(Runtime& runtime, const std::string& symbol, const Value& a,
                           const Value& b) {
  SGLRUN_RETURN_IF_ERROR(runtime.Step(1 + Weight(a) + Weight(b)));
  const bool percent = symbol == "%" && a.is_string();
  if (a.is_undefined()) return a.undefined().ToFault();
  if (b.is_undefined() && !percent) return b.undefined().ToFault();
  if (a.is_number() && b.is_number()) return Arithmetic(symbol, a, b);
  Try<Value> result = Unsupported(symbol, a, b);
  if (percent) {
    result = FormatPercent(a, b);
  } else if (symbol == "+") {
    result = Add(runtime, a, b);
  } else if (symbol == "*" && IsRepeatable(a) && b.is_integer()) {
    result = Repeat(runtime, a, b);
  } else if (symbol == "*" && IsRepeatable(b) && a.is_integer()) {
    result = Repeat(runtime, b, a);
  } else if (symbol == "*" && (IsRepeatable(a) || IsRepeatable(b))) {
    result = TypeFault("can't multiply sequence by non-int of type '" +
                       TypeName(IsRepeatable(a) ? b : a) + "'");
  }
  if (result.ok()) SGLRUN_RETURN_IF_ERROR(Account(runtime, *result));
  return result;
}

Try<Value> UnaryOperation(const std::string& symbol, const Value& operand) {
  if (operand.is_undefined()) return operand.undefined().ToFault();
  if (!operand.is_number()) {
    return TypeFault("bad operand type for unary " + symbol + ": '" + TypeName(operand) + "'");
  }
  if (symbol == "-") return Negate(operand);
  return operand.is(Kind::kBool) ? Value::Int(operand.int64()) : operand;
}

}  // namespace sglrun::tokenizer::jinja
