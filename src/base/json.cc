#include "base/json.h"

#include <cstdlib>

#include "base/utf8.h"

namespace sglrun {

const Json* Json::Find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : as_object()) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

const char* Json::KindName() const {
  static constexpr const char* kNames[] = {"null",     "a boolean", "an integer", "a number",
                                           "a string", "an array",  "an object",  "a number"};
  return kNames[value_.index()];
}

double Json::as_double() const {
  if (is_int()) return static_cast<double>(as_int());
  if (is_number_text()) return std::strtod(number_text().c_str(), nullptr);
  return std::get<double>(value_);
}

std::string Json::Excerpt(std::size_t limit) const {
  std::string text;
  if (is_array() && as_array().size() > limit) {
    text = "an array of " + std::to_string(as_array().size()) + " elements";
    return text;
  }
  text = Dump();
  if (text.size() <= limit) return text;
  text.resize(limit);
  text.resize(text.size() - IncompleteUtf8Suffix(text));
  return text + "...";
}

}  // namespace sglrun
