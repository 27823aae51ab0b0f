// A Jinja template: parsed once, rendered as often as asked, from any thread.
//
//   SGLRUN_ASSIGN_OR_RETURN(const Template t, Template::Parse(text));
//   const Given variables[] = {{"messages", messages, Origin::kUser}};
//   SGLRUN_ASSIGN_OR_RETURN(const Rendered r, t.Render(variables, now));
#pragma once

#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jinja/fault.h"
#include "jinja/given.h"
#include "jinja/meter.h"
#include "jinja/value.h"

namespace sglrun::jinja {

struct Rendered {
  std::string text;
  std::vector<TextRange> user;  // bytes that came from the caller's data, in order
};

struct ResolvedTemplate;

class Template {
 public:
  // `source` must be valid UTF-8.
  static Try<Template> Parse(std::string_view source, const Limits& limits = {});

  // Of several variables of a name the last one counts. `now`: what strftime_now shows. Ends in a
  // fault of the kind kLimit when it costs more than the limits allow, which is counted, and so is
  // the same everywhere; of the kind kStopped when the StopFlag is up.
  Try<Rendered> Render(std::span<const Given> variables, const std::tm& now,
                       const Limits& limits = {}) const;

 private:
  explicit Template(std::shared_ptr<const ResolvedTemplate> resolved)
      : resolved_(std::move(resolved)) {}

  std::shared_ptr<const ResolvedTemplate> resolved_;
};

}  // namespace sglrun::jinja
