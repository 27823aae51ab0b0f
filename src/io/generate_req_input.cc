#include "io/generate_req_input.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::io {
namespace {

using request::BadValue;
using request::ElementPath;
using request::Field;
using request::Range;
using request::Read;
using Outcome = Result<void, RecordError>;

Read<std::string> TakeText(Json& value, std::string_view path) {
  SGLRUN_RETURN_IF_ERROR(request::CheckString(value, path));
  return std::move(value.as_string());
}

// null stands for no name.
Read<std::string> ReadName(const Json& value, std::string_view path) {
  if (value.is_null()) return std::string();
  return request::ReadString(value, path);
}

Outcome AppendRow(const Json& row, std::string_view path, EmbeddingRows& rows) {
  if (!row.is_array()) return BadValue(path, row.Excerpt(), "an array of numbers");
  if (rows.rows == 0) rows.width = static_cast<std::int64_t>(row.as_array().size());
  if (row.as_array().empty() || static_cast<std::int64_t>(row.as_array().size()) != rows.width) {
    return BadValue(path, "a row of " + std::to_string(row.as_array().size()) + " numbers",
                    "as wide as the first row and not empty");
  }
  for (const Json& element : row.as_array()) {
    if (!element.is_number()) return BadValue(path, row.Excerpt(), "an array of numbers");
    const auto number = static_cast<float>(element.as_double());
    if (!std::isfinite(number)) return BadValue(path, element.Excerpt(), "numbers of 32 bits");
    rows.values.push_back(number);
  }
  ++rows.rows;
  return {};
}

// Each row of the JSON is freed after it is read: the floats take a quarter of its memory.
Read<std::shared_ptr<const EmbeddingRows>> ReadRows(Json& value, std::string_view path) {
  if (!value.is_array()) return BadValue(path, value.Excerpt(), "an array of rows of numbers");
  auto rows = std::make_shared<EmbeddingRows>();
  for (Json& row : value.as_array()) {
    SGLRUN_RETURN_IF_ERROR(
        AppendRow(row, ElementPath(path, static_cast<std::size_t>(rows->rows)), *rows));
    row = Json();
  }
  if (rows->rows == 0) return BadValue(path, "[]", "at least one row");
  return std::shared_ptr<const EmbeddingRows>(std::move(rows));
}

Read<HiddenStates> ReadHiddenStates(const Json& value, std::string_view path) {
  if (value.is_string() && value.as_string() == "last") return HiddenStates::kLast;
  if (!value.is_bool()) return BadValue(path, value.Excerpt(), "a boolean or \"last\"");
  return value.as_bool() ? HiddenStates::kAll : HiddenStates::kNone;
}

// The number of nested arrays around the first element that is not an array.
int Depth(const Json& value) {
  const Json* inner = &value;
  int depth = 0;
  for (; inner->is_array(); ++depth) {
    if (inner->as_array().empty()) return depth + 1;
    inner = &inner->as_array().front();
  }
  return depth;
}

// Reads one value, or the elements of an array that is deeper than one value is.
template <class T, class ReadOne>
Outcome ReadPerPrompt(Json& value, std::string_view path, int depth_of_one, PerPrompt<T>& out,
                      const ReadOne& read_one) {
  out.is_list = value.is_array() && Depth(value) > depth_of_one;
  if (!out.is_list) {
    SGLRUN_ASSIGN_OR_RETURN(T one, read_one(value, path));
    out.values.push_back(std::move(one));
    return {};
  }
  for (Json& element : value.as_array()) {
    SGLRUN_ASSIGN_OR_RETURN(T one, read_one(element, ElementPath(path, out.values.size())));
    out.values.push_back(std::move(one));
    element = Json();
  }
  return {};
}

Outcome ReadOne(bool& out, const Json& value, std::string_view path) {
  SGLRUN_ASSIGN_OR_RETURN(out, request::ReadBool(value, path));
  return {};
}

Read<std::int64_t> ReadInRange(const Json& value, std::string_view path, const Range& range) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t number, request::ReadInteger(value, path, range));
  if (!range.Contains(static_cast<double>(number))) {
    return BadValue(path, value.Excerpt(), range.ToString());
  }
  return number;
}

// Ids given with token_ids_logprob; a lone integer counts as a list of one.
Read<std::vector<std::int64_t>> ReadLogprobIds(const Json& value, std::string_view path,
                                               std::int64_t vocab_size) {
  const Json list = value.is_number() ? Json(Json::Array{value}) : Json();
  SGLRUN_ASSIGN_OR_RETURN(
      const std::vector<std::int32_t> ids,
      request::ReadTokenIds(value.is_number() ? list : value, path, vocab_size));
  return std::vector<std::int64_t>(ids.begin(), ids.end());
}

// Routes one field of the record to its member.
class Reader {
 public:
  Reader(const ReadOptions& options, GenerateReqInput& input) : options_(options), input_(input) {}

  Outcome Read(const Field& field, Json& value) {
    const std::string_view name = field.name;
    if (name == "text") return ReadPerPrompt(value, name, 0, input_.text, TakeText);
    if (name == "input_ids") return ReadInputIds(value);
    if (name == "input_embeds") return ReadPerPrompt(value, name, 2, input_.input_embeds, ReadRows);
    if (name == "sampling_params") return ReadSampling(value);
    if (name == "rid") return ReadPerPrompt(value, name, 0, input_.rid, request::ReadString);
    if (name == "lora_path") return ReadPerPrompt(value, name, 0, input_.lora_path, ReadName);
    if (name == "return_hidden_states") {
      return ReadPerPrompt(value, name, 0, input_.return_hidden_states, ReadHiddenStates);
    }
    if (name == "token_ids_logprob") return ReadTokenIdsLogprob(value);
    if (name == "return_text_in_logprobs") {
      return ReadOne(input_.return_text_in_logprobs, value, name);
    }
    if (name == "return_prompt_token_ids") {
      return ReadOne(input_.return_prompt_token_ids, value, name);
    }
    if (name == "require_reasoning") return ReadOne(input_.require_reasoning, value, name);
    if (name == "stream") {
      bool accepted = false;
      return ReadOne(accepted, value, name);
    }
    return ReadNumbersAndFlags(field, value);
  }

 private:
  Outcome ReadNumbersAndFlags(const Field& field, Json& value) {
    const std::string_view name = field.name;
    const auto integer = [&field](const Json& one, std::string_view path) {
      return ReadInRange(one, path, field.range);
    };
    // Its range matters only together with return_logprob; io/normalize checks it then.
    const auto any_integer = [](const Json& one, std::string_view path) {
      return request::ReadInteger(one, path, Range{});
    };
    if (name == "return_logprob") {
      return ReadPerPrompt(value, name, 0, input_.return_logprob, request::ReadBool);
    }
    if (name == "return_sampling_mask") {
      return ReadPerPrompt(value, name, 0, input_.return_sampling_mask, request::ReadBool);
    }
    if (name == "logprob_start_len") {
      return ReadPerPrompt(value, name, 0, input_.logprob_start_len, any_integer);
    }
    CHECK(name == "top_logprobs_num") << name << " has no reader";
    return ReadPerPrompt(value, name, 0, input_.top_logprobs_num, integer);
  }

  Outcome ReadInputIds(Json& value) {
    const auto ids = [this](const Json& one, std::string_view path) {
      return request::ReadTokenIds(one, path, options_.vocab_size);
    };
    if (value.is_array() && value.as_array().empty()) {
      return BadValue("input_ids", "[]", "at least one token id");
    }
    return ReadPerPrompt(value, "input_ids", 1, input_.input_ids, ids);
  }

  Outcome ReadTokenIdsLogprob(Json& value) {
    if (value.is_array() && value.as_array().empty()) return {};
    const auto ids = [this](const Json& one, std::string_view path) {
      return ReadLogprobIds(one, path, options_.vocab_size);
    };
    return ReadPerPrompt(value, "token_ids_logprob", 1, input_.token_ids_logprob, ids);
  }

  Outcome ReadSampling(Json& value) {
    const auto object = [](Json& one, std::string_view path) -> request::Read<Json> {
      if (!one.is_object()) return BadValue(path, one.Excerpt(), "an object");
      return std::move(one);
    };
    return ReadPerPrompt(value, "sampling_params", 0, input_.sampling_params, object);
  }

  const ReadOptions& options_;
  GenerateReqInput& input_;
};

Outcome ReadMember(Json::Member& member, const ReadOptions& options, Reader& reader,
                   std::vector<std::string>& warnings) {
  auto& [name, value] = member;
  const Field* field = request::FindField(request::Scope::kRecord, name);
  if (field == nullptr) {
    const std::string sentence = "unknown field " + Json(request::ShortName(name)).Dump();
    const std::string hint = request::NearestFieldHint(request::Scope::kRecord, name);
    if (options.strict) return RecordError{sentence + hint, request::ShortName(name)};
    warnings.push_back(sentence + " is ignored" + hint);
    return {};
  }
  if (field->treatment == request::Treatment::kNoEffect || value.is_null()) return {};
  if (field->treatment == request::Treatment::kUnsupported) {
    if (request::IsNeutral(*field, value)) return {};
    return request::Unsupported(*field, name);
  }
  return reader.Read(*field, value);
}

}  // namespace

Result<GenerateReqInput, RecordError> ReadGenerateReqInput(Json object, const ReadOptions& options,
                                                           std::vector<std::string>& warnings) {
  GenerateReqInput input;
  Reader reader(options, input);
  const Json* session_id = object.Find("session_id");
  const Json* session_params = object.Find("session_params");
  if (session_id != nullptr && session_params != nullptr && !session_id->is_null() &&
      !session_params->is_null()) {
    return RecordError{"session_id and session_params cannot both be set", "session_id"};
  }
  for (Json::Member& member : object.as_object()) {
    SGLRUN_RETURN_IF_ERROR(ReadMember(member, options, reader, warnings));
  }
  return input;
}

}  // namespace sglrun::io
