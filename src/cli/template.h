// `sglrun template`: conversations to prompts, line by line.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/load_chat_template.h"
#include "cli/serve_settings.h"

namespace sglrun::cli {

struct TemplateSettings {
  ServeSettings serve;
  std::string input = "-";
  std::string now;         // as typed; "": the time of the run
  bool input_ids = false;  // the prompt's ids, too
  Messages messages = Messages::kAsGiven;
};

// Gives the exit code, or why there was nothing to be done.
Result<int> RunTemplate(const TemplateSettings& settings);

}  // namespace sglrun::cli
