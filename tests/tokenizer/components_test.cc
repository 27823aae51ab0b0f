// Normalizers, decoders, post-processors and added tokens, one by one.
#include "tests/tokenizer/small_tokenizers.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/decoder.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/post_processor.h"

namespace sglrun::tokenizer {
namespace {

std::string Normalize(const std::string& json, std::string text) {
  const Json value = ToJson(json);
  auto normalizer = Normalizer::Parse(JsonView(value, "normalizer"));
  REQUIRE_MESSAGE(normalizer.ok(), (normalizer.ok() ? "" : normalizer.error().message));
  REQUIRE(normalizer->Apply(text).ok());
  return text;
}

TEST_CASE("normalizers rewrite text") {
  CHECK(Normalize(R"({"type":"NFC"})", "e\u0301") == "é");
  CHECK(Normalize(R"({"type":"NFD"})", "é") == "e\u0301");
  CHECK(Normalize(R"({"type":"NFKC"})", "ﬁ") == "fi");
  CHECK(Normalize(R"({"type":"NFKD"})", "①é") == "1e\u0301");
  CHECK(Normalize(R"({"type":"Lowercase"})", "ÀB") == "àb");
  CHECK(Normalize(R"({"type":"StripAccents"})", "e\u0301") == "e");
  CHECK(Normalize(R"({"type":"ByteLevel"})", " é") == "ĠÃ©");
  CHECK(Normalize(R"({"type":"Prepend","prepend":"▁"})", "a") == "▁a");
  CHECK(Normalize(R"({"type":"Prepend","prepend":"▁"})", "").empty());
  CHECK(Normalize(R"({"type":"Replace","pattern":{"String":" "},"content":"▁"})", "a b") == "a▁b");
  CHECK(Normalize(R"({"type":"Replace","pattern":{"Regex":"a+"},"content":"$"})", "aab") == "$b");
  CHECK(Normalize("null", "a") == "a");
}

TEST_CASE("Strip takes blanks from the sides it names") {
  CHECK(Normalize(R"({"type":"Strip","strip_left":true,"strip_right":true})", " \ta b\u3000") ==
        "a b");
  CHECK(Normalize(R"({"type":"Strip","strip_left":true,"strip_right":false})", " a ") == "a ");
  CHECK(Normalize(R"({"type":"Strip","strip_left":false,"strip_right":true})", " a ") == " a");
  CHECK(Normalize(R"({"type":"Strip","strip_left":true,"strip_right":false})", "  ").empty());
  CHECK(Normalize(R"({"type":"Strip","strip_left":false,"strip_right":true})", "  ").empty());
}

TEST_CASE("a Sequence of normalizers works in order") {
  CHECK(Normalize(R"({"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"▁"},
                     {"type":"Replace","pattern":{"String":" "},"content":"▁"}]})",
                  "a b") == "▁a▁b");
}

TEST_CASE("Nmt drops controls and makes spaces of separators") {
  CHECK(Normalize(R"({"type":"Nmt"})",
                  "a\x01"
                  "b\x07\x7F"
                  "c\u008F"
                  "d") == "abcd");
  CHECK(Normalize(R"({"type":"Nmt"})", "a\tb\nc\u200Bd\uFEFFe\uFFFDf▁g") == "a b c d e f g");
  CHECK(Normalize(R"({"type":"Nmt"})", "a\u00A0b\u3000c") == "a\u00A0b\u3000c");
}

TEST_CASE("BertNormalizer cleans, parts ideographs, drops accents and lowers case") {
  const auto bert = [](const std::string& options, const std::string& text) {
    return Normalize(R"({"type":"BertNormalizer",)" + options + "}", text);
  };
  const std::string all = R"("clean_text":true,"handle_chinese_chars":true,"strip_accents":null,)";
  CHECK(bert(all + R"("lowercase":true)", "Élan\t中文\u200B!\uFFFD") == "elan  中  文 !");
  CHECK(bert(all + R"("lowercase":false)", "Élan") == "Élan");  // null: as lowercase
  CHECK(bert(R"("clean_text":false,"handle_chinese_chars":false,"strip_accents":true,)"
             R"("lowercase":false)",
             "É\t中") == "E\t中");
  CHECK(bert(R"("clean_text":true,"handle_chinese_chars":false,"strip_accents":false,)"
             R"("lowercase":true)",
             std::string("É\r\n\0x\u00A0", 8)) == "é  x ");
}

TEST_CASE("a normalizer that is not known is refused by name") {
  const Json value = ToJson(R"({"type":"Foo"})");
  auto normalizer = Normalizer::Parse(JsonView(value, "normalizer"));
  REQUIRE_FALSE(normalizer.ok());
  CHECK(normalizer.error().message ==
        "normalizer.type is \"Foo\", supported are Sequence, NFC, NFD, NFKC, NFKD, Lowercase, "
        "StripAccents, ByteLevel, Strip, Prepend, Replace, Nmt, Precompiled and BertNormalizer");
}

std::string Decode(const std::string& json, std::vector<std::string> tokens) {
  const Json value = ToJson(json);
  auto decoder = Decoder::Parse(JsonView(value, "decoder"));
  REQUIRE_MESSAGE(decoder.ok(), (decoder.ok() ? "" : decoder.error().message));
  return decoder->Decode(std::move(tokens));
}

TEST_CASE("decoders turn tokens into text") {
  CHECK(Decode(R"({"type":"ByteLevel"})", {"Ġa", "Ã", "©", "▁"}) == " aé▁");
  CHECK(Decode(R"({"type":"ByteLevel"})", {"Ã", "a"}) == "\uFFFDa");
  CHECK(Decode(R"({"type":"Metaspace","replacement":"▁"})", {"▁a", "▁b"}) == "a b");
  CHECK(Decode(R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"never"})",
               {"▁a", "▁b"}) == " a b");
  CHECK(Decode(R"({"type":"BPEDecoder","suffix":"</w>"})", {"a</w>", "b", "c</w>"}) == "a bc");
  CHECK(Decode(R"({"type":"Replace","pattern":{"String":"x"},"content":"yz"})", {"axx", "b"}) ==
        "ayzyzb");
  CHECK(Decode(R"({"type":"Strip","content":"x","start":1,"stop":2})", {"xxaxxx", "xb"}) == "xaxb");
  CHECK(Decode("null", {"a", "b"}) == "a b");
}

TEST_CASE("ByteFallback gives the text of a valid run and U+FFFD for each byte of another") {
  const std::string json = R"({"type":"ByteFallback"})";
  CHECK(Decode(json, {"a", "<0xC3>", "<0xA9>", "b"}) == "aéb");
  CHECK(Decode(json, {"<0x41>", "<0xC3>", "b"}) == "\uFFFD\uFFFDb");
  CHECK(Decode(json, {"<0x4>", "<0xZZ>"}) == "<0x4><0xZZ>");
}

TEST_CASE("the decoder of Llama 2 drops one space at the start of the text only") {
  const std::string json = R"({"type":"Sequence","decoders":[
      {"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},
      {"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]})";
  CHECK(Decode(json, {"▁▁a", "▁b"}) == " a b");
  const Json value = ToJson(json);
  auto decoder = Decoder::Parse(JsonView(value, "decoder"));
  REQUIRE(decoder.ok());
  CHECK(decoder->BytesInside("▁b") == " b");
  CHECK(decoder->BytesInside("<0xC3>") == "\xC3");
  CHECK(decoder->StripsLeadingSpace());
}

TEST_CASE("WordPiece joins the parts of words and takes back spaces before punctuation") {
  const std::vector<std::string> tokens = {"##the", "play", "##ing", ".", "is", "n't", "it", "?"};
  CHECK(Decode(R"({"type":"WordPiece","prefix":"##","cleanup":true})", tokens) ==
        "##the playing. isn't it?");
  CHECK(Decode(R"({"type":"WordPiece","prefix":"##","cleanup":false})", tokens) ==
        "##the playing . is n't it ?");
}

TEST_CASE("CTC takes repetitions once, unless the padding parts them") {
  const std::vector<std::string> tokens = {"<pad>", "h", "h", "i", "<pad>", "i", "|", "|", "a"};
  CHECK(Decode(R"({"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":true})",
               tokens) == "hii a");
  CHECK(Decode(R"({"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":false})",
               tokens) == "hii|a");
}

TEST_CASE("a decoder that is not known is refused by name") {
  const Json value = ToJson(R"({"type":"Foo"})");
  auto decoder = Decoder::Parse(JsonView(value, "decoder"));
  REQUIRE_FALSE(decoder.ok());
  CHECK(decoder.error().message ==
        "decoder.type is \"Foo\", supported are Sequence, ByteLevel, ByteFallback, Fuse, "
        "Metaspace, Replace, Strip, BPEDecoder, WordPiece and CTC");
}

std::string Template(const std::string& json) {
  Vocabulary vocabulary;
  for (int id = 0; id < 5; ++id) REQUIRE(vocabulary.Add("t" + std::to_string(id), id).ok());
  const Json value = ToJson(json);
  auto post = PostProcessor::Parse(JsonView(value, "post_processor"), vocabulary);
  if (!post.ok()) return post.error().message;
  std::string out;
  for (const TokenId id : post->prefix) out += std::to_string(id) + " ";
  out += "A";
  for (const TokenId id : post->suffix) out += " " + std::to_string(id);
  return out;
}

const char* const kBosTemplate = R"({"type":"TemplateProcessing","single":[
    {"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
    {"SpecialToken":{"id":"</s>","type_id":0}}],"pair":[],"special_tokens":{
    "<s>":{"id":"<s>","ids":[1],"tokens":["<s>"]},
    "</s>":{"id":"</s>","ids":[2,3],"tokens":["</s>","x"]}}})";

TEST_CASE("post-processors put special tokens around the text") {
  CHECK(Template("null") == "A");
  CHECK(Template(R"({"type":"ByteLevel"})") == "A");
  CHECK(Template(kBosTemplate) == "1 A 2 3");
  CHECK(Template(R"({"type":"BertProcessing","sep":["s",2],"cls":["c",1]})") == "1 A 2");
  CHECK(
      Template(R"({"type":"RobertaProcessing","sep":["s",2],"cls":["c",1],"trim_offsets":true})") ==
      "1 A 2");
  CHECK(Template(R"({"type":"Sequence","processors":[{"type":"ByteLevel"},)" +
                 std::string(kBosTemplate) +
                 R"(,{"type":"BertProcessing","sep":["s",4],"cls":["c",0]}]})") == "0 1 A 2 3 4");
}

TEST_CASE("a post-processor with an id that is no token is refused") {
  CHECK(Template(R"({"type":"BertProcessing","sep":["s",9],"cls":["c",1]})") ==
        "post_processor.sep[1] is 9, must be the id of a token");
  CHECK(Template(R"({"type":"TemplateProcessing","single":[],"special_tokens":{}})") ==
        "post_processor.single is [], must be a template with {\"Sequence\": {\"id\": \"A\"}}");
}

// Sections with bars between them, tokens in brackets.
std::string Sections(const std::vector<AddedToken>& tokens, std::string_view text) {
  AddedTokenFinder finder;
  for (const AddedToken& token : tokens) finder.Add(token.content, token);
  std::vector<Section> sections;
  finder.Split(text, sections);
  std::string out;
  for (const Section& section : sections) {
    out += out.empty() ? "" : "|";
    out += section.id ? "[" + std::string(section.text) + "]" : std::string(section.text);
  }
  return out;
}

TEST_CASE("added tokens are found leftmost, then longest") {
  CHECK(Sections({{.content = "<a>", .id = 0}, {.content = "<a><b>", .id = 1}}, "x<a><b><a>y") ==
        "x|[<a><b>]|[<a>]|y");
  CHECK(Sections({{.content = "ab", .id = 0}, {.content = "bcd", .id = 1}}, "abcd") == "[ab]|cd");
  CHECK(Sections({}, "text") == "text");
  CHECK(Sections({{.content = "a", .id = 0}}, "").empty());
}

TEST_CASE("lstrip and rstrip take the blanks beside a token") {
  CHECK(Sections({{.content = "<m>", .id = 0, .lstrip = true}}, "a \t<m> b") == "a|[ \t<m>]| b");
  CHECK(Sections({{.content = "<m>", .id = 0, .rstrip = true}}, "a <m> \u3000b") ==
        "a |[<m> \u3000]|b");
  CHECK(Sections({{.content = "<m>", .id = 0, .lstrip = true, .rstrip = true}}, "<m> <m>") ==
        "[<m> ]|[<m>]");
}

TEST_CASE("a single word is not found inside another") {
  const std::vector<AddedToken> tokens = {{.content = "cat", .id = 0, .single_word = true}};
  CHECK(Sections(tokens, "cat concat cats a_cat cat,écat") ==
        "[cat]| concat cats a_cat |[cat]|,écat");
}

}  // namespace
}  // namespace sglrun::tokenizer
