// A Hugging Face directory: config.json, generation_config.json and safetensors files.
#pragma once

#include <string>

#include "base/result.h"
#include "model/files/config_json.h"
#include "model/files/stored_tensor.h"

namespace sglrun::model {

struct HfDirectory {
  HfConfig config;
  WeightTable weights;
};

Result<HfDirectory> OpenHfDirectory(const std::string& path);

}  // namespace sglrun::model
