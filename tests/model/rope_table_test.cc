#include "model/blocks/rope_table.h"

#include <cmath>

#include "model/spec/rope.h"

#include <doctest/doctest.h>

namespace sglrun::model {

TEST_CASE("the table holds cos and sin of every position, scaled, before and after it grows") {
  ThreadPool pool(2);
  kernels::KernelContext context(pool);
  RopeSpec config = DefaultRope(10000.0, 8);
  config.attention_factor = 1.25f;
  RopeTable table(config);
  for (const std::int64_t positions : {1, 512, 513, 3000}) {
    CAPTURE(positions);
    table.Ensure(positions, kernels::RefBackend(), context);
    REQUIRE(table.cos().shape[0] >= positions);
    REQUIRE(table.cos().shape[1] == 4);
    double worst = 0;
    for (std::int64_t p = 0; p < positions; ++p) {
      for (std::size_t i = 0; i < 4; ++i) {
        const double angle = static_cast<float>(p) * config.inverse_frequencies[i];
        worst = std::max(worst, std::fabs(1.25 * std::cos(angle) - table.cos().row(p)[i]));
        worst = std::max(worst, std::fabs(1.25 * std::sin(angle) - table.sin().row(p)[i]));
      }
    }
    CHECK(worst < 2e-7);
  }
}

}  // namespace sglrun::model
