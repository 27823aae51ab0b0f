// GenerateReqInput to GenerateRequests: one prompt and one output each, defaults filled in, ranges
// checked, lists and n unfolded in prompt-major order. What leaves here is valid by construction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "io/generate_req_input.h"
#include "io/random_key.h"
#include "request/generate_request.h"
#include "request/sampling_parser.h"

namespace sglrun::io {

// From which ids are derived where a record states none: its content without rid, and how often
// equal content was seen before.
struct RecordIdentity {
  Hash128 content;
  std::uint64_t occurrence = 0;

  std::string DefaultRid() const;                    // of the record
  std::string DefaultRid(std::size_t result) const;  // of one result of an array
};

struct NormalizeOptions {
  SamplingParams sampling;  // what holds where a record states nothing
  request::SamplingContext sampling_context;
  std::int64_t logprob_start_len = -1;
};

struct NormalizedRecord {
  std::vector<GenerateRequest> requests;
  bool is_array = false;
};

// `seeds` gives seeds to requests that state none, when the whole record is valid.
Result<NormalizedRecord, RecordError> Normalize(GenerateReqInput input,
                                                const NormalizeOptions& options,
                                                const RecordIdentity& identity, SeedSource& seeds,
                                                std::vector<std::string>& warnings);

}  // namespace sglrun::io
