// + - * / // % ** and unary signs on values of any kind.
#pragma once

#include <string>

#include "jinja/fault.h"
#include "jinja/value.h"

namespace sglrun::jinja {

Try<Value> BinaryOperation(const std::string& symbol, const Value& a, const Value& b);
Try<Value> UnaryOperation(const std::string& symbol, const Value& operand);
// 'text' % values
Try<Value> FormatPercent(const Value& format, const Value& values);

}  // namespace sglrun::jinja
