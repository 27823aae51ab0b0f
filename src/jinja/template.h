// A Jinja template: parsed once, rendered any number of times, from any thread.
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

  // If several variables have the same name, the last one is used. `now`: the time for
  // strftime_now. Fails with kLimit if the counted cost exceeds the limits, which does not depend
  // on the machine, and with kStopped if the StopFlag is set.
  Try<Rendered> Render(std::span<const Given> variables, const std::tm& now,
                       const Limits& limits = {}) const;

 private:
  explicit Template(std::shared_ptr<const ResolvedTemplate> resolved)
      : resolved_(std::move(resolved)) {}

  std::shared_ptr<const ResolvedTemplate> resolved_;
};

}  // namespace sglrun::jinja
