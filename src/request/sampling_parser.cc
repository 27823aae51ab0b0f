#include "request/sampling_parser.h"

#include <algorithm>
#include <type_traits>

#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::request {
namespace {

using Outcome = Result<void, RecordError>;

constexpr double kGreedyBelow = 1e-6;
constexpr std::string_view kRepetitionPenalty = "repetition_penalty";

// At most one of these may constrain a text; an empty string counts as absent.
constexpr std::string_view kGrammars[] = {"json_schema", "regex", "ebnf", "structural_tag"};

bool IsEmptyText(const Json& value) {
  return value.is_string() && value.as_string().empty();
}

// The meaning of dtype "int" in 2024: digits that end at the first blank or newline. The regex
// allows one of these, so that the model can end the text; as a stop string it is removed.
constexpr std::string_view kInt2024 = "-?[0-9]+[ \\n]?";

bool AsksForInt2024(const Json& object, const SamplingContext& context) {
  const Json* dtype = object.Find("dtype");
  return context.compat_2024 && dtype != nullptr && dtype->is_string() &&
         dtype->as_string() == "int";
}

void SetInt2024(SamplingParams& params) {
  params.constraint = Constraint{ConstraintKind::kRegex, std::string(kInt2024)};
  params.stop = {" ", "\n"};
}

Outcome CheckOneGrammar(const Json& object, std::string_view path, const SamplingContext& context) {
  std::string given;
  int count = 0;
  const auto add = [&](std::string_view name) {
    given += (count++ > 0 ? " and " : "") + std::string(name);
  };
  for (const std::string_view name : kGrammars) {
    const Json* value = object.Find(name);
    if (value != nullptr && !value->is_null() && !IsEmptyText(*value)) add(name);
  }
  if (AsksForInt2024(object, context)) add("dtype");
  if (count < 2) return {};
  return RecordError{std::string(path) + " has " + given +
                         ", only one of json_schema, regex, ebnf, structural_tag may be set",
                     std::string(path)};
}

// `written` is the value as quoted in the error, `path` that of the field.
Outcome CheckRange(const Field& field, double value, const std::string& written,
                   std::string_view path) {
  if (field.range.Contains(value)) return {};
  std::string expected = field.range.ToString();
  if (field.name == kRepetitionPenalty && value == 0) {
    expected +=
        "; 1.0 means no penalty (older versions of SGLang documented 0 as the default; --compat "
        "2024 accepts it)";
  }
  return BadValue(path, written, expected);
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
  // The range is checked immediately, while the written value is available for the error message.
  Outcome operator()(double SamplingParams::*member) const {
    SGLRUN_ASSIGN_OR_RETURN(double number, ReadNumber(value, path, field.range));
    if (context.compat_2024 && field.name == kRepetitionPenalty && number == 0) number = 1.0;
    SGLRUN_RETURN_IF_ERROR(CheckRange(field, number, value.Excerpt(), path));
    params.*member = number;
    return {};
  }
  Outcome operator()(std::optional<std::int64_t> SamplingParams::*member) const {
    if (field.kind == Kind::kObject) return StoreBudget(member);
    return Assign(member, ReadInteger(value, path, field.range));
  }
  Outcome operator()(std::vector<std::string> SamplingParams::*member) const {
    return Assign(member, ReadStrings(value, path, field));
  }
  Outcome operator()(std::vector<std::pair<std::int32_t, float>> SamplingParams::*member) const {
    return Assign(member, ReadTokenBias(value, path, context.vocab_size));
  }
  Outcome operator()(std::vector<std::int64_t> SamplingParams::*member) const {
    SGLRUN_ASSIGN_OR_RETURN(std::vector<std::int64_t> ids, ReadIntegers(value, path, field.range));
    WarnOfUnknownId(ids);
    std::erase_if(ids, [this](std::int64_t id) { return IsUnknown(id); });
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    params.*member = std::move(ids);
    return {};
  }

  Outcome operator()(ConstraintKind kind) const {
    if (IsEmptyText(value)) {
      warnings.push_back(path + " is \"\", which counts as no constraint");
      return {};
    }
    const bool is_json = (field.kind == Kind::kSchema && (value.is_object() || value.is_bool())) ||
                         (field.kind == Kind::kTag && value.is_object());
    if (!value.is_string() && !is_json) {
      return BadValue(path, value.KindName(), KindPhrase(field.kind));
    }
    params.constraint = Constraint{kind, is_json ? value.Dump() : value.as_string()};
    return {};
  }

  // custom_params: only one of its members is used.
  Outcome StoreBudget(std::optional<std::int64_t> SamplingParams::*member) const {
    if (!value.is_object()) return BadValue(path, value.Excerpt(), KindPhrase(field.kind));
    const Json* budget = value.Find("thinking_budget");
    if (budget == nullptr || budget->is_null()) return {};
    const Range range = {.low = 0, .clips = true};
    const std::string budget_path = path + ".thinking_budget";
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t tokens, ReadInteger(*budget, budget_path, range));
    if (!range.Contains(static_cast<double>(tokens))) {
      return BadValue(budget_path, budget->Excerpt(), range.ToString());
    }
    params.*member = tokens;
    return {};
  }

  template <class T, class U>
  Outcome Assign(T SamplingParams::*member, Result<U, RecordError> read) const {
    if (!read.ok()) return std::move(read).error();
    params.*member = std::move(read).value();
    return {};
  }

  bool IsUnknown(std::int64_t id) const {
    return id < 0 || (context.vocab_size > 0 && id >= context.vocab_size);
  }

  // Ids outside the vocabulary are never generated: a warning is enough.
  void WarnOfUnknownId(const std::vector<std::int64_t>& ids) const {
    const auto first =
        std::find_if(ids.begin(), ids.end(), [this](std::int64_t id) { return IsUnknown(id); });
    if (first == ids.end()) return;
    const Json& written = value.as_array()[static_cast<std::size_t>(first - ids.begin())];
    warnings.push_back(path + " holds " + written.Excerpt() +
                       ", which is outside the vocabulary and has no effect");
  }
};

// A parameter without effect still has a type and a range.
Outcome CheckUnused(const Field& field, const Json& value, const std::string& path) {
  if (field.kind == Kind::kBool) {
    SGLRUN_RETURN_IF_ERROR(ReadBool(value, path));
  } else if (field.kind == Kind::kInteger) {
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t number, ReadInteger(value, path, field.range));
    return CheckRange(field, static_cast<double>(number), value.Excerpt(), path);
  } else {
    CHECK(field.kind == Kind::kAny) << field.name << " is not checked";
  }
  return {};
}

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
    if (IsNeutral(*field, value)) return {};
    if (name == "dtype" && context.compat_2024) {
      return BadValue(field_path, value.Excerpt(), "\"int\"");
    }
    return Unsupported(*field, field_path);
  }
  if (name == "max_new_tokens") params.max_new_tokens_stated = !value.is_null();
  if (value.is_null()) {
    if (name == "max_new_tokens") params.max_new_tokens.reset();
    return {};
  }
  if (field->treatment == Treatment::kNoEffect) return CheckUnused(*field, value, field_path);
  return std::visit(Store{*field, value, field_path, context, params, warnings}, field->member);
}

// Checks the effective numbers, whatever their source.
Outcome CheckRanges(std::string_view path, const SamplingParams& params) {
  for (const Field& field : Fields()) {
    const std::string field_path = std::string(path) + "." + std::string(field.name);
    const auto check_integer = [&](std::int64_t value) {
      return CheckRange(field, static_cast<double>(value), std::to_string(value), field_path);
    };
    if (const auto* number = std::get_if<double SamplingParams::*>(&field.member)) {
      const double value = params.**number;
      SGLRUN_RETURN_IF_ERROR(CheckRange(field, value, Json(value).CanonicalDump(), field_path));
    } else if (const auto* integer = std::get_if<std::int64_t SamplingParams::*>(&field.member)) {
      SGLRUN_RETURN_IF_ERROR(check_integer(params.**integer));
    } else if (const auto* optional =
                   std::get_if<std::optional<std::int64_t> SamplingParams::*>(&field.member)) {
      const std::optional<std::int64_t>& value = params.**optional;
      if (value.has_value()) SGLRUN_RETURN_IF_ERROR(check_integer(*value));
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
  SGLRUN_RETURN_IF_ERROR(CheckOneGrammar(object, path, context));
  const bool asks_for_int = AsksForInt2024(object, context);
  for (const Json::Member& member : object.as_object()) {
    if (asks_for_int && member.first == "dtype") continue;
    SGLRUN_RETURN_IF_ERROR(OverlayOne(member, path, context, params, warnings));
  }
  // Checked last, because its stop strings replace those of the record.
  if (asks_for_int) SetInt2024(params);
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
