// A Llama whose next-token logits depend on the last token alone and are chosen by the test: the
// embedding is the identity, all layers add nothing, and the head holds the table. Written as a
// Hugging Face directory and loaded like any model.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"

namespace sglrun::engine {

// table[last][next] = logit; 0 where nothing is said.
using LogitTable = std::map<std::int32_t, std::map<std::int32_t, float>>;

struct ChainOptions {
  std::int64_t vocab_size = 0;
  std::int64_t context_length = 256;
  std::vector<std::int32_t> eos_token_ids = {};  // of config.json
  std::int32_t broken_token = -1;                // its embedding is NaN
};

// `script`: token script[i] is followed by script[i + 1], with logit 60 against 0.
LogitTable Script(const std::vector<std::int32_t>& script);

std::unique_ptr<model::Model> ChainModel(const ChainOptions& options, const LogitTable& table,
                                         const kernels::Backend& backend,
                                         kernels::KernelContext& context);

}  // namespace sglrun::engine
