// Renders templates for the tests of this folder.
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "jinja/template.h"

namespace sglrun::jinja {

// 2026-01-31 12:00:00, a Saturday.
inline std::tm FixedTime() {
  std::tm now{};
  now.tm_year = 126;
  now.tm_mday = 31;
  now.tm_hour = 12;
  now.tm_wday = 6;
  now.tm_yday = 30;
  return now;
}

inline Try<Rendered> RenderJson(std::string_view text, const Json& context,
                                const Limits& limits = {}) {
  SGLRUN_ASSIGN_OR_RETURN(const Template program, Template::Parse(text));
  std::vector<Given> variables;
  for (const auto& [name, value] : context.as_object()) {
    variables.push_back({name, value, Origin::kUser});
  }
  return program.Render(variables, FixedTime(), limits);
}

// The text, or "error: MESSAGE".
inline std::string Outcome(std::string_view text, std::string_view context = "{}",
                           const Limits& limits = {}) {
  const Try<Rendered> rendered =
      RenderJson(text, ParseJson(context, {.keep_number_text = true})->value, limits);
  return rendered.ok() ? rendered->text : "error: " + rendered.error().message;
}

}  // namespace sglrun::jinja
