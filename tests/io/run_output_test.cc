// Output file, journal and resuming. A kill is imitated by cutting the files where it would leave
// them, and by dropping a RunOutput without Finish.
#include "io/run_output.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "temp_folder.h"
#include "tests/rounds.h"

namespace sglrun::io {
namespace {

namespace fs = std::filesystem;

Json Run(std::int64_t seed = 42) {
  Json::Object run;
  run.emplace_back("model", Json(std::string("abc")));
  run.emplace_back("seed", Json(seed));
  return Json(std::move(run));
}

RowKey Place(int record, int shift = 0) {
  return {HashBytes("record " + std::to_string(record)), record + shift, record + shift + 1};
}
std::string RowOf(int record) {
  return "{\"row\":" + std::to_string(record) + ",\"text\":\"" + std::string(record % 50, 'x') +
         "\"}\n";
}

std::unique_ptr<RunOutput> Open(RunOutputOptions options) {
  auto output = RunOutput::Open(std::move(options));
  if (!output.ok()) FAIL(output.error().message);
  return std::move(output).value();
}

RunOutputOptions Options(const std::string& path) {
  RunOutputOptions options;
  options.path = path;
  options.run = Run();
  return options;
}

// What batch does with records [begin, end), every seventh one failing. Gives how many rows were
// computed.
int Walk(RunOutput& output, const std::vector<int>& records, std::size_t flush_every = 3) {
  int computed = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    RowKey place = Place(records[i]);
    place.index = static_cast<std::int64_t>(i);
    place.line = place.index + 1;
    if (output.Find(place) != RowState::kMissing) {
      CHECK(output.Reuse(place).ok());
    } else {
      CHECK(output.Append(place, RowOf(records[i]), records[i] % 7 == 6).ok());
      ++computed;
    }
    if (i % flush_every == 0) CHECK(output.Flush().ok());
  }
  return computed;
}

std::vector<int> Count(int end) {
  std::vector<int> records;
  for (int i = 0; i < end; ++i) records.push_back(i);
  return records;
}

std::string Expected(const std::vector<int>& records) {
  std::string text;
  for (const int record : records) text += RowOf(record);
  return text;
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return std::move(Decompress(bytes, CompressionOf(path))).value();
}

// A run over so many records that came to its end.
void FinishedRun(const std::string& path, int records) {
  auto output = Open(Options(path));
  Walk(*output, Count(records));
  CHECK(output->Finish({records}).ok());
}

const std::vector<std::string> kNames = {"out.jsonl", "out.jsonl.gz", "out.jsonl.zst"};

TEST_CASE("a run writes its rows and a journal that names them") {
  for (const std::string& name : kNames) {
    const TempFolder folder;
    const std::string path = folder.File(name);
    auto output = Open(Options(path));
    Walk(*output, Count(20));
    CHECK(output->Finish({20}).ok());
    CHECK(Content(path) == Expected(Count(20)));
    const auto size = static_cast<std::int64_t>(fs::file_size(path));
    const JournalContents journal = *ReadJournal(JournalPath(path), size).value();
    CHECK(journal.entries.size() == 20);
    CHECK(journal.finished == InputEnd{20, {}});
    CHECK(journal.output_end() == size);
    CHECK(journal.entries[6].failed);
    CHECK(journal.entries[5].key == Place(5).key);
    auto reader = RowReader::Open(path, CompressionOf(path)).value();
    for (const std::size_t i : {std::size_t{19}, std::size_t{0}, std::size_t{7}}) {
      CHECK(reader->Read(journal.entries, i).value() == RowOf(static_cast<int>(i)));
    }
  }
}

TEST_CASE("a run cut off at any byte continues to the same file") {
  for (const std::string& name : kNames) {
    const TempFolder folder;
    const std::string path = folder.File(name);
    FinishedRun(path, 12);
    const std::string whole = folder.Read(name);
    const std::string journal = folder.Read(name + ".journal");
    const std::size_t step = name != "out.jsonl" ? 13 : kSanitized ? 5 : 1;
    for (std::size_t cut = 0; cut <= journal.size(); cut += step) {
      // Rows are in the file before their entries are: the output may be longer, never shorter.
      folder.Write(name, whole);
      folder.Write(name + ".journal", journal.substr(0, cut));
      const auto torn = RunOutput::Open(Options(path));
      if (!torn.ok()) continue;  // a torn header, which no kill leaves beside rows
      Walk(**torn, Count(12));
      CHECK((*torn)->Finish({12}).ok());
      CHECK(Content(path) == Expected(Count(12)));
    }
    for (std::size_t cut = 0; cut <= whole.size(); cut += step) {
      folder.Write(name, whole.substr(0, cut));
      folder.Write(name + ".journal", journal);
      auto output = Open(Options(path));
      Walk(*output, Count(12));
      CHECK(output->Finish({12}).ok());
      CHECK(Content(path) == Expected(Count(12)));
    }
  }
}

TEST_CASE("what was flushed is not computed again, what was not is") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  {
    auto output = Open(Options(path));
    Walk(*output, Count(8), 100);  // flushes once, after the first
  }
  auto output = Open(Options(path));
  CHECK(output->rows_found() == 1);
  CHECK(Walk(*output, Count(8)) == 7);
}

TEST_CASE("a finished run does nothing and stays as it is") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  for (int i = 0; i < 3; ++i) {
    auto output = Open(Options(path));
    CHECK(Walk(*output, Count(9)) == (i == 0 ? 9 : 0));
    CHECK(output->Finish({9}).ok());
  }
  CHECK(fs::file_size(JournalPath(path)) == 8 + 8 + Run().CanonicalDump().size() + 8 + 10 * 64);
}

TEST_CASE("rows of an edited input are reused by key and stand in its order") {
  for (const std::string& name : kNames) {
    const TempFolder folder;
    const std::string path = folder.File(name);
    FinishedRun(path, 30);
    // 0 to 4 as before, new ones, others moved, the rest left out. 6 failed and moved: its row
    // tells a line that is no longer its own.
    const std::vector<int> edited = {0, 1, 2, 3, 4, 100, 12, 11, 6, 101, 25};
    auto output = Open(Options(path));
    CHECK(Walk(*output, edited) == 3);
    CHECK(output->Finish({11}).ok());
    CHECK(Content(path) == Expected(edited));
    CHECK_FALSE(folder.Has(name + ".new"));
    CHECK_FALSE(folder.Has(name + ".new.journal"));
    output.reset();
    output = Open(Options(path));
    CHECK(Walk(*output, edited) == 0);
  }
}

TEST_CASE("a shortened input leaves no old rows behind") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  for (const int records : {20, 5}) {
    auto output = Open(Options(path));
    Walk(*output, Count(records));
    CHECK(output->Finish({records}).ok());
    CHECK(Content(path) == Expected(Count(records)));
  }
}

TEST_CASE("--retry-errors runs failed rows again, at their place") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  FinishedRun(path, 20);
  RunOutputOptions retry = Options(path);
  retry.retry_errors = true;
  auto output = Open(retry);
  CHECK(output->Find(Place(6)) == RowState::kMissing);
  CHECK(Walk(*output, Count(20)) == 2);  // 6 and 13
  CHECK(output->Finish({20}).ok());
  CHECK(Content(path) == Expected(Count(20)));
  output.reset();
  CHECK(Open(Options(path))->Find(Place(6)) == RowState::kFailed);
  CHECK(Open(Options(path))->Find(Place(5)) == RowState::kServed);
}

TEST_CASE("--retry-errors takes new settings where no served row was made with others") {
  const TempFolder folder;
  RunOutputOptions retry = Options(folder.File("out.jsonl"));
  {
    auto output = Open(retry);
    Walk(*output, {6, 13});
    CHECK(output->Finish({2}).ok());
  }
  retry.run = Run(43);
  CHECK_FALSE(RunOutput::Open(retry).ok());
  retry.retry_errors = true;
  {
    auto output = Open(retry);
    CHECK(Walk(*output, {6, 13}) == 2);
    CHECK(output->Append(Place(1, 2), RowOf(1), false).ok());
    CHECK(output->Finish({3}).ok());
  }
  retry.run = Run(44);
  CHECK(RunOutput::Open(retry).error().message ==
        "\"" + retry.path +
            "\" belongs to another run (seed was 43, now 44), and --retry-errors keeps its "
            "successful rows; use the same settings; name another output, or start over with "
            "--overwrite");
  CHECK(Content(retry.path) == Expected({6, 13, 1}));
}

TEST_CASE("a kill while the output is rebuilt loses no row of either file") {
  for (const std::string& name : kNames) {
    const TempFolder folder;
    const std::string path = folder.File(name);
    FinishedRun(path, 20);
    std::vector<int> edited = {100, 101};
    for (const int record : Count(20)) edited.push_back(record == 10 ? 102 : record);
    {
      auto output = Open(Options(path));
      Walk(*output, edited, 1);  // everything flushed, then killed before Finish
      CHECK(folder.Has(name + ".new"));
    }
    auto output = Open(Options(path));
    CHECK_FALSE(folder.Has(name + ".new"));
    CHECK(Walk(*output, edited) == 0);
    CHECK(output->Finish({static_cast<std::int64_t>(edited.size())}).ok());
    CHECK(Content(path) == Expected(edited));
  }
}

TEST_CASE("a kill between the two renames is repaired") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  FinishedRun(path, 20);
  const std::string old_journal = folder.Read("out.jsonl.journal");
  const std::vector<int> edited = {3, 2, 1};
  {
    auto output = Open(Options(path));
    Walk(*output, edited);
    CHECK(output->Finish({3}).ok());
  }
  folder.Write("out.jsonl.new.journal", folder.Read("out.jsonl.journal"));
  folder.Write("out.jsonl.journal", old_journal);
  auto output = Open(Options(path));
  CHECK(output->rows_found() == 3);
  CHECK(Walk(*output, edited) == 0);
  CHECK(Content(path) == Expected(edited));
}

TEST_CASE("with --order completion rows stay in the order in which they came") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  RunOutputOptions options = Options(path);
  options.order = RowOrder::kCompletion;
  {
    auto output = Open(options);
    for (const int record : {3, 1, 0}) {
      CHECK(output->Append(Place(record), RowOf(record), false).ok());
    }
    CHECK(output->Flush().ok());
  }
  {
    auto output = Open(options);
    for (const int record : {0, 1, 3}) CHECK(output->Reuse(Place(record)).ok());
    CHECK(output->Append(Place(2), RowOf(2), false).ok());
    CHECK(output->Finish({4}).ok());
    CHECK(Content(path) == Expected({3, 1, 0, 2}));
  }
  auto output = Open(options);
  CHECK(output->Find(Place(1, 1)) == RowState::kMissing);  // its row tells another line
  for (const int record : {0, 2}) CHECK(output->Reuse(Place(record)).ok());
  CHECK(output->Append(Place(9), RowOf(9), false).ok());
  CHECK(output->Finish({3}).ok());
  CHECK(Content(path) == Expected({0, 2, 9}));
}

TEST_CASE("another run's output is refused with what differs, unless --overwrite") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  FinishedRun(path, 5);
  RunOutputOptions other = Options(path);
  other.run = Run(43);
  const auto refused = RunOutput::Open(other);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "\"" + path +
                                       "\" belongs to another run (seed was 42, now 43); name "
                                       "another output, or start over with --overwrite");
  CHECK(Content(path) == Expected(Count(5)));
  other.overwrite = true;
  auto output = Open(other);
  CHECK(output->rows_found() == 0);
  CHECK(Content(path) == Expected(Count(5)));  // until there is something to put in its place
  CHECK(output->Append(Place(7), RowOf(7), false).ok());
  CHECK(output->Flush().ok());
  CHECK(Content(path) == Expected({7}));
}

TEST_CASE("an output that never got a row leaves no trace") {
  const TempFolder folder;
  { auto output = Open(Options(folder.File("out.jsonl"))); }
  CHECK_FALSE(folder.Has("out.jsonl"));
  CHECK_FALSE(folder.Has("out.jsonl.journal"));
}

TEST_CASE("rows whose record is no longer in the input are moved to OUT.dropped") {
  for (const RowOrder order : {RowOrder::kInput, RowOrder::kCompletion}) {
    const TempFolder folder;
    RunOutputOptions options = Options(folder.File("out.jsonl"));
    options.order = order;
    {
      auto output = Open(options);
      Walk(*output, Count(5));
      CHECK(output->Finish({5}).ok());
    }
    auto output = Open(options);
    for (const int record : {0, 2}) {
      RowKey place = Place(record);
      place.index = record / 2;
      CHECK(output->Reuse(place).ok());
    }
    CHECK(output->Finish({2}).ok());
    CHECK(Content(options.path) == Expected({0, 2}));
    CHECK(output->dropped_rows() == 3);
    CHECK(folder.Read("out.jsonl.dropped") == Expected({1, 3, 4}));
  }
}

TEST_CASE(
    "failed rows without a record are also moved to OUT.dropped, except those of retried records") {
  for (const RowOrder order : {RowOrder::kInput, RowOrder::kCompletion}) {
    const TempFolder folder;
    RunOutputOptions options = Options(folder.File("out.jsonl"));
    options.order = order;
    {
      auto output = Open(options);
      Walk(*output, {5, 6, 13});
      CHECK(output->Finish({3}).ok());
    }
    options.retry_errors = true;
    auto output = Open(options);
    Walk(*output, {5, 6});
    CHECK(output->Finish({2}).ok());
    CHECK(Content(options.path) == Expected({5, 6}));
    CHECK(output->dropped_rows() == 1);
    CHECK(folder.Read("out.jsonl.dropped") == Expected({13}));
  }
}

TEST_CASE("a file that sglrun did not write is not touched") {
  const TempFolder folder;
  const std::string path = folder.Write("out.jsonl", "precious\n");
  CHECK(RunOutput::Open(Options(path)).error().message.find("has no journal") != std::string::npos);
  CHECK_FALSE(folder.Has("out.jsonl.journal"));
  folder.Write("out.jsonl.journal", "something else entirely");
  CHECK(RunOutput::Open(Options(path)).error().message.find("is not a journal") !=
        std::string::npos);
  CHECK(folder.Read("out.jsonl") == "precious\n");
}

TEST_CASE("two runs cannot write one output at the same time") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  const auto first = Open(Options(path));
  const auto second = RunOutput::Open(Options(path));
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().message.find("in use") != std::string::npos);
}

TEST_CASE("places that cannot be written are named with the reason") {
  const TempFolder folder;
  const std::string missing = folder.File("none/out.jsonl");
  CHECK(RunOutput::Open(Options(missing)).error().message ==
        "cannot write \"" + missing + "\": No such file or directory");
  CHECK(RunOutput::Open(Options(folder.File(""))).error().message.find("cannot write") == 0);
}

TEST_CASE("a full disk and a closed pipe come back as sentences") {
  if (fs::exists("/dev/full")) {
    auto full = Open(Options("/dev/full"));
    CHECK_FALSE(full->has_journal());
    CHECK(full->Append(Place(0), RowOf(0), false).ok());
    CHECK(full->Flush().error().message == "cannot write \"/dev/full\": No space left on device");
    CHECK_FALSE(full->broken_pipe());
    CHECK(full->Append(Place(1), RowOf(1), false).ok());
    CHECK_FALSE(full->Flush().ok());
  }
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  auto output = Open(Options("/dev/fd/" + std::to_string(ends[1])));
  close(ends[0]);
  output->AppendLoose("x\n");
  CHECK(output->Flush().error().message.find("Broken pipe") != std::string::npos);
  CHECK(output->broken_pipe());
  close(ends[1]);
}

TEST_CASE("records without a line of their own are remembered, too") {
  for (const std::string& name : kNames) {
    const TempFolder folder;
    const std::string path = folder.File(name);
    for (int i = 0; i < 2; ++i) {
      auto output = Open(Options(path));
      for (int record = 0; record < 6; ++record) {
        const RowKey place = Place(record);
        const bool known = output->Find(place) == RowState::kServed;
        CHECK(known == (i == 1));
        const std::string row = record % 2 == 0 ? "" : RowOf(record) + RowOf(record + 50);
        CHECK((known ? output->Reuse(place) : output->Append(place, row, false)).ok());
        if (record % 3 == 0) CHECK(output->Flush().ok());
      }
      CHECK(output->Finish({6}).ok());
      CHECK(Content(path) == Expected({1, 51, 3, 53, 5, 55}));
    }
  }
}

TEST_CASE("an output that was edited after its journal was written is refused and not changed") {
  for (const std::string& name : kNames) {
    const TempFolder folder;
    const std::string path = folder.File(name);
    for (int i = 0; i < 5; ++i) {  // a frame each
      auto output = Open(Options(path));
      Walk(*output, Count(i + 1));
      CHECK(output->Flush().ok());
    }
    const std::string whole = folder.Read(name);
    const std::string edited = whole.substr(0, 5) + whole.substr(6) + " ";
    folder.Write(name, edited);
    const auto refused = RunOutput::Open(Options(path));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message.find("was changed since") != std::string::npos);
    CHECK(folder.Read(name) == edited);
  }
}

TEST_CASE("a link is written through, not replaced") {
  const TempFolder folder;
  const std::string real = folder.Write("real.jsonl", "");
  const std::string link = folder.File("link.jsonl");
  fs::create_symlink(real, link);
  for (const auto& records : {Count(5), std::vector<int>{4, 3}}) {
    auto output = Open(Options(link));
    Walk(*output, records);
    CHECK(output->Finish({static_cast<std::int64_t>(records.size())}).ok());
    CHECK(fs::is_symlink(link));
    CHECK(Content(real) == Expected(records));
  }
}

TEST_CASE("a link to a file that is not there yet is continued, with its journal beside the file") {
  const TempFolder folder;
  const std::string link = folder.File("link.jsonl");
  fs::create_directory(folder.File("far"));
  fs::create_symlink("far/real.jsonl", link);
  for (const int records : {5, 9}) {
    auto output = Open(Options(link));
    CHECK(Walk(*output, Count(records)) == (records == 5 ? 5 : 4));
    CHECK(output->Finish({records}).ok());
  }
  CHECK(fs::is_symlink(link));
  CHECK(Content(folder.File("far/real.jsonl")) == Expected(Count(9)));
  CHECK(folder.Has("far/real.jsonl.journal"));
  CHECK_FALSE(folder.Has("link.jsonl.journal"));
}

// Rows 1, 3 and 4 of an output of five are dropped by a run that is killed as it ends: after so
// many of its renames (output, dropped rows, journal).
void KilledWhileItEnds(const TempFolder& folder, int renames) {
  const std::string path = folder.File("out.jsonl");
  FinishedRun(path, 5);
  const std::string rows = folder.Read("out.jsonl");
  const std::string journal = folder.Read("out.jsonl.journal");
  {
    auto output = Open(Options(path));
    Walk(*output, {0, 2});
    CHECK(output->Finish({2}).ok());
  }
  const auto undo = [&folder](const std::string& from, const std::string& to) {
    fs::rename(folder.File(from), folder.File(to));
  };
  if (renames < 3) undo("out.jsonl.journal", "out.jsonl.new.journal");
  if (renames < 2) undo("out.jsonl.dropped", "out.jsonl.new.dropped");
  if (renames < 1) undo("out.jsonl", "out.jsonl.new");
  if (renames < 1) folder.Write("out.jsonl", rows);
  if (renames < 3) folder.Write("out.jsonl.journal", journal);
}

TEST_CASE("dropped rows are written once, even if the run is killed while it ends") {
  for (int renames = 0; renames <= 3; ++renames) {
    CAPTURE(renames);
    const TempFolder folder;
    KilledWhileItEnds(folder, renames);
    auto output = Open(Options(folder.File("out.jsonl")));
    CHECK(Walk(*output, {0, 2}) == 0);
    CHECK(output->Finish({2}).ok());
    CHECK(folder.Read("out.jsonl") == Expected({0, 2}));
    CHECK(folder.Read("out.jsonl.dropped") == Expected({1, 3, 4}));
    for (const char* left : {"out.jsonl.new", "out.jsonl.new.journal", "out.jsonl.new.dropped"}) {
      CHECK_FALSE(folder.Has(left));
    }
  }
}

TEST_CASE("a run that fails at its end keeps its dropped rows for the next run") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  FinishedRun(path, 5);
  fs::create_directory(folder.File("out.jsonl.new.dropped"));
  fs::create_directory(folder.File("out.jsonl.new.dropped/in the way"));
  {
    auto output = Open(Options(path));
    Walk(*output, {0, 2});
    CHECK_FALSE(output->Finish({2}).ok());
  }
  fs::remove_all(folder.File("out.jsonl.new.dropped"));
  CHECK_FALSE(folder.Has("out.jsonl.dropped"));
  auto output = Open(Options(path));
  Walk(*output, {0, 2});
  CHECK(output->Finish({2}).ok());
  CHECK(folder.Read("out.jsonl.dropped") == Expected({1, 3, 4}));
}

TEST_CASE("dropped rows follow those of earlier runs, each on lines of its own") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  FinishedRun(path, 3);
  folder.Write("out.jsonl.dropped", "earlier\ntorn");
  auto output = Open(Options(path));
  Walk(*output, {0});
  CHECK(output->Finish({1}).ok());
  CHECK(folder.Read("out.jsonl.dropped") == "earlier\ntorn\n" + Expected({1, 2}));
}

TEST_CASE("a rebuilt output keeps its mode") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  FinishedRun(path, 3);
  fs::permissions(path, static_cast<fs::perms>(0600));
  auto output = Open(Options(path));
  Walk(*output, {2, 1});
  CHECK(output->Finish({2}).ok());
  CHECK(Content(path) == Expected({2, 1}));
  CHECK(fs::status(path).permissions() == static_cast<fs::perms>(0600));
}

// A run that begins nothing takes its journal away, while others are between opening and locking.
TEST_CASE("if several runs open one output at the same time, only one gets it") {
  const TempFolder folder;
  const std::string path = folder.File("out.jsonl");
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> opened = 0;
  const auto run = [&] {
    for (int i = 0; i < Rounds(5000); ++i) {
      const auto output = RunOutput::Open(Options(path));
      if (!output.ok()) continue;
      const int now = ++inside;
      ++opened;
      if (now > most) most = now;
      std::this_thread::yield();
      --inside;
    }
  };
  std::vector<std::thread> runs;
  for (int i = 0; i < 4; ++i) runs.emplace_back(run);
  for (std::thread& thread : runs) thread.join();
  CHECK(opened > 0);
  CHECK(most == 1);
}

// Rows, and what their journal says of them, all checksums right.
void WriteForged(const std::string& path, const std::string& rows,
                 const std::vector<JournalEntry>& entries, std::int64_t records) {
  std::ofstream(path, std::ios::binary) << Compress(rows, CompressionOf(path));
  auto writer = JournalWriter::Open(JournalPath(path)).value();
  CHECK(writer->Begin(Run()).ok());
  CHECK(writer->Add(entries).ok());
  CHECK(writer->AddFinished({records, {}}).ok());
}

TEST_CASE("a journal that counts rows otherwise than the output holds them is refused") {
  for (const std::string& name : kNames) {
    const TempFolder folder;
    const std::string path = folder.File(name);
    const std::string a = RowOf(1), b = RowOf(2);
    const auto entry = [&](int record, std::size_t end, const std::string& row) {
      const bool plain = name == kNames[0];
      const std::size_t whole = Compress(a + b, CompressionOf(path)).size();
      return JournalEntry{Place(record).key,
                          record,
                          record + 1,
                          static_cast<std::int64_t>(plain ? end : whole),
                          static_cast<std::int64_t>(row.size()),
                          false,
                          RowCheck(row)};
    };
    RunOutputOptions options = Options(path);
    options.lines = RowLines::kOne;
    const auto refused = [&](const std::vector<JournalEntry>& entries) {
      WriteForged(path, a + b, entries, static_cast<std::int64_t>(entries.size()));
      const auto output = RunOutput::Open(options);
      return !output.ok() &&
             output.error().message.find("was changed since its journal") != std::string::npos;
    };
    const std::size_t end = (a + b).size();
    CHECK_FALSE(refused({entry(0, a.size(), a), entry(1, end, b)}));
    CHECK(refused({entry(1, end, b)}));  // one too few
    CHECK(refused({entry(0, a.size(), a), entry(1, a.size(), a), entry(2, end, b)}));  // too many
    CHECK(refused({entry(0, a.size(), a), entry(1, a.size(), ""), entry(2, end, b)}));
    CHECK(refused({entry(0, end, a + b)}));
    options.lines = RowLines::kAny;
    CHECK_FALSE(refused({entry(0, end, a + b)}));
  }
}

TEST_CASE("compression round trips, whole or in pieces, and damage is found") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i);
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip, Compression::kZstd}) {
    for (const std::string& sample :
         {std::string(), std::string("a"), text, std::string(3 << 20, 'x')}) {
      CHECK(Decompress(Compress(sample, compression), compression).value() == sample);
    }
    const std::string two = Compress(text, compression) + Compress("tail", compression);
    CHECK(Decompress(two, compression).value() == text + "tail");
    if (compression == Compression::kNone) continue;
    CHECK_FALSE(Decompress(two.substr(0, two.size() - 2), compression).ok());
    CHECK_FALSE(Decompress("garbage", compression).ok());
  }
}

}  // namespace
}  // namespace sglrun::io
