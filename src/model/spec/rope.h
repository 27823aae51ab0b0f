// From what a configuration says about rotary positions to the angle of each pair (as in
// transformers' modeling_rope_utils).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/spec/model_spec.h"

namespace sglrun::model {

// The keys as files spell them. `type` is refused by name unless it is one of default, linear,
// dynamic, llama3, yarn, longrope. Angles of dynamic and longrope grow with the length of a text beyond
// a length that MostPositions gives, and are those of shorter texts here.
struct RopeSettings {
  std::string type = "default";
  double theta = 10000.0;
  std::int64_t rotary_dim = 0;
  std::int64_t max_position_embeddings = 0;
  std::optional<double> factor = {};
  std::optional<double> low_freq_factor = {}, high_freq_factor = {};            // llama3
  std::optional<double> original_max_position_embeddings = {};                  // llama3, yarn
  std::optional<double> attention_factor = {}, beta_fast = {}, beta_slow = {};  // yarn
  std::optional<double> mscale = {}, mscale_all_dim = {};                       // yarn
  bool truncate = true;                                                         // yarn
  std::optional<double> alpha = {};       // dynamic: a fixed factor of the base
  std::vector<float> short_factors = {};  // longrope, one a pair
  // GGUF's own: rope_freqs.weight, one a pair, or empty; and a factor of the attention factor of
  // yarn, which Hugging Face's key replaces instead.
  std::vector<float> divisors = {};
  double attention_factor_scale = 1.0;
};

// `place` names the file in errors.
Result<RopeSpec> BuildRope(const RopeSettings& settings, const std::string& place);

// The positions up to which the angles hold; nothing where they hold for all of the model's.
std::optional<std::int64_t> MostPositions(const RopeSettings& settings);

// Unscaled angles.
RopeSpec DefaultRope(double theta, std::int64_t rotary_dim);

}  // namespace sglrun::model
