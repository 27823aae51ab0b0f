// The commands that print what the tables say.
#include "cli/print_tables.h"

#include "cli/completion.h"
#include "cli/man_page.h"
#include "console/exit_codes.h"
#include "console/print.h"
#include "io/openai/body_fields.h"
#include "request/fields_doc.h"

namespace sglrun::cli {

Result<int> RunFields(const Options& options) {
  SGLRUN_RETURN_IF_ERROR(console::Print(options.json_schema ? request::InputSchema().Dump() + "\n"
                                                            : request::FieldsTable() + "\n" +
                                                                  io::openai::BodyFieldsTable()));
  return console::kExitOk;
}

Result<int> RunCompletion(const Options& options) {
  SGLRUN_RETURN_IF_ERROR(console::Print(CompletionScript(options.inputs[0])));
  return console::kExitOk;
}

Result<int> RunMan(const Options&) {
  SGLRUN_RETURN_IF_ERROR(console::Print(ManPage()));
  return console::kExitOk;
}

}  // namespace sglrun::cli
