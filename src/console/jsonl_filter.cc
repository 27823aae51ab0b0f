#include "console/jsonl_filter.h"

#include <chrono>

#include "base/large_json.h"
#include "base/log.h"
#include "console/exit_codes.h"
#include "console/print.h"
#include "io/dialect/record.h"
#include "io/output_file.h"
#include "io/row_values.h"

namespace sglrun::console {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;
constexpr std::chrono::milliseconds kFlushTime{200};  // rows appear immediately at a terminal

void AppendError(const RecordError& error, std::int64_t line, std::string& out) {
  JsonWriter w(out);
  w.BeginObject();
  io::WriteErrorMember(w, error, line);
  w.EndObject();
}

RecordError Malformed(const LargeJsonError& found) {
  const std::string what = found.error.message + (found.too_large ? " before byte " : " at byte ") +
                           std::to_string(found.error.offset + 1);
  return RecordError{found.too_large ? what : "the line is not valid JSON: " + what, ""};
}

// Consumes the text of the line.
Result<Json, RecordError> ParseLine(io::InputRecord& record, const JsonParseOptions& options) {
  if (record.too_long) {
    return RecordError{"the line is longer than " + std::to_string(io::kMaxLineBytes) + " bytes",
                       ""};
  }
  Result<ParsedJson, LargeJsonError> parsed =
      ParseLargeJson(record.text, io::kMaxValueBytes, options);
  if (!parsed.ok()) return Malformed(parsed.error());
  for (const std::string& key : parsed->duplicate_keys) {
    LogWarning("line " + std::to_string(record.line) + ": the key \"" + key +
               "\" occurs twice in one object; the last one is used");
  }
  return std::move(parsed)->value;
}

Result<void, RecordError> AnswerLine(const Result<Json, RecordError>& line,
                                     const LineAnswer& answer, std::string& out) {
  if (!line.ok()) return line.error();
  JsonWriter writer(out);
  return answer(*line, writer);
}

Status Write(const std::string& rows, io::OutputFile* file) {
  if (file == nullptr) return Print(rows);
  file->Append(rows);
  return file->Flush();
}

}  // namespace

Status ForEachJsonLine(io::JsonlReader& reader, const JsonParseOptions& parse,
                       const LineVisitor& visit) {
  while (true) {
    SGLRUN_ASSIGN_OR_RETURN(std::optional<io::InputRecord> record, reader.Next());
    if (!record) return {};
    SGLRUN_RETURN_IF_ERROR(visit(record->line, ParseLine(*record, parse)));
  }
}

Result<int> FilterJsonLines(const FilterFiles& files, const LineAnswer& answer,
                            const JsonParseOptions& parse) {
  SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<io::JsonlReader> reader,
                          io::JsonlReader::Open({files.input}));
  std::unique_ptr<io::OutputFile> file;  // nullptr: standard output
  if (files.output != "-") {
    SGLRUN_ASSIGN_OR_RETURN(file,
                            io::OutputFile::Open(files.output, io::CompressionOf(files.output)));
  }
  bool failed = false;
  std::string out;
  auto flushed = std::chrono::steady_clock::now();
  const auto visit = [&](std::int64_t number, const Result<Json, RecordError>& line) -> Status {
    std::string row;
    if (const auto done = AnswerLine(line, answer, row); !done.ok()) {
      failed = true;
      row.clear();
      AppendError(done.error(), number, row);
    }
    out += row + "\n";
    const auto now = std::chrono::steady_clock::now();
    if (out.size() < kFlushBytes && now - flushed < kFlushTime) return {};
    flushed = now;
    SGLRUN_RETURN_IF_ERROR(Write(out, file.get()));
    out.clear();
    return {};
  };
  SGLRUN_RETURN_IF_ERROR(ForEachJsonLine(*reader, parse, visit));
  SGLRUN_RETURN_IF_ERROR(Write(out, file.get()));
  return failed ? kExitRecordErrors : kExitOk;
}

}  // namespace sglrun::console
