// Ids of the reference libraries, tests/golden/tokenizer/README.md.
#include <sstream>

#include "base/mapped_file.h"
#include "base/utf8.h"
#include "tests/tokenizer/small_tokenizers.h"

namespace sglrun::tokenizer {
namespace {

const std::string kRoot = SGLRUN_SOURCE_DIR "/";

std::vector<Json> ReadRows(const std::string& path) {
  auto text = ReadFile(kRoot + path);
  REQUIRE(text.ok());
  std::vector<Json> rows;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) rows.push_back(ToJson(line));
  return rows;
}

std::string BytesOfHex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return out;
}

std::string TextOf(const Json& row) {
  if (const Json* hex = row.Find("bytes_hex")) return BytesOfHex(hex->as_string());
  if (const Json* unit = row.Find("repeat")) {
    std::string out;
    for (std::int64_t i = 0; i < row.Find("times")->as_int(); ++i) out += unit->as_string();
    return out;
  }
  return row.Find("text")->as_string();
}

std::string Fnv1a(std::string_view bytes) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string LittleEndian(const Ids& ids) {
  std::string out;
  for (const TokenId id : ids) {
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(id >> shift));
  }
  return out;
}

void CheckRow(const Json& golden, const Ids& ids) {
  if (const Json* count = golden.Find("count")) {
    CHECK(static_cast<std::int64_t>(ids.size()) == count->as_int());
    CHECK(Fnv1a(LittleEndian(ids)) == golden.Find("fnv1a")->as_string());
    return;
  }
  Ids expected;
  for (const Json& id : golden.Find("ids")->as_array()) {
    expected.push_back(static_cast<TokenId>(id.as_int()));
  }
  CHECK(ids == expected);
}

void CheckGolden(const std::string& tokenizer_path, const std::string& golden, bool reversible,
                 bool rows_may_be_empty) {
  auto tokenizer = Tokenizer::Load(kRoot + tokenizer_path);
  REQUIRE_MESSAGE(tokenizer.ok(), (tokenizer.ok() ? "" : tokenizer.error().message));
  const std::vector<Json> strings = ReadRows("tests/data/tokenizer_strings.jsonl");
  const std::vector<Json> rows = ReadRows("tests/golden/tokenizer/" + golden);
  REQUIRE(rows.size() == strings.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].Find("id")->as_int());
    const Json* expected = rows[i].Find("ids");
    if (rows_may_be_empty && expected != nullptr && expected->as_array().empty()) continue;
    const std::string text = TextOf(strings[i]);
    const Ids ids = Encode(**tokenizer, text);
    CheckRow(rows[i], ids);
    if (const Json* decoded = rows[i].Find("decoded")) {
      CHECK(Fnv1a((*tokenizer)->Decode(ids, false)) == decoded->as_string());
    }
    if (reversible) CHECK((*tokenizer)->Decode(ids, false) == ToValidUtf8(text));
    IncrementalDetokenizer stream(**tokenizer, {}, false);
    std::string streamed;
    for (const TokenId id : ids) streamed += stream.Append(id);
    CHECK(streamed + stream.Finish() == (*tokenizer)->Decode(ids, false));
  }
}

TEST_CASE("the sample model's tokenizer gives the ids of the tokenizers library") {
  CheckGolden("samples/model/tokenizer.json", "sample.jsonl", true, false);
}

TEST_CASE("a SentencePiece model gives the ids of the sentencepiece library") {
  CheckGolden("tests/data/tokenizer_spm.model", "sentencepiece.jsonl", false, true);
}

TEST_CASE("tokenizers of other kinds give the ids and texts of the tokenizers library") {
  for (const char* name : {"llama3", "gemma", "unigram", "bert"}) {
    CAPTURE(name);
    CheckGolden("tests/data/tokenizers/" + std::string(name) + ".json",
                std::string(name) + ".jsonl", false, false);
  }
}

}  // namespace
}  // namespace sglrun::tokenizer
