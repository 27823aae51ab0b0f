// The one table of everything a record may say: the fields of GenerateReqInput and the parameters
// inside sampling_params. Parser, range checks, sentences, nearest-name hints, `sglrun fields`, the
// man page and the JSON Schema are all made from it. A new sampling parameter is one row here and
// one member of SamplingParams.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "request/constraint.h"
#include "request/record_error.h"
#include "request/sampling_params.h"

namespace sglrun::request {

enum class Scope : std::uint8_t { kRecord, kSamplingParams };

enum class Kind : std::uint8_t {
  kBool,
  kInteger,         // 16.0 counts as 16
  kNumber,          // finite
  kString,          //
  kStrings,         // a string, or an array of strings
  kIntegers,        // an array of integers
  kTokenIds,        // an array of integers, the prompt
  kRows,            // an array of rows of numbers, the prompt as embeddings
  kTokenBias,       // an object {"token id": number}
  kObject,          // whatever is in it
  kSamplingParams,  // an object of this table's other half
  kHiddenStates,    // a boolean or "last"
  kSchema,          // JSON text, an object or a boolean
  kTag,             // JSON text or an object
  kAny,             // not looked at
};

enum class Treatment : std::uint8_t {
  kUsed,
  kNoEffect,     // accepted: transport and scheduling of a server
  kUnsupported,  // anything but null, an empty value or the default is a record error
};

// Numbers a field may hold. `also` is one value outside the interval that has a meaning of its own.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_is_open = false;
  std::optional<double> also = {};
  bool clips = false;  // integers beyond 64 bits count as the nearest one

  bool Contains(double value) const;
  std::string ToString() const;  // "in (0, 1]", "at least 0", "-1 or at least 1", "" for all
};

// Where a sampling parameter is kept; monostate for fields that io reads by name.
using Member = std::variant<std::monostate, bool SamplingParams::*, std::int64_t SamplingParams::*,
                            double SamplingParams::*, std::optional<std::int64_t> SamplingParams::*,
                            std::vector<std::string> SamplingParams::*,
                            std::vector<std::int64_t> SamplingParams::*,
                            std::vector<std::pair<std::int32_t, float>> SamplingParams::*,
                            ConstraintKind>;  // SamplingParams::constraint of this kind

struct Field {
  Scope scope;
  std::string_view name;
  Kind kind;
  bool per_prompt;  // an array with one value per prompt is accepted, too
  Treatment treatment;
  std::string_view default_json;
  std::string_view summary;  // one line, no full stop
  std::string_view details;  // further sentences of the man page, may be ""
  Range range;
  std::size_t max_items;       // of kStrings and kIntegers; 0: no limit
  std::size_t max_item_bytes;  // of each string of kStrings; 0: no limit
  Member member;
};

std::span<const Field> Fields();
const Field* FindField(Scope scope, std::string_view name);

// " (did you mean \"top_p\"?)", or "" when no known name is near.
std::string NearestFieldHint(Scope scope, std::string_view name);

// "a boolean", "an integer", "a string or an array of strings", ...
std::string_view KindPhrase(Kind kind);

// "top_p is 2, must be in (0, 1]": the error of every refused value, with its path as param.
RecordError BadValue(std::string_view path, std::string_view found, std::string_view expected);

// A name for error messages, shortened if it is very long.
std::string ShortName(std::string_view name);

// A value of an unsupported field is harmless when it is null, empty, false or the default.
bool IsNeutral(const Field& field, const Json& value);
RecordError Unsupported(const Field& field, std::string_view path);

}  // namespace sglrun::request
