#include "run/number.h"

#include "console/exit_codes.h"
#include "io/dialect/numberer.h"
#include "io/jsonl_reader.h"
#include "io/new_output.h"

namespace sglrun::run {

Result<int> RunNumber(const NumberSettings& settings) {
  SGLRUN_ASSIGN_OR_RETURN(
      const auto reader,
      io::JsonlReader::Open(settings.inputs,
                            {.lines_are_json = settings.format != io::LineFormat::kText}));
  SGLRUN_ASSIGN_OR_RETURN(const auto output, io::NewOutput::Open(settings.output));
  io::Numberer numberer(settings.format, settings.inputs.size() > 1);
  while (true) {
    SGLRUN_ASSIGN_OR_RETURN(std::optional<io::InputRecord> line, reader->Next());
    if (!line) break;
    SGLRUN_ASSIGN_OR_RETURN(const std::string numbered, numberer.Number(*std::move(line)));
    SGLRUN_RETURN_IF_ERROR(output->Append(numbered));
  }
  SGLRUN_RETURN_IF_ERROR(output->Finish());
  return console::kExitOk;
}

}  // namespace sglrun::run
