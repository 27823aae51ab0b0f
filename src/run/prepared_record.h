// A record whose prompts have all been checked and turned into tokens, in as little memory as that
// takes. Its requests are made one by one, as they are admitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "io/normalize.h"
#include "request/generate_request.h"
#include "request/record_error.h"

namespace sglrun::run {

class PreparedRecord {
 public:
  using Prepare =
      std::function<Result<engine::PreparedPrompt, RecordError>(const GenerateRequest&)>;

  // One prompt that cannot be served fails the whole record, and so do results that may take more
  // than those of one record may.
  static Result<PreparedRecord, RecordError> Check(io::RequestList requests,
                                                   const Prepare& prepare);

  std::size_t size() const { return requests_.size(); }
  // Request i, its prompt as ids.
  GenerateRequest operator[](std::size_t i) const;

  // Its results, at most: rows without their texts.
  std::int64_t result_bytes() const { return result_bytes_; }
  // What it holds.
  std::int64_t bytes() const;

 private:
  io::RequestList requests_;
  // Tokens of all prompts, one after the other; prompt p ends at ends_[p]. Those of embeddings have
  // none.
  std::vector<std::int32_t> ids_;
  std::vector<std::size_t> ends_;
  std::int64_t result_bytes_ = 0;
};

// The row of a result at its longest, without its text.
std::int64_t MostRowBytes(const GenerateRequest& request, std::int64_t list_bytes);

}  // namespace sglrun::run
