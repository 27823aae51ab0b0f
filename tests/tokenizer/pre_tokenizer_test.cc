#include "tokenizer/pre_tokenizer.h"

#include "tests/tokenizer/small_tokenizers.h"
#include "tokenizer/pre_patterns.h"

namespace sglrun::tokenizer {
namespace {

// The pieces with bars between them.
std::string Split(const std::string& json, std::string_view text, bool at_start = true) {
  const Json value = ToJson(json);
  auto splitter = PreTokenizer::Parse(JsonView(value, "pre_tokenizer"));
  REQUIRE_MESSAGE(splitter.ok(), (splitter.ok() ? "" : splitter.error().message));
  TextArena arena;
  std::vector<Piece> pieces;
  REQUIRE(splitter->Split({text, at_start}, arena, pieces).ok());
  std::string out;
  for (const Piece& piece : pieces) out += (out.empty() ? "" : "|") + std::string(piece.text);
  return out;
}

// The same with a family's pattern, bytes as letters decoded again.
std::string SplitOfFamily(std::string_view family, std::string_view text) {
  const auto pre = FindPrePattern(family);
  REQUIRE(pre.ok());
  auto splitter = PreTokenizer::FromPatterns(pre->patterns);
  REQUIRE(splitter.ok());
  splitter->TakeByteLevel();
  TextArena arena;
  std::vector<Piece> pieces;
  REQUIRE(splitter->Split({text, true}, arena, pieces).ok());
  std::string out;
  for (const Piece& piece : pieces) out += (out.empty() ? "" : "|") + std::string(piece.text);
  return out;
}

// Goldens: the pattern of tokenization_kimi.py, run by the Python package regex (V1).
TEST_CASE("Kimi's words hold no Chinese characters beside other letters") {
  CHECK(SplitOfFamily("kimi-k2", "你好world, I'LL go") == "你好|world|,| I'LL| go");
  CHECK(SplitOfFamily("kimi-k2", "日本語テスト 漢字kanjiかな") == "日本語|テスト| |漢字|kanjiかな");
  CHECK(SplitOfFamily("kimi-k2", "aB你c 12345  x\n\n y") == "a|B|你|c| |123|45| | x|\n\n| y");
  CHECK(SplitOfFamily("kimi-k2", "Été中文's don'T々〆") == "Été|中文|'s| don'T|々|〆");
}

std::string SplitAtDash(const std::string& behavior, const std::string& more = "") {
  return Split(
      R"({"type":"Split","pattern":{"String":"-"},"behavior":")" + behavior + "\"" + more + "}",
      "the-final--countdown");
}

TEST_CASE("Split knows five behaviours") {
  CHECK(SplitAtDash("Removed") == "the|final|countdown");
  CHECK(SplitAtDash("Isolated") == "the|-|final|-|-|countdown");
  CHECK(SplitAtDash("MergedWithPrevious") == "the-|final-|-|countdown");
  CHECK(SplitAtDash("MergedWithNext") == "the|-final|-|-countdown");
  CHECK(SplitAtDash("Contiguous") == "the|-|final|--|countdown");
  CHECK(SplitAtDash("Removed", R"(,"invert":true)") == "-|-|-");
  CHECK(SplitAtDash("MergedWithPrevious", R"(,"invert":true)") == "the|-final|-|-countdown");
}

TEST_CASE("delimiters at both ends leave no empty pieces") {
  const std::string dash = R"({"type":"Split","pattern":{"String":"-"},"behavior":)";
  CHECK(Split(dash + "\"Removed\"}", "--a-") == "a");
  CHECK(Split(dash + "\"MergedWithPrevious\"}", "--a-") == "-|-|a-");
  CHECK(Split(dash + "\"MergedWithNext\"}", "--a-") == "-|-a|-");
  CHECK(Split(dash + "\"Contiguous\"}", "--a-") == "--|a|-");
}

TEST_CASE("ByteLevel splits as GPT-2 does and writes bytes as letters") {
  const std::string json = R"({"type":"ByteLevel","add_prefix_space":false})";
  CHECK(Split(json, "I'll see 42 cats!\n  ok") == "I|'ll|Ġsee|Ġ42|Ġcats|!|ĊĠ|Ġok");
  CHECK(Split(json, "é") == "Ã©");
  CHECK(Split(R"({"type":"ByteLevel","add_prefix_space":true})", "a b") == "Ġa|Ġb");
  CHECK(Split(R"({"type":"ByteLevel","add_prefix_space":true})", " a") == "Ġa");
  CHECK(Split(R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})", "a b") ==
        "aĠb");
}

TEST_CASE("Metaspace writes spaces as U+2581 and puts one in front by its scheme") {
  const auto json = [](const std::string& more) {
    return R"({"type":"Metaspace","replacement":"▁")" + more + "}";
  };
  CHECK(Split(json(""), "a  b") == "▁a|▁|▁b");
  CHECK(Split(json(""), " a") == "▁a");
  CHECK(Split(json(R"(,"prepend_scheme":"never")"), "a b") == "a|▁b");
  CHECK(Split(json(R"(,"prepend_scheme":"first")"), "a b", true) == "▁a|▁b");
  CHECK(Split(json(R"(,"prepend_scheme":"first")"), "a b", false) == "a|▁b");
  CHECK(Split(json(R"(,"prepend_scheme":"always","split":false)"), "a b", false) == "▁a▁b");
  CHECK(Split(json(R"(,"add_prefix_space":false)"), "a b") == "a|▁b");
}

TEST_CASE("Digits, Punctuation and the blanks") {
  CHECK(Split(R"({"type":"Digits","individual_digits":true})", "a12½b") == "a|1|2|½|b");
  CHECK(Split(R"({"type":"Digits","individual_digits":false})", "a12½b") == "a|12½|b");
  CHECK(Split(R"({"type":"Punctuation"})", "a?!b") == "a|?|!|b");
  CHECK(Split(R"({"type":"Punctuation","behavior":"Contiguous"})", "a?!b") == "a|?!|b");
  CHECK(Split(R"({"type":"Whitespace"})", " it's  2€\t") == "it|'|s|2|€");
  CHECK(Split(R"({"type":"WhitespaceSplit"})",
              " it's\u3000"
              "2€\t") == "it's|2€");
  CHECK(Split(R"({"type":"CharDelimiterSplit","delimiter":"é"})", "aéébéc") == "a|b|c");
}

TEST_CASE("a Sequence applies its members in order, and only the first piece is at the start") {
  CHECK(Split(R"({"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},
                  {"type":"ByteLevel","add_prefix_space":false}]})",
              "a 12") == "a|Ġ|1|2");
  CHECK(Split(R"({"type":"Sequence","pretokenizers":[{"type":"Punctuation"},
                  {"type":"Metaspace","replacement":"▁","prepend_scheme":"first"}]})",
              "a,b") == "▁a|,|b");
}

TEST_CASE("empty text has no pieces, and null does not split") {
  CHECK(Split(R"({"type":"ByteLevel","add_prefix_space":true})", "").empty());
  CHECK(Split("null", "a b") == "a b");
}

TEST_CASE("BertPreTokenizer parts words at blanks and punctuation") {
  CHECK(Split(R"({"type":"BertPreTokenizer"})", " Hey, friend!\t$5 a_b") ==
        "Hey|,|friend|!|$|5|a|_|b");
}

TEST_CASE("UnicodeScripts cuts where the script changes, and kana are Han") {
  const std::string json = R"({"type":"UnicodeScripts"})";
  CHECK(Split(json, "どこで生れ。Yes") == "どこで生れ|。|Yes");
  CHECK(Split(json, "Apples are りんご 林檎") == "Apples are |りんご 林檎");
  CHECK(Split(json, "  ab") == "ab");  // spaces of no script at the start are lost
  CHECK(Split(json, "  ").empty());
  CHECK(Split(json, "aйー一") == "a|й|ー一");
}

TEST_CASE("FixedLength counts characters") {
  CHECK(Split(R"({"type":"FixedLength","length":2})", "aé中bc") == "aé|中b|c");
  CHECK(Split(R"({"type":"FixedLength"})", "abcdefg") == "abcde|fg");
}

TEST_CASE("an unknown pre-tokenizer is refused by its name and place") {
  const Json value = ToJson(R"({"type":"Sequence","pretokenizers":[{"type":"Foo"}]})");
  auto splitter = PreTokenizer::Parse(JsonView(value, "pre_tokenizer"));
  REQUIRE_FALSE(splitter.ok());
  CHECK(splitter.error().message ==
        "pre_tokenizer.pretokenizers[0].type is \"Foo\", supported are Sequence, ByteLevel, "
        "BertPreTokenizer, Split, Metaspace, Digits, Punctuation, Whitespace, WhitespaceSplit, "
        "CharDelimiterSplit, UnicodeScripts and FixedLength");
}

}  // namespace
}  // namespace sglrun::tokenizer
