// Json values to C++ values, strictly: no string is taken for a number, no boolean for an integer.
// Every refusal is the sentence of BadValue with the path of the field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "request/fields.h"

namespace sglrun::request {

template <class T>
using Read = Result<T, RecordError>;

Read<bool> ReadBool(const Json& value, std::string_view path);
// Integral doubles count. An integer beyond 64 bits is refused, or counts as the nearest one where
// the range says so.
Read<std::int64_t> ReadInteger(const Json& value, std::string_view path, const Range& range);
// A finite number; the range, looked at by the caller, is told to who wrote another.
Read<double> ReadNumber(const Json& value, std::string_view path, const Range& range);
Read<std::string> ReadString(const Json& value, std::string_view path);
Result<void, RecordError> CheckString(const Json& value, std::string_view path);
Read<std::vector<std::int64_t>> ReadIntegers(const Json& value, std::string_view path,
                                             const Range& range);
// Ids in [0, vocab_size); vocab_size 0: not known, only int32 is required.
Read<std::vector<std::int32_t>> ReadTokenIds(const Json& value, std::string_view path,
                                             std::int64_t vocab_size);
// One string or several; none empty, within the limits of the field.
Read<std::vector<std::string>> ReadStrings(const Json& value, std::string_view path,
                                           const Field& field);
Read<std::vector<std::pair<std::int32_t, float>>> ReadTokenBias(const Json& value,
                                                                std::string_view path,
                                                                std::int64_t vocab_size);

// "input_ids" and 3 -> "input_ids[3]".
std::string ElementPath(std::string_view path, std::size_t index);

}  // namespace sglrun::request
