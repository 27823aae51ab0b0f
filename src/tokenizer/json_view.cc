#include "tokenizer/json_view.h"

namespace sglrun::tokenizer {

bool JsonView::Has(std::string_view key) const {
  const Json* member = json_->Find(key);
  return member != nullptr && !member->is_null();
}

Result<JsonView> JsonView::Member(std::string_view key) const {
  if (!json_->is_object()) return Expected("an object");
  const Json* member = json_->Find(key);
  const std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  if (member == nullptr) return Error{path + " is missing"};
  return JsonView(*member, path);
}

Result<std::vector<JsonView>> JsonView::Elements() const {
  if (!json_->is_array()) return Expected("an array");
  std::vector<JsonView> out;
  const Json::Array& array = json_->as_array();
  for (std::size_t i = 0; i < array.size(); ++i) {
    out.emplace_back(array[i], path_ + "[" + std::to_string(i) + "]");
  }
  return out;
}

Result<std::string> JsonView::String() const {
  if (!json_->is_string()) return Expected("a string");
  return json_->as_string();
}

Result<bool> JsonView::Bool() const {
  if (!json_->is_bool()) return Expected("true or false");
  return json_->as_bool();
}

Result<std::int64_t> JsonView::Int() const {
  if (!json_->is_int()) return Expected("an integer");
  return json_->as_int();
}

Result<std::string> JsonView::StringOr(std::string_view key, std::string_view otherwise) const {
  if (!Has(key)) return std::string(otherwise);
  SGLRUN_ASSIGN_OR_RETURN(const JsonView member, Member(key));
  return member.String();
}

Result<bool> JsonView::BoolOr(std::string_view key, bool otherwise) const {
  if (!Has(key)) return otherwise;
  SGLRUN_ASSIGN_OR_RETURN(const JsonView member, Member(key));
  return member.Bool();
}

Result<std::string> JsonView::Type() const {
  SGLRUN_ASSIGN_OR_RETURN(const JsonView type, Member("type"));
  return type.String();
}

Error JsonView::Expected(std::string_view wanted) const {
  const std::string place = path_.empty() ? "the file" : path_;
  return Error{place + " is " + json_->Excerpt() + ", must be " + std::string(wanted)};
}

Error JsonView::Unsupported(std::string_view name,
                            std::span<const std::string_view> supported) const {
  std::string list;
  for (std::size_t i = 0; i < supported.size(); ++i) {
    if (i > 0) list += i + 1 == supported.size() ? " and " : ", ";
    list += supported[i];
  }
  return Error{path_ + " is \"" + std::string(name) + "\", supported are " + list};
}

}  // namespace sglrun::tokenizer
