// Converts JSON values to C++ values strictly: a string is not accepted as a number, nor a boolean
// as an integer. Every error is that of BadValue with the path of the field.
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
// Integral doubles are accepted. An integer beyond 64 bits is refused, or replaced by the nearest
// one if the range clips.
Read<std::int64_t> ReadInteger(const Json& value, std::string_view path, const Range& range);
// A finite number. The caller checks the range; it is used here for error messages only.
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
