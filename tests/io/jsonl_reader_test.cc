#include "io/jsonl_reader.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "io/output_file.h"
#include "temp_folder.h"

namespace sglrun::io {
namespace {

std::vector<InputRecord> ReadAll(std::vector<std::string> inputs, ReaderOptions options = {}) {
  auto reader = JsonlReader::Open(std::move(inputs), options);
  REQUIRE(reader.ok());
  std::vector<InputRecord> records;
  while (true) {
    auto next = (*reader)->Next();
    REQUIRE(next.ok());
    if (!next->has_value()) return records;
    records.push_back(**std::move(next));
  }
}

std::vector<std::string> Texts(const std::vector<InputRecord>& records) {
  std::vector<std::string> texts;
  for (const InputRecord& record : records) texts.push_back(record.text);
  return texts;
}

std::string ErrorOf(const std::string& path) {
  auto reader = JsonlReader::Open({path});
  if (!reader.ok()) return reader.error().message;
  while (true) {
    auto next = (*reader)->Next();
    if (!next.ok()) return next.error().message;
    if (!next->has_value()) return "";
  }
}

using Strings = std::vector<std::string>;

TEST_CASE("blank lines are passed over and counted, CRLF ends a line as LF does") {
  const TempFolder folder;
  const auto records = ReadAll({folder.Write("in", "one\r\n\n  \t\r\ntwo\nthree")});
  CHECK(Texts(records) == Strings{"one", "two", "three"});
  CHECK(records[0].line == 1);
  CHECK(records[1].line == 4);
  CHECK(records[2].line == 5);
  CHECK(records[2].index == 2);
}

TEST_CASE("a byte order mark is skipped at the start of each file only") {
  const TempFolder folder;
  const auto records = ReadAll(
      {folder.Write("a", "\xEF\xBB\xBF{}\n\xEF\xBB\xBFx\n"), folder.Write("b", "\xEF\xBB\xBF{1}")});
  CHECK(Texts(records) == Strings{"{}", "\xEF\xBB\xBFx", "{1}"});
}

TEST_CASE("several inputs are one run: lines per file, numbers over all") {
  const TempFolder folder;
  const std::string a = folder.Write("a", "1\n2\n");
  const std::string b = folder.Write("b", "3");
  const auto records = ReadAll({a, folder.Write("empty", ""), b});
  CHECK(Texts(records) == Strings{"1", "2", "3"});
  CHECK(records[2].file == b);
  CHECK(records[2].line == 1);
  CHECK(records[2].index == 2);
}

TEST_CASE("NUL bytes are bytes of their line") {
  const TempFolder folder;
  const auto records = ReadAll({folder.Write("in", std::string("a\0b\nc", 5))});
  CHECK(records[0].text == std::string("a\0b", 3));
  CHECK(records[1].text == "c");
}

TEST_CASE("gzip and zstd are known by content, of several members too") {
  const TempFolder folder;
  for (const Compression compression : {Compression::kGzip, Compression::kZstd}) {
    const std::string bytes =
        Compress("one\ntw", compression) + Compress("o\nthree\n", compression);
    CHECK(Texts(ReadAll({folder.Write("in.jsonl", bytes)})) == Strings{"one", "two", "three"});
  }
  CHECK(Texts(ReadAll({folder.Write("plain.gz", "one\n")})) == Strings{"one"});
  CHECK(Texts(ReadAll({folder.Write("empty.gz", Compress("", Compression::kGzip))})).empty());
}

TEST_CASE("large compressed input arrives whole") {
  const TempFolder folder;
  Strings lines;
  std::string text;
  for (int i = 0; i < 200000; ++i) {
    lines.push_back("{\"text\":\"line " + std::to_string(i * 7919) + "\"}");
    text += lines.back() + "\n";
  }
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip, Compression::kZstd}) {
    CHECK(Texts(ReadAll({folder.Write("in", Compress(text, compression))})) == lines);
  }
}

TEST_CASE("a damaged or truncated compressed input is an error that names the file") {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919) + "\n";
  for (const Compression compression : {Compression::kGzip, Compression::kZstd}) {
    const std::string bytes = Compress(text, compression);
    for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{12}}) {
      const std::string path = folder.Write("cut", bytes.substr(0, size));
      const std::string message = ErrorOf(path);
      CHECK(message.find("\"" + path + "\"") != std::string::npos);
      CHECK(message.find("cut off") != std::string::npos);
    }
    std::string damaged = bytes;
    damaged[bytes.size() / 2] ^= 0x55;
    damaged[bytes.size() / 2 + 1] ^= 0x55;
    CHECK(ErrorOf(folder.Write("bad", damaged)).find("damaged") != std::string::npos);
  }
}

TEST_CASE(
    "data after the end of a compressed input is ignored and joins no line of the next input") {
  const TempFolder folder;
  const std::string next = folder.Write("next", "c\n");
  for (const Compression compression : {Compression::kGzip, Compression::kZstd}) {
    const std::string streams = Compress("a\n", compression) + Compress("b\n", compression);
    for (const std::string& tail : {std::string("x"), std::string("{}\n{}\n"), std::string("\x1f"),
                                    std::string("\x28\xb5\x2f"), std::string(700, '\0'),
                                    std::string(700, '\0') + "x", std::string(1 << 20, 'y')}) {
      CAPTURE(tail.substr(0, 10));
      const std::string path = folder.Write("tail", streams + tail);
      CHECK(Texts(ReadAll({path, next})) == Strings{"a", "b", "c"});
    }
  }
}

TEST_CASE("the lines before a damage are read") {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7919) + "\n";
  for (const Compression compression : {Compression::kGzip, Compression::kZstd}) {
    // Within one read of the decompressor and many reads after the beginning.
    for (const std::string& before : {std::string("a\nb\n"), text}) {
      const std::string whole = Compress(before, compression);
      std::string damaged = Compress(text, compression);
      damaged[damaged.size() / 2] ^= 0x55;
      damaged[damaged.size() / 2 + 1] ^= 0x55;
      for (const std::string& second : {damaged, damaged.substr(0, 12)}) {
        auto reader = JsonlReader::Open({folder.Write("in", whole + second)});
        REQUIRE(reader.ok());
        std::string seen;
        auto next = (*reader)->Next();
        for (; next.ok() && next->has_value(); next = (*reader)->Next()) {
          seen += (*next)->text + "\n";
        }
        CHECK_FALSE(next.ok());
        CHECK(seen.substr(0, before.size()) == before);
      }
    }
  }
}

TEST_CASE("a line above the limit is marked and skipped, its neighbours are read") {
  const TempFolder folder;
  ReaderOptions options;
  options.max_line_bytes = 1000;
  const std::string text =
      "a\n" + std::string(1000000, 'x') + "\n" + std::string(1000, 'y') + "\nb";
  const auto records = ReadAll({folder.Write("in", text)}, options);
  REQUIRE(records.size() == 4);
  CHECK(records[1].too_long);
  CHECK(records[1].text.empty());
  CHECK(records[1].line == 2);
  CHECK_FALSE(records[2].too_long);
  CHECK(records[3].text == "b");
}

TEST_CASE("a long line is announced once, while it is read") {
  const TempFolder folder;
  const std::string text = "a\n" + std::string(3 * kLongLineBytes, 'x') + "\nb\n" +
                           std::string(kLongLineBytes + 1, 'y') + "\n" +
                           std::string(kLongLineBytes, 'z');
  auto reader = JsonlReader::Open({folder.Write("in", text)});
  REQUIRE(reader.ok());
  int announced = 0;
  (*reader)->WhenLineIsLong([&] { ++announced; });
  std::vector<int> after;
  for (auto next = (*reader)->Next(); next.ok() && next->has_value(); next = (*reader)->Next()) {
    CHECK((*next)->text.capacity() <= kMaxLineBytes);
    after.push_back(announced);
  }
  CHECK(after == std::vector<int>{0, 1, 1, 2, 2});
}

TEST_CASE("missing inputs, folders and a second stdin are refused before anything is read") {
  const TempFolder folder;
  const std::string good = folder.Write("good", "1\n");
  CHECK(JsonlReader::Open({good, folder.File("none")}).error().message ==
        "cannot read \"" + folder.File("none") + "\": No such file or directory");
  CHECK(JsonlReader::Open({good, folder.File("")}).error().message.find("directory") !=
        std::string::npos);
  CHECK(JsonlReader::Open({"-", good, "-"}).error().message.find("named twice") !=
        std::string::npos);
}

TEST_CASE("progress counts bytes of the files") {
  const TempFolder folder;
  auto reader = JsonlReader::Open({folder.Write("a", "12\n34\n"), folder.Write("b", "5\n")});
  REQUIRE(reader.ok());
  CHECK((*reader)->bytes_total() == 8);
  while ((*reader)->Next()->has_value()) {
  }
  CHECK((*reader)->bytes_read() == 8);
}

TEST_CASE("a reader that waits for a pipe ends when it is told to stop") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], "one\npart", 8) == 8);
  std::atomic<bool> stop = false;
  ReaderOptions options;
  options.stop = &stop;
  auto reader = JsonlReader::Open({"/dev/fd/" + std::to_string(ends[0])}, options);
  REQUIRE(reader.ok());
  CHECK((*reader)->bytes_total() == 0);
  CHECK((*(*reader)->Next())->text == "one");
  stop = true;
  CHECK((*(*reader)->Next())->text == "part");
  CHECK_FALSE((*reader)->Next()->has_value());
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace sglrun::io
