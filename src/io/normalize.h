// GenerateReqInput to GenerateRequests: one prompt and one output each, defaults filled in, ranges
// checked, lists and n unfolded in prompt-major order. The results are valid by construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "io/generate_req_input.h"
#include "io/random_key.h"
#include "request/generate_request.h"
#include "request/sampling_parser.h"

namespace sglrun::io {

// The source of derived ids: the content of the record without rid, and how often equal content was
// seen before.
struct RecordIdentity {
  Hash128 content;
  std::uint64_t occurrence = 0;

  std::string DefaultRid() const;                    // of the record
  std::string DefaultRid(std::size_t result) const;  // of one result of an array
};

// The adapter that a record names, and what identifies its content.
struct AdapterChoice {
  std::int32_t number = -1;  // GenerateRequest::adapter
  Hash128 content;
};
// An error lists the names that there are, "" for none.
using FindAdapter = std::function<Result<AdapterChoice, std::string>(std::string_view name)>;

struct NormalizeOptions {
  SamplingParams sampling;  // defaults for parameters that a record does not state
  request::SamplingContext sampling_context;
  std::int64_t logprob_start_len = -1;
  FindAdapter find_adapter = {};  // absent: there are no adapters
};

// The requests of one record. A line can request a million of them, so they are created one by one
// from the parsed record, which is stored once. (in request_list.cc)
class RequestList {
 public:
  // What a record says, checked.
  struct Content {
    GenerateReqInput input;  // sampling_params left out
    // One for all prompts, or one for each.
    std::vector<std::shared_ptr<const SamplingParams>> sampling;
    std::vector<std::int32_t> adapters;  // the same; empty: the model alone
    RecordIdentity identity;
    std::uint64_t seed = 0;               // of the draws, where sampling states none
    std::int64_t logprob_start_len = -1;  // where the record states none
    std::int64_t vocab_size = 0;          // 0: not known
    std::size_t prompts = 0;
    std::size_t samples = 1;  // of each prompt
    bool is_array = false;
  };
  RequestList() = default;
  explicit RequestList(Content content) : content_(std::move(content)) {}

  std::size_t size() const { return content_.prompts * content_.samples; }
  bool empty() const { return size() == 0; }
  std::size_t prompts() const { return content_.prompts; }
  std::size_t samples() const { return content_.samples; }

  // Request i: sample i % samples() of prompt i / samples().
  GenerateRequest operator[](std::size_t i) const;
  // The same for the last use of a prompt: ids and texts are moved out.
  GenerateRequest Take(std::size_t i);
  HiddenStates HiddenStatesOf(std::size_t i) const;
  void SetTokenBytesInLogprobs(bool wanted) { token_bytes_in_logprobs_ = wanted; }

  // Frees the text and the ids of prompts whose tokens are stored elsewhere.
  void DropTokenPrompts();
  // What it holds, in bytes.
  std::int64_t bytes() const;

  class Iterator {
   public:
    Iterator(const RequestList& list, std::size_t place) : list_(&list), place_(place) {}
    GenerateRequest operator*() const { return (*list_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return place_ == other.place_; }

   private:
    const RequestList* list_;
    std::size_t place_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  GenerateRequest WithoutPrompt(std::size_t i) const;
  std::string Rid(std::size_t i) const;
  void SetLogprobs(std::size_t prompt, GenerateRequest& request) const;

  Content content_;
  bool token_bytes_in_logprobs_ = false;
};

struct NormalizedRecord {
  RequestList requests;
  bool is_array = false;
};

// `seeds` provides seeds for requests that state none, if the whole record is valid.
Result<NormalizedRecord, RecordError> Normalize(GenerateReqInput input,
                                                const NormalizeOptions& options,
                                                const RecordIdentity& identity, SeedSource& seeds,
                                                std::vector<std::string>& warnings);

}  // namespace sglrun::io
