#include "result_text.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace sglrun::engine {

namespace {

std::string Bits(float value) {
  return std::to_string(std::bit_cast<std::uint32_t>(value)) + " ";
}

std::string Entries(const std::vector<TokenLogprob>& entries) {
  std::string out = "[";
  for (const TokenLogprob& entry : entries) {
    out += std::to_string(entry.token_id) + ":";
    out += entry.logprob ? Bits(*entry.logprob) : "null ";
    if (entry.text) out += "'" + *entry.text + "' ";
  }
  return out + "]";
}

std::string Lists(const std::optional<std::vector<PositionLogprobs>>& lists) {
  if (!lists) return "absent\n";
  std::string out;
  for (const PositionLogprobs& list : *lists) out += list ? Entries(*list) : "null";
  return out + "\n";
}

template <class T>
std::string Numbers(const std::vector<T>& values) {
  std::string out;
  for (const T value : values) out += std::to_string(value) + " ";
  return out;
}

std::string Floats(const std::vector<float>& values) {
  std::string out;
  for (const float value : values) out += Bits(value);
  return out;
}

}  // namespace

std::string ResultText(const GenerateResult& result) {
  if (result.error) return "error " + result.error->message;
  std::string out = "text " + result.text + "\nids " + Numbers(result.output_ids) + "\nfinish " +
                    std::to_string(static_cast<int>(result.finish_reason.kind)) + " " +
                    std::to_string(result.finish_reason.length) + " of " +
                    std::to_string(result.prompt_tokens) + "\n";
  if (result.logprobs) {
    out += "input " + Entries(result.logprobs->input_token_logprobs) + "\n";
    out += "output " + Entries(result.logprobs->output_token_logprobs) + "\n";
    out += "input top " + Lists(result.logprobs->input_top_logprobs);
    out += "output top " + Lists(result.logprobs->output_top_logprobs);
    out += "input ids " + Lists(result.logprobs->input_token_ids_logprobs);
    out += "output ids " + Lists(result.logprobs->output_token_ids_logprobs);
  }
  if (result.hidden_states) {
    out += "hidden " + std::to_string(result.hidden_states->prompt_rows) + ": " +
           Floats(result.hidden_states->values) + "\n";
  }
  if (result.sampling_mask) {
    for (const auto& kept : result.sampling_mask->kept_ids) out += Numbers(kept) + "| ";
    out += Floats(result.sampling_mask->chosen_logprobs);
  }
  return out;
}

}  // namespace sglrun::engine
