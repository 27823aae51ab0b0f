#include "engine/stop_criteria.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "fake_tokenizer.h"

namespace sglrun::engine {
namespace {

using Kind = FinishReason::Kind;

struct Outcome {
  std::vector<std::int32_t> ids;  // generated until the stop
  FinishReason reason;
  std::string text;
  std::optional<RecordError> error;
};

// Feeds the words one by one as if the model had chosen them.
Outcome Generate(const std::vector<std::string>& words, const SamplingParams& params,
                 std::int64_t max_new_tokens = 100) {
  std::vector<std::string> vocabulary = {"<eos>", "<end>"};
  std::vector<std::int32_t> ids;
  for (const std::string& word : words) {
    auto place = std::ranges::find(vocabulary, word);
    if (place == vocabulary.end()) place = vocabulary.insert(vocabulary.end(), word);
    ids.push_back(static_cast<std::int32_t>(place - vocabulary.begin()));
  }
  const FakeTokenizer tokenizer(vocabulary, {0});
  const std::vector<std::int32_t> prompt = {1};
  StopRegexes regexes;
  auto criteria = StopCriteria::Create(params, max_new_tokens, {{0}}, tokenizer, prompt, regexes);
  REQUIRE(criteria.ok());
  Outcome out;
  for (const std::int32_t id : ids) {
    out.ids.push_back(id);
    auto reason = criteria->Append(id, static_cast<std::int64_t>(out.ids.size()));
    if (!reason.ok()) {
      out.error = reason.error();
      return out;
    }
    if (!*reason) continue;
    out.reason = **reason;
    out.text = OutputText(tokenizer, prompt, out.ids, out.reason, params);
    return out;
  }
  FAIL("nothing stopped the words");
  return out;
}

SamplingParams StopAt(std::vector<std::string> stop) {
  SamplingParams params;
  params.stop = std::move(stop);
  return params;
}

std::string MatchedText(const FinishReason& reason) {
  return std::get<std::string>(reason.matched);
}

TEST_CASE("a stop string cuts the text before itself, or behind with no_stop_trim") {
  SamplingParams params = StopAt({"STOP"});
  const std::vector<std::string> words = {"Hello", " ", "STOP", " world"};
  Outcome out = Generate(words, params);
  CHECK(out.text == "Hello ");
  CHECK(MatchedText(out.reason) == "STOP");
  params.no_stop_trim = true;
  CHECK(Generate(words, params).text == "Hello STOP");
}

TEST_CASE("a stop string spelled by any tokens is never missed") {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"x", "ST", "O", "P", "!"},
                                             {"x", "S", "T", "O", "P"},
                                             {"xSTO", "P"},
                                             {"xS", "TOP", "y"},
                                             {"x", "SSTOP"},
                                             {"xSTOSTO", "P"}}) {
    const Outcome out = Generate(words, StopAt({"STOP"}));
    CHECK(out.text.find("STOP") == std::string::npos);
    CHECK(out.text[0] == 'x');
  }
}

TEST_CASE("text behind the stop string in its token is cut, the token is kept") {
  SamplingParams params = StopAt({"STOP"});
  const Outcome out = Generate({"a", "STOP!", "b"}, params);
  CHECK(out.text == "a");
  CHECK(out.ids.size() == 2);
  params.no_stop_trim = true;
  CHECK(Generate({"a", "STOP!", "b"}, params).text == "aSTOP");
}

TEST_CASE("if one token completes two stop strings, the first one in the request is used") {
  const Outcome out = Generate({"x", "abcd"}, StopAt({"cd", "ab"}));
  CHECK(MatchedText(out.reason) == "cd");
  CHECK(out.text == "xab");
}

TEST_CASE("stop tokens end with their id; the text is without it, ignore_eos ignores them all") {
  SamplingParams params;
  params.stop_token_ids = {3, 3, -5, std::int64_t{1} << 40};
  Outcome out = Generate({"a", "b", "c"}, params);
  CHECK(std::get<std::int32_t>(out.reason.matched) == 3);
  CHECK(out.text == "a");
  CHECK(out.ids.size() == 2);
  params.no_stop_trim = true;
  CHECK(Generate({"a", "b", "c"}, params).text == "ab");
  params.ignore_eos = true;
  out = Generate({"a", "b", "<eos>", "c"}, params, 4);
  CHECK(out.reason.kind == Kind::kLength);
  CHECK(out.reason.length == 4);
  CHECK(out.text == "abc");
}

TEST_CASE("ignore_eos leaves stop strings alone") {
  SamplingParams params = StopAt({"c"});
  params.ignore_eos = true;
  CHECK(Generate({"a", "<eos>", "c"}, params).text == "a");
}

TEST_CASE("a stop completed by the last allowed token is a stop, not length") {
  Outcome out = Generate({"a", "<eos>"}, {}, 2);
  CHECK(out.reason.kind == Kind::kStop);
  CHECK(out.text == "a");
  out = Generate({"a", "b"}, StopAt({"ab"}), 2);
  CHECK(out.reason.kind == Kind::kStop);
  CHECK(out.text.empty());
}

TEST_CASE("a stop string wins over the stop token that spells it") {
  CHECK(MatchedText(Generate({"a", "<eos>"}, StopAt({"<eos>"})).reason) == "<eos>");
}

TEST_CASE("a special token's text stops, and is not in the text that hides it") {
  SamplingParams params = StopAt({"<end>"});
  Outcome out = Generate({"a", "<end>"}, params);
  CHECK(MatchedText(out.reason) == "<end>");
  CHECK(out.text == "a");
  params.skip_special_tokens = false;
  params.no_stop_trim = true;
  CHECK(Generate({"a", "<end>"}, params).text == "a<end>");
}

TEST_CASE("skip_special_tokens false shows EOS only with no_stop_trim") {
  SamplingParams params;
  params.skip_special_tokens = false;
  CHECK(Generate({"a", "<eos>"}, params).text == "a");
  params.no_stop_trim = true;
  CHECK(Generate({"a", "<eos>"}, params).text == "a<eos>");
}

TEST_CASE("a stop regex stops behind the token that completes it and trims nothing") {
  SamplingParams params;
  params.stop_regex = {"\\d{3}$"};
  Outcome out = Generate({"a12", "3", "4"}, params);
  CHECK(out.ids.size() == 2);
  CHECK(out.text == "a123");
  CHECK(MatchedText(out.reason) == "\\d{3}$");
  params.stop_regex = {"END"};
  CHECK(Generate({"a", "END."}, params).text == "aEND.");
  params.stop_regex = {"^b"};
  CHECK(Generate({"a", "b", "<eos>"}, params).ids.size() == 3);
}

TEST_CASE("a regex that backtracks without end is the record's fault") {
  SamplingParams params;
  params.stop_regex = {"(?!x)(?:a+)+[bc]\\d"};
  const std::vector<std::string> words = {std::string(43, 'a'), "x"};
  const Outcome out = Generate(words, params);
  REQUIRE(out.error);
  CHECK(out.error->param == "sampling_params.stop_regex");
  CHECK(out.error->message.find("43 bytes") != std::string::npos);
  // Without look-around the same pattern backtracks nowhere.
  params.stop_regex = {"(?:a+)+[bc]\\d"};
  CHECK(Generate(words, params, 2).reason.kind == Kind::kLength);
}

TEST_CASE("an invalid regex is refused with its place") {
  SamplingParams params;
  params.stop_regex = {"(a"};
  const FakeTokenizer tokenizer({"a"}, {});
  StopRegexes regexes;
  const auto criteria = StopCriteria::Create(params, 1, {}, tokenizer, std::vector{0}, regexes);
  REQUIRE_FALSE(criteria.ok());
  CHECK(criteria.error().message.find("\"(a\"") != std::string::npos);
}

TEST_CASE("a character split over tokens is whole, and U+FFFD only when it stays unfinished") {
  const std::string emoji = "\xF0\x9F\x98\x80";
  const std::vector<std::string> words = {emoji.substr(0, 2), emoji.substr(2, 1), emoji.substr(3),
                                          "<eos>"};
  CHECK(Generate(words, {}).text == emoji);
  const Outcome cut = Generate(words, {}, 2);
  CHECK(cut.text.ends_with("\xEF\xBF\xBD"));
  CHECK(cut.text.find('\xF0') == std::string::npos);
  CHECK(Generate(words, StopAt({emoji})).text.empty());
}

// They used to see U+FFFD where a character was half there, and ended the text in it.
TEST_CASE("stop strings and patterns see whole characters only") {
  const std::vector<std::string> words = {"a", "b\xF0\x9F", "\x98\x80", "c", "<eos>"};
  for (const std::string pattern : {"\\W", "[^ab]", "\xEF\xBF\xBD|\xF0\x9F\x98\x80"}) {
    SamplingParams params;
    params.stop_regex = {pattern};
    const Outcome out = Generate(words, params);
    CHECK(out.ids.size() == 3);
    CHECK(out.text == "ab\xF0\x9F\x98\x80");
  }
  CHECK(Generate(words, StopAt({"\xEF\xBF\xBD"})).text ==
        "ab\xF0\x9F\x98\x80"
        "c");
  const Outcome whole = Generate(words, StopAt({"\xF0\x9F\x98\x80"}));
  CHECK(whole.ids.size() == 3);
  CHECK(whole.text == "ab");
  // Half a character in front of anything is no empty text that a pattern could match.
  SamplingParams empty;
  empty.stop_regex = {"^$|x*"};
  CHECK(Generate({"\xE6\x97", "\xA5", "b"}, empty).text == "\xE6\x97\xA5");
}

TEST_CASE("bytes that become no character are U+FFFD for stop strings and patterns") {
  const std::vector<std::string> words = {"a", "b\xF0\x9F", "c", "d"};
  SamplingParams by_regex;
  by_regex.stop_regex = {
      "\xEF\xBF\xBD"
      "c"};
  CHECK(Generate(words, by_regex).ids.size() == 3);
  CHECK(Generate(words, StopAt({"\xEF\xBF\xBD"})).ids.size() == 3);
  CHECK(Generate(words, StopAt({"\xEF\xBF\xBD"})).text == "ab");
}

TEST_CASE("the text ends at the same character however tokens split the characters") {
  const std::string text = "日本é!語ab";
  SamplingParams params;
  params.stop_regex = {"\\W"};
  const std::size_t end = text.find('!') + 1;
  for (std::size_t size = 1; size <= 4; ++size) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size(); at += size) words.push_back(text.substr(at, size));
    const Outcome out = Generate(words, params);
    CHECK(out.ids.size() == (end + size - 1) / size);
    CHECK(out.text.starts_with("日本é!"));
  }
}

}  // namespace
}  // namespace sglrun::engine
