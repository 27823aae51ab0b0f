// What `bench` runs when no model is available: the shapes of known models, and a tokenizer that
// needs no files.
#pragma once

#include <memory>
#include <string_view>

#include "model/spec/model_spec.h"
#include "tokenizer/tokenizer.h"

namespace sglrun::bench {

// `name`: a choice of --shape.
model::ModelSpec ShapeSpec(std::string_view name);

// Ids are texts of their own decimal digits; nothing is special.
std::unique_ptr<tokenizer::Tokenizer> MakeNumericTokenizer(std::int64_t vocab_size);

}  // namespace sglrun::bench
