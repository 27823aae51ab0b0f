#include "cli/jsonl_filter.h"

#include "cli/exit_codes.h"
#include "cli/print.h"
#include "io/jsonl_reader.h"
#include "io/output_file.h"
#include "io/result_writer.h"

namespace sglrun::cli {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

void AppendError(const RecordError& error, std::int64_t line, std::string& out) {
  JsonWriter w(out);
  w.BeginObject();
  io::WriteErrorMember(w, error, line);
  w.EndObject();
}

Result<void, RecordError> AnswerLine(const io::InputRecord& record, const LineAnswer& answer,
                                     const JsonParseOptions& options, std::string& out) {
  if (record.too_long) {
    return RecordError{"the line is longer than " + std::to_string(io::kMaxLineBytes) + " bytes",
                       ""};
  }
  const Result<ParsedJson, JsonError> parsed = ParseJson(record.text, options);
  if (!parsed.ok()) {
    return RecordError{"the line is no JSON: " + parsed.error().message + " at byte " +
                           std::to_string(parsed.error().offset + 1),
                       ""};
  }
  JsonWriter writer(out);
  return answer(parsed->value, writer);
}

Status Write(const std::string& rows, io::OutputFile* file) {
  if (file == nullptr) return Print(rows);
  file->Append(rows);
  return file->Flush();
}

}  // namespace

Result<int> FilterJsonLines(const FilterFiles& files, const LineAnswer& answer,
                            JsonParseOptions parse) {
  SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<io::JsonlReader> reader,
                          io::JsonlReader::Open({files.input}));
  std::unique_ptr<io::OutputFile> file;  // nullptr: standard output
  if (files.output != "-") {
    SGLRUN_ASSIGN_OR_RETURN(file,
                            io::OutputFile::Open(files.output, io::CompressionOf(files.output)));
  }
  bool failed = false;
  std::string out;
  while (true) {
    SGLRUN_ASSIGN_OR_RETURN(const std::optional<io::InputRecord> record, reader->Next());
    if (!record) break;
    std::string row;
    if (const Result<void, RecordError> done = AnswerLine(*record, answer, parse, row);
        !done.ok()) {
      failed = true;
      row.clear();
      AppendError(done.error(), record->line, row);
    }
    out += row + "\n";
    if (out.size() < kFlushBytes) continue;
    SGLRUN_RETURN_IF_ERROR(Write(out, file.get()));
    out.clear();
  }
  SGLRUN_RETURN_IF_ERROR(Write(out, file.get()));
  return failed ? kExitRecordErrors : kExitOk;
}

}  // namespace sglrun::cli
