// + - * / // % ** and unary signs on values of any kind.
#pragma once

#include <string>

#include "tokenizer/jinja/fault.h"
#include "tokenizer/jinja/value.h"

namespace sglrun::tokenizer::jinja {

Try<Value> BinaryOperation(const std::string& symbol, const Value& a, const Value& b);
Try<Value> UnaryOperation(const std::string& symbol, const Value& operand);
// 'text' % values
Try<Value> FormatPercent(const Value& format, const Value& values);

}  // namespace sglrun::tokenizer::jinja
