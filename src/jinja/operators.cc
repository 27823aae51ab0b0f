#include "jinja/operators.h"

#include <algorithm>

#include "jinja/callable.h"
#include "jinja/compare.h"
#include "jinja/number.h"
#include "jinja/objects.h"
#include "jinja/repr.h"
#include "jinja/text.h"

namespace sglrun::jinja {
namespace {

Fault Unsupported(const std::string& symbol, const Value& a, const Value& b) {
  return TypeFault("unsupported operand type(s) for " + (symbol == "**" ? "** or pow()" : symbol) +
                   ": '" + TypeName(a) + "' and '" + TypeName(b) + "'");
}

// Joining with an escaped text escapes the other text.
Value AddStrings(const Value& a, const Value& b) {
  const bool markup = a.str().markup || b.str().markup;
  Value left = a, right = b;
  if (markup) {
    left = EscapeHtml(a);
    right = EscapeHtml(b);
  }
  TextBuilder out;
  out.Append(left.str());
  out.Append(right.str());
  return out.Build(markup);
}

Value AddSequences(const Value& a, const Value& b) {
  Meter::NeedItems(a.items().size() + b.items().size());
  std::vector<Value> items = a.items();
  items.insert(items.end(), b.items().begin(), b.items().end());
  return a.is(Kind::kList) ? Value::List(std::move(items)) : Value::Tuple(std::move(items));
}

Try<Value> Add(const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) return AddStrings(a, b);
  if (a.is_sequence() && a.kind() == b.kind()) return AddSequences(a, b);
  if (a.is_string() && !a.str().markup) {
    return TypeFault("can only concatenate str (not \"" + TypeName(b) + "\") to str");
  }
  if (a.is_sequence()) {
    return TypeFault("can only concatenate " + TypeName(a) + " (not \"" + TypeName(b) + "\") to " +
                     TypeName(a));
  }
  return Unsupported("+", a, b);
}

Value RepeatText(const String& text, std::size_t times) {
  TextBuilder out;
  if (text.user.empty()) {
    out.Fill(text.text, static_cast<std::int64_t>(std::min(times, kMaxTextBytes + 1)));
    return out.Build(text.markup);
  }
  for (std::size_t i = 0; i < times && !text.text.empty(); ++i) out.Append(text);
  return out.Build(text.markup);
}

Try<Value> Repeat(const Value& value, const Value& times) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t count, IntArgument(times, 0));
  const auto often = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  if (value.is_string()) return RepeatText(value.str(), often);
  const std::vector<Value>& once = value.items();
  std::vector<Value> items;
  if (!once.empty()) {
    Meter::NeedItems(often);
    Meter::NeedItems(often * once.size());
    items.reserve(often * once.size());
  }
  for (std::size_t i = 0; i < often && !once.empty(); ++i) {
    items.insert(items.end(), once.begin(), once.end());
  }
  return value.is(Kind::kList) ? Value::List(std::move(items)) : Value::Tuple(std::move(items));
}

bool IsRepeatable(const Value& value) {
  return value.is_string() || value.is_sequence();
}

}  // namespace

Try<Value> BinaryOperation(const std::string& symbol, const Value& a, const Value& b) {
  Meter::Step();
  const bool percent = symbol == "%" && a.is_string();
  if (a.is_undefined()) return a.undefined().ToFault();
  if (b.is_undefined() && !percent) return b.undefined().ToFault();
  if (a.is_number() && b.is_number()) return Arithmetic(symbol, a, b);
  Try<Value> result = Unsupported(symbol, a, b);
  if (percent) {
    result = FormatPercent(a, b);
  } else if (symbol == "+") {
    result = Add(a, b);
  } else if (symbol == "*" && IsRepeatable(a) && b.is_integer()) {
    result = Repeat(a, b);
  } else if (symbol == "*" && IsRepeatable(b) && a.is_integer()) {
    result = Repeat(b, a);
  } else if (symbol == "*" && (IsRepeatable(a) || IsRepeatable(b))) {
    result = TypeFault("can't multiply sequence by non-int of type '" +
                       TypeName(IsRepeatable(a) ? b : a) + "'");
  }
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

}  // namespace sglrun::jinja
