// `sglrun inspect`: what the files of a model hold, and whether they can be used.
#pragma once

#include "base/result.h"
#include "serve/settings.h"

namespace sglrun::inspect {

struct InspectSettings {
  serve::ServeSettings serve;
  bool json = false;
  bool specification = false;  // what the model computes, too
};

// Gives the exit code.
Result<int> RunInspect(const InspectSettings& settings);

}  // namespace sglrun::inspect
