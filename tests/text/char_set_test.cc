#include "text/char_set.h"

#include <doctest/doctest.h>

namespace sglrun {
namespace {

TEST_CASE("ranges are sorted, joined where they touch, and never hold surrogates") {
  const CharSet set{{U'x', U'z'}, {U'a', U'c'}, {U'd', U'e'}, {0xD000, 0xE001}};
  REQUIRE(set.ranges().size() == 4);
  CHECK(set.ranges()[0] == CharRange{U'a', U'e'});
  CHECK(set.ranges()[2] == CharRange{0xD000, 0xD7FF});
  CHECK(set.ranges()[3] == CharRange{0xE000, 0xE001});
  CHECK(!set.Contains(0xD800));
  CHECK(set.Contains(U'd'));
  CHECK(!set.Contains(U'f'));
}

TEST_CASE("a set and its complement share nothing and hold every scalar value together") {
  const CharSet set{{0, 5}, {U'k', U'k'}, {0x10FFFF, 0x10FFFF}};
  const CharSet rest = set.Complement();
  CHECK(set.Intersect(rest).empty());
  CHECK(set.Union(rest) == CharSet::All());
  CHECK(set.size() + rest.size() == 0x110000 - 0x800);
  CHECK(CharSet::All().Complement().empty());
}

}  // namespace
}  // namespace sglrun
