#include "run/batch.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "base/stop_flag.h"
#include "run/batch_run.h"
#include "run/session.h"
#include "run/setup.h"

namespace sglrun::run {
namespace {

// Checks whether the run can use this output, as far as possible without opening it. Loading the
// weights may take a while, so an output that cannot be used or continued is reported before that.
bool BeginsOutput(const std::string& path) {
  if (io::IsLooseOutput(path)) return true;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  return !std::filesystem::exists(path, ignored) &&
         ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

}  // namespace

Result<int> RunBatch(const RunSettings& settings) {
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe comes back as a write error
  const console::Clock::time_point start = console::Clock::now();
  SGLRUN_RETURN_IF_ERROR(CheckOutputForm(settings));
  SGLRUN_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(settings));
  SGLRUN_ASSIGN_OR_RETURN(auto reader, io::JsonlReader::Open(settings.records.inputs,
                                                             MakeReaderOptions(settings.records)));
  StopFlag::Watch();  // not earlier: opening waits for a pipe's first bytes
  SGLRUN_RETURN_IF_ERROR(session->ReadModel(BeginsOutput(settings.output)));
  return BatchRun(settings, *session, start).Run(std::move(reader));
}

}  // namespace sglrun::run
