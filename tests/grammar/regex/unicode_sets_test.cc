#include "grammar/regex/unicode_sets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "grammar/regex/fold.h"

namespace sglrun::grammar {
namespace {

TEST_CASE("categories split the characters, and L is the letters") {
  CharSet all;
  for (const char* name : {"L", "M", "N", "P", "S", "Z", "C"}) {
    const auto set = UnicodeProperty(name);
    REQUIRE(set != nullptr);
    CHECK(all.Intersect(*set).empty());
    all = all.Union(*set);
  }
  CHECK(all == CharSet::All());
  CHECK(*UnicodeProperty("Letter") == *UnicodeProperty("L"));
  CHECK(*UnicodeProperty("Any") == CharSet::All());
  CHECK(*UnicodeProperty("ASCII") == CharSet{{0, 0x7F}});
  CHECK(UnicodeProperty("Cs")->empty());
  for (const char* name : {"", "Nope", "Lu}|.", "sc=", "Script=Nope", "lu", "L&", "^Lu", "a b"}) {
    CHECK(UnicodeProperty(name) == nullptr);
  }
}

TEST_CASE("properties may be asked from many threads at once") {
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<const CharSet>> found(8);
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&found, i] {
      found[i] = UnicodeProperty(i % 2 == 0 ? "Script=Thai" : "Sm");
      CaseGroups();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(*found[i] == *found[i % 2]);
}

TEST_CASE("groups of case hold what belongs together, and no character twice") {
  const auto group_of = [](char32_t c) {
    for (const auto& group : CaseGroups()) {
      if (std::ranges::find(group, c) != group.end())
        return std::u32string(group.begin(), group.end());
    }
    return std::u32string(1, c);
  };
  CHECK(group_of(U'a') == U"Aa");
  CHECK(group_of(U'k') == U"Kk\u212A");
  CHECK(group_of(U's') == U"Ss\u017F");
  CHECK(group_of(0xE5) == U"\u00C5\u00E5\u212B");
  CHECK(group_of(0x3C3) == U"\u03A3\u03C2\u03C3");
  CHECK(group_of(0x1C5) == U"\u01C4\u01C5\u01C6");
  CHECK(group_of(0x2163) == U"\u2163\u2173");
  CHECK(group_of(0x10428) == U"\U00010400\U00010428");
  CHECK(group_of(U'1') == U"1");
  CHECK(CaseGroups().size() > 1300);
  std::u32string seen;
  for (const auto& group : CaseGroups()) seen.append(group.begin(), group.end());
  std::ranges::sort(seen);
  CHECK(std::ranges::adjacent_find(seen) == seen.end());
}

TEST_CASE("what is allowed is folded narrowly, what is forbidden widely") {
  CHECK(FoldNarrowly(CharSet::Of(U'k')) == CharSet{{U'K', U'K'}, {U'k', U'k'}});
  CHECK(FoldWidely(CharSet::Of(U'k')) == CharSet{{U'K', U'K'}, {U'k', U'k'}, {0x212A, 0x212A}});
  CHECK(FoldNarrowly(CharSet{{U'1', U'9'}}) == CharSet{{U'1', U'9'}});
  CHECK(FoldNarrowly(CharSet::Of(0xFF)) == CharSet::Of(0xFF));
  CHECK(FoldWidely(CharSet::Of(0xFF)).Contains(0x178));
  CHECK(FoldNarrowly(CharSet::Of(0x430)) == CharSet{{0x410, 0x410}, {0x430, 0x430}});
  CHECK(FoldNarrowly(CharSet::All()) == CharSet::All());
}

}  // namespace
}  // namespace sglrun::grammar
