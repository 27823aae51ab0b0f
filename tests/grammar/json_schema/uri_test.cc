#include "grammar/json_schema/uri.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

TEST_CASE("references are resolved as RFC 3986 shows") {
  // Examples of its section 5.4, without fragments.
  constexpr const char* kBase = "http://a/b/c/d;p?q";
  const std::pair<const char*, const char*> rows[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {";x", "http://a/b/c/;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"./../g", "http://a/b/g"},
      {"g/../h", "http://a/b/c/h"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.first);
    CHECK(ResolveUri(kBase, row.first) == row.second);
  }
}

TEST_CASE("a base may be a name alone, or none") {
  CHECK(ResolveUri("", "item.json") == "item.json");
  CHECK(ResolveUri("item.json", "other.json") == "other.json");
  CHECK(ResolveUri("http://a.example", "b") == "http://a.example/b");
  CHECK(ResolveUri("urn:uuid:1", "urn:uuid:2") == "urn:uuid:2");
}

TEST_CASE("fragments are split off and decoded") {
  const SplitUri split = SplitFragment("a#/b%25%zz%2");
  CHECK(split.before == "a");
  CHECK(split.has_fragment);
  CHECK(PercentDecode(split.fragment) == "/b%%zz%2");
  CHECK_FALSE(SplitFragment("a").has_fragment);
}

}  // namespace
}  // namespace sglrun::grammar
