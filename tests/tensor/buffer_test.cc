#include "tensor/buffer.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>

#include "tensor/arena.h"
#include "tensor/pages.h"

namespace sglrun::tensor {
namespace {

std::uintptr_t Address(const Buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data());
}

TEST_CASE("a large host buffer begins where a huge page does and can be written to its end") {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{2} << 20, (std::size_t{5} << 20) + 7}) {
    const Buffer buffer(HostAllocator(), bytes);
    REQUIRE(buffer.ok());
    if (bytes >= std::size_t{2} << 20) CHECK_EQ(Address(buffer) % (std::size_t{2} << 20), 0);
    buffer.as<char>()[0] = 1;
    buffer.as<char>()[bytes - 1] = 1;
    UseSmallPages(buffer.as<char>() + bytes / 2, bytes - bytes / 2);
    CHECK_EQ(buffer.as<char>()[bytes - 1], 1);
  }
}

std::int64_t ResidentPages() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident;
}

// Where the system has no huge pages it is so anyway.
TEST_CASE("a byte in each 2 MiB of small pages costs a page each") {
  constexpr std::size_t kBytes = std::size_t{32} << 20;
  const Buffer buffer(HostAllocator(), kBytes);
  REQUIRE(buffer.ok());
  UseSmallPages(buffer.data(), kBytes);
  const std::int64_t before = ResidentPages();
  for (std::size_t i = 0; i < kBytes; i += std::size_t{2} << 20) buffer.as<char>()[i] = 1;
  CHECK(ResidentPages() - before < 256);
}

TEST_CASE("an arena gives aligned buffers beside each other until it is used up") {
  Arena arena(HostAllocator(), Arena::Taken(100) + Arena::Taken(1));
  REQUIRE(arena.ok());
  const Buffer first(arena, 100), second(arena, 1), third(arena, 1);
  CHECK_EQ(Address(first) % 64, 0);
  CHECK_EQ(Address(second), Address(first) + 128);
  CHECK_FALSE(third.ok());
}

}  // namespace
}  // namespace sglrun::tensor
