// `sglrun inspect`: what the files of a model hold, and whether they can be used.
#pragma once

#include "base/result.h"
#include "cli/serve_settings.h"

namespace sglrun::cli {

struct InspectSettings {
  ServeSettings serve;
  bool json = false;
  bool specification = false;  // what the model computes, too
};

// Gives the exit code.
Result<int> RunInspect(const InspectSettings& settings);

}  // namespace sglrun::cli
