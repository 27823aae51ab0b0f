#include "request/sampling_parser.h"

#include <algorithm>
#include <type_traits>

#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::request {
namespace {

using Outcome = Result<void, RecordError>;

constexpr double kGreedyBelow = 1e-6;

// At most one of these may constrain a text; an empty string counts as absent (decisions 18).
constexpr std::string_view kGrammars[] = {"json_schema", "regex", "ebnf", "structural_tag"};

bool IsEmptyText(const Json& value) {
  return value.is_string() && value.as_string().empty();
}

Outcome CheckOneGrammar(const Json& object, std::string_view path) {
  std::string given;
  int count = 0;
  for (const std::string_view name : kGrammars) {
    const Json* value = object.Find(name);
    if (value == nullptr || value->is_null() || IsEmptyText(*value)) continue;
    given += (count++ > 0 ? " and " : "") + std::string(name);
  }
  if (count < 2) return {};
  return RecordError{std::string(path) + " has " + given +
                         ", only one of json_schema, regex, ebnf, structural_tag may be set",
                     std::string(path)};
}

// Stores one value in the member of its row; overloads by the member's type.
struct Store {
  const Field& field;
  const Json& value;
  const std::string& path;
  const SamplingContext& context;
  SamplingParams& params;
  std::vector<std::string>& warnings;

  Outcome operator()(std::monostate) const { return {}; }

  Outcome operator()(bool SamplingParams::*member) const {
    return Assign(member, ReadBool(value, path));
  }
  Outcome operator()(std::int64_t SamplingParams::*member) const {
    return Assign(member, ReadInteger(value, path, field.range));
  }
  Outcome operator()(double SamplingParams::*member) const {
    return Assign(member, ReadNumber(value, path));
  }
  Outcome operator()(std::optional<std::int64_t> SamplingParams::*member) const {
    return Assign(member, ReadInteger(value, path, field.range));
  }
  Outcome operator()(std::vector<std::string> SamplingParams::*member) const {
    return Assign(member, ReadStrings(value, path, field));
  }
  Outcome operator()(std::vector<std::pair<std::int32_t, float>> SamplingParams::*member) const {
    return Assign(member, ReadTokenBias(value, path, context.vocab_size));
  }
  Outcome operator()(std::vector<std::int64_t> SamplingParams::*member) const {
    SGLRUN_RETURN_IF_ERROR(Assign(member, ReadIntegers(value, path, field.range)));
    KeepKnownIds(params.*member);
    return {};
  }

  Outcome operator()(ConstraintKind kind) const {
    if (IsEmptyText(value)) return {};
    const bool is_json = (field.kind == Kind::kSchema && (value.is_object() || value.is_bool())) ||
                         (field.kind == Kind::kTag && value.is_object());
    if (!value.is_string() && !is_json) {
      return BadValue(path, value.KindName(), KindPhrase(field.kind));
    }
    params.constraint = Constraint{kind, is_json ? value.Dump() : value.as_string()};
    return {};
  }

  template <class T, class U>
  Outcome Assign(T SamplingParams::*member, Result<U, RecordError> read) const {
    if (!read.ok()) return std::move(read).error();
    params.*member = std::move(read).value();
    return {};
  }

  // Ids outside the vocabulary are never generated: a warning is enough.
  void KeepKnownIds(std::vector<std::int64_t>& ids) const {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    const auto unknown = [this](std::int64_t id) {
      return id < 0 || (context.vocab_size > 0 && id >= context.vocab_size);
    };
    const auto first = std::find_if(ids.begin(), ids.end(), unknown);
    if (first == ids.end()) return;
    warnings.push_back(path + " holds " + std::to_string(*first) +
                       ", which is outside the vocabulary and has no effect");
    ids.erase(std::remove_if(ids.begin(), ids.end(), unknown), ids.end());
  }
};

Outcome OverlayOne(const Json::Member& member, std::string_view path,
                   const SamplingContext& context, SamplingParams& params,
                   std::vector<std::string>& warnings) {
  const auto& [name, value] = member;
  const std::string field_path = std::string(path) + "." + ShortName(name);
  const Field* field = FindField(Scope::kSamplingParams, name);
  if (field == nullptr) {
    return RecordError{
        "unknown parameter " + field_path + NearestFieldHint(Scope::kSamplingParams, name),
        field_path};
  }
  if (field->treatment == Treatment::kUnsupported) {
    if (!IsNeutral(*field, value)) return Unsupported(*field, field_path);
    return {};
  }
  if (name == "max_new_tokens") params.max_new_tokens_stated = !value.is_null();
  if (value.is_null()) {
    if (name == "max_new_tokens") params.max_new_tokens.reset();
    return {};
  }
  if (field->kind == Kind::kBool && field->treatment == Treatment::kNoEffect) {
    auto read = ReadBool(value, field_path);
    if (!read.ok()) return std::move(read).error();
  }
  if (field->kind == Kind::kInteger && field->treatment == Treatment::kNoEffect) {
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t number,
                            ReadInteger(value, field_path, field->range));
    if (!field->range.Contains(static_cast<double>(number))) {
      return BadValue(field_path, value.Excerpt(), field->range.ToString());
    }
  }
  return std::visit(Store{*field, value, field_path, context, params, warnings}, field->member);
}

Outcome CheckRange(const Field& field, double value, std::string_view path) {
  if (field.range.Contains(value)) return {};
  std::string expected = field.range.ToString();
  if (field.name == "repetition_penalty" && value == 0) {
    expected +=
        "; 1.0 is no penalty (0 was printed as the default once, --compat 2024 reads it so)";
  }
  const std::string field_path = std::string(path) + "." + std::string(field.name);
  return BadValue(field_path, Json(value).CanonicalDump(), expected);
}

Outcome CheckRanges(std::string_view path, const SamplingParams& params) {
  for (const Field& field : Fields()) {
    if (const auto* number = std::get_if<double SamplingParams::*>(&field.member)) {
      SGLRUN_RETURN_IF_ERROR(CheckRange(field, params.**number, path));
    } else if (const auto* integer = std::get_if<std::int64_t SamplingParams::*>(&field.member)) {
      SGLRUN_RETURN_IF_ERROR(CheckRange(field, static_cast<double>(params.**integer), path));
    } else if (const auto* optional =
                   std::get_if<std::optional<std::int64_t> SamplingParams::*>(&field.member)) {
      const std::optional<std::int64_t>& value = params.**optional;
      if (!value.has_value()) continue;
      SGLRUN_RETURN_IF_ERROR(CheckRange(field, static_cast<double>(*value), path));
    }
  }
  return {};
}

}  // namespace

Outcome OverlaySamplingParams(const Json& object, std::string_view path,
                              const SamplingContext& context, SamplingParams& params,
                              std::vector<std::string>& warnings) {
  if (object.is_null()) return {};
  if (!object.is_object()) return BadValue(path, object.Excerpt(), "an object");
  SGLRUN_RETURN_IF_ERROR(CheckOneGrammar(object, path));
  for (const Json::Member& member : object.as_object()) {
    SGLRUN_RETURN_IF_ERROR(OverlayOne(member, path, context, params, warnings));
  }
  if (context.compat_2024 && params.repetition_penalty == 0) params.repetition_penalty = 1.0;
  return {};
}

Outcome FinishSamplingParams(std::string_view path, SamplingParams& params) {
  if (params.temperature >= 0 && params.temperature < kGreedyBelow) {
    params.temperature = 1.0;
    params.top_k = 1;
  }
  SGLRUN_RETURN_IF_ERROR(CheckRanges(path, params));
  if (params.top_k == -1) params.top_k = kTopKAll;
  params.top_k = std::min(params.top_k, kTopKAll);
  if (params.max_new_tokens.has_value() && params.min_new_tokens > *params.max_new_tokens) {
    return BadValue(std::string(path) + ".min_new_tokens", std::to_string(params.min_new_tokens),
                    "in [0, max_new_tokens(" + std::to_string(*params.max_new_tokens) + ")]");
  }
  return {};
}

}  // namespace sglrun::request
