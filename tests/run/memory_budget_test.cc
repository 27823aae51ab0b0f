#include "run/memory_budget.h"

#include <doctest/doctest.h>

#include <thread>

namespace sglrun::run {
namespace {

using std::chrono::milliseconds;

TEST_CASE("memory counts until it is released, and moves with its owner") {
  const auto budget = std::make_shared<MemoryBudget>(100);
  {
    MemoryHold first(budget, 60);
    CHECK(budget->Fits(40));
    CHECK_FALSE(budget->Fits(41));
    MemoryHold second(std::move(first));
    CHECK(budget->held() == 60);
    second.Resize(90);
    CHECK(budget->held() == 90);
    MemoryHold third(budget, 50);  // a gate for what comes next only
    CHECK(budget->held() == 140);
    third = std::move(second);
    CHECK(third.bytes() == 90);
  }
  CHECK(budget->held() == 0);
}

TEST_CASE("a waiting caller continues when memory is released") {
  const auto budget = std::make_shared<MemoryBudget>(100);
  auto hold = std::make_unique<MemoryHold>(budget, 60);
  CHECK_FALSE(budget->WaitUntilFits(50, milliseconds(1)));
  std::thread other([&] { hold.reset(); });
  while (!budget->WaitUntilFits(50, milliseconds(1000))) {
  }
  other.join();
  CHECK(budget->Fits(100));
}

}  // namespace
}  // namespace sglrun::run
