// `sglrun template`: conversations to prompts, line by line.
#pragma once

#include <string>

#include "base/result.h"
#include "serve/load_chat_template.h"
#include "serve/settings.h"

namespace sglrun::inspect {

struct TemplateSettings {
  serve::ServeSettings serve;
  std::string input = "-";
  std::string now;         // as typed; "": the time of the run
  bool input_ids = false;  // the prompt's ids, too
  serve::Messages messages = serve::Messages::kAsGiven;
};

// Gives the exit code, or why there was nothing to be done.
Result<int> RunTemplate(const TemplateSettings& settings);

}  // namespace sglrun::inspect
