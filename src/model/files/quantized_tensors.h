// Finds the quantised matrices of a Hugging Face checkpoint among its tensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/files/match_tensors.h"
#include "model/files/quantization_config.h"
#include "model/files/stored_tensor.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// Gives the codes of every quantised matrix the name and shape of the matrix and the reader of its
// rows, and marks the tensors that the reader needs besides. What holds only for activations or
// caches is left out.
Status JoinQuantizedTensors(const ModelSpec& spec, const StoredForm& form,
                            const std::string& directory, const std::optional<Quantization>& config,
                            std::vector<StoredTensor>& tensors);

}  // namespace sglrun::model
