// + - * / // % ** and unary signs on values of any kind.
#pragma once

#include <string>

#include "tokenizer/jinja/runtime.h"
#include "tokenizer/jinja/value.h"

namespace sglrun::tokenizer::jinja {

Try<Value> BinaryOperation(Runtime& runtime, const std::string& symbol, const Value& a,
                           const Value& b);
Try<Value> UnaryOperation(const std::string& symbol, const Value& operand);
// 'text' % values
Try<Value> FormatPercent(const Value& format, const Value& values);

// Steps an operation on the value is worth: long texts and lists cost more.
std::int64_t Weight(const Value& value);
// Accounts for a value just made.
Try<void> Account(Runtime& runtime, const Value& value);

}  // namespace sglrun::tokenizer::jinja
