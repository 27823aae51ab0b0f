#include "model/spec/rope.h"

#include <cmath>

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

// Values of transformers 5.24.0 (torch 2.15.0), ROPE_INIT_FUNCTIONS with head_dim 16:
// see the settings of each case.
void CheckAngles(const RopeSpec& rope, const std::vector<double>& expected) {
  REQUIRE(rope.inverse_frequencies.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(static_cast<double>(rope.inverse_frequencies[i]) / expected[i] - 1) < 3e-7);
  }
}

RopeSpec Good(const RopeSettings& settings) {
  auto rope = BuildRope(settings, "f");
  REQUIRE(rope.ok());
  return std::move(*rope);
}

}  // namespace

TEST_CASE("unscaled angles give the reference's angles") {
  const RopeSpec rope = Good({.theta = 10000, .rotary_dim = 16, .max_position_embeddings = 256});
  CheckAngles(rope, {1, 0.316227764, 0.100000001, 0.0316227786, 0.00999999978, 0.00316227786,
                     0.00100000005, 0.000316227786});
  CHECK(std::fabs(rope.attention_factor - 1) < 1e-6);
}

TEST_CASE("linear scaling gives the reference's angles") {
  const RopeSpec rope = Good({.type = "linear",
                              .theta = 500000,
                              .rotary_dim = 16,
                              .max_position_embeddings = 256,
                              .factor = 4});
  CheckAngles(rope, {0.25, 0.0484806895, 0.00940150768, 0.00182316627, 0.000353553361,
                     6.85620471e-05, 1.32957393e-05, 2.57834631e-06});
  CHECK(std::fabs(rope.attention_factor - 1) < 1e-6);
}

TEST_CASE("llama3 scaling gives the reference's angles") {
  const RopeSpec rope = Good({.type = "llama3",
                              .theta = 500000,
                              .rotary_dim = 16,
                              .max_position_embeddings = 131072,
                              .factor = 32,
                              .low_freq_factor = 1,
                              .high_freq_factor = 4,
                              .original_max_position_embeddings = 8192});
  CheckAngles(rope, {1, 0.193922758, 0.0376060307, 0.00729266508, 0.000429556705, 8.57025589e-06,
                     1.66196742e-06, 3.22293289e-07});
  CHECK(std::fabs(rope.attention_factor - 1) < 1e-6);
}

TEST_CASE("yarn scaling gives the reference's angles") {
  const RopeSpec rope = Good({.type = "yarn",
                              .theta = 1000000,
                              .rotary_dim = 16,
                              .max_position_embeddings = 131072,
                              .factor = 4,
                              .original_max_position_embeddings = 32768});
  CheckAngles(rope, {1, 0.177827939, 0.0316227786, 0.00421755994, 0.000500000024, 4.44569851e-05,
                     7.90569356e-06, 1.40585337e-06});
  CHECK(std::fabs(rope.attention_factor - 1.1386294) < 1e-6);
}

TEST_CASE("yarn scaling with mscale and fractional bounds give the reference's angles") {
  const RopeSpec rope = Good({.type = "yarn",
                              .theta = 10000,
                              .rotary_dim = 16,
                              .max_position_embeddings = 163840,
                              .factor = 40,
                              .original_max_position_embeddings = 4096,
                              .beta_fast = 16,
                              .beta_slow = 2,
                              .mscale = 0.7,
                              .mscale_all_dim = 1.0,
                              .truncate = false});
  CheckAngles(rope, {1, 0.316227764, 0.100000001, 0.0316227786, 0.00579010462, 0.000123952457,
                     2.49999994e-05, 7.90569447e-06});
  CHECK(std::fabs(rope.attention_factor - 0.919156) < 1e-6);
}

TEST_CASE("factors of a GGUF file divide the angles") {
  const RopeSpec rope = Good(
      {.theta = 10000, .rotary_dim = 4, .max_position_embeddings = 64, .divisors = {2.0f, 4.0f}});
  CHECK(rope.inverse_frequencies == std::vector<float>{0.5f, 0.0025f});
  CHECK_FALSE(BuildRope({.rotary_dim = 4, .divisors = {1.0f}}, "f").ok());
  CHECK_FALSE(BuildRope({.rotary_dim = 4, .divisors = {1.0f, 0.0f}}, "f").ok());
}

TEST_CASE("a number of rotating entries that cannot be is refused") {
  CHECK_FALSE(BuildRope({.rotary_dim = 0}, "f").ok());
  CHECK_FALSE(BuildRope({.rotary_dim = 7}, "f").ok());
}

}  // namespace sglrun::model
