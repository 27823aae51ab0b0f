#include "io/normalize.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/strings.h"
#include "io/stop_pattern.h"
#include "request/fields.h"
#include "request/read_value.h"

namespace sglrun::io {
namespace {

using request::BadValue;
using request::ElementPath;
using Outcome = Result<void, RecordError>;

// Limits of one line, so that no line can use up the memory of the run.
constexpr std::size_t kMaxResults = std::size_t{1} << 20;
constexpr std::size_t kMaxCopiedBytes = std::size_t{1} << 30;
constexpr std::int64_t kMaxMaskTopK = 4096;

class Normalizer {
 public:
  Normalizer(GenerateReqInput& input, const NormalizeOptions& options,
             const RecordIdentity& identity, SeedSource& seeds, std::vector<std::string>& warnings)
      : input_(input), options_(options), identity_(identity), seeds_(seeds), warnings_(warnings) {}

  Result<NormalizedRecord, RecordError> Run() {
    SGLRUN_RETURN_IF_ERROR(ChoosePrompt());
    SGLRUN_RETURN_IF_ERROR(CheckLengths());
    SGLRUN_RETURN_IF_ERROR(ReadSampling());
    SGLRUN_RETURN_IF_ERROR(CheckSamples());
    SGLRUN_RETURN_IF_ERROR(CheckRids());
    SGLRUN_RETURN_IF_ERROR(FindAdapters());
    WarnOfIdleReasoning();
    for (std::size_t prompt = 0; prompt < prompts_; ++prompt) {
      SGLRUN_RETURN_IF_ERROR(CheckPrompt(prompt));
    }
    const bool is_array = is_batch_ || samples_ > 1;
    const std::uint64_t seed = RecordSeed();
    input_.sampling_params = {};
    return NormalizedRecord{RequestList({.input = std::move(input_),
                                         .sampling = std::move(sampling_),
                                         .adapters = AdapterNumbers(),
                                         .identity = identity_,
                                         .seed = seed,
                                         .logprob_start_len = options_.logprob_start_len,
                                         .vocab_size = options_.sampling_context.vocab_size,
                                         .prompts = prompts_,
                                         .samples = samples_,
                                         .is_array = is_array}),
                            is_array};
  }

 private:
  // Which field is the prompt, and of which shape.
  Outcome ChoosePrompt() {
    const bool text = input_.text.given();
    const bool ids = input_.input_ids.given();
    const bool embeds = input_.input_embeds.given();
    if (!text && !ids && !embeds) {
      return RecordError{"one of text, input_ids, input_embeds or messages must be given"};
    }
    if (text && ids && embeds) {
      return RecordError{"text, input_ids and input_embeds are all given; only one is allowed"};
    }
    if (embeds && (text || ids)) {
      warnings_.push_back(std::string(text ? "text" : "input_ids") +
                          " and input_embeds are given: input_embeds is ignored");
      input_.input_embeds = {};
    }
    if (text && ids) {
      warnings_.push_back("text and input_ids are given: input_ids is used");
      if (input_.text.is_list != input_.input_ids.is_list ||
          input_.text.values.size() != input_.input_ids.values.size()) {
        return RecordError{"input_ids and text are both given, but not for the same prompts",
                           "input_ids"};
      }
    }
    is_batch_ =
        text ? input_.text.is_list : (ids ? input_.input_ids.is_list : input_.input_embeds.is_list);
    prompts_ = text ? input_.text.values.size()
                    : (ids ? input_.input_ids.values.size() : input_.input_embeds.values.size());
    return {};
  }

  template <class T>
  Outcome CheckLength(std::string_view name, const PerPrompt<T>& field) const {
    if (!field.is_list) return {};
    if (!is_batch_) {
      return RecordError{std::string(name) + " is an array, but the prompt is a single one",
                         std::string(name)};
    }
    if (field.values.size() == prompts_) return {};
    const auto values = static_cast<std::int64_t>(field.values.size());
    return RecordError{std::string(name) + " has " + FormatCount(values, "value") + " for " +
                           FormatCount(static_cast<std::int64_t>(prompts_), "prompt"),
                       std::string(name)};
  }

  Outcome CheckLengths() const {
    SGLRUN_RETURN_IF_ERROR(CheckLength("sampling_params", input_.sampling_params));
    SGLRUN_RETURN_IF_ERROR(CheckLength("rid", input_.rid));
    SGLRUN_RETURN_IF_ERROR(CheckLength("lora_path", input_.lora_path));
    SGLRUN_RETURN_IF_ERROR(CheckLength("return_logprob", input_.return_logprob));
    SGLRUN_RETURN_IF_ERROR(CheckLength("logprob_start_len", input_.logprob_start_len));
    SGLRUN_RETURN_IF_ERROR(CheckLength("top_logprobs_num", input_.top_logprobs_num));
    SGLRUN_RETURN_IF_ERROR(CheckLength("token_ids_logprob", input_.token_ids_logprob));
    SGLRUN_RETURN_IF_ERROR(CheckLength("return_hidden_states", input_.return_hidden_states));
    return CheckLength("return_sampling_mask", input_.return_sampling_mask);
  }

  std::string SamplingPath(std::size_t prompt) const {
    return input_.sampling_params.is_list ? ElementPath("sampling_params", prompt)
                                          : "sampling_params";
  }

  // One SamplingParams for each stated object, shared by all requests that use it.
  Outcome ReadSampling() {
    const std::size_t count = input_.sampling_params.is_list ? prompts_ : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string path = SamplingPath(i);
      auto params = std::make_shared<SamplingParams>(options_.sampling);
      if (input_.sampling_params.given()) {
        SGLRUN_RETURN_IF_ERROR(request::OverlaySamplingParams(
            input_.sampling_params.values[i], path, options_.sampling_context, *params, warnings_));
      }
      SGLRUN_RETURN_IF_ERROR(request::FinishSamplingParams(path, *params));
      SGLRUN_RETURN_IF_ERROR(CheckStopPatterns(*params, path));
      if (i > 0 && params->n != sampling_[0]->n) {
        return BadValue(path + ".n", std::to_string(params->n),
                        "the same for all prompts (" + std::to_string(sampling_[0]->n) + ")");
      }
      sampling_.push_back(std::move(params));
    }
    if (!sampling_.empty()) samples_ = static_cast<std::size_t>(sampling_[0]->n);
    return {};
  }

  template <class T>
  Outcome RefuseListWithSamples(std::string_view name, const PerPrompt<T>& field) const {
    if (!field.is_list) return {};
    return RecordError{std::string(name) + " is an array, which cannot be used with n > 1",
                       std::string(name)};
  }

  Outcome CheckSamples() const {
    if (prompts_ > kMaxResults / samples_ || CopiedBytes() > kMaxCopiedBytes / samples_) {
      return RecordError{"n is " + std::to_string(samples_) + " for " + std::to_string(prompts_) +
                             " prompts that have, with their ids and stops, " +
                             std::to_string(CopiedBytes()) +
                             " bytes, which is more than one record may take",
                         "sampling_params.n"};
    }
    if (samples_ == 1) return {};
    SGLRUN_RETURN_IF_ERROR(RefuseListWithSamples("return_logprob", input_.return_logprob));
    SGLRUN_RETURN_IF_ERROR(RefuseListWithSamples("logprob_start_len", input_.logprob_start_len));
    SGLRUN_RETURN_IF_ERROR(RefuseListWithSamples("top_logprobs_num", input_.top_logprobs_num));
    SGLRUN_RETURN_IF_ERROR(RefuseListWithSamples("token_ids_logprob", input_.token_ids_logprob));
    return RefuseListWithSamples("return_sampling_mask", input_.return_sampling_mask);
  }

  // The size of the parts that every sample copies: the prompts, and the fields given once or for
  // each prompt.
  std::size_t CopiedBytes() const {
    std::size_t bytes = 0;
    for (const std::string& text : input_.text.values) bytes += text.size();
    for (const auto& ids : input_.input_ids.values) bytes += ids.size() * sizeof(ids[0]);
    bytes += BytesOf(input_.rid, [](const std::string& rid) { return rid.size(); });
    bytes += BytesOf(input_.token_ids_logprob, [](const std::vector<std::int64_t>& ids) {
      return ids.size() * (sizeof(std::int64_t) + sizeof(std::int32_t));
    });
    const std::size_t sharers = sampling_.size() == 1 ? prompts_ : 1;
    for (const auto& params : sampling_) bytes += sharers * StopBytes(*params);
    return bytes;
  }

  template <class T, class Size>
  std::size_t BytesOf(const PerPrompt<T>& field, Size size_of) const {
    std::size_t bytes = 0;
    for (const T& value : field.values) bytes += size_of(value);
    return field.is_list ? bytes : bytes * prompts_;
  }

  static std::size_t StopBytes(const SamplingParams& params) {
    constexpr std::size_t kSearch = 512;  // what a search of a stop_regex holds
    std::size_t bytes = params.stop_regex.size() * kSearch +
                        params.stop_token_ids.size() * sizeof(params.stop_token_ids[0]);
    for (const std::string& stop : params.stop) bytes += stop.size();
    return bytes;
  }

  Outcome CheckRids() const {
    if (!input_.rid.is_list) return {};
    std::unordered_set<std::string_view> seen;
    for (const std::string& rid : input_.rid.values) {
      if (seen.insert(rid).second) continue;
      return RecordError{"rid holds " + Json(rid).Excerpt() + " twice", "rid"};
    }
    return {};
  }

  // One for each name in lora_path; none where all are empty.
  Outcome FindAdapters() {
    const PerPrompt<std::string>& names = input_.lora_path;
    if (std::ranges::all_of(names.values, &std::string::empty)) return {};
    for (std::size_t i = 0; i < names.values.size(); ++i) {
      const std::string& name = names.values[i];
      adapters_.emplace_back();
      if (name.empty()) continue;
      const Result<AdapterChoice, std::string> found =
          options_.find_adapter ? options_.find_adapter(name) : std::string();
      if (!found.ok()) {
        const std::string known = found.error().empty() ? "there is none" : found.error();
        return BadValue(names.is_list ? ElementPath("lora_path", i) : "lora_path",
                        Json(name).Excerpt(), "the name of an adapter of the run (" + known + ")");
      }
      adapters_.back() = *found;
    }
    return {};
  }

  std::vector<std::int32_t> AdapterNumbers() const {
    std::vector<std::int32_t> numbers;
    for (const AdapterChoice& choice : adapters_) numbers.push_back(choice.number);
    return numbers;
  }

  // Both act on where a constraint begins.
  void WarnOfIdleReasoning() {
    const auto none = [&](auto has) { return std::ranges::none_of(sampling_, has); };
    if (input_.require_reasoning && none([](const auto& p) { return p->constraint.has_value(); })) {
      warnings_.push_back("require_reasoning is true without a constraint and has no effect");
    }
    const bool has_budget = !none([](const auto& p) { return p->thinking_budget.has_value(); });
    if (!input_.require_reasoning && has_budget) {
      warnings_.push_back(
          "custom_params.thinking_budget has no effect unless require_reasoning is true");
    }
  }

  std::string PromptPath(std::string_view name, std::size_t prompt) const {
    return is_batch_ ? ElementPath(name, prompt) : std::string(name);
  }

  // Checks one prompt and its parameters.
  Outcome CheckPrompt(std::size_t prompt) const {
    SGLRUN_RETURN_IF_ERROR(CheckNotEmpty(prompt));
    SGLRUN_RETURN_IF_ERROR(CheckLogprobStart(prompt));
    const SamplingParams& params = *sampling_[input_.sampling_params.is_list ? prompt : 0];
    if (input_.return_sampling_mask.ValueOr(prompt, false) && params.top_k > kMaxMaskTopK) {
      return RecordError{"return_sampling_mask needs top_k in [1, 4096]",
                         SamplingPath(prompt) + ".top_k"};
    }
    return {};
  }

  Outcome CheckNotEmpty(std::size_t prompt) const {
    if (input_.input_ids.given()) {
      if (!input_.input_ids.values[prompt].empty()) return {};
      return BadValue(PromptPath("input_ids", prompt), "[]", "at least one token id");
    }
    if (!input_.text.given() || !input_.text.values[prompt].empty()) return {};
    return BadValue(PromptPath("text", prompt), "\"\"", "a prompt that is not empty");
  }

  // Only looked at where logprobs are asked for.
  Outcome CheckLogprobStart(std::size_t prompt) const {
    if (!input_.return_logprob.ValueOr(prompt, false)) return {};
    const bool embeds = !input_.input_ids.given() && !input_.text.given();
    const std::int64_t start =
        input_.logprob_start_len.ValueOr(prompt, embeds ? -1 : options_.logprob_start_len);
    const std::string path = input_.logprob_start_len.is_list
                                 ? ElementPath("logprob_start_len", prompt)
                                 : "logprob_start_len";
    const auto& range = request::FindField(request::Scope::kRecord, "logprob_start_len")->range;
    if (!range.Contains(static_cast<double>(start))) {
      return BadValue(path, std::to_string(start), range.ToString());
    }
    if (embeds && start >= 0) {
      return BadValue(path, std::to_string(start),
                      "-1 together with input_embeds, which have no prompt logprobs");
    }
    return {};
  }

  // The seed of the prompts for which the record states none; 0 if it states all seeds, in which
  // case the record does not count as a copy. The samples of a prompt share its seed.
  std::uint64_t RecordSeed() {
    const auto has_seed = [](const auto& params) { return params->sampling_seed.has_value(); };
    const bool draws = prompts_ > 0 && !std::ranges::all_of(sampling_, has_seed);
    return draws ? seeds_.Next(RandomKey(PromptKeys())) : 0;
  }

  std::vector<Hash128> PromptKeys() {
    std::vector<Hash128> choices, keys;
    for (const auto& params : sampling_) {
      choices.push_back(ChoiceHash(*params, input_.require_reasoning));
    }
    for (std::size_t prompt = 0; prompt < prompts_; ++prompt) {
      const Hash128 key = KeyOf(prompt, choices[input_.sampling_params.is_list ? prompt : 0]);
      const AdapterChoice adapter =
          adapters_.empty() ? AdapterChoice() : adapters_[adapters_.size() > 1 ? prompt : 0];
      keys.push_back(adapter.number < 0 ? key : WithAdapter(key, adapter.content));
    }
    return keys;
  }

  Hash128 KeyOf(std::size_t prompt, const Hash128& choices) const {
    if (input_.input_ids.given()) {
      return PromptKey(std::span<const std::int32_t>(input_.input_ids.values[prompt]), choices);
    }
    if (input_.text.given()) {
      return PromptKey(std::string_view(input_.text.values[prompt]), choices);
    }
    return PromptKey(*input_.input_embeds.values[prompt], choices);
  }

  GenerateReqInput& input_;
  const NormalizeOptions& options_;
  const RecordIdentity& identity_;
  SeedSource& seeds_;
  std::vector<std::string>& warnings_;

  bool is_batch_ = false;
  std::size_t prompts_ = 0;
  std::size_t samples_ = 1;
  std::vector<std::shared_ptr<const SamplingParams>> sampling_;
  std::vector<AdapterChoice> adapters_;
};

}  // namespace

std::string RecordIdentity::DefaultRid() const {
  return HashBytes(content.ToHex(), occurrence).ToHex();
}

std::string RecordIdentity::DefaultRid(std::size_t result) const {
  return HashBytes(DefaultRid(), result).ToHex();
}

Result<NormalizedRecord, RecordError> Normalize(GenerateReqInput input,
                                                const NormalizeOptions& options,
                                                const RecordIdentity& identity, SeedSource& seeds,
                                                std::vector<std::string>& warnings) {
  return Normalizer(input, options, identity, seeds, warnings).Run();
}

}  // namespace sglrun::io
