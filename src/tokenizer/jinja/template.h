// A Jinja template: parsed once, rendered as often as asked, from any thread.
//
//   SGLRUN_ASSIGN_OR_RETURN(const Template t, Template::Parse(text));
//   Dict variables;  variables.Set("messages", FromJson(json, Origin::kUser));
//   SGLRUN_ASSIGN_OR_RETURN(const Rendered r, t.Render(variables, now));
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tokenizer/jinja/runtime.h"
#include "tokenizer/jinja/value.h"

namespace sglrun::tokenizer::jinja {

enum class Origin { kTemplate, kUser };

// Texts inside the value are marked as the caller's when they come from there; keys are not, nor
// are plain words (letters, digits, _ and - only). Numbers kept as text (JsonNumber) become
// integers of any length.
Value FromJson(const Json& json, Origin origin);

struct Rendered {
  std::string text;
  std::vector<TextRange> user;  // bytes that came from the caller's data, in order
};

struct ResolvedTemplate;

class Template {
 public:
  // `source` must be valid UTF-8.
  static Try<Template> Parse(std::string_view source);

  // `now`: what strftime_now shows.
  Try<Rendered> Render(const Dict& variables, const std::tm& now, const Limits& limits = {}) const;

 private:
  explicit Template(std::shared_ptr<const ResolvedTemplate> resolved)
      : resolved_(std::move(resolved)) {}

  std::shared_ptr<const ResolvedTemplate> resolved_;
};

}  // namespace sglrun::tokenizer::jinja
