// Random structural tags against the plain matcher (plain_tags.h), text by text.
#include <string>
#include <vector>

#include "ebnf/helpers.h"
#include "plain_tags.h"
#include "random_grammar.h"

#include <doctest/doctest.h>

namespace sglrun::grammar {
namespace {

// Few characters, so that ends, excludes and triggers touch, begin and contain one another.
std::string RandomText(Random& random, int least, int most) {
  std::string text;
  for (int left = least + Pick(random, most - least + 1); left > 0; --left) {
    text += "ab<>"[static_cast<std::size_t>(Pick(random, 4))];
  }
  return text;
}

std::string Quoted(const std::string& text) {
  return '"' + text + '"';
}

std::string List(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() > 1 ? "," : "") + item;
  return text + "]";
}

std::string RandomTexts(Random& random, int least, int most, int length) {
  std::vector<std::string> texts;
  for (int left = least + Pick(random, most - least + 1); left > 0; --left) {
    texts.push_back(Quoted(RandomText(random, 1, length)));
  }
  return List(texts);
}

class RandomTag {
 public:
  explicit RandomTag(Random& random) : random_(random) {}

  std::string Format(int depth) {
    if (depth == 0 || Pick(random_, 5) == 0) return Leaf();
    const std::string content = R"(,"content":)" + Format(depth - 1) + "}";
    switch (Pick(random_, 12)) {
      case 0:
        return R"({"type":"optional")" + content;
      case 1:
        return R"({"type":"star")" + content;
      case 2:
        return R"({"type":"plus")" + content;
      case 3:
        return R"({"type":"repeat","min":)" + std::to_string(Pick(random_, 2)) + R"(,"max":)" +
               std::to_string(Pick(random_, 3) + 1) + content;
      case 4:
      case 5:
        return R"({"type":"sequence","elements":)" + Formats(depth - 1);
      case 6:
        return R"({"type":"or","elements":)" + Formats(depth - 1);
      case 7:
        return R"({"type":"tags_with_separator","separator":)" + Quoted(RandomText(random_, 1, 1)) +
               Flags() + R"(,"tags":[)" + Tag("", depth - 1) + "," + Tag("", depth - 1) + "]}";
      case 8:
        return TriggeredTags(depth);
      case 9:
        return R"({"type":"dispatch","rules":[[)" + Quoted(RandomText(random_, 1, 2)) + "," +
               Format(depth - 1) + "],[" + Quoted(RandomText(random_, 1, 3)) + "," +
               Format(depth - 1) + R"(]],"loop":)" + Bool() + Excludes() + "}";
      default:
        return Tag("", depth - 1);
    }
  }

 private:
  std::string Bool() { return Pick(random_, 2) == 0 ? "true" : "false"; }
  std::string Flags() {
    return R"(,"at_least_one":)" + Bool() + R"(,"stop_after_first":)" + Bool();
  }
  std::string Excludes() { return R"(,"excludes":)" + RandomTexts(random_, 0, 2, 2); }

  std::string Leaf() {
    switch (Pick(random_, 6)) {
      case 0:
        return R"({"type":"const_string","value":)" + Quoted(RandomText(random_, 0, 2)) + "}";
      case 1: {
        const char* const patterns[] = {"a+", "(ab)?", "[b<]", "<b|>"};
        return R"({"type":"regex","pattern":)" +
               Quoted(patterns[static_cast<std::size_t>(Pick(random_, 4))]) + "}";
      }
      case 2:
        return R"({"type":"any_text","max_chars":)" + std::to_string(Pick(random_, 4)) +
               Excludes() + "}";
      default:
        return R"({"type":"any_text")" + Excludes() + "}";
    }
  }

  std::string Formats(int depth) {
    std::vector<std::string> formats;
    for (int left = 1 + Pick(random_, 3); left > 0; --left) formats.push_back(Format(depth));
    return List(formats) + "}";
  }

  // Ends that begin, contain and repeat one another.
  std::string Ends() {
    const std::string end = RandomText(random_, 1, 3);
    switch (Pick(random_, 5)) {
      case 0:
        return List({Quoted(end), Quoted(end + RandomText(random_, 1, 2))});
      case 1:
        return List({Quoted(end), Quoted(RandomText(random_, 1, 2) + end)});
      case 2:
        return RandomTexts(random_, 1, 3, 3);
      default:
        return Quoted(end);
    }
  }

  std::string Tag(const std::string& trigger, int depth) {
    return R"({"type":"tag","begin":)" + Quoted(trigger + RandomText(random_, 0, 1)) +
           R"(,"content":)" + Format(depth) + R"(,"end":)" + Ends() + "}";
  }

  std::string TriggeredTags(int depth) {
    const std::string one = "<" + RandomText(random_, 0, 1),
                      other = ">" + RandomText(random_, 0, 1);
    return R"({"type":"triggered_tags","triggers":[)" + Quoted(one) + "," + Quoted(other) +
           R"(],"tags":[)" + Tag(one, depth - 1) + "," + Tag(other, depth - 1) + "]" + Flags() +
           Excludes() + "}";
  }

  Random& random_;
};

// Every text of up to two characters, others at random, and members of the grammar and texts near
// them with the characters of these tags in place of all others.
std::vector<std::string> TextsFor(const Grammar& grammar, Random& random) {
  const std::string alphabet = "ab<>";
  std::vector<std::string> texts{""};
  for (const char first : alphabet) {
    texts.emplace_back(1, first);
    for (const char second : alphabet) texts.push_back({first, second});
  }
  for (int i = 0; i < 12; ++i) {
    texts.push_back(RandomText(random, 3, 8));
    const std::string member = RandomMember(grammar, random);
    for (const std::string& near : {member, Mutate(member, random)}) {
      texts.push_back(near);
      for (char& c : texts.back()) {
        if (alphabet.find(c) == std::string::npos) c = alphabet[static_cast<unsigned char>(c) % 4];
      }
    }
  }
  return texts;
}

struct Tally {
  int read = 0, refused = 0, members = 0, others = 0;
};

void Compare(const std::string& format, const Front& front, Random& random, Tally& tally) {
  const auto parsed = ParseJson(format);
  REQUIRE(parsed.ok());
  for (const std::string& text : TextsFor(front.grammar, random)) {
    if (text.size() > 9) continue;  // the plain matcher tries every division
    CAPTURE(text);
    const bool member = PlainAccepts(parsed->value, text);
    ++(member ? tally.members : tally.others);
    CHECK(front.Accepts(text) == member);
  }
}

TEST_CASE("random structural tags accept the texts that a plain matcher accepts") {
  Random random(17);
  Tally tally;
  for (int i = 0; i < 600; ++i) {
    const std::string format = RandomTag(random).Format(3);
    CAPTURE(format);
    const Front front = Read(AppendStructuralTag, R"({"format":)" + format + "}");
    if (front.ok()) {
      ++tally.read;
      Compare(format, front, random, tally);
      continue;
    }
    ++tally.refused;
    CAPTURE(front.error->message);
    CHECK(front.error->message.find("which could never be written") != std::string::npos);
  }
  // So that the test does not come to try little.
  CHECK(tally.read > 300);
  CHECK(tally.members > 3'000);
  CHECK(tally.others > 3'000);
}

}  // namespace
}  // namespace sglrun::grammar
