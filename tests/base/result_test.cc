#include "base/result.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace sglrun {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Error{std::to_string(value) + " is odd"};
  return value / 2;
}

Result<int> Quarter(int value) {
  SGLRUN_ASSIGN_OR_RETURN(const int half, Half(value));
  return Half(half);
}

Status CheckEven(int value) {
  SGLRUN_RETURN_IF_ERROR(Half(value));
  return {};
}

TEST_CASE("a Result holds a value or the reason why there is none") {
  CHECK(Half(4).ok());
  CHECK_EQ(*Half(4), 2);
  const Result<int> odd = Half(3);
  REQUIRE_FALSE(odd.ok());
  CHECK_EQ(odd.error().message, "3 is odd");
}

TEST_CASE("ASSIGN_OR_RETURN leaves with the first error") {
  CHECK_EQ(*Quarter(8), 2);
  CHECK_EQ(Quarter(6).error().message, "3 is odd");
  CHECK_EQ(Quarter(5).error().message, "5 is odd");
}

TEST_CASE("RETURN_IF_ERROR passes errors between value types") {
  CHECK(CheckEven(2).ok());
  CHECK_EQ(CheckEven(7).error().message, "7 is odd");
}

TEST_CASE("a Result can hold what can only be moved") {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> value = std::move(result).value();
  CHECK_EQ(*value, 5);
}

}  // namespace
}  // namespace sglrun
