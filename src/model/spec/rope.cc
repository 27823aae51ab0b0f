#include "model/spec/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

namespace sglrun::model {
namespace {

using Angles = std::vector<float>;

// theta^(2i / dim), rounded to float32 where the reference's tensors are.
Angles Wavelengths(double theta, std::int64_t dim) {
  Angles out(static_cast<std::size_t>(dim / 2));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(dim);
    out[i] = static_cast<float>(std::pow(theta, static_cast<double>(exponent)));
  }
  return out;
}

Angles DefaultAngles(double theta, std::int64_t dim) {
  Angles out = Wavelengths(theta, dim);
  for (float& value : out) value = 1.0f / value;
  return out;
}

// A number that the scaling type cannot do without.
Result<double> Require(const std::optional<double>& value, const char* key,
                       const RopeSettings& settings, const std::string& place) {
  if (value.has_value() && std::isfinite(*value) && *value > 0) return *value;
  return Error{place + ": rope scaling \"" + settings.type + "\" needs a positive " + key};
}

std::string Describe(const std::string& type, double factor) {
  std::ostringstream out;
  out << type << ", factor " << factor;
  return out.str();
}

Status ScaleLinear(const RopeSettings& settings, const std::string& place, RopeSpec& rope) {
  SGLRUN_ASSIGN_OR_RETURN(const double factor, Require(settings.factor, "factor", settings, place));
  for (float& angle : rope.inverse_frequencies) angle /= static_cast<float>(factor);
  rope.description = Describe("linear", factor);
  return {};
}

// Short wavelengths stay, long ones are stretched by `factor`, those between are blended.
Status ScaleLlama3(const RopeSettings& settings, const std::string& place, RopeSpec& rope) {
  SGLRUN_ASSIGN_OR_RETURN(const double factor, Require(settings.factor, "factor", settings, place));
  SGLRUN_ASSIGN_OR_RETURN(const double low,
                          Require(settings.low_freq_factor, "low_freq_factor", settings, place));
  SGLRUN_ASSIGN_OR_RETURN(const double high,
                          Require(settings.high_freq_factor, "high_freq_factor", settings, place));
  SGLRUN_ASSIGN_OR_RETURN(const double original,
                          Require(settings.original_max_position_embeddings.value_or(
                                      static_cast<double>(settings.max_position_embeddings)),
                                  "original_max_position_embeddings", settings, place));
  if (high == low) return Error{place + ": rope scaling llama3 has equal low and high factors"};
  for (float& angle : rope.inverse_frequencies) {
    const double wavelength = 2 * std::numbers::pi / static_cast<double>(angle);
    if (wavelength < original / high) continue;
    if (wavelength > original / low) {
      angle /= static_cast<float>(factor);
      continue;
    }
    const auto smooth = static_cast<float>((original / wavelength - low) / (high - low));
    angle = (1 - smooth) * angle / static_cast<float>(factor) + smooth * angle;
  }
  rope.description = Describe("llama3", factor);
  return {};
}

double YarnScale(double factor, double weight) {
  return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0;
}

double YarnAttentionFactor(const RopeSettings& settings, double factor) {
  if (settings.attention_factor.has_value()) return *settings.attention_factor;
  const double mscale = settings.mscale.value_or(0), all_dim = settings.mscale_all_dim.value_or(0);
  if (mscale != 0 && all_dim != 0) return YarnScale(factor, mscale) / YarnScale(factor, all_dim);
  return YarnScale(factor, 1);
}

// Pairs that turn often within the original context keep their angle, pairs that turn less than
// once are stretched, with a ramp between (Peng et al. 2023, arXiv:2309.00071).
Status ScaleYarn(const RopeSettings& settings, const std::string& place, RopeSpec& rope) {
  const auto max_positions = static_cast<double>(settings.max_position_embeddings);
  SGLRUN_ASSIGN_OR_RETURN(const double original,
                          Require(settings.original_max_position_embeddings.value_or(max_positions),
                                  "original_max_position_embeddings", settings, place));
  SGLRUN_ASSIGN_OR_RETURN(
      const double factor,
      Require(settings.factor.value_or(max_positions / original), "factor", settings, place));
  const auto dim = static_cast<double>(settings.rotary_dim);
  const auto pair_of_turns = [&](double turns) {
    return dim * std::log(original / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(settings.theta));
  };
  double low = pair_of_turns(settings.beta_fast.value_or(32));
  double high = pair_of_turns(settings.beta_slow.value_or(1));
  if (settings.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, dim - 1);
  if (low == high) high += 0.001;

  const Angles wavelengths = Wavelengths(settings.theta, settings.rotary_dim);
  for (std::size_t i = 0; i < wavelengths.size(); ++i) {
    const float ramp = std::clamp(
        (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low), 0.0f,
        1.0f);
    const float stretched = 1.0f / (static_cast<float>(factor) * wavelengths[i]);
    const float kept = 1.0f / wavelengths[i];
    rope.inverse_frequencies[i] = stretched * ramp + kept * (1 - ramp);
  }
  rope.attention_factor = static_cast<float>(YarnAttentionFactor(settings, factor)) *
                          static_cast<float>(settings.attention_factor_scale);
  rope.description = Describe("yarn", factor);
  return {};
}

// The base that stands for the longest text is fixed by `alpha`; without it the angles are unscaled
// up to max_position_embeddings.
Status ScaleDynamic(const RopeSettings& settings, const std::string& place, RopeSpec& rope) {
  rope.description = "dynamic, as up to max_position_embeddings";
  if (!settings.alpha) return {};
  SGLRUN_ASSIGN_OR_RETURN(const double alpha, Require(settings.alpha, "alpha", settings, place));
  const auto dim = static_cast<double>(settings.rotary_dim);
  const double base = settings.theta * std::pow(alpha, dim / (dim - 2));
  rope.inverse_frequencies = DefaultAngles(base, settings.rotary_dim);
  rope.description = Describe("dynamic with a fixed base", alpha);
  return {};
}

// With the factors of texts up to the original length (Ding et al. 2024, arXiv:2402.13753).
Status ScaleLongRope(const RopeSettings& settings, const std::string& place, RopeSpec& rope) {
  const auto max_positions = static_cast<double>(settings.max_position_embeddings);
  SGLRUN_ASSIGN_OR_RETURN(const double original,
                          Require(settings.original_max_position_embeddings.value_or(max_positions),
                                  "original_max_position_embeddings", settings, place));
  if (settings.short_factors.size() != rope.inverse_frequencies.size()) {
    return Error{place + ": short_factor has " + std::to_string(settings.short_factors.size()) +
                 " entries, expected " + std::to_string(rope.inverse_frequencies.size())};
  }
  const Angles wavelengths = Wavelengths(settings.theta, settings.rotary_dim);
  for (std::size_t i = 0; i < wavelengths.size(); ++i) {
    if (!(settings.short_factors[i] > 0)) {
      return Error{place + ": short_factor holds a value that is not above 0"};
    }
    rope.inverse_frequencies[i] = 1.0f / (settings.short_factors[i] * wavelengths[i]);
  }
  const double factor = max_positions / original;
  const double attention = factor <= 1 ? 1.0 : std::sqrt(1 + std::log(factor) / std::log(original));
  rope.attention_factor = static_cast<float>(settings.attention_factor.value_or(attention));
  rope.description = "longrope, its short factors";
  return {};
}

Status ApplyScaling(const RopeSettings& settings, const std::string& place, RopeSpec& rope) {
  if (settings.type == "default" || settings.type == "none") return {};
  if (settings.type == "linear") return ScaleLinear(settings, place, rope);
  if (settings.type == "llama3") return ScaleLlama3(settings, place, rope);
  if (settings.type == "yarn") return ScaleYarn(settings, place, rope);
  if (settings.type == "dynamic") return ScaleDynamic(settings, place, rope);
  if (settings.type == "longrope" || settings.type == "su") {
    return ScaleLongRope(settings, place, rope);
  }
  return Error{place + ": unknown rope scaling \"" + settings.type +
               "\"; supported are default, linear, dynamic, llama3, yarn, longrope"};
}

}  // namespace

RopeSpec DefaultRope(double theta, std::int64_t rotary_dim) {
  RopeSpec rope;
  rope.theta = theta;
  rope.rotary_dim = rotary_dim;
  rope.inverse_frequencies = DefaultAngles(theta, rotary_dim);
  rope.description = "default";
  return rope;
}

std::optional<std::int64_t> MostPositions(const RopeSettings& settings) {
  const bool is_longrope = settings.type == "longrope" || settings.type == "su";
  if (!is_longrope || !settings.original_max_position_embeddings) return std::nullopt;
  constexpr double kMost = 1 << 30;
  return static_cast<std::int64_t>(
      std::clamp(*settings.original_max_position_embeddings, 0.0, kMost));
}

Result<RopeSpec> BuildRope(const RopeSettings& settings, const std::string& place) {
  if (!std::isfinite(settings.theta) || settings.theta <= 1) {
    return Error{place + ": rope_theta is " + std::to_string(settings.theta) + ", must be above 1"};
  }
  if (settings.rotary_dim < 2 || settings.rotary_dim % 2 != 0) {
    return Error{place + ": " + std::to_string(settings.rotary_dim) +
                 " entries of a head rotate, must be an even number above 0"};
  }
  RopeSpec rope = DefaultRope(settings.theta, settings.rotary_dim);
  SGLRUN_RETURN_IF_ERROR(ApplyScaling(settings, place, rope));
  if (settings.divisors.empty()) return rope;
  if (settings.divisors.size() != rope.inverse_frequencies.size()) {
    return Error{place + ": rope_freqs.weight has " + std::to_string(settings.divisors.size()) +
                 " entries, expected " + std::to_string(rope.inverse_frequencies.size())};
  }
  for (std::size_t i = 0; i < settings.divisors.size(); ++i) {
    if (!(settings.divisors[i] > 0)) {
      return Error{place + ": rope_freqs.weight holds a value that is not above 0"};
    }
    rope.inverse_frequencies[i] /= settings.divisors[i];
  }
  rope.description = "factors of rope_freqs.weight";
  return rope;
}

}  // namespace sglrun::model
