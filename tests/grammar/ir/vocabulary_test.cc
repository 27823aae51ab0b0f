#include "grammar/ir/vocabulary.h"

#include <doctest/doctest.h>

#include <algorithm>

#include <map>

namespace sglrun::grammar {
namespace {

// Every text that the trie holds, with its ids.
std::map<std::string, std::vector<std::int32_t>> TextsOf(const Vocabulary& vocabulary) {
  std::map<std::string, std::vector<std::int32_t>> texts;
  std::string path;
  const auto nodes = vocabulary.nodes();
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    if (i > 0) {
      path.resize(static_cast<std::size_t>(nodes[i].depth) - 1);
      path += static_cast<char>(nodes[i].byte);
    }
    for (std::int32_t at = nodes[i].first_token; at < nodes[i + 1].first_token; ++at) {
      texts[path].push_back(vocabulary.sorted_ids()[static_cast<std::size_t>(at)]);
    }
  }
  return texts;
}

TEST_CASE("the trie holds every text with all its ids, and nothing for ids without text") {
  const std::vector<std::string> texts = {"b", "", "abc", "a", "b", "ab\xFF", "", "abd"};
  const Vocabulary vocabulary(texts, 40);
  const auto found = TextsOf(vocabulary);
  CHECK(found.size() == 5);
  CHECK(found.at("b") == std::vector<std::int32_t>{0, 4});
  CHECK(found.at("ab\xFF") == std::vector<std::int32_t>{5});
  CHECK(vocabulary.words_per_mask() == 2);
  CHECK(!vocabulary.IsText(1));
  CHECK(!vocabulary.IsText(39));
  CHECK(!vocabulary.IsToken(39));
  CHECK(!vocabulary.IsText(-1));
  CHECK(vocabulary.Find("abd") == 7);
  CHECK(vocabulary.Find("abx") == std::nullopt);
}

TEST_CASE("subtrees span exactly the nodes and tokens below a node") {
  const std::vector<std::string> texts = {"a", "ab", "ac", "abc", "b"};
  const Vocabulary vocabulary(texts, 5);
  const auto nodes = vocabulary.nodes();
  REQUIRE(nodes.size() == 7);  // root, a, ab, abc, ac, b, the closing one
  CHECK(nodes[0].subtree_end == 6);
  CHECK(nodes[1].subtree_end == 5);
  CHECK(nodes[2].subtree_end == 4);
  CHECK(nodes[5].byte == 'b');
  CHECK(nodes[5].first_token == 4);
  CHECK(nodes[6].first_token == 5);
}

TEST_CASE("a vocabulary without any text is an empty trie") {
  const Vocabulary vocabulary(std::vector<std::string>{"", std::string(300, 'x')}, 2);
  CHECK(vocabulary.nodes().size() == 2);
  CHECK(vocabulary.nodes()[0].subtree_end == 1);
  CHECK(vocabulary.sorted_ids().empty());
}

TEST_CASE("special tokens of a tokenizer are tokens without text, whatever its family") {
  const auto loaded =
      tokenizer::Tokenizer::Load(SGLRUN_SOURCE_DIR "/tests/data/tokenizer_spm.model");
  REQUIRE(loaded.ok());
  const tokenizer::Tokenizer& tokenizer = **loaded;
  const Vocabulary vocabulary(tokenizer, tokenizer.vocab_size() + 7);
  std::size_t texts = 0;
  for (const auto& [text, ids] : TextsOf(vocabulary)) {
    for (const std::int32_t id : ids) {
      CHECK(!tokenizer.IsSpecial(id));
      CHECK(tokenizer.TokenBytes(id) == text);
      ++texts;
    }
  }
  CHECK(texts > 100);
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    if (tokenizer.IsSpecial(id)) CHECK(!vocabulary.IsText(id));
  }
  REQUIRE(tokenizer.eos_id().has_value());
  CHECK(vocabulary.IsToken(*tokenizer.eos_id()));
  CHECK(vocabulary.Find(tokenizer.TokenName(*tokenizer.eos_id())) == tokenizer.eos_id());
}

TEST_CASE("every node knows the bytes of all nodes below it, and how deep they go") {
  const Vocabulary vocabulary(std::vector<std::string>{"a", "ab", "abc\"", "ab1", "b", "\xC3\xA9",
                                                       "abc", "", "b\x01", "ba."},
                              10);
  const auto nodes = vocabulary.nodes();
  REQUIRE(vocabulary.below().size() == nodes.size());
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    ByteClasses expected = 0;
    int deepest = nodes[i].depth;
    for (auto n = i + 1; n < static_cast<std::size_t>(nodes[i].subtree_end); ++n) {
      expected |= ClassesOf(nodes[n].byte);
      deepest = std::max<int>(deepest, nodes[n].depth);
    }
    CHECK(vocabulary.below()[i] == expected);
    CHECK(vocabulary.heights()[i] == deepest - nodes[i].depth);
    const bool is_inner = (vocabulary.inner_nodes()[i / 64] >> (i % 64) & 1) != 0;
    CHECK((i == 0 || is_inner == (deepest > nodes[i].depth)));
  }
  for (int byte = 0; byte < 256; ++byte) CHECK(ClassOfByte(static_cast<std::uint8_t>(byte)) < 64);
}

}  // namespace
}  // namespace sglrun::grammar
